"""The crossing of two motion planes against equations 28 to 32 of Part II, and two pendulums coupled along the line."""

from math import cos, sin

import numpy as np
import pytest
import sympy

from fmu_components.catalogue import find
from tests.support.declare.symbols import M, N, dax, derived, dvx, dx, lambda1, lambda2, lambda3, same
from tests.support.systems.mechanism import Mechanism

PlaneCrossing = find("planar.PlaneCrossing")


def test_equations_28_and_30_geometry():
    """M and N coincide along the line, and neither leaves it in its own plane."""
    for k, expected in enumerate((dx, M.y, N.y), start=1):
        assert same(derived(PlaneCrossing, f"position[{k}]"), expected)


def test_equation_29_wrenches():
    """The force along the line is shared; each plane bears its own force across it."""
    expected = {"M.Fx": -lambda1, "M.Fy": lambda2, "M.Cz": 0, "N.Fx": lambda1, "N.Fy": lambda3, "N.Cz": 0}
    for name, value in expected.items():
        assert same(derived(PlaneCrossing, name), sympy.sympify(value)), name


def test_equations_31_and_32_kinematics_and_accelerations():
    """The same at the other two levels; nothing is left out, since the constraints are linear."""
    for k, (velocity, acceleration) in enumerate(((dvx, dax), (M.vy, M.ay), (N.vy, N.ay)), start=1):
        assert same(derived(PlaneCrossing, f"velocity[{k}]"), velocity)
        assert same(derived(PlaneCrossing, f"acceleration[{k}]"), acceleration)


def test_a_force_along_the_line_moves_both_masses():
    """Two bodies that meet in their mass centres accelerate with F/(m1 + m2), whatever gravity their planes have."""
    m1, m2, F = 2.0, 3.5, 4.0
    with Mechanism(
        {
            "first": ("planar.Body2", {"m": m1}),
            "second": ("planar.Body1", {"m": m2, "gy": -3.0}),
            "joint": ("planar.PlaneCrossing", {}),
            "push": ("planar.Wrench", {"Fx": F}),
        },
        [("first.p1", "joint.M"), ("second.p1", "joint.N"), ("first.p2", "push.M")],
    ) as mechanism:
        mechanism.evaluate()
        found = [mechanism[name] for name in ("first.der(vx)", "second.der(vx)", "joint.N.Fx", "joint.M.Fy", "joint.N.Fy")]
        assert found == pytest.approx([F / (m1 + m2), F / (m1 + m2), m2 * F / (m1 + m2), m1 * 9.81, m2 * 3.0], rel=1e-12)


@pytest.mark.parametrize("tilts", [(0.0, 1.5), (0.4, -0.9), (0.7, 0.2)])
def test_two_pendulums_in_two_tilted_planes(tilts):
    """Each swings under the gravity of its own plane, -g cos(tilt), and both move the point on the line.

    Lagrange's equations in the place X of the point and the angles p_i from the hanging pose are sum of m_i X'' + sum of m_i l_i (cos
    p_i p_i'' - sin p_i p_i'^2) = F and (I_i + m_i l_i^2) p_i'' + m_i l_i cos p_i X'' = -m_i g_i l_i sin p_i.

    The angle between the planes is not in them, nor among the parameters of the joint.
    """
    m, I, length, p, rate = (1.3, 2.1), (0.2, 0.5), (0.6, 0.9), (0.8, -0.5), (1.5, -2.0)  # noqa: E741
    g, F, X, speed = [9.81 * cos(t) for t in tilts], 3.0, 0.25, 0.7
    parts = {"joint": ("planar.PlaneCrossing", {}), "push": ("planar.Wrench", {"Fx": F})}
    for i in (0, 1):
        parts[f"body{i + 1}"] = (
            "planar.Body2",
            {
                "m": m[i],
                "I": I[i],
                "gy": -g[i],
                "p1.ry": length[i],
                "p2.ry": length[i],
                "x": X + length[i] * sin(p[i]),
                "y": -length[i] * cos(p[i]),
                "theta": p[i],
                "vx": speed + length[i] * cos(p[i]) * rate[i],
                "vy": length[i] * sin(p[i]) * rate[i],
                "omega": rate[i],
            },
        )
    with Mechanism(parts, [("body1.p1", "joint.M"), ("body2.p1", "joint.N"), ("body1.p2", "push.M")]) as mechanism:
        mechanism.evaluate()
        found = [mechanism[name] for name in ("body1.p1.ax", "body1.der(omega)", "body2.der(omega)")]
        common = mechanism["body2.p1.ax"]
    inertia = np.diag([sum(m), I[0] + m[0] * length[0] ** 2, I[1] + m[1] * length[1] ** 2])
    force = np.array([F, 0, 0])
    for i in (0, 1):
        inertia[0, i + 1] = inertia[i + 1, 0] = m[i] * length[i] * cos(p[i])
        force[0] += m[i] * length[i] * sin(p[i]) * rate[i] ** 2
        force[i + 1] = -m[i] * g[i] * length[i] * sin(p[i])
    expected = np.linalg.solve(inertia, force)
    assert found == pytest.approx(expected, rel=1e-10)
    assert common == pytest.approx(expected[0], rel=1e-10)
