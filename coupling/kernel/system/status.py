"""The results of calls of the kernel, and its reports on them."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_long, c_uint
from enum import IntEnum


class Status(IntEnum):
    """The way in which a call of the kernel ended."""

    DONE = 0
    RETRY = 1
    STEP_TOO_SMALL = 2
    NO_MEMORY = 3
    FMU_FAILED = 4
    NOT_FINITE = 5
    NOT_SOLVED = 6
    CONTRADICTORY = 7
    CHATTERING = 8
    UNSETTLED = 9
    TERMINATED = 10
    PAUSED = 11
    STOPPED = 12
    UNFIT = 13
    CONFLICT = 14
    NO_FORCES = 15
    UNSETTLED_MODES = 16
    UNFIT_MODE = 17
    STEP_NOT_SOLVED = 18
    STEP_CONTRADICTORY = 19
    PRESCRIBED = 20
    NO_ROOM = 21
    BEYOND_LIMIT = 22
    UNTIL = 23


STATUSES = tuple(Status)
"""Statuses by their numbers, in a tenth of the time that ``Status(number)`` takes."""


class Failure(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("instance", c_int),
        ("status", c_int),
        ("action", c_char_p),
        ("references", POINTER(c_uint)),
        ("count", c_int),
        ("index", c_int),
        ("slot", c_int),
        ("time", c_double),
    ]


class Sample(ctypes.Structure):
    """A sample of the evaluations in one way: the time that some of them spent in FMUs."""

    _fields_ = [*((name, c_long) for name in ("begun", "made", "timed")), ("fmu_seconds", c_double)]

    @property
    def each(self) -> float:
        """Seconds in FMUs of one evaluation."""
        return max(0.0, self.fmu_seconds / self.timed) if self.timed else 0.0


class KernelStatistics(ctypes.Structure):
    _fields_ = [
        *((name, c_long) for name in ("evaluations", "newton_iterations", "factorisations", "events", "time_events", "state_events")),
        ("step_events", c_long),
        ("ways", 2 * Sample),
    ]
