"""A force that follows a body, and a bushing, against closed forms and a Lagrangian in SymPy."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

from jourdain import System


def test_a_force_turns_with_the_body():
    """A body turns at a constant rate w. A force along its x axis leaves a circle: x = F/(m w^2) (1 - cos w t), y = F/(m w^2)(w t - sin w
    t)."""
    m, F, w = 2.0, 3.0, 1.7
    system = System("thrust")
    system.add("craft", "planar.Body1", {"m": m, "gy": 0.0, "omega": w})
    system.add("jet", "planar.FollowerWrench", {"Fx": F})
    system.connect("craft.p1", "jet.M")
    result = system.simulate(4.0, rtol=1e-11)
    radius, turned = F / (m * w**2), w * result.time
    assert result["craft.x"] == pytest.approx(radius * (1 - np.cos(turned)), abs=1e-8)
    assert result["craft.y"] == pytest.approx(radius * (turned - np.sin(turned)), abs=1e-8)


def bushing_rates(masses, inertias, k, b):
    """The accelerations of two bodies by Lagrange's equations, from the energy and the dissipation of springs along the first body's axes."""
    q, v = sympy.symbols("q0:6"), sympy.symbols("v0:6")
    c, s = sympy.cos(q[2]), sympy.sin(q[2])
    across = sympy.Matrix([q[3] - q[0], q[4] - q[1]])
    stretch = sympy.Matrix([c * across[0] + s * across[1], -s * across[0] + c * across[1], q[5] - q[2]])
    rate = stretch.jacobian(q) * sympy.Matrix(v)
    energy = sum(ki * e**2 / 2 for ki, e in zip(k, stretch, strict=True))
    lost = sum(bi * e**2 / 2 for bi, e in zip(b, rate, strict=True))
    force = [-sympy.diff(energy, qi) - sympy.diff(lost, vi) for qi, vi in zip(q, v, strict=True)]
    weight = [masses[0], masses[0], inertias[0], masses[1], masses[1], inertias[1]]
    return sympy.lambdify([q, v], [f / w for f, w in zip(force, weight, strict=True)])


def test_a_bushing_between_two_bodies():
    """Two bodies that fly and turn, coupled in three directions; SciPy integrates Lagrange's equations."""
    masses, inertias, k, b = (2.0, 1.0), (0.3, 0.2), (200.0, 80.0, 30.0), (1.0, 2.0, 0.3)
    start = np.array([0.0, 0.1, 0.4, 0.2, -0.1, -0.3, 0.3, 0.0, 2.0, -0.4, 0.5, -1.0])
    system = System("bushing")
    names = [("x", "y", "theta", "vx", "vy", "omega")[i] for i in range(6)]
    for i, name in enumerate(("first", "second")):
        values = np.concatenate([start[3 * i : 3 * i + 3], start[6 + 3 * i : 9 + 3 * i]])
        system.add(name, "planar.Body1", {"m": masses[i], "I": inertias[i], "gy": 0.0, **dict(zip(names, values, strict=True))})
    parameters = dict(
        zip(("translation.kx", "translation.ky", "rotation.k", "translation.bx", "translation.by", "rotation.b"), k + b, strict=True)
    )
    system.add("bushing", "planar.Bushing", parameters)
    system.connect("first.p1", "bushing.M")
    system.connect("second.p1", "bushing.N")
    result = system.simulate(2.0, rtol=1e-11, output_times=[0, 1.0, 2.0])
    rates = bushing_rates(masses, inertias, k, b)
    expected = solve_ivp(
        lambda _, y: np.concatenate([y[6:], rates(y[:6], y[6:])]),
        (0, 2),
        start,
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
        t_eval=[0, 1.0, 2.0],
    ).y
    for row, name in enumerate(f"{body}.{each}" for body in ("first", "second") for each in names[:3]):
        assert result[name] == pytest.approx(expected[row], abs=1e-8), name
