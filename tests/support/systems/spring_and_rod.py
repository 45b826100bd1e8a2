"""A rod in a pin, tied to a free body by spring and damper: as a system, and as its masses, forces and constraint in NumPy."""

from __future__ import annotations

import numpy as np

from coupling import System
from tests.support.systems import fixed_steps as known


def spring_and_rod() -> System:
    """A rod in a pin, whose end a spring and a damper couple to a body without joints."""
    system = System("spring and rod")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5, "vy": 0.5, "omega": 1.0})
    system.add("free", "planar.Body1", {"m": 0.5, "I": 0.02, "x": 1.6, "y": 0.3, "vx": 0.4})
    system.add("spring", "planar.SpringDamper", {"k": 200.0, "b": 3.0, "rest": 0.5})
    known.hinge(system, "pin", "ground.p1", "rod.p1")
    return known.connected(system, ("rod.p2", "spring.M"), ("free.p1", "spring.N"))


MASSES = np.diag([1, 1, 1 / 12, 0.5, 0.5, 0.02])


def forces(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Returns the forces on rod and body."""
    arm = np.array([np.cos(q[2]), np.sin(q[2])]) / 2
    across = np.array([-arm[1], arm[0]])
    to = q[3:5] - q[:2] - arm
    length = np.linalg.norm(to)
    rate = to @ (v[3:5] - v[:2] - across * v[2]) / length
    pull = (200 * (length - 0.5) + 3 * rate) * to / length
    return np.array([*pull, across @ pull, *-pull, 0]) - 9.81 * MASSES @ [0, 1, 0, 0, 1, 0]


def constraint(q: np.ndarray) -> np.ndarray:
    return q[:2] - np.array([np.cos(q[2]), np.sin(q[2])]) / 2


def slope(f, x: np.ndarray) -> np.ndarray:
    return np.array([(f(x + e) - f(x - e)) / 2e-6 for e in 1e-6 * np.eye(len(x))]).T


Q, V = np.array([0.5, 0, 0, 1.6, 0.3, 0]), np.array([0, 0.5, 1, 0.4, 0, 0])
"""Coordinates and velocities at the start."""


def accelerations(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    g, bias = slope(constraint, q), v[2] ** 2 / 2 * np.array([np.cos(q[2]), np.sin(q[2])])  # of the constraint's second derivative
    return np.linalg.solve(np.block([[MASSES, -g.T], [g, np.zeros((2, 2))]]), np.append(forces(q, v), -bias))[:6]


def energy_of_motion(v: np.ndarray) -> float:
    return float(v @ MASSES @ v) / 2
