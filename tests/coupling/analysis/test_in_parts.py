"""Instances that are valid at the assembled pose alone: the start is judged there, and not where the user's values happen to lie."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from coupling import StartError, System
from coupling.fmus import load
from tests.support.systems.systems import refusal


def gears() -> System:
    """Two gears on hinges 0.2 m apart, of which the second is where the first is until it is assembled; the first turns by 1 rad/s."""
    system = System("gears")
    for name, x, start in (("first", 0.0, {"omega": 1.0}), ("second", 0.2, {})):
        system.add(f"{name} centre", "planar.Fixed", {"p1.rx": x})
        system.add(name, "planar.Body2", start)
        system.add(f"{name} hinge", "planar.Revolute")
        system.connect(f"{name} centre.p1", f"{name} hinge.M")
        system.connect(f"{name}.p1", f"{name} hinge.N")
    system.add("pair", "planar.GearPair")
    system.connect("first.p2", "pair.M")
    system.connect("second.p2", "pair.N")
    return system


def boom(base: float) -> System:
    """A boom of 1 m at 60 degrees, held by a cylinder from a base on the ground; its hinge is where nothing is before assembly."""
    system = System("boom")
    system.add("hinge", "planar.Fixed")
    system.add("base", "planar.Fixed", {"p1.rx": base})
    system.add("arm", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "theta": math.pi / 3})
    system.add("pin", "planar.Revolute")
    system.add("line", "planar.LinearActuator")
    system.add("cylinder", "hydraulic.Cylinder", {"stroke": 0.5, "offset": 0.75})
    for pair in (
        ("hinge.p1", "pin.M"),
        ("arm.p1", "pin.N"),
        ("base.p1", "line.M"),
        ("arm.p2", "line.N"),
        ("line.flange", "cylinder.flange"),
    ):
        system.connect(*pair)
    return system


@pytest.mark.parametrize("options", [pytest.param({}, marks=pytest.mark.slow), {"communication_step": 0.01}], ids=["together", "coupled"])
def test_gears_whose_hinges_place_them(options: dict[str, float]) -> None:
    """The second turns back as fast as the first turns."""
    result = gears().simulate(0.1, initial="assemble", **options)
    assert result["second.x"][0] == pytest.approx(0.2, abs=1e-12)
    assert result["second.omega"] == pytest.approx(-1.0, abs=1e-9)


@pytest.mark.slow
def test_gears_that_are_exported(tmp_path: Path) -> None:
    """Their start is the assembled one."""
    fmu = load(gears().export_fmu(tmp_path / "gears.fmu", initial="assemble", platforms=["linux64"]))
    assert fmu.variables["second.x"].start == pytest.approx(0.2, abs=1e-12)


def test_a_piston_that_its_mechanism_puts_inside_the_stroke() -> None:
    """The actuator is 1 m long at the assembled pose, a quarter of a metre out."""
    result = boom(1.0).simulate(1e-3, initial="assemble")
    assert result["cylinder.position"][0] == pytest.approx(0.25, abs=1e-12)


def test_a_piston_that_lies_outside_there_too() -> None:
    """The sentence says which pose it speaks of."""
    assert refusal(lambda: boom(5.0).simulate(1e-3, initial="assemble"), StartError) == (
        "'cylinder' (hydraulic.Cylinder) returned 'error' when leaving Initialization Mode: cylinder: it is required that the piston lies inside "
        "the stroke: flange.s is less than offset + stroke; the value that must be positive is -3.33258, from stroke = 0.5 m, offset = 0.75 m, "
        "flange.s = 4.58258 m; that is at the pose into which the others can be assembled: change what leads to this pose, or these parameters"
    )
