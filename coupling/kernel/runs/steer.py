"""Pieces of a run in one call each; see ``steer.c``."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_double, c_int, c_long, c_void_p
from typing import NamedTuple

import numpy as np

from coupling.kernel.platform.binding import declare
from coupling.kernel.system.core import Core
from coupling.kernel.system.status import STATUSES, Status

_AT_A_TIME = 10_000
"""Steps that one call takes before it looks for Ctrl-C."""


class SteeringStructure(ctypes.Structure):
    """``Steering`` in kernel.h."""

    _fields_ = [
        *((name, c_int) for name in ("inputs", "drives", "outputs")),
        *((name, c_void_p) for name in ("part", "type", "drive", "column", "reference", "low", "high", "slope", "value", "given", "out")),
        ("end", c_double),
        *((name, c_long) for name in ("most", "at_a_time")),
    ]


declare({"kernel_steer": (c_int, [c_void_p, POINTER(SteeringStructure), c_double])})


class Steered(NamedTuple):
    """An input that each piece sets: of an instance, or the drive that gives it."""

    part: int
    type: int
    reference: int
    drive: int | None
    low: float
    high: float
    value: float
    """Present value."""


class Steering:
    """Inputs that are set, and columns that are read, in each piece of a run."""

    def __init__(self, kernel: Core, inputs: Sequence[Steered], columns: Sequence[int], most: int) -> None:
        """Takes columns of a row, in which the time is the first, and the number of steps that a run takes at most."""
        self._kernel, library = kernel, kernel.library
        order = sorted(range(len(inputs)), key=lambda i: inputs[i].drive is not None)
        held, driven = [inputs[i] for i in order if inputs[i].drive is None], [inputs[i] for i in order if inputs[i].drive is not None]
        every = [*held, *driven]
        arrays = {
            **{name: np.array([getattr(each, name) for each in held], np.intc) for name in ("part", "type")},
            "reference": np.array([each.reference for each in held], np.uintc),
            "drive": np.array([each.drive for each in driven], np.intc),
            "column": np.array(columns, np.intc),
            **{name: np.array([getattr(each, name) for each in every], float) for name in ("low", "high", "value")},
            "slope": np.zeros(len(driven)),
            "given": np.zeros(len(every)),
            "out": np.zeros(len(columns)),
        }
        self._structure = library.kept_structure(
            SteeringStructure(len(inputs), len(driven), len(columns), most=most, at_a_time=_AT_A_TIME), **arrays
        )
        kept = self._structure.arrays
        self._given, self._order, self.out = kept["given"], np.array(order, int), kept["out"]
        self._in_order = order == sorted(order)
        self._value = kept["value"]
        self._reference = byref(self._structure)
        self._call = library.kernel_steer

    @property
    def values(self) -> np.ndarray:
        """The values that the inputs have now."""
        found = np.empty(len(self._value))
        found[self._order] = self._value
        return found

    @values.setter
    def values(self, values: np.ndarray) -> None:
        self._value[:] = values[self._order]

    @property
    def end(self) -> float:
        """The time in s at which the last piece ends."""
        return self._structure.end

    def advance(self, seconds: float, values: np.ndarray) -> Status:
        """Sets the inputs, advances by a time in s, and reads. Returns DONE at the end of the piece, and STOPPED where a value is out of its
        bounds."""
        self._given[:] = values if self._in_order else values[self._order]
        return STATUSES[self._call(self._kernel.handle, self._reference, seconds)]
