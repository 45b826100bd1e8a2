"""Compliant joints between communication points: theory of a spring and a damper that act on a mass with a force held over each step.

Across a constraint, bodies move like one mass 1/mu, where mu is an eigenvalue of G M^-1 G^T, the mobility: what a unit force of the
joint accelerates. The joint's force -(k f + c f') is computed at a communication point and held over the next step; where all FMUs
step at once it comes one step later still. With K = k h^2 mu, C = c h mu and the state (f, h f', force in waiting) a step is a matrix.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Recipe:
    """Stiffness and damping of a joint, as numbers without a unit."""

    K: float
    """k h^2 mu"""
    C: float
    """c h mu"""

    def parameters(self, mobility: float, step: float) -> dict[str, float]:
        """Returns the parameters of a joint with this mobility, in 1/kg, and communication steps of this length, in s."""
        return {"compliant.k": self.K / (mobility * step**2), "compliant.c": self.C / (mobility * step)}


LATE = Recipe(1 / 27, 17 / 54)
"""All three roots are 2/3: nothing settles faster."""
FRESH = Recipe(4 / 9, 10 / 9)
"""Both roots are 1/3. Roots of 0 are possible, K = 1 and C = 3/2, with nothing to spare."""


def recipe(late: bool) -> Recipe:
    return LATE if late else FRESH


def step_matrix(K: float, C: float, late: bool) -> np.ndarray:
    """Returns the matrix of one step of (f, h f', force h^2 mu in waiting)."""
    fresh = np.array([-K, -C, 0.0])
    force = np.array([0.0, 0.0, 1.0]) if late else fresh
    return np.array([np.array([1.0, 1.0, 0.0]) + force / 2, np.array([0.0, 1.0, 0.0]) + force, fresh])


def radius(K: float, C: float, late: bool) -> float:
    """The largest root: below 1 everything settles."""
    return float(np.abs(np.linalg.eigvals(step_matrix(K, C, late))).max())


def settles(K: float, C: float, late: bool) -> bool:
    """The same in closed form, by the criterion of Jury, for K > 0."""
    spare = C - K / 2
    return bool(spare - K > spare**2) if late else bool(spare > 0 and C < 2)


def longest_step(k: float, c: float, mobility: float, late: bool) -> float:
    """The communication step at which a joint ceases to settle: a root of the criterion."""
    if not late:
        return min(2 / (c * mobility), 2 * c / k)
    # (c h mu - k h^2 mu / 2) - k h^2 mu = (c h mu - k h^2 mu / 2)^2, divided by h mu
    roots = np.roots([k**2 * mobility / 4, -c * k * mobility, 3 * k / 2 + c**2 * mobility, -c])
    return float(min(root.real for root in roots if abs(root.imag) < 1e-9 * abs(root) and root.real > 0))


def body(mass: float, inertia: float, distances: Iterable[float]) -> float:
    """Returns the most that a body adds to the mobility of each of its pins; ``distances`` of all its pins from its mass centre."""
    return sum(1 / mass + distance**2 / inertia for distance in distances)
