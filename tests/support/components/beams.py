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


def in_plane(speed: float, count: int = 18) -> np.ndarray:
    """Returns the frequencies of a cantilever in the plane of its rotation, by Galerkin's method with ``count`` polynomials."""
    s, weights = np.polynomial.legendre.leggauss(60)
    s, weights = (s + 1) / 2, weights / 2
    shapes = [Polynomial([0, 0, 1]) * Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial) for k in range(count)]
    v, slope, curvature = (np.array([each.deriv(order)(s) if order else each(s) for each in shapes]) for order in (0, 1, 2))
    mass = (v * weights) @ v.T
    stiffness = (curvature * weights) @ curvature.T + speed**2 * ((slope * weights * (1 - s**2) / 2) @ slope.T - mass)
    return np.sqrt(eigh(stiffness, mass, eigvals_only=True))


def out_of_plane(speed: float) -> np.ndarray:
    """Returns the same across the plane: there the beam does not leave its place on the circle, which takes the square of the speed."""
    return np.sqrt(in_plane(speed) ** 2 + speed**2)


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
