"""Systems put together in few lines: joints between two ports, gravity for all, and systems inside systems."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, Result, System
from tests.support.systems.systems import pendulum

G = (1.0, -3.0)
"""Gravity in m/s2, other than that of any component."""


def four_bar(name: str = "four-bar", **options) -> System:
    """A parallelogram whose crank turns, driven by a torque that grows."""
    system = System(name, **options)
    system.add("ground", "planar.Fixed")
    system.add("wall", "planar.Fixed", {"p1.rx": 0.4})
    for bar, length, start in (
        ("crank", 0.2, {"theta": 0.7}),
        ("coupler", 0.4, {}),
        ("rocker", 0.2, {}),
    ):
        system.add(bar, "planar.Body2", {"m": 1.0, "I": 0.01, "p1.rx": -length / 2, "p2.rx": length / 2, **start})
    ends = [("ground.p1", "crank.p1"), ("crank.p2", "coupler.p1"), ("coupler.p2", "rocker.p2"), ("wall.p1", "rocker.p1")]
    for number, (a, b) in enumerate(ends, 1):
        system.join("planar.Revolute", a, b, {"rotation.b": 0.01 * number}, name="tip" if number == 3 else None)
    system.add("push", "planar.Wrench")
    system.connect("push.M", "crank.p2")
    system.drive("push.Fx", [(0.0, 0.0), (1.0, 2.0)])
    system.drive("push.Cz", 0.1)
    return system


def test_join_is_add_and_two_connections() -> None:
    short, long = System("pendulum"), System("pendulum")
    for system in (short, long):
        system.add("ground", "planar.Fixed")
        system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    assert short.join("planar.Revolute", "ground.p1", "rod.p1", {"rotation.b": 0.1}) == "revolute1"
    long.add("revolute1", "planar.Revolute", {"rotation.b": 0.1})
    long.connect("revolute1.M", "ground.p1")
    long.connect("revolute1.N", "rod.p1")
    assert short.definition == long.definition
    assert short.join("planar.Revolute", "ground.p1", "rod.p1") == "revolute2"
    assert short.join("hydraulic.Orifice", "a.p", "b.p", name="leak", kind="me") == "leak"
    assert short.definition.instances[-1].kind == "me"
    assert short.connections[-2:] == (("leak.A", "a.p"), ("leak.B", "b.p"))


def test_what_cannot_join_is_told() -> None:
    system = System()
    with pytest.raises(
        BuildError, match=r"planar.Wrench cannot join 'a.p1' and 'b.p1': it has 1 port, and no M and N among them; add it, and connect 'M'"
    ):
        system.join("planar.Wrench", "a.p1", "b.p1")
    with pytest.raises(BuildError, match=r"3 cannot be connected; give the name of a port"):
        system.join("planar.Revolute", "a.p1", 3)  # type: ignore[arg-type]  # refused
    assert not system.instances


def test_gravity_is_given_where_none_was_given() -> None:
    """Bodies fall by g t^2 / 2 of the system's; components without gravity, and values given to a body, stay."""
    system = System("falling", gravity=G)
    system.add("stone", "planar.Body1")
    system.add("cloud", "planar.Body1", {"gy": 0.0})
    system.add("ground", "planar.Fixed")
    result = system.simulate(stop_time=2.0)
    assert [result["stone.x"][-1], result["stone.y"][-1]] == pytest.approx([2.0, -6.0], abs=1e-9)
    assert [result["cloud.x"][-1], result["cloud.y"][-1]] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("gravity", "planar", "spatial"), [((0.0, -1.62), (0.0, -1.62), (0.0, -1.62, 0.0)), ((0.0, 0.0, -1.62), (0.0, 0.0), (0.0, 0.0, -1.62))]
)
def test_the_plane_is_that_of_x_and_y(gravity, planar, spatial) -> None:
    system = System(gravity=gravity)
    for name, wanted in {
        "planar.Body1": planar,
        "spatial.Body1": spatial,
        "spatial.PointMass1": spatial,
        "planar.RevoluteBody": planar,
    }.items():
        system.add("body", name)
        assert tuple(system.start_values["body"][g] for g in ("gx", "gy", "gz")[: len(wanted)]) == wanted
        system = copy.copy(system)  # which keeps it
        del system._instances["body"]


@pytest.mark.parametrize("gravity", [9.81, (0.0,), (0.0, float("nan")), "xy", (True, False)])
def test_gravity_that_is_none(gravity) -> None:
    with pytest.raises(BuildError, match=r"gravity = .* is refused: give two numbers in m/s2, such as \(0.0, -9.81\), or three in space"):
        System(gravity=gravity)


