"""The carriage: a one-dimensional mass on a straight line in the plane."""

from math import cos, sin

import pytest

from tests.support.systems.mechanism import Mechanism


@pytest.mark.parametrize("direction", [0.5, 2.2])
def test_a_mass_on_an_inclined_guide(direction):
    """Under its weight, as a force at the point, it moves with a = -g sin along the line, and the guide bears m g cos."""
    m, g, t = 2.4, 9.81, 0.7
    with Mechanism(
        {
            "mass": ("mechanical1d.Mass", {"m": m, "v": 1.0}),
            "weight": ("planar.Wrench", {"Fy": -m * g}),
            "carriage": ("planar.Carriage", {"direction": direction, "p1.rx": 0.2, "p1.ry": 0.1, "p1.angle": 0.3}),
        },
        [("mass.flange", "carriage.flange"), ("carriage.p1", "weight.M")],
    ) as mechanism:
        mechanism.simulate(t)
        s = t - g * sin(direction) * t**2 / 2
        assert mechanism["mass.s"] == pytest.approx(s, rel=1e-9)
        assert mechanism["carriage.guide.force"] == pytest.approx(-m * g * cos(direction), rel=1e-12)
        pose = [mechanism[f"carriage.p1.{name}"] for name in ("x", "y", "theta", "omega")]
        assert pose == pytest.approx([0.2 + s * cos(direction), 0.1 + s * sin(direction), 0.3, 0], rel=1e-9)


def test_a_body_welded_to_the_carriage_moves_with_the_mass():
    """The weight of the body drives both masses; the guide bears its force and, where its centre is off the point, its torque."""
    m, carried, direction, g, arm = 1.2, 0.8, 0.6, 9.81, 0.25
    with Mechanism(
        {
            "mass": ("mechanical1d.Mass", {"m": m}),
            "carriage": ("planar.Carriage", {"direction": direction}),
            "weld": ("planar.Weld", {}),
            "body": ("planar.Body1", {"m": carried, "x": arm, "p1.rx": -arm}),
        },
        [("mass.flange", "carriage.flange"), ("carriage.p1", "weld.M"), ("body.p1", "weld.N")],
    ) as mechanism:
        mechanism.evaluate()
        a = -carried * g * sin(direction) / (m + carried)
        assert mechanism["mass.der(v)"] == pytest.approx(a, rel=1e-12)
        assert mechanism["carriage.guide.force"] == pytest.approx(-carried * g * cos(direction), rel=1e-12)
        assert mechanism["carriage.guide.torque"] == pytest.approx(-arm * carried * (g + a * sin(direction)), rel=1e-12)
