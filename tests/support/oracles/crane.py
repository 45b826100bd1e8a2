"""The hydraulic crane benchmark (Rahikainen, Gonzalez, Naya et al.) written out in minimal coordinates, for tests."""

from __future__ import annotations

from itertools import pairwise
from math import copysign, cos, hypot, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

A1, A2 = pi * 0.08**2 / 4, pi * 0.08**2 / 4 - pi * 0.035**2 / 4
SUPPLY, TANK = 7.6e6, 1e5
FOOT, START, GRAVITY = sqrt(3) / 2, pi / 6, 9.8
LENGTH = hypot(0.5 * cos(START) - FOOT, 0.5 * sin(START))
STOP = 20.0
COMMAND = [(0.0, 0.0), *((10 * k + t, U) for k in range(2) for t, U in ((0.5, 0.0), (2.0, 0.6), (7.0, 0.6), (9.0, -1.0), (10.0, 0.0)))]
BEGIN = (START, 0.0, 0.0, 0.0, 4.163e6, 3.461e6, 0.0)


# -- hydraulics --------------------------------------------------------------------------------------------------------------------------


def root(drop: float) -> float:
    """Returns sign(drop) sqrt(|drop|), linear below 2e5 Pa."""
    return copysign(sqrt(abs(drop)), drop) if abs(drop) >= 2e5 else drop / sqrt(2e5)


class Hydraulics(NamedTuple):
    """The rates p1', p2' and U', and the force F; or the sizes of their terms."""

    p1: float
    p2: float
    F: float
    U: float


def hydraulics(sigma: float, v: float, p1: float, p2: float, U: float, reference: float) -> tuple[Hydraulics, Hydraulics]:
    """Rates and force as the benchmark states them, sigma being s - s0; and the size of the terms of each."""
    Cv = (0.024 / 60) / sqrt(35e5)
    l1, l2 = 0.221 + sigma, 0.221 - sigma
    V1, V2 = A1 * l1 + 3.14e-5, A2 * l2 + 7.85e-5
    Be1 = 1 / (1 / 1.5e9 + (A1 * l1 / V1) / 3.15e10 + (3.14e-5 / V1) / 1.5e8)
    Be2 = 1 / (1 / 1.5e9 + (A2 * l2 / V2) / 3.15e10 + (7.85e-5 / V2) / 1.5e8)
    Q1 = Q2 = 0.0
    if U >= 1e-6:
        Q1, Q2 = Cv * U * root(SUPPLY - p1), Cv * U * root(p2 - TANK)
    if U <= -1e-6:
        Q1, Q2 = Cv * U * root(p1 - TANK), Cv * U * root(SUPPLY - p2)
    F = p1 * A1 - p2 * A2 - 1e5 * v
    if l1 < 0.008:
        F += max(0.0, 1e7 * (0.008 - l1) - 5e3 * v)
    if l2 < 0.008:
        F -= max(0.0, 1e7 * (0.008 - l2) + 5e3 * v)
    values = Be1 / V1 * (Q1 - A1 * v), Be2 / V2 * (A2 * v - Q2), F, (min(1.0, max(-1.0, reference)) - U) * 2 * pi * 35
    sizes = Be1 / V1 * (abs(Q1) + A1 * abs(v)), Be2 / V2 * (abs(Q2) + A2 * abs(v)), p1 * A1 + p2 * A2 + 1e5 * abs(v), 2 * pi * 35
    return Hydraulics(*values), Hydraulics(*sizes)


# -- the whole crane ---------------------------------------------------------------------------------------------------------------------


def cylinder(boom: float) -> tuple[float, float]:
    """Its length, and how that changes with the angle of the boom."""
    x, y = 0.5 * cos(boom) - FOOT, 0.5 * sin(boom)
    s = hypot(x, y)
    return s, (-0.5 * x * sin(boom) + 0.5 * y * cos(boom)) / s


def accelerations(boom: float, load: float, w: float, o: float, F: float) -> tuple[float, float]:
    """Lagrange's equations for the angles of boom and load, the latter 0 where it hangs straight, under a force of the cylinder."""
    _, slope = cylinder(boom)
    # (500/12 + 500/4 + 100) w' + 30 sin(load - boom) o' = ..., 30 sin(load - boom) w' + (1 + 100 0.09) o' = ...
    inertia, coupling, own = 500 / 12 + 500 * 0.25 + 100, 30 * sin(load - boom), 1 + 100 * 0.09
    turning = 30 * cos(load - boom)
    of_boom = F * slope - GRAVITY * (250 + 100) * cos(boom) - turning * o**2
    of_load = turning * w**2 - GRAVITY * 30 * sin(load)
    determinant = inertia * own - coupling**2
    return (own * of_boom - coupling * of_load) / determinant, (inertia * of_load - coupling * of_boom) / determinant


def rates(state: np.ndarray, reference: float) -> list[float]:
    """Returns the rates of the angles, of their rates, of pressures and spool."""
    boom, load, w, o, p1, p2, U = map(float, state)
    s, slope = cylinder(boom)
    (dp1, dp2, F, dU), _ = hydraulics(s - LENGTH, slope * w, p1, p2, U, reference)
    return [w, o, *accelerations(boom, load, w, o, F), dp1, dp2, dU]


def pushed(times: np.ndarray, forces: list[tuple[float, float]]) -> np.ndarray:
    """The angles of boom and load at these times under forces that hold from one time to the next, in place of the hydraulics."""
    state, found = np.array(BEGIN[:4]), []
    for (begin, F), end in zip(forces, [*(t for t, _ in forces[1:]), times[-1]], strict=True):
        asked = times[(times >= begin) & (times < end)]
        part = solve_ivp(
            lambda _, y, F=F: [y[2], y[3], *accelerations(*y, F)],
            (begin, end),
            state,
            "DOP853",
            t_eval=[*asked, end],
            rtol=1e-12,
            atol=1e-12,
        )
        found.append(part.y[:2, :-1])
        state = part.y[:, -1]
    return np.column_stack([*found, state[:2]])


def motion(times: np.ndarray, rtol: float = 1e-10) -> np.ndarray:
    """The states at these times, one row each, from an implicit method that begins anew at each corner of the command."""
    state, found = np.array(BEGIN), []
    for (begin, first), (end, last) in pairwise(COMMAND):
        slope = (last - first) / (end - begin)
        asked = times[(times >= begin - 1e-9) & (times < min(end, times[-1] + 1) - 1e-9)]
        atol = rtol * np.array([1e-1, 1e-1, 1e-1, 1e-1, 1e5, 1e5, 1e-1])
        part = solve_ivp(
            lambda t, y, t0=begin, U0=first, k=slope: rates(y, U0 + k * (t - t0)),
            (begin, end),
            state,
            "Radau",
            t_eval=[*np.maximum(asked, begin), end],
            rtol=rtol,
            atol=atol,
        )
        assert part.success, part.message
        found.append(part.y[:, :-1])
        state = part.y[:, -1]
        if end > times[-1]:
            return np.column_stack(found)
    return np.column_stack([*found, state])


def watched(states: np.ndarray) -> dict[str, np.ndarray]:
    """Length, pressures and force, by the names of the coupled system's variables."""
    lengths, forces = [], []
    for boom, _, w, _, p1, p2, U in states.T:
        s, slope = cylinder(boom)
        lengths.append(s)
        forces.append(hydraulics(s - LENGTH, slope * w, p1, p2, U, 0.0)[0].F)
    return {
        "actuator.length": np.array(lengths),
        "cylinder.p1": states[4],
        "cylinder.p2": states[5],
        "cylinder.force": np.array(forces),
    }
