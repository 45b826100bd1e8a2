"""Remedies of assembly, equilibria, linear models and options are tried on the machine that provoked the sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from coupling import Pose, Result, Scheme, Successive, System
from tests.coupling.analysis.test_prescribed_motion import FREQUENCIES, over_road, quarter_car
from tests.coupling.live.test_stabilisation import angle
from tests.support import foreign
from tests.support.advice import Cases, ends
from tests.support.foreign import Model, Variable
from tests.support.systems.linkages import Linkage
from tests.support.systems.systems import pendulum, refusal
from tests.whole.test_singular_poses import rockers

G = 9.81

# -- starts and assembly -------------------------------------------------------------------------------------------------------------------


def crank(theta: float) -> System:
    """A four-bar whose crank reaches no farther than 0.927 rad, where the others are in line."""
    points = {"A": (0, 0), "B": (0.6, 0), "C": (1.0, 0.3), "D": (1.0, 0)}
    linkage = Linkage(points, {"crank": "AB", "coupler": "BC", "rocker": "DC"}, "AD", {})
    return linkage.system({"crank": {"theta": theta}})


def closes(pose: Pose) -> float:
    """Returns by how much the coupler and the rocker miss each other, by their ends."""
    at = {name: np.array([pose[f"{name}.x"], pose[f"{name}.y"]]) for name in ("coupler", "rocker")}
    half = {name: np.array([math.cos(pose[f"{name}.theta"]), math.sin(pose[f"{name}.theta"])]) / 2 for name in at}
    pin = 0.6 * np.array([math.cos(pose["crank.theta"]), math.sin(pose["crank.theta"])])
    return float(
        max(
            np.abs(at["coupler"] - 0.5 * half["coupler"] - pin).max(),
            np.abs(at["rocker"] - 0.3 * half["rocker"] - [1.0, 0.0]).max(),
            np.abs(at["coupler"] + 0.5 * half["coupler"] - at["rocker"] - 0.3 * half["rocker"]).max(),
        )
    )


def test_an_angle_that_is_said_to_close_all_joints_does() -> None:
    text = refusal(crank(2.5).assemble)
    found = float(text.partition("'crank.theta' = 2.5 cannot be reached; ")[2].partition(" is one that closes all joints")[0])
    pose = crank(found).assemble()
    assert pose["crank.theta"] == found and closes(pose) < 1e-9


def test_a_branch_or_a_guess_decides_between_poses() -> None:
    """A second sentence names another guess where the first one leaves some doubt; then the branch is the remedy of both."""
    pose = crank(0.7).assemble()
    assert f"guess 'D.rotation.q' (1.74 here), or say branch='{pose.branch}'" in pose.notes[-1]
    chosen = crank(0.7).assemble(branch=pose.branch)
    assert chosen.notes == () and closes(chosen) < 1e-9 and chosen["rocker.theta"] == pytest.approx(pose["rocker.theta"], abs=1e-9)
    guessed = crank(0.7).assemble(guess={"D.rotation.q": 1.74})
    assert guessed["rocker.theta"] == pytest.approx(pose["rocker.theta"], abs=1e-9)
    assert not any("no guess chooses among them" in note for note in guessed.notes)


def test_an_attitude_the_wrong_way_round_is_guessed() -> None:
    system = System("hinge")
    system.add("ground", "spatial.Fixed")
    system.add("door", "spatial.Body1")
    system.join("spatial.Revolute", "ground.p1", "door.p1", name="pin")
    reversed_ = {"door.q0": 0.0, "door.q1": 0.8, "door.q2": 0.6, "door.q3": 0.0}
    text = refusal(lambda: system.assemble(start_values=reversed_))
    assert "'pin' can only be closed the wrong way round, with axes reversed; guess the attitude of one of the bodies there" in text
    pose = system.assemble(guess=reversed_)
    assert [pose[f"door.q{i}"] for i in (1, 2)] == pytest.approx([0.0, 0.0], abs=1e-9)


def moving(**start: float) -> Pose:
    return pendulum(**start).assemble()


@pytest.mark.parametrize("start", [{"omega": 2.0}, {"omega": 2.0, "vy": 1.0}], ids=["left out", "agree"])
def test_velocities_that_contradict_each_other(start: dict[str, float]) -> None:
    assert "leave out those that may move, or give values that do not contradict each other" in refusal(lambda: moving(omega=2.0, vy=0.3))
    pose = moving(**start)
    assert (pose["rod.omega"], pose["rod.vy"]) == pytest.approx((2.0, 1.0), abs=1e-12)


CASES = Cases()


def started(values: dict[str, float], **options: Any) -> Result:
    system = System("started")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"I": 1 / 12, "p1.rx": -0.5, **values})
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    return system.simulate(1.0, **options)


CLOSED = {"theta": 1.0, "x": math.cos(1.0) / 2, "y": math.sin(1.0) / 2}
CASES.of(
    "the start violates constraints",
    started,
    {"values": {"theta": 1.0}},
    ends("rod.theta", angle(1 / 3, G / 2, 1.0, 0.0, 1.0)),
    start_correct=("correct the start values", {"values": CLOSED}, 1e-6),
    start_assemble=("use initial='assemble' to have the states moved", {"values": {"theta": 1.0}, "initial": "assemble"}, 1e-6),
)
CASES.of(
    "the start violates constraints",
    started,
    {"values": {**CLOSED, "y": CLOSED["y"] + 1e-5}},
    ends("rod.theta", angle(1 / 3, G / 2, 1.0, 0.0, 1.0)),
    start_relax=("or initial='relax' to leave it", {"values": {**CLOSED, "y": CLOSED["y"] + 1e-5}, "initial": "relax"}, 1e-4),
)
CASES.of(
    "initial='relax' leaves a violated start to the joints' own stabilisation",
    started,
    {"values": {"theta": 1.0}, "initial": "relax", "stabilisation": "projection"},
    ends("rod.theta", angle(1 / 3, G / 2, 1.0, 0.0, 1.0)),
    relax_assemble=("choose initial='assemble'", {"values": {"theta": 1.0}, "initial": "assemble", "stabilisation": "projection"}, 1e-6),
    relax_baumgarte=("or stabilisation='baumgarte'", {"values": CLOSED, "initial": "relax", "stabilisation": "baumgarte"}, 1e-6),
)

# -- options -------------------------------------------------------------------------------------------------------------------------------


def swings(**options: Any) -> Result:
    return pendulum().simulate(1.0, **options)


def by_inertia(result: Result) -> float:
    """Returns how far the sensitivity by the inertia is from a difference quotient of the closed form."""
    step = 1e-4
    slope = (angle(1 / 3 + step, G / 2, 0.0, 0.0, 1.0) - angle(1 / 3 - step, G / 2, 0.0, 0.0, 1.0)) / (2 * step)
    return abs(float(result.sensitivity("rod.theta", "rod.I")[-1]) - slope)


BY = {"sensitivities": ["rod.I"]}
CASES.of(
    "sensitivities are refused",
    swings,
    {**BY, "solver": "cvode"},
    by_inertia,
    sensitivity_dopri5=("choose 'dopri5' or 'dop853'", {**BY, "solver": "dopri5"}, 1e-4),
    sensitivity_dop853=("choose 'dopri5' or 'dop853'", {**BY, "solver": "dop853"}, 1e-4),
)
SWUNG = ends("rod.theta", angle(1 / 3, G / 2, 0.0, 0.0, 1.0))
FORM = {"solver": "RK45", "multipliers": Successive(form="full")}
CASES.of(
    "form = 'full' is refused with stabilisation = 'projection'",
    swings,
    {**FORM, "stabilisation": "projection"},
    SWUNG,
    form=("choose 'baumgarte'", {**FORM, "stabilisation": "baumgarte"}, 1e-6),
)
CASES.of(
    "extrapolation = 2 has no effect with scheme = 'implicit'",
    swings,
    {"communication_step": 0.01, "scheme": Scheme("implicit", extrapolation=2)},
    SWUNG,
    extrapolation=("leave it out", {"communication_step": 0.01, "scheme": "implicit"}, 1e-4),
)
PLAIN = Model("Plain", [Variable("u", "input", 0.0), Variable("x", "output", 1.0, rate="u - x")])


def halved(**options: Any) -> Result:
    """Runs x' = x/2 - x, with an FMU that cannot go back."""
    system = System("plain")
    system.add("plain", foreign.export(PLAIN, 3), kind="cs")
    system.add("gain", "signal.Gain", {"k": 0.5})
    system.connect("plain.x", "gain.u")
    system.connect("gain.y", "plain.u")
    return system.simulate(1.0, communication_step=1e-3, **options)


