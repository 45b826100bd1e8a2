"""Links without mass and points without moment of inertia: the motion of what they connect, and sentences where nothing carries them."""

from __future__ import annotations

from math import atan2, cos, hypot, sin

import numpy as np
import pytest
from scipy.special import ellipk

from jourdain import StartError, System
from tests.support.systems.systems import refusal

CRANK, COUPLER, ROCKER, BASE = 0.4, 1.0, 0.7, 1.2
TIMES = np.linspace(0.0, 2.0, 21)


def joined(system: System, joint: str, M: str, N: str, kind: str = "planar.Revolute") -> None:
    system.add(joint, kind)
    system.connect(M, f"{joint}.M")
    system.connect(N, f"{joint}.N")


def four_bar(coupler: str) -> System:
    """Crank and rocker of 1 kg each fall; the coupler has no mass."""
    start = 0.9
    B, D = np.array([CRANK * cos(start), CRANK * sin(start)]), np.array([BASE, 0.0])
    r = hypot(*(D - B))
    slope = atan2(*(D - B)[::-1]) + np.arccos((COUPLER**2 + r**2 - ROCKER**2) / (2 * COUPLER * r))
    C = B + COUPLER * np.array([cos(slope), sin(slope)])
    system = System("four-bar")
    system.add("left", "planar.Fixed")
    system.add("right", "planar.Fixed", {"p1.rx": BASE})
    for name, length, end, origin, inertia in (("crank", CRANK, B, np.zeros(2), 0.02), ("rocker", ROCKER, C, D, 0.05)):
        x, y = (end + origin) / 2
        angle = atan2(*(end - origin)[::-1])
        system.add(name, "planar.Body2", {"I": inertia, "p1.rx": -length / 2, "p2.rx": length / 2, "x": x, "y": y, "theta": angle})
    joined(system, "A", "left.p1", "crank.p1")
    joined(system, "D", "right.p1", "rocker.p1")
    if coupler == "planar.ConnectingRod":
        system.add("rod", coupler, {"length": COUPLER})
        system.connect("crank.p2", "rod.M")
        system.connect("rocker.p2", "rod.N")
    else:
        x, y = B + 0.3 * (C - B)
        values = {"p1.rx": -0.3 * COUPLER, "p2.rx": 0.7 * COUPLER, "x": x, "y": y, "theta": slope}
        system.add("link", coupler, values)
        joined(system, "B", "crank.p2", "link.p1")
        joined(system, "C", "link.p2", "rocker.p2")
    return system


def test_a_massless_coupler_moves_its_neighbours_as_a_rod_does():
    """A four-bar whose coupler is a link without mass, against the constraint on the distance; its joints bear no force across it."""
    rod, link = (
        four_bar(coupler).simulate(2.0, rtol=1e-11, output_times=TIMES) for coupler in ("planar.ConnectingRod", "planar.MasslessLink2")
    )
    assert not link.outcome.warnings
    for name in ("crank.theta", "rocker.theta"):
        assert link[name] == pytest.approx(rod[name], abs=1e-8)
    force = -rod["rod.multiplier[1]"]
    along = link["B.N.Fx"] * np.cos(link["link.theta"]) + link["B.N.Fy"] * np.sin(link["link.theta"])
    across = link["B.N.Fy"] * np.cos(link["link.theta"]) - link["B.N.Fx"] * np.sin(link["link.theta"])
    assert along == pytest.approx(-force, abs=1e-6)
    assert across == pytest.approx(np.zeros(len(TIMES)), abs=1e-9)


