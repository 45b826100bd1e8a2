"""Modes of constraints, and impacts, as ``modes.h`` describes them: on small dense matrices."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_void_p
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from coupling.kernel import library
from coupling.kernel.platform.binding import declare, pointer


class SwitchKind(IntEnum):
    """The kinds of switches, as in C."""

    UNILATERAL = 0
    FRICTION = 1


class ModesStatus(IntEnum):
    """The status of a search, as in C."""

    FOUND = 0
    NO_MEMORY = 1
    UNSETTLED = 2
    NONE = 3


class Switched(ctypes.Structure):
    """A unilateral constraint, or friction; ``normal`` is the unilateral that presses it, or -1."""

    _fields_ = [
        ("kind", c_int),
        ("normal", c_int),
        ("second", c_int),
        *((name, c_double * 2) for name in ("mu", "limit", "sliding")),
        *((name, c_void_p * 2) for name in ("follows", "rests")),
        ("restitution", c_double),
        ("mode", c_int),
        ("due", c_int),
    ]


class Modes(NamedTuple):
    """The modes that were found, by item."""

    status: ModesStatus
    mode: list[int]
    multiplier: np.ndarray
    acceleration: np.ndarray
    rounds: int


class Struck(NamedTuple):
    """The state after an impact, by item."""

    status: ModesStatus
    velocity: np.ndarray
    impulse: np.ndarray
    rounds: int


class _Impact(ctypes.Structure):
    _fields_ = [
        ("count", c_int),
        ("S", c_void_p),
        ("item", c_void_p),
        ("sequential", c_bool),
        ("newton", c_bool),
        ("rest", c_double),
        ("velocity", c_void_p),
        ("impulse", c_void_p),
        ("rounds", c_int),
    ]


declare(
    {
        "modes_find": (c_int, [c_int, c_void_p, c_void_p, c_void_p, c_double, c_void_p, c_void_p, POINTER(c_int)]),
        "modes_impact": (c_int, [POINTER(_Impact)]),
    }
)


def unilateral(mode: int = 0, restitution: float = 0.0, due: bool = False) -> Switched:
    """Open, or closed as ``mode`` says."""
    return Switched(kind=SwitchKind.UNILATERAL, normal=-1, second=-1, restitution=restitution, mode=mode, due=due)


def friction(
    limit: float = 0.0,
    mode: int = 0,
    normal: int = -1,
    mu: float = 0.0,
    due: int = 0,
    *,
    sliding: float | None = None,
    back: float | None = None,
    mu_back: float | None = None,
    follows: tuple[np.ndarray | None, np.ndarray | None] = (None, None),
) -> Switched:
    """Returns friction whose limit is a force, or ``mu`` times the multiplier of a unilateral; in slipping it is ``sliding``.

    ``back`` and ``mu_back`` are those against a negative slip, where they differ. ``follows``: how the limits grow with each multiplier, as
    arrays that have to outlive it.
    """
    limits = (limit, limit if back is None else back)
    pair = c_double * 2
    rates = (c_void_p * 2)(*(None if each is None else pointer(each) for each in follows))
    return Switched(
        kind=SwitchKind.FRICTION,
        normal=normal,
        second=-1,
        mu=pair(mu, mu if mu_back is None else mu_back),
        limit=pair(*limits),
        sliding=pair(*(limits if sliding is None else (sliding, sliding))),
        follows=rates,
        rests=rates,
        mode=mode,
        due=due,
    )


def find(S: np.ndarray, b: np.ndarray, items: Sequence[Switched]) -> Modes:
    """The modes under which no constraint is violated."""
    n, rounds, array = len(b), c_int(), (Switched * len(items))(*items)
    S, b = np.ascontiguousarray(S, dtype=float), np.ascontiguousarray(b, dtype=float)
    multiplier, acceleration = np.zeros(n), np.zeros(n)
    status = library.modes_find(n, pointer(S), pointer(b), array, 0.0, pointer(multiplier), pointer(acceleration), byref(rounds))
    return Modes(ModesStatus(status), [each.mode for each in array], multiplier, acceleration, rounds.value)


def strike(
    S: np.ndarray, velocity: np.ndarray, items: Sequence[Switched], *, sequential: bool = True, rest: float = 1e-3, newton: bool = False
) -> Struck:
    """Velocities of constraints after an impact; ``newton``: by Newton's law even with friction."""
    S, after = np.ascontiguousarray(S, dtype=float), np.array(velocity, dtype=float)
    impulse, array = np.zeros(len(after)), (Switched * len(items))(*items)
    m = _Impact(len(after), pointer(S), ctypes.cast(array, c_void_p), sequential, newton, rest, pointer(after), pointer(impulse), 0)
    return Struck(ModesStatus(library.modes_impact(byref(m))), after, impulse, m.rounds)