def test_a_mechanism_included_equals_itself(tmp_path: Path) -> None:
    """All values, its energy, its violations and a file of rows are bit-identical with default options, since it is integrated alone."""
    alone = four_bar(gravity=G).simulate(stop_time=0.3, initial="assemble")
    robot = System("robot")
    robot.include("left", four_bar(gravity=G))
    result = robot.simulate(stop_time=0.3, initial="assemble")
    assert list(result.names) == [f"left.{name}" for name in alone.names]
    assert np.array_equal(result.values, alone.values)
    assert np.array_equal(result.energy, alone.energy)
    for level, values in alone.violation.items():
        assert np.array_equal(result.violation[level], values)
    assert np.array_equal(result["left.crank"]["theta"], alone["crank.theta"])
    result.save(tmp_path / "robot.jrd")
    assert np.array_equal(Result.load(tmp_path / "robot.jrd")["left.tip.reaction"], alone["tip.reaction"])


def test_two_of_a_kind_with_what_joins_them() -> None:
    """Names in patterns, and values of start for one run; each of both moves as alone."""
    alone = four_bar().simulate(stop_time=0.2, initial="assemble", outputs=["crank.theta", "tip.reaction"])
    robot = System("robot")
    for side in ("left", "right"):
        robot.include(side, four_bar())
    robot.add("load", "planar.Wrench")
    robot.connect("load.M", "right.coupler.p1")
    outputs = ["*.crank.theta", "left.tip"]
    same = robot.simulate(stop_time=0.2, initial="assemble", outputs=outputs)
    assert {"left.crank.theta", "right.crank.theta", "left.tip.reaction"} <= set(same.names)
    assert same["right.crank.theta"][-1] == pytest.approx(alone["crank.theta"][-1], abs=1e-8)
    assert same["left.tip.reaction"][-1] == pytest.approx(alone["tip.reaction"][-1], abs=1e-6)
    heavy = robot.simulate(stop_time=0.2, initial="assemble", outputs=outputs, start_values={"right.crank.m": 5.0})
    assert heavy["left.crank.theta"][-1] == pytest.approx(same["left.crank.theta"][-1], abs=1e-8)
    assert abs(heavy["right.crank.theta"][-1] - same["right.crank.theta"][-1]) > 1e-3


def test_a_system_inside_packages_and_exports(tmp_path: Path) -> None:
    """A package that is read can be included; nested systems are written as such; an exported arm moves as the arm."""
    leg = four_bar(gravity=G)
    leg.to_ssp(tmp_path / "leg.ssp")
    assert System.from_ssp(tmp_path / "leg.ssp").definition == leg.definition  # with its gravity
    robot, same = System("robot"), System("robot")
    robot.include("left", leg)
    same.include("left", System.from_ssp(tmp_path / "leg.ssp"))
    assert robot.definition == same.definition
    robot.to_ssp(tmp_path / "robot.ssp")
    assert System.from_ssp(tmp_path / "robot.ssp").definition == robot.definition
    arm = System("arm")
    arm.include("left", pendulum())
    result = arm.simulate(stop_time=0.1, outputs=["left.rod.theta"])
    arm.export_fmu(tmp_path / "arm.fmu", outputs=["left.rod.theta"], platforms=["linux64"])
    exported = System()
    exported.add("arm", tmp_path / "arm.fmu")
    assert exported.instances["arm"].variables["left.rod.theta"].causality == "output"
    assert exported.simulate(stop_time=0.1)["arm.left.rod.theta"][-1] == pytest.approx(result["left.rod.theta"][-1], abs=1e-8)


def test_gravity_of_what_includes() -> None:
    """It is given to what has none; a copy does not change with what it was made of."""
    own, none = four_bar(gravity=G), four_bar()
    planet = System("planet", gravity=(0.0, -1.62))
    planet.include("own", own)
    planet.include("none", none)
    assert [planet.start_values[f"{name}.crank"]["gy"] for name in ("own", "none")] == [-3.0, -1.62]
    none.add("hat", "planar.Body1")
    assert "none.hat" not in planet.instances and "gy" not in none.start_values["crank"]


def test_names_of_included_systems() -> None:
    system = System()
    system.include("left", four_bar())
    with pytest.raises(BuildError, match=r"'left' is a system that is included here; give another name"):
        system.include("left", four_bar())
    with pytest.raises(BuildError, match=r"'left' is a system that is included here; give another name"):
        system.add("left", "planar.Fixed")
    system.add("ground", "planar.Fixed")
    with pytest.raises(BuildError, match=r"there is already an instance 'ground' \(planar.Fixed\); include the system by another name"):
        system.include("ground", four_bar())
    with pytest.raises(BuildError, match=r"an instance cannot be called 'a\.b'; give a name without dots"):
        system.include("a.b", four_bar())
    with pytest.raises(BuildError, match=r"'leg\.ssp' cannot be included; give a System, such as System\.from_ssp\('leg\.ssp'\)"):
        system.include("leg", "leg.ssp")  # type: ignore[arg-type]  # refused