def pendulum(joint: str) -> System:
    """A point mass at the end of a link without mass."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("link", "planar.MasslessLink2", {"p2.rx": 0.7})
    system.add("ball", "planar.PointMass1", {"m": 2.0, "x": 0.7})
    joined(system, "pin", "ground.p1", "link.p1")
    joined(system, "end", "link.p2", "ball.p1", joint)
    return system


@pytest.mark.parametrize("joint", ["planar.Weld", "planar.Revolute"])
def test_a_point_mass_on_a_massless_link_is_a_pendulum(joint):
    """It starts at rest at a right angle, and hangs down after sqrt(l/g) K(1/2), whether its angle is held or not."""
    quarter = np.sqrt(0.7 / 9.81) * ellipk(0.5)
    result = pendulum(joint).simulate(quarter, rtol=1e-11)
    assert (result["ball.x"][-1], result["ball.y"][-1]) == pytest.approx((0.0, -0.7), abs=1e-9)
    assert not result.outcome.warnings


def loaded_link(load: str) -> System:
    """A link on one pin, with something at its free end."""
    system = System("loaded")
    system.add("ground", "planar.Fixed")
    system.add("link", "planar.MasslessLink2", {"p2.rx": 1.0})
    joined(system, "pin", "ground.p1", "link.p1")
    if load:
        system.add("load", load, {"Fy": -1.0})
        system.connect("load.M", "link.p2")
    return system


def test_what_nothing_carries_is_named():
    """A link that turns freely on its pin keeps its rate, with a warning; a force that nothing can balance is refused. Both name the link."""
    result = loaded_link("").simulate(1.0, start_values={"link.omega": 2.0})
    assert result["link.theta"][-1] == pytest.approx(2.0)
    assert result.outcome.warnings == [
        "nothing carries 'link.alpha' at t = 0 s: no mass and no joint determines this value; connect it with a body or a joint, "
        "or replace it by a body that has mass"
    ]
    said = refusal(lambda: loaded_link("planar.Wrench").simulate(1.0), StartError)
    assert said.endswith(
        "nothing carries 'link' at t = 0 s: nothing there has mass or a joint to react the applied force ('link.residual[3]' cannot vanish); connect it with a body or a joint, "
        "or replace it by a body that has mass"
    )


@pytest.mark.parametrize(
    ("name", "otherwise"),
    [
        ("m", "it must be greater than 0; a link without mass is a planar.MasslessLink1, MasslessLink2 or MasslessLink3"),
        ("I", "it must be greater than 0; a mass without moment of inertia is a planar.PointMass1"),
    ],
)
def test_a_body_without_mass_is_refused_by_the_name_of_what_there_is(name, otherwise):
    """The sentence goes on from what is refused to the parts that are meant."""
    system = System("light")
    system.add("rod", "planar.Body1", {name: 0.0})
    assert refusal(lambda: system.simulate(1.0), StartError).endswith(otherwise)


def test_a_shaft_without_inertia_passes_torque_on():
    """A torque at a shaft, a gear of ratio 4 from there to an inertia: the acceleration is 4 times the torque over the inertia."""
    system = System("shaft")
    system.add("torque", "mechanical1d.Torque", {"torque": 3.0})
    system.add("shaft", "mechanical1d.MasslessShaft")
    system.add("gear", "mechanical1d.Gear", {"ratio": 4.0})
    system.add("wheel", "mechanical1d.Inertia", {"I": 0.5})
    for a, b in (("torque.flange", "shaft.flange"), ("shaft.flange", "gear.M"), ("gear.N", "wheel.flange")):
        system.connect(a, b)
    result = system.simulate(2.0, rtol=1e-10)
    assert (result["wheel.w"][-1], result["shaft.w"][-1]) == pytest.approx((48.0, 192.0), rel=1e-9)


def test_in_co_simulation_they_stay_with_what_they_are_joined_to():
    """A four-bar beside a mass that steps: link, crank and rocker are integrated together, as without steps."""
    system = four_bar("planar.MasslessLink2")
    system.add("mass", "mechanical1d.Mass", {"v": 1.0})
    result = system.simulate(0.5, communication_step=0.05, rtol=1e-11)
    alone = four_bar("planar.ConnectingRod").simulate(0.5, rtol=1e-11)
    assert result["mass.s"][-1] == pytest.approx(0.5)
    assert result["crank.theta"][-1] == pytest.approx(alone["crank.theta"][-1], abs=1e-7)


def test_an_exported_mechanism_has_its_links(tmp_path):
    """The four-bar as one FMU moves as its parts do."""
    system = System("whole")
    system.add("bar", four_bar("planar.MasslessLink2").export_fmu(tmp_path / "bar.fmu"))
    parts = four_bar("planar.MasslessLink2").simulate(0.5, rtol=1e-11)
    assert system.simulate(0.5, rtol=1e-11)["bar.crank.theta"][-1] == pytest.approx(parts["crank.theta"][-1], abs=1e-8)