CASES.of(
    "cannot save and restore its state",
    halved,
    {"scheme": "implicit"},
    ends("plain.x", math.exp(-0.5)),
    no_state_explicit=("choose scheme='explicit' or 'gauss-seidel'", {"scheme": "explicit"}, 1e-3),
    no_state_in_turn=("choose scheme='explicit' or 'gauss-seidel'", {"scheme": "gauss-seidel"}, 1e-3),
)
CASES.of(
    "cannot save and restore its state",
    halved,
    {"scheme": Scheme(step_control="adaptive")},
    ends("plain.x", math.exp(-0.5)),
    no_state_fixed=("use Scheme(step_control='fixed')", {"scheme": Scheme(step_control="fixed")}, 1e-3),
)


@pytest.mark.parametrize("name", CASES)
def test_the_remedy_helps(name: str) -> None:
    CASES[name].try_it()


# -- equilibria and linear models ----------------------------------------------------------------------------------------------------------


def held(stiffness: float = 0.0, rest: float = 0.0) -> System:
    system = System("held")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    values = {"rotation.k": stiffness, "rotation.rest": rest}
    system.join("planar.ActuatedRevolute", "ground.p1", "rod.p1", values, name="pin")
    return system


def test_an_equilibrium_that_nothing_holds_gets_an_input() -> None:
    """The moment of its weight gives it; and where a parameter cannot do it, which is 1.5 rad beyond the rest of the spring."""
    remedy = "free=[...] with an input that can balance it"
    assert remedy in refusal(lambda: held().equilibrium(hold=["rod.theta"]))
    assert held().equilibrium(hold=["rod.theta"], free=["pin.effort"])["pin.effort"] == pytest.approx(G / 2, rel=1e-12)
    turned: dict[str, Any] = {"initial": {"rod.theta": 0.5}, "hold": ["rod.theta"]}
    text = refusal(lambda: held(5.0, -1.0).equilibrium(**turned, free=["rod.m"]))
    assert "begin at other values of these, or free an input instead" in text
    pose = held(5.0, -1.0).equilibrium(**turned, free=["pin.effort"])
    assert pose["rod.theta"] == pytest.approx(0.5, abs=1e-12)
    assert pose["pin.effort"] == pytest.approx(G / 2 * math.cos(0.5) + 5.0 * 1.5, rel=1e-12)


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [
        (lambda: rockers(2, 0.0, 0.0).linearise(), "choose another pose"),
        (lambda: rockers(2, 0.3, 0.0).linearise(), "linearise with initial=system.equilibrium()"),
    ],
    ids=["singular", "unsteady"],
)
def test_a_linear_model_of_another_pose(asked: Callable[[], object], remedy: str) -> None:
    """Rockers that hang have (2/3 + 1) theta'' = -2 g theta."""
    assert remedy in refusal(asked)
    system = rockers(2, 0.3, 0.0)
    model = system.linearise(initial=system.equilibrium())
    assert sorted(model.eigenvalues.imag) == pytest.approx([-math.sqrt(1.2 * G), math.sqrt(1.2 * G)], rel=1e-9)


