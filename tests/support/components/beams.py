"""Flexible beams in tests: a beam of unit length, mass and stiffness, frequencies of linear models, and oracles."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Legendre, Polynomial
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from scipy.optimize import brentq

UNIT = {"rho": 1000.0, "A": 1e-3, "I": 1e-3, "E": 1e3, "gy": 0.0}
"""Mass per length, bending stiffness and stretching stiffness of 1, without gravity."""
APPENDAGES = (4.218713434315, 6.378344069335)
"""Lowest frequencies of a free hub of 2 kg and 0.4 kg m2 with two such beams at 0.3 m: both alike, and opposed; ``hub_frequency`` has them too."""
HIGHER = (23.70327995815, 24.38436754232, 63.407484398, 63.45193330747)
"""The next ones, alike and opposed in turn, the last two opposed and alike."""

TURNING = {
    (0, 0): ((3.516015, 22.034492, 61.697214), (3.516015, 22.034492, 61.697214)),
    (0, 2): ((4.137320, 22.614922, 62.273184), (3.621797, 22.526311, 62.241059)),
    (0, 4): ((5.585001, 24.273349, 63.966760), (3.897723, 23.941501, 63.841573)),
    (0, 6): ((7.360373, 26.809082, 66.683914), (4.263225, 26.129042, 66.413436)),
    (0, 8): ((9.256838, 29.995382, 70.292962), (4.657150, 28.908873, 69.836241)),
    (0, 12): ((13.170150, 37.603112, 79.614478), (5.427049, 35.636976, 78.704925)),
    (1, 4): ((7.475048, 26.957262, 66.986772), (6.314772, 26.658844, 66.867239)),
    (1, 12): ((19.721542, 51.070134, 98.526797), (15.650534, 49.640292, 97.793301)),
}
"""Frequencies across the plane of rotation and in it, by radius of the hub and speed; by the differential equation and shooting."""


def frequencies(model) -> np.ndarray:
    """Returns the angular frequencies of a linear model, those of rigid motion left out."""
    found = np.sort(np.abs(np.linalg.eigvals(model.A).imag))[::2]
    return found[found > 1e-3]


def elastica(load: float) -> np.ndarray:
    """Returns the end of an inextensible cantilever of unit length and stiffness under a dead load along -y, by shooting."""

    def end(curvature: float) -> np.ndarray:
        def slope(s, y):
            return [y[1], load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

        return solve_ivp(slope, (0, 1), [0, curvature, 0, 0], rtol=1e-11, atol=1e-12, method="DOP853").y[:, -1]

    return end(brentq(lambda each: end(each)[1], -load, 0, xtol=1e-13))[2:]


def in_plane(speed: float, count: int = 18, radius: float = 0.0) -> np.ndarray:
    """Returns the frequencies of a cantilever in the plane of its rotation, by Galerkin's method with ``count`` polynomials.

    It is clamped to a hub of a ``radius``.
    """
    s, weights = np.polynomial.legendre.leggauss(60)
    s, weights = (s + 1) / 2, weights / 2
    shapes = [Polynomial([0, 0, 1]) * Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial) for k in range(count)]
    v, slope, curvature = (np.array([each.deriv(order)(s) if order else each(s) for each in shapes]) for order in (0, 1, 2))
    mass = (v * weights) @ v.T
    pull = radius * (1 - s) + (1 - s**2) / 2
    stiffness = (curvature * weights) @ curvature.T + speed**2 * ((slope * weights * pull) @ slope.T - mass)
    return np.sqrt(eigh(stiffness, mass, eigvals_only=True))


def out_of_plane(speed: float, radius: float = 0.0) -> np.ndarray:
    """Returns the same across the plane: there the beam does not leave its place on the circle, which takes the square of the speed."""
    return np.sqrt(in_plane(speed, radius=radius) ** 2 + speed**2)


def hub_frequency(alike: bool, around: tuple[float, float]) -> float:
    """Returns a frequency of the hub of ``APPENDAGES``, by the determinant of the beam's closed form and the hub's balance."""

    def determinant(omega: float) -> float:
        k = np.sqrt(omega)
        c, s, ch, sh = np.cos(k), np.sin(k), np.cosh(k), np.sinh(k)
        root = np.array([[1, 0, 1, 0], [0, k, 0, k]])  # place and slope of cos, sin, cosh, sinh at the root
        free = np.array([[-c, -s, ch, sh], [s, -c, sh, ch]])  # moment and shear at the end
        force, torque = k**3 * np.array([0, 1, 0, -1]), k**2 * np.array([-1, 0, 1, 0])  # of a beam on the hub
        balance = np.append(2 * force, 2.0 * omega**2) if alike else np.append(2 * (torque + 0.3 * force), 0.4 * omega**2)
        moves = [[-1.0], [0.0]] if alike else [[-0.3], [-1.0]]
        return float(np.linalg.det(np.vstack([np.hstack([root, moves]), np.hstack([free, np.zeros((2, 1))]), balance])))

    return float(brentq(determinant, *around, xtol=1e-12))
