"""Implicit steps in the kernel; ``implicit.h`` describes its functions and structures."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_size_t, c_void_p
from enum import IntEnum
from typing import NamedTuple, NoReturn

import numpy as np

from coupling.kernel.cosimulation.coupling import Coupled
from coupling.kernel.fmi.instance import Readings
from coupling.kernel.platform.binding import declare, pointer, require_memory
from coupling.kernel.system.status import Status

_BETWEEN = ctypes.CFUNCTYPE(c_bool, c_double, c_double, c_void_p)


class LevelStructure(ctypes.Structure):
    """``ConstraintLevel`` in implicit.h."""

    _fields_ = [("mean", (c_double * 2) * 2), ("spread", c_double * 2), ("continuous", c_bool)]


class ConstraintStructure(ctypes.Structure):
    _fields_ = [("loop", c_int), ("place", c_int), ("holonomic", c_bool), ("known", c_bool)]


class _SetupStructure(ctypes.Structure):
    _fields_ = [
        ("level", LevelStructure),
        ("constraint", c_void_p),
        *((name, c_void_p) for name in ("enforced", "tolerance", "constraint_size", "input_size")),
        *((name, c_void_p) for name in ("still", "movable", "responding", "response", "reading", "read", "place")),
        *((name, c_void_p) for name in ("between", "context")),
        *((name, c_double) for name in ("constraint_tolerance", "rounding", "noise")),
        *((name, c_int) for name in ("constraints", "responses", "readings", "reads", "most_repetitions")),
        ("watches_gain", c_bool),
    ]


class _EndStructure(ctypes.Structure):
    _fields_ = [("ending", c_int), ("input", c_int), ("reached", c_double), ("gain", c_double)]


class Ending(IntEnum):
    """The way in which the repetitions of a step end."""

    SETTLED = 0
    EARLY = 1
    STUCK = 2
    UNSETTLED = 3
    DIVERGING = 4


class Violations(NamedTuple):
    """A reader of constraint violations, with the place of each value in an array with a row of positions and one of velocities."""

    readings: Readings
    places: np.ndarray


declare(
    {
        "kernel_begin_implicit": (c_int, [c_void_p, POINTER(_SetupStructure)]),
        "kernel_implicit_unknowns": (POINTER(c_double), [c_void_p]),
        "kernel_implicit_note": (None, [c_void_p, c_bool]),
        "kernel_implicit_start": (c_int, [c_void_p, c_double]),
        "kernel_implicit_go_on": (c_int, [c_void_p, POINTER(_EndStructure)]),
        "kernel_implicit_repeat": (c_int, [c_void_p, c_void_p]),
        "kernel_implicit_arrive": (c_int, [c_void_p, c_double, c_void_p]),
        "kernel_implicit_forget": (None, [c_void_p]),
        "kernel_implicit_past": (c_void_p, [c_void_p]),
        "past_size": (c_size_t, [c_void_p]),
        "past_copy": (None, [c_void_p, c_void_p, c_bool]),
    }
)


class Implicit:
    """The implicit steps of a run; to be made anew for each run of a kernel.

    Unknowns are the multipliers at the beginning and at the end of a step, and the inputs at its end.
    """

    def __init__(
        self,
        kernel: Coupled,
        level: LevelStructure,
        constraints: Sequence[ConstraintStructure],
        violations: Violations,
        *,
        enforced: np.ndarray,
        tolerance: np.ndarray,
        constraint_size: np.ndarray,
        input_size: np.ndarray,
        still: np.ndarray,
        movable: np.ndarray,
        responding: np.ndarray,
        between: Callable[[float, float], None] | None,
        constraint_tolerance: float,
        rounding: float,
        noise: float,
        most_repetitions: int,
        watches_gain: bool,
    ) -> None:
        """Sets up implicit steps. ``enforced`` are the violations that are brought to 0. ``tolerance`` and ``still`` are by input;
        ``movable`` is by constraint and may change. Absolute tolerances are multiples of the sizes. ``responding`` are the constraints
        whose response no Jacobian gives. ``between`` is called for each repetition."""
        self._kernel, self._between = kernel, between
        self._library = library = kernel.library
        self._raised: BaseException | None = None
        rows = library.kept_structure((ConstraintStructure * len(constraints))(*constraints))
        readings, places = violations.readings, np.ascontiguousarray(violations.places, np.intc)
        responding, enforced = np.ascontiguousarray(responding, np.intc), np.ascontiguousarray(enforced, np.bool_)
        self._called = library.called_back(*([(_BETWEEN, "ask_between", self._guarded)] if between else []))
        self._kept = rows, readings
        self._response: np.ndarray | None = None
        self.movable = library.kept(movable)
        """Truths by multiplier: it may move at the beginning of a step; to be changed in place."""
        setup = _SetupStructure(
            level=level,
            constraint=ctypes.addressof(rows),
            reading=ctypes.addressof(readings.structures),
            between=next(iter(self._called.addresses), None),
            context=self._called.context,
            constraint_tolerance=constraint_tolerance,
            rounding=rounding,
            noise=noise,
            constraints=len(rows),
            responses=len(responding),
            readings=len(readings.structures),
            reads=len(places),
            most_repetitions=most_repetitions,
            watches_gain=watches_gain,
        )
        self._setup = library.kept_structure(
            setup,
            enforced=enforced,
            tolerance=tolerance,
            constraint_size=constraint_size,
            input_size=input_size,
            still=still,
            movable=self.movable,
            responding=responding,
            read=readings.values,
            place=places,
        )
        require_memory(self._library.kernel_begin_implicit(kernel.handle, byref(self._setup)))
        m, n = 2 * len(rows), len(tolerance)
        block = np.ctypeslib.as_array(self._library.kernel_implicit_unknowns(kernel.handle), shape=(3 * m + 2 * n + 1,))
        self.unknowns, self.found = block[: m + n], block[m + n : 2 * (m + n)]
        """Unknowns in the present repetition, and the values that follow from them."""
        self.violations = block[2 * (m + n) : 3 * m + 2 * n].reshape(2, -1)
        self._end = _EndStructure()

    def set_response(self, moves: np.ndarray) -> None:
        """Sets how the multipliers of responding constraints move by their violations; to be called before a step starts."""
        self._response = self._library.kept(np.ascontiguousarray(moves, np.float64))
        self._setup.response = pointer(self._response)

    def note(self, restart: bool) -> None:
        """Notes the present point; ``restart`` where the past does not continue."""
        self._library.kernel_implicit_note(self._kernel.handle, restart)

    def start(self, h: float) -> Status:
        """Saves the present point, and predicts the unknowns of a step from there."""
        return Status(self._library.kernel_implicit_start(self._kernel.handle, h))

    def go_on(self) -> tuple[Status, Ending, _EndStructure]:
        """Repeats that step; where it is ``STUCK``, another call goes on from there."""
        status = Status(self._library.kernel_implicit_go_on(self._kernel.handle, byref(self._end)))
        return self._checked(status), Ending(self._end.ending), self._end

    def repeat(self, unknowns: np.ndarray) -> Status:
        """Takes the step once; the violations at its end follow."""
        return self._checked(Status(self._library.kernel_implicit_repeat(self._kernel.handle, self._library.pointer(unknowns))))

    def arrive(self, t: float, multipliers: np.ndarray) -> Status:
        """Makes the values of a time arrive at the inputs, with these multipliers."""
        return Status(
            self._library.kernel_implicit_arrive(self._kernel.handle, t, self._library.pointer(np.ascontiguousarray(multipliers)))
        )

    def forget(self) -> None:
        """Forgets what repetitions have shown."""
        self._library.kernel_implicit_forget(self._kernel.handle)

    @property
    def past(self) -> np.ndarray:
        """A copy of the last points, which may be put back."""
        past = self._library.kernel_implicit_past(self._kernel.handle)
        copy = np.zeros(self._library.past_size(past))
        self._library.past_copy(past, self._library.pointer(copy), False)
        return copy

    @past.setter
    def past(self, copy: np.ndarray) -> None:
        self._library.past_copy(self._library.kernel_implicit_past(self._kernel.handle), self._library.pointer(copy), True)

    def _guarded(self, t: float, h: float, _: object) -> bool:
        """Keeps an exception, which cannot pass through C; the call then returns that it is not done."""
        assert self._between
        try:
            self._between(t, h)
        except BaseException as error:
            self._raised = error
            return False
        return True

    def _checked(self, status: Status) -> Status:
        if status is Status.STOPPED:
            self._raise_kept()
        return status

    def _raise_kept(self) -> NoReturn:
        raised, self._raised = self._raised, None
        raise raised if raised is not None else KeyboardInterrupt  # which came before anything could keep it
