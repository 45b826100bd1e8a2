"""Joints that switch between sides whose motion is prescribed: ratchets, freewheels, brakes, clutches, stops and ropes, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

from jourdain import Result, System
from jourdain.declare import t
from tests.support.switched.case import built

A, W, INERTIA = 0.3, 2.0, 0.5
STROKE = 2 * A


def ratchet(arm: object, *joints: str, load: float = 0.0, source: str = "angle", smooth: bool = False) -> System:
    """A wheel that an arm turns forwards by a pawl, and that other joints on the ground hold meanwhile."""
    parts = {
        "ground": "mechanical1d.Fixed1D",
        "arm": f"mechanical1d.{source.capitalize()}",
        "wheel": ("mechanical1d.Inertia", {"I": INERTIA}),
        "pawl": "mechanical1d.OneWayClutch",
        "stay": "mechanical1d.OneWayClutch",
        "rub": ("mechanical1d.RotationalFriction", {"kinetic": 3.0, "static": 3.0}),
        "load": "mechanical1d.Torque",
    }
    chosen = {name: part for name, part in parts.items() if name not in ("stay", "rub") or name in joints}
    held = " ".join(f"ground.shaft-{name}.M {name}.N-wheel.flange" for name in joints)
    system = built("ratchet", chosen, f"arm.flange-pawl.M pawl.N-wheel.flange load.flange-wheel.flange {held}")  # type: ignore[arg-type]
    system.drive("load.torque", -load)
    system.drive(f"arm.{source}", arm, smooth=smooth)
    return system


def done(system: System, stop: float, **options: object) -> Result:
    result = system.simulate(stop, **options)  # type: ignore[arg-type]  # of several types
    assert result.outcome.completed, result.outcome.sentence
    assert not any("violated" in warning for warning in result.outcome.warnings)
    return result


HOLDS = [("stay",), ("rub",), ("stay", "rub")]
SOLVERS = ["dopri5", "dop853", "cvode"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("joints", HOLDS, ids=" ".join)
def test_a_ratchet_turns_by_the_forward_strokes_of_its_arm(joints, solver) -> None:
    """The load decelerates the wheel at least as much as the arm does itself, so that the pawl holds until the arm turns round."""
    result = done(ratchet(A * (1 - sympy.cos(W * t)), *joints, load=1.0), 5 * math.pi / W, solver=solver)
    assert result["wheel.phi"][-1] == pytest.approx(3 * STROKE, abs=1e-6 if solver == "cvode" else 1e-7)
    times = sorted({round(change.time, 6) for change in result.changes})
    np.testing.assert_allclose(times, [math.pi / W * k for k in range(1, len(times) + 1)], atol=2e-5)


def test_a_wheel_with_little_load_leaves_its_pawl_and_runs_out() -> None:
    """The pawl lets go where the arm decelerates more than the load does; a parabola follows."""
    load = 0.3
    slows = load / INERTIA
    leaves = math.acos(-slows / (A * W**2)) / W
    speed = A * W * math.sin(W * leaves)
    turned = A * (1 - math.cos(W * leaves)) + speed**2 / (2 * slows)
    result = done(ratchet(A * (1 - sympy.cos(W * t)), "stay", load=load), 2.5, rtol=1e-9)
    assert leaves + speed / slows < 2.5
    assert result["wheel.phi"][-1] == pytest.approx(turned, abs=1e-8)
    first = [change.time for change in result.changes if change.joint == "pawl"]
    assert first[0] == pytest.approx(leaves, abs=1e-8)


@pytest.mark.parametrize("joints", HOLDS, ids=" ".join)
def test_an_arm_of_constant_speed_takes_the_wheel_along(joints) -> None:
    """The wheel jumps to the speed of the arm at once."""
    result = done(ratchet(0.7, *joints, load=1.0, source="speed"), 3.0)
    assert result["wheel.phi"][-1] == pytest.approx(2.1, abs=1e-9)
    assert result["pawl.lambda[1]"][-1] == pytest.approx(1.0 + 3.0 * ("rub" in joints), abs=1e-9)


@pytest.mark.parametrize("joints", HOLDS, ids=" ".join)
def test_an_arm_that_rests_between_its_strokes(joints) -> None:
    """All joints may be in force where the arm leaves its rest, and contradict each other a moment later."""
    rests = A * sympy.Piecewise(
        (1 - sympy.cos(W * t), t < math.pi / W),
        (2, t < 2),
        (1 + sympy.cos(W * (t - 2)), t < 2 + math.pi / W),
        (0, t < 4.5),
        (1 - sympy.cos(W * (t - 4.5)), True),
    )
    result = done(ratchet(rests, *joints, load=1.0), 4.5 + math.pi / W)
    assert result["wheel.phi"][-1] == pytest.approx(2 * STROKE, abs=1e-7)


@pytest.mark.parametrize("joints", HOLDS, ids=" ".join)
def test_an_arm_by_a_table(joints) -> None:
    """Smooth strokes of 0.4 rad with rests between them; the load decelerates the wheel more than the arm does itself."""
    table = [(0, 0.0), (1, 0.4), (2, 0.4), (3, 0.0), (4, 0.0), (5, 0.4), (6, 0.4), (7, 0.0)]
    result = done(ratchet(table, *joints, load=2.0, smooth=True), 7.5)
    assert result["wheel.phi"][-1] == pytest.approx(0.8, abs=1e-7)


def test_freewheels_in_series_and_in_opposition() -> None:
    """Two in series turn forwards as one; two in opposition hold both ways, and their torques are I alpha by turns."""
    parts = {name: ("mechanical1d.Inertia", {"I": 0.2}) for name in ("middle", "wheel")}
    parts |= dict.fromkeys(("f1", "f2", "stay"), "mechanical1d.OneWayClutch") | {
        "ground": "mechanical1d.Fixed1D",
        "arm": "mechanical1d.Angle",
    }  # type: ignore[dict-item]
    series = built(
        "series", parts, "arm.flange-f1.M f1.N-middle.flange middle.flange-f2.M f2.N-wheel.flange ground.shaft-stay.M stay.N-wheel.flange"
    )
    series.add("load", "mechanical1d.Torque")
    series.connect("load.flange", "wheel.flange")
    series.drive("load.torque", -1.0)
    series.join("mechanical1d.OneWayClutch", "ground.shaft", "middle.flange", name="stay2")
    series.drive("arm.angle", A * (1 - sympy.cos(W * t)))
    result = done(series, 5 * math.pi / W)
    assert result["wheel.phi"][-1] == pytest.approx(3 * STROKE, abs=1e-7)

    opposed = built(
        "opposed",
        {
            "arm": "mechanical1d.Angle",
            "wheel": ("mechanical1d.Inertia", {"I": INERTIA}),
            "f1": "mechanical1d.OneWayClutch",
            "f2": "mechanical1d.OneWayClutch",
        },
        "arm.flange-f1.M f1.N-wheel.flange wheel.flange-f2.M f2.N-arm.flange",
    )
    opposed.drive("arm.angle", A * (1 - sympy.cos(W * t)))
    result = done(opposed, 8.0)
    np.testing.assert_allclose(result["wheel.phi"], A * (1 - np.cos(W * result.time)), atol=1e-8)
    torque = INERTIA * A * W**2 * np.cos(W * result.time)
    np.testing.assert_allclose(result["f1.lambda[1]"], np.maximum(torque, 0), atol=1e-6)
    np.testing.assert_allclose(result["f2.lambda[1]"], np.maximum(-torque, 0), atol=1e-6)


def prescribed(
    joint: str, first: tuple[str, object], second: tuple[str, object] | None = None, values: dict[str, float] | None = None
) -> System:
    """A joint between two sources of motion, or between the ground and one."""
    system = System("prescribed")
    system.add("beside", "mechanical1d.Inertia")
    sides = []
    for name, side in (("a", first), ("b", second)):
        if side is None:
            continue
        kind, law = side
        system.add(name, f"mechanical1d.{kind}")
        system.drive(f"{name}.{kind.lower()}", law)
        sides.append(f"{name}.flange")
    if second is None:
        system.add("ground", "mechanical1d.Fixed1D")
        sides.insert(0, "ground.shaft" if first[0] in ("Speed", "Angle") else "ground.flange")
    system.join(joint, *sides, values or {}, name="joint")
    return system


def test_a_brake_on_a_driven_shaft() -> None:
    """It slips against mu r F, which changes its sign with the speed, and takes the integral of its size times the speed."""
    system = prescribed("mechanical1d.Brake", ("Speed", sympy.sin(3 * t)), values={"mu": 0.4, "radius": 0.5, "surfaces": 1})
    system.drive("joint.force", 10.0)
    system.add("heat", "signal.Integrator")
    system.connect("joint.loss", "heat.u")
    result = done(system, 4.0, rtol=1e-10)
    changes = [change.time for change in result.changes]
    np.testing.assert_allclose(changes, [math.pi * k / 3 for k in (1, 2, 3)], atol=1e-9)
    np.testing.assert_allclose(np.abs(result["joint.lambda[1]"][1:]), 2.0, atol=1e-12)
    whole, rest = divmod(4.0, math.pi / 3)
    assert result["heat.y"][-1] == pytest.approx(2.0 * (whole * 2 / 3 + (1 - math.cos(3 * rest)) / 3), abs=1e-8)


def test_a_shaft_that_stops_for_a_moment_goes_on_slipping() -> None:
    """(1 - t)^3 turns round where its acceleration vanishes."""
    system = prescribed("mechanical1d.Brake", ("Speed", (1 - t) ** 3), values={"mu": 0.4, "radius": 0.5, "surfaces": 1})
    system.drive("joint.force", 10.0)
    result = done(system, 2.0)
    np.testing.assert_allclose(result["joint.lambda[1]"][[1, -1]], [-2.0, 2.0])


@pytest.mark.parametrize("capacity", [2.0, 1 + 0.5 * sympy.sin(3 * t)], ids=["constant", "driven"])
def test_a_clutch_between_driven_shafts_slips_by_the_difference_of_their_speeds(capacity) -> None:
    system = prescribed("mechanical1d.Clutch", ("Speed", sympy.sin(t)), ("Speed", 0.5 * sympy.cos(2 * t)))
    system.drive("joint.capacity", capacity)
    result = done(system, 8.0)
    given = np.vectorize(sympy.lambdify(t, capacity))(result.time)
    slip = 0.5 * np.cos(2 * result.time) - np.sin(result.time)
    sure = np.abs(slip) > 1e-6
    np.testing.assert_allclose(result["joint.lambda[1]"][sure], (-np.sign(slip) * given)[sure], atol=1e-9)


INSIDE, TOUCHES, BEYOND = 0.5 * sympy.sin(t), sympy.sin(t), 1.2 * sympy.sin(t)


@pytest.mark.parametrize("law", [INSIDE, TOUCHES], ids=["inside", "touches"])
def test_what_prescribed_motions_keep_is_no_matter(law) -> None:
    done(prescribed("mechanical1d.EndStop", ("Position", law), values={"low": -1.0, "high": 1.0}), 8.0)
    done(prescribed("mechanical1d.OneWayClutch", ("Speed", law), ("Speed", 1.0)), 8.0)
    done(rope(law), 8.0)


def rope(law: object) -> System:
    system = System("rope")
    system.add("beside", "mechanical1d.Inertia")
    system.add("a", "planar.Fixed")
    system.add("b", "planar.Motion")
    system.drive("b.x", 2 + law)  # type: ignore[operator]
    system.join("planar.Rope", "a.p1", "b.p1", {"length": 3.0}, name="joint")
    return system


@pytest.mark.parametrize(
    ("system", "kept"),
    [
        (prescribed("mechanical1d.EndStop", ("Position", BEYOND), values={"low": -1.0, "high": 1.0}), "position[2]"),
        (prescribed("mechanical1d.OneWayClutch", ("Speed", BEYOND), ("Speed", 1.0)), "velocity[1]"),
        (rope(BEYOND), "position[1]"),
    ],
    ids=["stop", "freewheel", "rope"],
)
def test_motions_that_violate_a_joint_are_named_with_the_time(system, kept) -> None:
    outcome = system.simulate(4.0).outcome
    assert not outcome.completed
    assert outcome.sentence == (
        f"stopped at t = {math.asin(1 / 1.2):.9g} s: motions that are prescribed violate 'joint': {kept} falls below 0, which no force can prevent; change "
        "these motions, or add 'joint' with kind='cs', which makes it compliant, and give simulate a communication_step. The result holds everything up "
        "to there"
    )
    assert outcome.warnings == []


def test_a_stop_that_is_compliant_gives_way_to_a_prescribed_motion() -> None:
    """The remedy that the sentence names; by its stiffness and damping of 1e4 N/m and 100 N.s/m."""
    system = System("compliant")
    system.add("a", "mechanical1d.Position")
    system.drive("a.position", BEYOND)
    system.add("ground", "mechanical1d.Fixed1D")
    system.join("mechanical1d.EndStop", "ground.flange", "a.flange", {"low": -1.0, "high": 1.0}, name="joint", kind="cs")
    result = system.simulate(1.0, communication_step=1e-3)
    assert result.outcome.completed
    depth, rate = 1.2 * math.sin(1.0) - 1, 1.2 * math.cos(1.0)
    assert result["joint.multiplier[2]"][-1] == pytest.approx(1e4 * depth + 100 * rate, rel=1e-2)


def test_a_mass_between_a_piston_and_a_wall() -> None:
    """A piston that comes as far as the wall allows leaves the mass there; one that goes farther violates a joint."""
    for reach, fits in ((0.15, True), (0.2, False)):
        system = built(
            "squeezed",
            {
                "piston": "mechanical1d.Position",
                "ground": "mechanical1d.Fixed1D",
                "mass": ("mechanical1d.Mass", {"m": 2.0}),
                "push": ("mechanical1d.EndStop", {"low": 0.0, "high": 50.0}),
                "wall": ("mechanical1d.EndStop", {"low": -50.0, "high": 0.3}),
            },
            "piston.flange-push.M push.N-mass.flange ground.flange-wall.M wall.N-mass.flange",
        )
        system.drive("piston.position", reach * (1 - sympy.cos(t)))
        outcome = (result := system.simulate(8.0)).outcome
        assert outcome.completed == fits
        assert result["mass.s"][-1] == pytest.approx(0.3, abs=1e-6)
        assert fits or outcome.sentence.startswith(f"stopped at t = {2 * math.pi / 3:.8g} s: motions that are prescribed violate 'push'")
