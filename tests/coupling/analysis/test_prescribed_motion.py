"""Linear models of prescribed motion against transfer functions in closed form, from 0.01 Hz to 1 kHz."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy

from coupling import LinearModel, System
from coupling.errors import AnalysisError, BuildError
from fmu_components.declare.declaration import TIME as t
from fmu_components.declare.joint import Joint
from tests.support.systems.systems import refusal

FREQUENCIES = np.geomspace(0.01, 1000.0, 41)
BODY, WHEEL, SPRING, DAMPER, TYRE, WALL = 300.0, 40.0, 2e4, 1500.0, 2e5, 100.0
G = 9.81


def agree(model: LinearModel, output: str, input: str, wanted: Callable[[np.ndarray], np.ndarray]) -> None:
    """Compares each value of a frequency response with a transfer function, relative to the value itself."""
    exact = wanted(2j * np.pi * FREQUENCIES)
    assert np.abs(model.bode(output, input, FREQUENCIES).response / exact - 1).max() < 1e-10


def quarter_car() -> System:
    system = System("quarter-car")
    system.add("road", "mechanical1d.Position")
    system.add("wheel", "mechanical1d.Mass", {"m": WHEEL})
    system.add("body", "mechanical1d.Mass", {"m": BODY})
    system.add("strut", "mechanical1d.SpringDamper1D", {"k": SPRING, "b": DAMPER})
    system.add("tyre", "mechanical1d.SpringDamper1D", {"k": TYRE, "b": WALL})
    for a, b in (("wheel", "strut.M"), ("body", "strut.N"), ("wheel", "tyre.N"), ("road", "tyre.M")):
        system.connect(f"{a}.flange", b)
    return system


def over_road(s: np.ndarray) -> dict[str, np.ndarray]:
    strut, tyre = SPRING + DAMPER * s, TYRE + WALL * s
    wheel = tyre * (BODY * s**2 + strut) / ((BODY * s**2 + strut) * (WHEEL * s**2 + strut + tyre) - strut**2)
    return {"wheel.s": wheel, "body.s": wheel * strut / (BODY * s**2 + strut), "road.force": tyre * (1 - wheel)}


@pytest.mark.parametrize("driven", [False, True])
def test_a_quarter_car_on_a_road_with_a_damped_tyre(driven: bool) -> None:
    system = quarter_car()
    if driven:
        system.drive("road.position", 0.0)
    outputs = ["body.s", "wheel.s", "road.force"]
    model = system.linearise(["road.position"], outputs)
    for name in outputs:
        agree(model, name, "road.position", lambda s, name=name: over_road(s)[name])
    assert model.B[:, 0] == pytest.approx([0, TYRE / WHEEL, 0, 0], rel=1e-12)
    assert model.B1[:, 0] == pytest.approx([0, WALL / WHEEL, 0, 0], rel=1e-12)
    assert not model.B2.any() and model.D1[:, 0] == pytest.approx([0, 0, WALL], rel=1e-12)


def test_a_family_has_the_rates() -> None:
    family = quarter_car().linearise(["road.position"], ["body.s"], along={"tyre.b": [50.0, 150.0]})
    assert family.matrices("B1")[:, 1, 0] == pytest.approx([50 / WHEEL, 150 / WHEEL], rel=1e-12)


def test_a_step_of_the_road_is_the_inverse_transform() -> None:
    """The residues of H(s)/s, by the poles of the closed form."""
    times = np.linspace(0.0, 2.0, 201)
    found = quarter_car().linearise(["road.position"], ["body.s", "wheel.s"]).step_response("road.position", times, 0.02)
    strut, tyre = np.poly1d([DAMPER, SPRING]), np.poly1d([WALL, TYRE])
    body, wheel = np.poly1d([BODY, 0, 0]) + strut, np.poly1d([WHEEL, 0, 0]) + strut + tyre
    bottom = body * wheel - strut * strut
    for name, top in (("body.s", tyre * strut), ("wheel.s", tyre * body)):
        exact = 1 + sum(top(p) / (p * bottom.deriv()(p)) * np.exp(p * times) for p in bottom.roots)
        assert found[name] == pytest.approx(0.02 * exact.real, abs=1e-10)


def test_scipy_has_the_rates_too_and_refuses_impulses() -> None:
    system = quarter_car()
    space = system.linearise(["road.position"], ["body.s", "wheel.s"]).to_scipy()
    s = 2j * np.pi * FREQUENCIES
    response = np.array([space.C @ np.linalg.solve(each * np.eye(4) - space.A, space.B) + space.D for each in s])[:, 1, 0]
    assert response == pytest.approx(over_road(s)["wheel.s"], rel=1e-8)
    model = system.linearise(["road.position"], ["road.force"])
    sentence = refusal(model.to_scipy, AnalysisError)
    assert sentence.startswith("'road.force' contains derivatives of 'road.position', which a state space has no place for; bode()")
    sentence = refusal(model.step_response, AnalysisError)
    assert sentence.startswith("'road.force' contains derivatives of 'road.position', which are impulses after a step; bode() and")


MASS, INERTIA, ARM, FRICTION, STIFFNESS, ANGLE = 2.0, 0.3, 0.4, 0.15, 6.0, -1.0


def on_a_pivot() -> System:
    """A rod on a spring at an angle, whose pivot moves in both directions."""
    rest = ANGLE + MASS * G * ARM * np.cos(ANGLE) / STIFFNESS
    system = System("pendulum")
    system.add("pivot", "planar.Motion", {"x": 0.3, "y": 0.1})
    system.add("pin", "planar.ActuatedRevolute", {"rotation.b": FRICTION, "rotation.k": STIFFNESS, "rotation.rest": rest})
    place = {"x": 0.3 + ARM * np.cos(ANGLE), "y": 0.1 + ARM * np.sin(ANGLE), "theta": ANGLE}
    system.add("rod", "planar.Body1", {"m": MASS, "I": INERTIA, "p1.rx": -ARM, **place})
    system.connect("pivot.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


@pytest.mark.parametrize("coordinate", ["pin.rotation.q", "rod.theta"])
def test_a_pendulum_whose_pivot_is_driven(coordinate: str) -> None:
    """(I + m c^2) theta'' + b theta' + (k - m g c sin) theta = m c (sin x'' - cos y'')."""
    outputs = ["rod.theta", "rod.x", "rod.vy", "pivot.Fx", "pivot.Fy"]
    model = on_a_pivot().linearise(["pivot.x", "pivot.y"], outputs, coordinates=[coordinate])
    assert model.states[0] == coordinate

    def exact(s: np.ndarray, along: int) -> dict[str, np.ndarray]:
        bottom = (INERTIA + MASS * ARM**2) * s**2 + FRICTION * s + STIFFNESS - MASS * G * ARM * np.sin(ANGLE)
        theta = MASS * ARM * s**2 * (np.sin(ANGLE), -np.cos(ANGLE))[along] / bottom
        x, y = (along == 0) - ARM * np.sin(ANGLE) * theta, (along == 1) + ARM * np.cos(ANGLE) * theta
        return {"rod.theta": theta, "rod.x": x, "rod.vy": s * y, "pivot.Fx": MASS * s**2 * x, "pivot.Fy": MASS * s**2 * y}

    for along, input in enumerate(("pivot.x", "pivot.y")):
        for name in outputs:
            agree(model, name, input, lambda s, name=name, along=along: exact(s, along)[name])


