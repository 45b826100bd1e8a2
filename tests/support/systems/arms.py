"""A two-link arm that hangs, with a payload at its end, and its linear model in closed form."""

from __future__ import annotations

import math

import numpy as np

from coupling import System

G = 9.81
UPPER_MASS, CENTRE, INERTIA, REACH = 3.0, 0.25, 0.08, 0.7
"""Mass, place of the mass centre and moment of inertia of the upper link; and the length of the lower one."""
SPRINGS, DAMPERS = (30.0, 12.0), (0.4, 0.3)


def arm() -> System:
    """The lower link has no mass; the payload is a point at its end, ``lower.m``. The length of the upper link is ``upper.C1.rx``."""
    system = System("arm")
    system.add("ground", "planar.Fixed")
    springs = [{"k": k, "b": b} for k, b in zip(SPRINGS, DAMPERS, strict=True)]
    upper = {"m": UPPER_MASS, "I": INERTIA, "rx": CENTRE, "C1.rx": 0.5, "q": -math.pi / 2, "rest": -math.pi / 2, **springs[0]}
    system.add("upper", "planar.RevoluteBody", upper)
    system.add("lower", "planar.RevoluteBody", {"m": 1.0, "I": 0.0, "rx": REACH, **springs[1]})
    system.connect("ground.p1", "upper.P")
    system.connect("upper.C1", "lower.P")
    return system


def matrices(payload: float, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns A and B for the states (upper.q, upper.qd, lower.q, lower.qd) and a torque on the upper link."""
    whole = length + REACH
    mass = np.array(
        [
            [INERTIA + UPPER_MASS * CENTRE**2 + payload * whole**2, payload * REACH * whole],
            [payload * REACH * whole, payload * REACH**2],
        ]
    )
    stiffness = np.diag(SPRINGS) + G * np.array(
        [[UPPER_MASS * CENTRE + payload * whole, payload * REACH], [payload * REACH, payload * REACH]]
    )
    A, B = np.zeros((4, 4)), np.zeros((4, 1))
    A[0, 1] = A[2, 3] = 1.0
    A[np.ix_([1, 3], [0, 2])] = -np.linalg.solve(mass, stiffness)
    A[np.ix_([1, 3], [1, 3])] = -np.linalg.solve(mass, np.diag(DAMPERS))
    B[[1, 3], 0] = np.linalg.solve(mass, [1.0, 0.0])
    return A, B
