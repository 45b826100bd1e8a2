"""Integrators in Python, which the kernel calls back for each step."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_bool, c_double, c_void_p
from typing import Protocol

import numpy as np


class CalledMethod(Protocol):
    """A method that integrates the states of a system step by step."""

    def restart(self, t: float, x: np.ndarray, limit: float, first: float) -> None:
        """Begins at a point, at which the system is evaluated, to go as far as the limit, with a first step that is no longer than given."""

    def step(self) -> float:
        """Takes a step, to the limit at most, and returns the time."""

    def state(self, t: float) -> np.ndarray:
        """The states within the last step."""


_RESTART = ctypes.CFUNCTYPE(c_bool, c_double, c_void_p, c_double, c_double)
_STEP = ctypes.CFUNCTYPE(c_bool, c_void_p)
_STATE = ctypes.CFUNCTYPE(c_bool, c_double, c_void_p)


class IntegratorStructure(ctypes.Structure):
    """``CalledMethod`` in kernel.h."""

    _fields_ = [("restart", _RESTART), ("step", _STEP), ("state", _STATE)]


class Callbacks:
    """An integrator as C calls it. An exception cannot pass through C: it is kept, and the call returns that it is not done."""

    def __init__(self, integrator: CalledMethod, states: int) -> None:
        self.raised: BaseException | None = None
        array = c_double * states

        def guarded(call: Callable[[], None]) -> bool:
            try:
                call()
            except BaseException as error:
                self.raised = error
                return False
            return True

        def restart(t: float, x: int, limit: float, first: float) -> bool:
            return guarded(lambda: integrator.restart(t, np.array(array.from_address(x)), limit, first))

        def step(t: int) -> bool:
            def call() -> None:
                c_double.from_address(t).value = integrator.step()

            return guarded(call)

        def state(t: float, x: int) -> bool:
            def call() -> None:
                np.ctypeslib.as_array(array.from_address(x))[:] = integrator.state(t)

            return guarded(call)

        self.structure = IntegratorStructure(_RESTART(restart), _STEP(step), _STATE(state))
