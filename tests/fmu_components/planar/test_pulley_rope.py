"""A rope over pulleys: Atwood's machine with a tackle, and the swinging one, in the plane and in space."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from jourdain import System

G = 9.81
SPATIAL = pytest.param("spatial", "spatial.PointMass1", "z", marks=pytest.mark.slow)  # exporting it takes seconds


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_a_tackle_divides_the_load(ratio):
    """Two masses on guides, of which N hangs on ratio falls: a_M = -ratio a_N, and the tension is what both have in common."""
    light, heavy, t = 1.0, 3.0, 0.5
    system = System("tackle")
    system.add("left", "planar.Fixed", {"p1.rx": -0.5})
    system.add("right", "planar.Fixed", {"p1.rx": 0.5})
    system.add("rope", "planar.PulleyRope", {"length": 2.0 + 1.0 + ratio * 1.0, "ratio": ratio})
    system.add("M", "planar.Body1", {"m": light, "x": -0.5, "y": -2.0})
    system.add("N", "planar.Body1", {"m": heavy, "x": 0.5, "y": -1.0})
    for a, b in (("M.p1", "rope.M"), ("left.p1", "rope.A"), ("right.p1", "rope.B"), ("N.p1", "rope.N")):
        system.connect(a, b)
    result = system.simulate(t, rtol=1e-11)
    down = G * (heavy - ratio * light) / (heavy + ratio**2 * light)
    assert result["N.y"][-1] == pytest.approx(-1.0 - down * t**2 / 2, abs=1e-9)
    assert result["M.y"][-1] == pytest.approx(-2.0 + ratio * down * t**2 / 2, abs=1e-9)
    assert result["rope.tension"][-1] == pytest.approx(light * (G + ratio * down), abs=1e-8)


def swinging(times, r, angle, heavy, light):
    """The swinging Atwood machine (Tufillaro, Abbott, Griffiths 1984) in polar coordinates of the mass that swings."""

    def rates(_, y):
        r, rd, angle, turning = y
        rdd = (light * r * turning**2 + G * (light * np.cos(angle) - heavy)) / (heavy + light)
        return [rd, rdd, turning, -(2 * rd * turning + G * np.sin(angle)) / r]

    found = solve_ivp(rates, (0, times[-1]), [r, 0, angle, 0], method="DOP853", rtol=1e-12, atol=1e-12, t_eval=times).y
    return found[0] * np.sin(found[2]), -found[0] * np.cos(found[2])


@pytest.mark.parametrize(("rope", "body", "up"), [("planar", "planar.Body1", "y"), SPATIAL])
def test_the_swinging_atwood_machine(rope, body, up):
    """One pulley, so that A and B are the same point; the counterweight hangs straight down."""
    times, heavy, light, r, angle = np.linspace(0, 1.5, 7), 2.0, 1.0, 1.0, 1.2
    system = System("swinging")
    system.add("pulley", f"{rope}.Fixed")
    system.add("rope", f"{rope}.PulleyRope", {"length": 3.0})
    system.add("weight", body, {"m": heavy, up: -2.0})
    system.add("bob", body, {"m": light, "x": r * np.sin(angle), up: -r * np.cos(angle)})
    for a, b in (("weight.p1", "rope.M"), ("pulley.p1", "rope.A"), ("pulley.p1", "rope.B"), ("bob.p1", "rope.N")):
        system.connect(a, b)
    result = system.simulate(times[-1], rtol=1e-11, output_times=times)
    x, y = swinging(times, r, angle, heavy, light)
    assert result["bob.x"] == pytest.approx(x, abs=1e-8)
    assert result[f"bob.{up}"] == pytest.approx(y, abs=1e-8)
