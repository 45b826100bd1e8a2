"""Many instances at their start, in few calls: see ``instances.c``."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from ctypes import byref, c_bool, c_double, c_int, c_void_p

import numpy as np

from coupling.kernel.fmi.instance import Instance, RefusalStructure, StartRefusal, StartValues, refused
from coupling.kernel.platform.binding import declare, pointer

_TIMES = [c_double] * 3
declare(
    {
        "instances_start": (c_int, [c_void_p, c_void_p, c_int, c_bool, *_TIMES, c_void_p, c_void_p]),
        "instances_exit_initialization": (c_int, [c_void_p, c_int, c_int, c_void_p]),
    }
)


class Together:
    """Instances of this process that are started one after the other, without anything between them."""

    def __init__(self, instances: Sequence[Instance]) -> None:
        self._library, self._count = instances[0].library, len(instances)
        self._handles = np.array([each.handle for each in instances], np.uintp)
        self._starts = np.zeros(len(instances), np.uintp)
        self._at = pointer(self._handles), pointer(self._starts)
        self._values: dict[int, StartValues] = {}

    def give(self, index: int, values: StartValues) -> None:
        """Gives start values to one of the instances, from the next start on."""
        if self._values.get(index) is not values:
            self._starts[index] = ctypes.addressof(values.structure(self._library))
            self._values[index] = values

    def start(self, tolerance: float, start: float, stop: float, *, reset: bool = False) -> tuple[int, StartRefusal] | None:
        """Starts the instances up to Initialization Mode; returns the first that refuses, with its refusal."""
        refusal, status = RefusalStructure(), c_int()
        index = self._library.instances_start(*self._at, self._count, reset, tolerance, start, stop, byref(refusal), byref(status))
        return None if index == self._count else (index, refused(self._values[index], status.value, refusal))

    def exit_initialization(self) -> Iterator[tuple[int, int]]:
        """Yields number and status of instances that refuse or report something; the others leave the mode when the next one is asked
        for."""
        status, index = c_int(), -1
        while (index := self._library.instances_exit_initialization(self._at[0], index + 1, self._count, byref(status))) < self._count:
            yield index, status.value
