"""Integrators in Python, which the kernel calls back for each step."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_bool, c_double, c_void_p
from typing import Protocol

import numpy as np

from coupling.kernel.platform.own import Library


class CalledMethod(Protocol):
    """A method that integrates the states of a system step by step."""

    def restart(self, t: float, x: np.ndarray, limit: float, first: float) -> None:
        """Begins at a point, at which the system is evaluated, to go as far as the limit, with a first step that is no longer than given."""

    def step(self) -> float:
        """Takes a step, to the limit at most, and returns the time."""

    def state(self, t: float) -> np.ndarray:
        """Returns the states within the last step."""

    def go_on(self, limit: float) -> None:
        """Sets another limit for the steps that follow."""


_RESTART = ctypes.CFUNCTYPE(c_bool, c_double, c_void_p, c_double, c_double, c_void_p)
_STEP = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p)
_STATE = ctypes.CFUNCTYPE(c_bool, c_double, c_void_p, c_void_p)
_GO_ON = ctypes.CFUNCTYPE(c_bool, c_double, c_void_p)


class IntegratorStructure(ctypes.Structure):
    """``CalledMethod`` in kernel.h."""

    _fields_ = [(name, c_void_p) for name in ("restart", "step", "state", "go_on", "context")]


class Callbacks:
    """An integrator as C calls it. An exception cannot pass through C: it is kept, and the call returns that it is not done."""

    def __init__(self, library: Library, integrator: CalledMethod, states: int) -> None:
        self.raised: BaseException | None = None
        array = c_double * states

        def guarded(call: Callable[[], None]) -> bool:
            try:
                call()
            except BaseException as error:
                self.raised = error
                return False
            return True

        def restart(t: float, x: int, limit: float, first: float, _: object) -> bool:
            return guarded(lambda: integrator.restart(t, np.array(array.from_address(x)), limit, first))

        def step(t: int, _: object) -> bool:
            def call() -> None:
                c_double.from_address(t).value = integrator.step()

            return guarded(call)

        def state(t: float, x: int, _: object) -> bool:
            def call() -> None:
                np.ctypeslib.as_array(array.from_address(x))[:] = integrator.state(t)

            return guarded(call)

        def go_on(limit: float, _: object) -> bool:
            return guarded(lambda: integrator.go_on(limit))

        functions = (
            (_RESTART, "ask_restart", restart),
            (_STEP, "ask_step", step),
            (_STATE, "ask_state", state),
            (_GO_ON, "ask_go_on", go_on),
        )
        self._called = library.called_back(*functions)
        self.structure = library.kept_structure(IntegratorStructure(*self._called.addresses, self._called.context))