SOURCES = {
    "Position": ("position", "RigidRod", "Mass", "m", "s", "force"),
    "Angle": ("angle", "RigidShaft", "Inertia", "I", "phi", "torque"),
    "Speed": ("speed", "RigidShaft", "Inertia", "I", "w", "torque"),
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_load_that_follows_its_source(source: str) -> None:
    """The load has no freedom: its place is the input, and the effort is its inertia times the second derivative."""
    input, joint, load, inertia, seen, effort = SOURCES[source]
    system = System("shaft")
    system.add("source", f"mechanical1d.{source}")
    system.add("load", f"mechanical1d.{load}", {inertia: 0.7})
    system.join(f"mechanical1d.{joint}", "source.flange", "load.flange")
    model = system.linearise([f"source.{input}"], [f"load.{seen}", f"source.{effort}"])
    agree(model, f"load.{seen}", f"source.{input}", lambda s: 1 + 0 * s)
    agree(model, f"source.{effort}", f"source.{input}", lambda s: 0.7 * (s if source == "Speed" else s**2))


PAIRS = [
    ("planar.RelativeAngle", "angle", "theta", "I", 2, 0),
    ("planar.RelativePosition", "distance", "x", "m", 2, 0),
    ("planar.RelativeVelocity", "velocity", "vx", "m", 1, 0),
    ("spatial.RelativeAngle", "angle", "omegaz", "Izz", 2, 1),
    ("spatial.RelativePosition", "distance", "z", "m", 2, 0),
    ("spatial.RelativeVelocity", "velocity", "omegaz", "Izz", 1, 0),
]


@pytest.mark.parametrize(("joint", "input", "seen", "inertia", "order", "seen_order"), PAIRS)
def test_two_bodies_between_which_a_joint_prescribes_motion(joint, input, seen, inertia, order, seen_order) -> None:
    """Each of two equal bodies that float takes half of the motion, in opposite directions."""
    system = System("two", gravity=(0.0, 0.0, 0.0) if joint.startswith("spatial") else (0.0, 0.0))
    for body in "AB":
        system.add(body, f"{joint.split('.')[0]}.Body1", {inertia: 0.7})
    system.join(joint, "A.p1", "B.p1", name="joint")
    model = system.linearise([f"joint.{input}"], [f"A.{seen}", f"B.{seen}", "joint.multiplier[1]"])
    for body, share in (("A", -0.5), ("B", 0.5)):
        agree(model, f"{body}.{seen}", f"joint.{input}", lambda s, share=share: share * s**seen_order)
    agree(model, "joint.multiplier[1]", f"joint.{input}", lambda s: 0.35 * s**order)


def test_a_body_in_space_whose_motion_is_given() -> None:
    """The force is the mass times the second derivative; the joint leaves the angle about its own axis z."""
    system = System("platform")
    system.add("platform", "spatial.Motion")
    system.add("body", "spatial.Body1", {"m": 2.0})
    system.join("spatial.Revolute", "platform.p1", "body.p1")
    model = system.linearise(["platform.x", "platform.roll"], ["body.x", "platform.Fx", "body.omegax"])
    agree(model, "body.x", "platform.x", lambda s: 1 + 0 * s)
    agree(model, "platform.Fx", "platform.x", lambda s: 2 * s**2)
    agree(model, "body.omegax", "platform.roll", lambda s: s)
    assert len(model.states) == 2


class Stretched(Joint):
    """Two slides at a distance that grows with the square of a signal."""

    def constraint(self, M, N):
        u = self.signal("command", "m", "command of the distance", rates=2)
        return [N.x - M.x - u - self.parameter("curvature", 0.5, "1/m", "of the command") * u**2]


def test_a_joint_of_a_user_whose_motion_is_declared() -> None:
    """At a command of 0.2 m with a curvature of 0.5/m the distance changes by 1.2 times the command."""
    system = System("own", gravity=(0.0, 0.0))
    system.add("ground", "planar.Fixed")
    system.add("slide", "planar.Body1", {"m": 2.0, "x": 0.22})
    system.join(Stretched, "ground.p1", "slide.p1", {"command": 0.2}, name="drive")
    model = system.linearise(["drive.command"], ["slide.x", "slide.vx", "drive.multiplier[1]"])
    agree(model, "slide.x", "drive.command", lambda s: 1.2 + 0 * s)
    agree(model, "slide.vx", "drive.command", lambda s: 1.2 * s)
    agree(model, "drive.multiplier[1]", "drive.command", lambda s: 2.4 * s**2)


def test_a_block_whose_acceleration_is_driven() -> None:
    """The upper of two blocks that hang is driven, and the lower one swings."""
    upper, lower = {"m": 1.5, "I": 0.2, "rx": 0.3, "C1.rx": 0.6}, {"m": 0.8, "I": 0.1, "rx": 0.25, "b": 0.05}
    system = System("arm")
    system.add("ground", "planar.Fixed")
    system.add("upper", "planar.RevoluteBody", {**upper, "q": -np.pi / 2})
    system.add("lower", "planar.RevoluteBody", lower)
    system.connect("ground.p1", "upper.P")
    system.connect("upper.C1", "lower.P")
    open_one = System.of(system.definition)
    sentence = refusal(lambda: open_one.linearise(["upper.qdd"]), BuildError)
    assert (
        sentence
        == "linearise: inputs: 'upper.qdd' is an unknown of the system; drive it to make it an input: system.drive('upper.qdd', 0.0)"
    )
    system.drive("upper.qdd", 0.0)
    model = system.linearise(["upper.qdd"], ["lower.q", "upper.required"])

    m, c, b, reach = 0.8, 0.25, 0.05, 0.6
    own, mixed, weight = 0.1 + m * c**2, m * reach * c, m * G * c

    def swing(s: np.ndarray) -> np.ndarray:
        """The angle of the lower block relative to the upper one, over the angle of the upper one."""
        return -((own + mixed) * s**2 + weight) / (own * s**2 + b * s + weight)

    def required(s: np.ndarray) -> np.ndarray:
        """The torque of the pin at the ground: all moments of momentum and of weight about it."""
        upper = (0.2 + 1.5 * 0.3**2 + m * reach**2 + mixed) * s**2 + (1.5 * 0.3 + m * reach) * G
        return upper + mixed * s**2 * (1 + swing(s)) + own * s**2 * (1 + swing(s)) + weight * (1 + swing(s))

    agree(model, "lower.q", "upper.qdd", lambda s: swing(s) / s**2)
    agree(model, "upper.required", "upper.qdd", lambda s: required(s) / s**2)


def test_sentences_of_rates_and_of_what_cannot_move() -> None:
    system = quarter_car()
    sentence = "linearise: inputs: 'road.position.rate' follows from 'road.position', whose rate it is; name that one instead"
    assert refusal(lambda: system.linearise(["road.position.rate"]), BuildError) == sentence
    held = System("held")
    held.add("source", "mechanical1d.Position")
    held.add("wall", "mechanical1d.Fixed1D")
    held.add("load", "mechanical1d.Mass")
    held.join("mechanical1d.RigidRod", "source.flange", "load.flange")
    held.join("mechanical1d.RigidRod", "load.flange", "wall.flange")
    sentence = refusal(lambda: held.linearise(["source.position"], ["load.s"]), AnalysisError)
    assert sentence.startswith("the constraints leave no motion in which 'source.position' changes")


def test_an_equilibrium_holds_a_driven_motion() -> None:
    """The road of a damped tyre moves at the time of the equilibrium, and its rate must not press on the tyre."""
    system = quarter_car()
    system.drive("road.position", sympy.sin(3 * t) / 10 + sympy.Rational(1, 50))
    pose = system.equilibrium()
    assert [pose["wheel.s"], pose["body.s"]] == pytest.approx([0.02, 0.02], rel=1e-12)
    model = system.linearise(["road.position"], ["road.force"], initial=pose)
    assert model.point["road.position"] == pytest.approx(0.02, rel=1e-15)
    assert model.point["road.force"] == pytest.approx(0.0, abs=1e-9)
    changes = system.sensitivities(["tyre.b"], ["road.force"])
    assert changes["wheel.s", "tyre.b"] == pytest.approx(0.0, abs=1e-12)


def test_an_equilibrium_of_a_slide_that_is_driven_rigidly() -> None:
    system = System("slide")
    system.add("source", "mechanical1d.Position")
    system.add("load", "mechanical1d.Mass", {"m": 0.7})
    system.join("mechanical1d.RigidRod", "source.flange", "load.flange")
    system.drive("source.position", sympy.sin(3 * t) / 10 + sympy.Rational(1, 50))
    pose = system.equilibrium()
    assert pose["load.s"] == pytest.approx(0.02, rel=1e-12)
    agree(system.linearise(["source.position"], ["source.force"], initial=pose), "source.force", "source.position", lambda s: 0.7 * s**2)


def test_a_free_position_brings_what_follows_it_rigidly() -> None:
    """A weight of 2 kg hangs on a spring from a slide; the position of the slide is sought that holds the weight at 0.1 m."""
    system = System("hanging")
    system.add("source", "mechanical1d.Position")
    system.add("slide", "mechanical1d.Mass")
    system.add("spring", "mechanical1d.SpringDamper1D", {"k": 50.0})
    system.add("load", "mechanical1d.Mass", {"m": 2.0})
    system.add("weight", "mechanical1d.Force")
    system.join("mechanical1d.RigidRod", "source.flange", "slide.flange")
    for a, b in (("slide", "spring.M"), ("load", "spring.N"), ("load", "weight.flange")):
        system.connect(f"{a}.flange", b)
    system.drive("weight.force", -2.0 * G)
    pose = system.equilibrium({"load.s": 0.1}, hold=["load.s"], free=["source.position"])
    assert pose["source.position"] == pytest.approx(0.1 + 2.0 * G / 50.0, rel=1e-10)
    assert pose["slide.s"] == pytest.approx(pose["source.position"], rel=1e-10)