def test_coordinates_and_outputs_that_cannot_be_had_are_left_out() -> None:
    hanging = held().equilibrium()
    assert "leave no freedom along it; leave it out" in refusal(lambda: held().linearise(coordinates=["rod.y"], initial=hanging))
    for coordinates in ((), ("rod.x",)):
        model = held().linearise(coordinates=coordinates, initial=hanging)
        assert sorted(model.eigenvalues.imag) == pytest.approx([-math.sqrt(1.5 * G), math.sqrt(1.5 * G)], rel=1e-9)
    system = quarter_car()
    model = system.linearise(["road.position"], ["road.force", "body.s"])
    assert "bode() and transfer() have them, or leave the output out: linearise(outputs=[...])" in refusal(model.to_scipy)
    exact = over_road(2j * np.pi * FREQUENCIES)
    found = model.bode("road.force", "road.position", FREQUENCIES).response
    assert np.abs(found / exact["road.force"] - 1).max() < 1e-9
    space = system.linearise(["road.position"], outputs=["body.s"]).to_scipy()
    response = [space.C @ np.linalg.solve(2j * np.pi * f * np.eye(4) - space.A, space.B) + space.D for f in FREQUENCIES]
    assert np.abs(np.ravel(response) / exact["body.s"] - 1).max() < 1e-8
