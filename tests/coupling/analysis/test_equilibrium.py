"""Equilibria against closed forms, against minima of potentials in minimal coordinates, and against runs that start in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from coupling import System
from coupling.errors import AnalysisError, BuildError, ResultError
from tests.coupling.analysis.test_linear import pendulum
from tests.support.systems.machines import example
from tests.whole.test_singular_poses import closed, double_pendulum, four_bar, hanging

WEIGHT = 9.81 / 2


def at(angle: float) -> dict[str, float]:
    return {"rod.x": 0.5 * np.cos(angle), "rod.y": 0.5 * np.sin(angle), "rod.theta": angle}


@pytest.mark.parametrize("angle", [-2.0, 0.3, 1.5, 3.0, 7.0])
def test_a_pendulum_hangs(angle):
    pose = pendulum().equilibrium({**at(angle), "rod.omega": 3.0})
    assert np.cos(pose["rod.theta"] + np.pi / 2) == pytest.approx(1, abs=1e-15) and pose.stable and not pose.alternatives
    assert pose["rod.omega"] == pytest.approx(0, abs=1e-15) and pose["rod.y"] == pytest.approx(-0.5, abs=1e-12)


def test_a_start_that_does_not_fit_is_named():
    """The search begins at the nearest pose that fits, and the pose says so; from a start that fits it says nothing."""
    assert pendulum().equilibrium(at(0.3)).notes == ()
    pose = pendulum().equilibrium({**at(0.3), "rod.x": 0.9})
    (note,) = pose.notes
    assert note.startswith(
        f"the start did not fit 'pin' (pin.position[1] = {0.9 - 0.5 * np.cos(0.3):.4g} m): the search began at the nearest"
    )
    assert " ".join(str(pose).split()).endswith("give initial=system.assemble(guess=...)")
    by_parameter = pendulum().equilibrium({**at(0.3), "rod.x": 0.9}, hold=["rod.theta"], free=["pin.effort"])
    assert by_parameter.notes


def test_a_name_that_a_pose_lacks_is_refused_by_a_sentence():
    """It is still a KeyError, and membership and defaults work as in other mappings."""
    pose = pendulum().equilibrium()
    with pytest.raises(KeyError) as refused:
        pose["rod.angle"]
    assert str(refused.value) == (
        "the pose has no 'rod.angle', only states and free inputs; did you mean 'rod.theta'? other variables are in a result: "
        "simulate(0.0, initial=pose)"
    )
    assert "pin.reaction" not in pose and pose.get("pin.reaction") is None and pose.get("rod.theta") == pose["rod.theta"]


def test_a_search_begins_where_a_run_has_ended():
    """The search takes the last states of a result; a guess overrides them. Both ends of a swing lead to the lower equilibrium, a guess on
    the top stays there."""
    swing = pendulum().simulate(0.7)
    pose = pendulum().equilibrium(swing)
    assert np.cos(pose["rod.theta"] + np.pi / 2) == pytest.approx(1, abs=1e-14) and pose.stable
    assert pendulum().equilibrium(swing, guess=at(np.pi / 2))["rod.theta"] == pytest.approx(np.pi / 2, abs=1e-14)
    resting = pendulum().simulate(0.1, start_values=pose)
    assert pendulum().linearise(initial=resting).eigenvalues == pytest.approx(pendulum().linearise(initial=pose).eigenvalues, abs=1e-7)
    partly = pendulum().simulate(0.1, outputs=["rod.theta"])
    with pytest.raises(ResultError) as refused:
        pendulum().equilibrium(partly)
    assert str(refused.value) == (
        "the result has not recorded 'rod.x', 'rod.y', 'rod.vx', which its last row is to give; name them in outputs= of that run"
    )


def test_a_rod_that_stands_upright_has_alternatives():
    pose = pendulum().equilibrium(at(np.pi / 2))
    assert pose["rod.theta"] == pytest.approx(np.pi / 2, abs=1e-14) and not pose.stable
    assert sorted(other["rod.theta"] for other in pose.alternatives) == pytest.approx([-np.pi / 2, 1.5 * np.pi], abs=1e-9)
    assert all(other.stable for other in pose.alternatives) and "unstable equilibrium" in str(pose)


def test_a_four_bar_ends_where_its_potential_is_least():
    system, light = four_bar(0.5), 0.5

    def potential(angle: float) -> float:
        place = closed(angle)
        return 9.81 * (place["crank.y"] + light * place["coupler.y"] + place["rocker.y"])

    angles = np.linspace(0, 2 * np.pi, 721)
    near = angles[np.argmin([potential(a) for a in angles])]
    least = minimize_scalar(potential, bounds=(near - 0.02, near + 0.02), method="bounded", options={"xatol": 1e-12}).x
    for start in range(0, 24, 5):
        pose = system.equilibrium(closed(2 * np.pi * start / 24))
        assert np.cos(pose["crank.theta"] - least) == pytest.approx(1, abs=1e-13) and pose.stable


def test_a_double_pendulum_hangs_from_any_start():
    system = double_pendulum(0.5)
    for start in range(0, 60, 11):
        pose = system.equilibrium(hanging(2 * np.pi * start / 60))
        assert [np.cos(pose[name]) for name in ("rod.theta", "bob.theta")] == pytest.approx([1, 1], abs=1e-14)


def test_a_pitchfork_is_found_along_its_parameter():
    """A rod held upright by a spring falls to either side where k < m g l/2, to k a = m g l/2 sin(a)."""
    system = pendulum(**{"rotation.rest": np.pi / 2})
    stiffness = np.linspace(6, 3, 7)
    found = system.equilibria("pin.rotation.k", stiffness, at(np.pi / 2))
    assert found.branch_points == pytest.approx([WEIGHT], rel=1e-6)
    assert [pose.stable for pose in found] == [k > WEIGHT for k in stiffness]
    assert found.of("rod.theta") == pytest.approx([np.pi / 2] * 7, abs=1e-12)
    for k, pose in zip(stiffness, found, strict=True):
        tilts = [other["rod.theta"] - np.pi / 2 for other in pose.alternatives]
        assert len(tilts) == (2 if k < WEIGHT else 0)
        assert all(k * tilt == pytest.approx(WEIGHT * np.sin(tilt), abs=1e-8) and abs(tilt) > 0.1 for tilt in tilts)


def test_a_free_torque_balances_what_is_held():
    system = pendulum()
    pose = system.equilibrium(at(0.3), hold=["rod.theta"], free=["pin.effort"])
    assert pose["pin.effort"] == pytest.approx(WEIGHT * np.cos(0.3), rel=1e-12) and pose["rod.theta"] == 0.3
    still = system.simulate(0.5, start_values=pose, rtol=1e-10)
    assert still["rod.theta"] == pytest.approx(np.full(len(still.time), 0.3), abs=1e-8)
    model = system.linearise(["pin.effort"], initial=pose)
    assert model.A[1, 0] == pytest.approx(3 * WEIGHT * np.sin(0.3), rel=1e-9)


@pytest.mark.slow
def test_the_hydraulic_crane_balances_its_load_by_trapped_oil():
    """Its pressures follow from its load: a run that starts there stays."""
    crane = example("06_hydraulic_crane").system()
    pose = crane.equilibrium()
    still = crane.simulate(0.4, start_values=pose, solver="cvode", rtol=1e-10)
    assert np.abs(still["boom.theta"] - pose["boom.theta"]).max() < 1e-8
    assert {"cylinder.p1", "cylinder.p2"} <= set(pose.neutral)
    model = crane.linearise(outputs=["cylinder.p1"], initial=pose)
    assert model.states[:3] == ("valve.spool", "cylinder.p1", "cylinder.p2") and len(model.states) == 7 and model.stable


@pytest.mark.parametrize(
    ("ask", "error", "sentence"),
    [
        (lambda s: s.equilibrium(at(0.3), hold=["rod.theta"]), AnalysisError, "'rod.theta' is held; nothing holds the system there"),
        (lambda s: s.equilibrium(hold=["rod.m"]), BuildError, "hold: 'rod.m' is no state nor a joint's coordinate"),
        (lambda s: s.equilibrium(free=["rod.p1.Fx"]), BuildError, "equilibrium: inputs: 'rod.p1.Fx' is connected"),
        (lambda s: s.equilibria("rod.m", []), AnalysisError, "values = [] is refused"),
    ],
)
def test_sentences(ask, error, sentence):
    with pytest.raises(error) as told:
        ask(pendulum())
    assert sentence in str(told.value)


@pytest.mark.slow
def test_a_body_on_a_ball_joint_hangs_from_any_attitude():
    """Its mass centre comes to lie under the joint, in three dimensions and by a quaternion; turning about the vertical is neutral."""
    system = System("on a ball")
    system.add("ground", "spatial.Fixed")
    system.add("ball", "spatial.Spherical")
    system.add("body", "spatial.Body1", {"Ixx": 0.2, "Iyy": 0.3, "Izz": 0.15, "p1.rx": 0.1, "p1.rz": 0.4})
    system.connect("ground.p1", "ball.M")
    system.connect("ball.N", "body.p1")
    for start in range(3):
        q = np.random.default_rng(start).normal(size=4)
        turned = {f"body.q{i}": float(each) for i, each in enumerate(q / np.linalg.norm(q))}
        pose = system.equilibrium({**turned, "body.z": -0.3})
        assert pose["body.z"] == pytest.approx(-np.hypot(0.1, 0.4), abs=1e-9) and pose.stable
        model = system.linearise(initial=pose)
        assert len(model.states) == 6 and np.sum(np.abs(model.eigenvalues) < 1e-4) == 2


def test_what_falls_freely_has_no_equilibrium():
    system = System("falling")
    system.add("stone", "planar.Body1")
    with pytest.raises(AnalysisError, match=r"'stone\.der\(vy\)' = -9\.81 m/s2 is left; nothing holds the system there"):
        system.equilibrium()


def test_a_cart_is_neutral_along_its_rail():
    system = System("cart")
    system.add("ground", "planar.Fixed")
    system.add("rail", "planar.Translational")
    system.add("cart", "planar.Body1", {"x": 0.4})
    system.connect("ground.p1", "rail.M")
    system.connect("rail.N", "cart.p1")
    pose = system.equilibrium()
    assert pose.neutral == ("rail.translation.q",) and pose["cart.x"] == pytest.approx(0.4, abs=1e-12)


def test_a_driven_input_is_not_free():
    system = pendulum()
    system.drive("pin.effort", 0.0)
    with pytest.raises(BuildError, match=r"free: 'pin\.effort' is driven, and its drive gives its value"):
        system.equilibrium(free=["pin.effort"])


@pytest.mark.parametrize("by_state", [True, False])
def test_parameters_are_found_that_hold_a_pose(by_state):
    """A spring that carries a rod at an angle has its stiffness from the moment of the weight."""
    angle = -1.2
    held = "rod.theta" if by_state else "pin.rotation.q"
    system = pendulum(**{"rotation.k": 3.0, "rotation.rest": 0.5})
    pose = system.equilibrium(at(angle), hold=[held], free=["pin.rotation.k"])
    assert pose["pin.rotation.k"] == pytest.approx(WEIGHT * np.cos(angle) / (0.5 - angle), rel=1e-9) and pose.stable
    assert pose["rod.theta"] == pytest.approx(angle, abs=1e-9) and "pin.rotation.k" in pose.inputs
    again = pendulum(**{"rotation.k": 3.0, "rotation.rest": 0.5}).equilibrium(pose)
    assert again["rod.theta"] == pytest.approx(angle, abs=1e-9)


def test_parameters_that_cannot_be_found():
    for free, hold, error, sentence in (
        (
            ["pin.rotation.k"],
            [],
            BuildError,
            "free: 'pin.rotation.k' can be found where as many states are held, and there are 0 of these; name",
        ),
        (["rod.I"], ["rod.theta"], AnalysisError, "'rod.theta' cannot be brought to its value by 'rod.I', "),
    ):
        with pytest.raises(error) as refused:
            pendulum(**{"rotation.k": 3.0}).equilibrium(at(-1.0), hold=hold, free=free)
        assert sentence in str(refused.value)
