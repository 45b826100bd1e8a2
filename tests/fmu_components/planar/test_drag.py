"""Drag in the plane, in space, on a line and on a shaft, against closed forms and vectors of NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

from fmu_components.catalogue import find
from jourdain import System
from tests.support.declare.reference import reference


@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_it_acts_against_the_velocity_relative_to_the_medium(kind):
    """-(b + c |u|) u and the like of the turning, at random."""
    component = reference(find(f"{kind}.Drag"))
    values = component.random_point(np.random.default_rng(3))
    values |= {name: value for name, (value, _) in component.values(values).items()}
    axes = "xy" if kind == "planar" else "xyz"
    u = np.array([values[f"M.v{a}"] - values[f"medium.v{a}"] for a in axes])
    w = np.array([values[name] for name in (["M.omega"] if kind == "planar" else [f"M.omega{a}" for a in axes])])
    torque = np.array([values[name] for name in (["M.Cz"] if kind == "planar" else [f"M.C{a}" for a in axes])])
    force = np.array([values[f"M.F{a}"] for a in axes])
    assert force == pytest.approx(-(values["b"] + values["c"] * np.linalg.norm(u)) * u)
    assert torque == pytest.approx(-(values["rotation.b"] + values["rotation.c"] * np.linalg.norm(w)) * w)
    assert values["force"] == pytest.approx(np.linalg.norm(force))
    assert values["power"] == pytest.approx(force @ [values[f"M.v{a}"] for a in axes] + torque @ w)


@pytest.mark.parametrize(("point", "body"), [("planar.Drag", "planar.Body1"), ("spatial.Drag", "spatial.PointMass1")])
def test_a_body_that_falls_through_air(point, body):
    """It starts at rest, and its speed is v tanh(g t/v), where v = sqrt(m g/c)."""
    m, c, up = 2.0, 0.3, "y" if body == "planar.Body1" else "z"
    system = System("fall")
    system.add("ball", body, {"m": m})
    system.add("air", point, {"c": c})
    system.connect("ball.p1", "air.M")
    result = system.simulate(3.0, rtol=1e-11, output_times=np.linspace(0, 3, 13))
    final = np.sqrt(m * 9.81 / c)
    assert result[f"ball.v{up}"] == pytest.approx(-final * np.tanh(9.81 * result.time / final), abs=1e-8)


def test_a_mass_and_a_shaft_are_slowed_down():
    """The speed is v = b v0 / ((b + c v0) exp(b t/m) - c v0) with b and c, against a medium that moves; a shaft likewise."""
    b, c, start, flow, m = 0.4, 0.7, 5.0, 2.0, 1.5
    system = System("slow")
    system.add("mass", "mechanical1d.Mass", {"m": m, "v": start + flow})
    system.add("drag", "mechanical1d.Drag", {"b": b, "c": c, "medium.v": flow})
    system.connect("mass.flange", "drag.flange")
    system.add("shaft", "mechanical1d.Inertia", {"I": m, "w": start + flow})
    system.add("fluid", "mechanical1d.RotationalDrag", {"b": b, "c": c, "medium.w": flow})
    system.connect("shaft.flange", "fluid.flange")
    result = system.simulate(3.0, rtol=1e-11)
    expected = flow + b * start / ((b + c * start) * np.exp(b * result.time / m) - c * start)
    assert result["mass.v"] == pytest.approx(expected, abs=1e-8)
    assert result["shaft.w"] == pytest.approx(expected, abs=1e-8)


def test_a_throw_against_a_table_of_resistance():
    """A monotone cubic by the speed relative to wind; the place and the velocity are SciPy's."""
    speeds, forces, wind, m = [0.0, 4.0, 9.0, 20.0], [0.3, 1.0, 6.0, 30.0], np.array([-3.0, 0.5]), 0.8
    size = PchipInterpolator(speeds, forces)
    system = System("throw")
    system.add("ball", "planar.PointMass1", {"m": m, "vx": 9.0, "vy": 7.0})
    air = {"resistance": {"points": [speeds, forces], "kind": "cubic"}, "medium.vx": wind[0], "medium.vy": wind[1]}
    system.add("air", "planar.TableDrag", air)
    system.connect("ball.p1", "air.M")
    result = system.simulate(1.5, output_times=[1.5], solver="dop853", rtol=1e-12, atol=1e-12, max_step=5e-3)

    def slopes(_, x):
        relative = x[2:] - wind
        speed = np.linalg.norm(relative)
        return [*x[2:], *(np.array([0, -9.81]) - size(speed) * relative / speed / m)]

    exact = solve_ivp(slopes, (0, 1.5), [0, 0, 9.0, 7.0], method="DOP853", rtol=1e-12, atol=1e-13, max_step=5e-3).y[:, -1]
    assert [result[f"ball.{name}"][-1] for name in ("x", "y", "vx", "vy")] == pytest.approx(exact, abs=1e-8)


def test_a_table_of_resistance_at_low_speed():
    """Below the speed slow the force is proportional to the speed, and the velocity decays exponentially to rest."""
    system = System("rest")
    system.add("ball", "planar.PointMass1", {"m": 2.0, "vx": 0.4, "gy": 0.0})
    system.add("air", "planar.TableDrag", {"resistance": [[0, 10], [2, 12]], "slow": 0.5})
    system.connect("ball.p1", "air.M")
    result = system.simulate(2.0, rtol=1e-11)
    assert result["ball.vx"] == pytest.approx(0.4 * np.exp(-2.5 / 0.5 / 2.0 * result.time), abs=1e-8)
    assert result["air.power"] == pytest.approx(-5 * result["ball.vx"] ** 2, abs=1e-8)
