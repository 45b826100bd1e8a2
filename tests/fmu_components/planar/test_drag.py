"""Drag in the plane, in space, on a line and on a shaft, against closed forms and vectors of NumPy."""

from __future__ import annotations

import numpy as np
import pytest

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
