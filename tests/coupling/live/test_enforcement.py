"""Joints that come into force and go during a run: against closed forms, in every solver, and what is refused."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from coupling import BuildError, Result, Successive, System
from coupling.outcome import Ending
from tests.support.systems.rolling import GX, GY, INERTIA, MASS, RADIUS, TOUCHES, disc, hinge, plank, rod
from tests.support.systems.systems import refusal

CLOSE = 1e-10
FINE = {"rtol": 1e-12, "atol": 1e-12}


def through_all_stages() -> System:
    system = disc()
    system.enforce("plane", [(0.2, 1.4)])
    system.enforce("grip", [(0.5, 1.0)])
    return system


def rows(result: Result, time: float) -> slice:
    """The rows before and after an event."""
    first, last = np.flatnonzero(result.time == time)
    assert last == first + 1
    return slice(first, last + 1)


@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte"])
@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_a_disc_falls_slides_rolls_slides_and_falls_as_the_closed_form_says(solver, stabilisation):
    """Piecewise quadratic; grip: v+ = v-/(1 + k), Lambda = -m v- k/(1 + k) and loss m v-^2 k/(1 + k)/2 with k = I/(m r^2)."""
    result = through_all_stages().simulate(1.6, solver=solver, stabilisation=stabilisation, output_interval=0.1, **FINE)
    assert result.outcome.completed
    k = INERTIA / (MASS * RADIUS**2)
    plane, grip, off_grip, off_plane = result.changes
    assert [(c.time, c.joint, c.what) for c in result.changes] == [
        (0.2, "plane", "added"),
        (0.5, "grip", "added"),
        (1.0, "grip", "removed"),
        (1.4, "plane", "removed"),
    ]
    assert plane.impulses == pytest.approx({"plane.lambda[1]": 3.39828368445, "grip.lambda[1]": 0.0}, abs=CLOSE)
    assert plane.energy == pytest.approx(2.887083, abs=CLOSE)
    assert grip.impulses == pytest.approx({"plane.lambda[1]": 0.0, "grip.lambda[1]": -MASS * 2.8525 * k / (1 + k)}, abs=CLOSE)
    assert grip.energy == pytest.approx(MASS * 2.8525**2 * k / (1 + k) / 2, abs=CLOSE)
    assert off_grip.energy == off_plane.energy == 0.0
    assert not any([*off_grip.impulses.values(), *off_plane.impulses.values()])
    for time, vx in ((0.2, [1.381, 1.381]), (0.5, [2.8525, 2.8525 / (1 + k)]), (1.0, [3.53666666666667] * 2)):
        assert result["disc.vx"][rows(result, time)] == pytest.approx(vx, abs=CLOSE)
    assert result["disc.omega"][rows(result, 0.5)] == pytest.approx([0.0, -6.33888888889], abs=CLOSE)
    assert result["plane.lambda[1]"][rows(result, 0.2)] == pytest.approx([0.0, 16.9914184223], abs=CLOSE)
    assert result["grip.lambda[1]"][rows(result, 0.5)] == pytest.approx([0.0, -GX * MASS * k / (1 + k)], abs=CLOSE)
    assert result["disc.x"][rows(result, 1.0)] == pytest.approx([2.17270833333] * 2, abs=CLOSE)
    end = [result[f"disc.{name}"][-1] for name in ("x", "y", "theta", "vx", "vy")]
    assert end == pytest.approx([5.17760833333, 0.130085815777, -11.6052777778, 6.47966666667, -1.69914184223], abs=CLOSE)
    after = np.arange(len(result)) > np.flatnonzero(result.time == 1.0)[0]
    assert not result["grip.lambda[1]"][after].any()
    assert result.violation["position"].max() < 1e-12
    assert result.violation["velocity"].max() < 1e-12


@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte"])
@pytest.mark.parametrize("solver", ["cvode", "ida", "Radau", "BDF", "LSODA", "RK45"])
def test_every_other_solver_comes_to_the_same_changes_and_the_same_end(solver, stabilisation):
    result = through_all_stages().simulate(1.6, solver=solver, stabilisation=stabilisation, rtol=1e-8, output_times=[1.6])
    assert result.outcome.completed
    assert [c.energy for c in result.changes] == pytest.approx([2.887083, 2.71225208333, 0.0, 0.0], abs=1e-6)
    end = [result[f"disc.{name}"][-1] for name in ("x", "y", "theta", "vx", "vy")]
    assert end == pytest.approx([5.17760833333, 0.130085815777, -11.6052777778, 6.47966666667, -1.69914184223], abs=1e-6)
    assert result["grip.lambda[1]"][-1] == pytest.approx(0.0, abs=1e-12)


def test_a_rod_is_caught_at_one_end_and_let_go():
    """w+ = 3 v/(2 l) = 3, Lambda = -0.5, 2 J become 1.5 J, and the pin carries m w^2 l/2 = 4.5 N."""
    system = rod()
    hinge(system, "pin", "ground.p1", "rod.p1")
    system.enforce("pin", [(0.5, 1.0)])
    result = system.simulate(1.5, output_times=[0.0, 0.75, 1.5], **FINE)
    caught, let_go = result.changes
    assert caught.impulses == pytest.approx({"pin.lambda[1]": 0.0, "pin.lambda[2]": -0.5}, abs=CLOSE)
    assert caught.energy == pytest.approx(0.5, abs=CLOSE)
    assert let_go.energy == 0.0
    assert result["rod.omega"][rows(result, 0.5)] == pytest.approx([0.0, 3.0], abs=CLOSE)
    forces = np.hypot(result["pin.lambda[1]"], result["pin.lambda[2]"])
    assert forces[result.time == 0.75] == pytest.approx(4.5, abs=CLOSE)
    end = [result[f"rod.{name}"][-1] for name in ("x", "y", "theta", "vx", "vy", "omega")]
    assert end == pytest.approx([-0.712752639119, 0.551800394553, 3.0, -1.496242479906, 0.106105802502, 3.0], abs=CLOSE)


def test_a_rod_caught_at_both_ends_at_once_comes_to_rest():
    """One after the other without the first one in force would leave it 0.79 m/s."""
    system = rod(x=0.5, y=0.0, vy=0.0)
    system.add("wall", "planar.Fixed", {"p1.rx": 1.0})
    hinge(system, "left", "ground.p1", "rod.p1")
    hinge(system, "right", "wall.p1", "rod.p2")
    system.enforce("left", [(1e-9, None)])
    system.enforce("right", [(1e-9, None)])
    result = system.simulate(0.5, start_values={"rod.y": -2e-9, "rod.vy": 2.0, "rod.omega": 0.7, "rod.theta": -0.7e-9})
    assert result.outcome.completed, result.outcome
    assert result.changes[0].energy == pytest.approx(2.0 + 0.7**2 / 24, abs=1e-8)
    assert [abs(result[f"rod.{name}"][-1]) < 1e-9 for name in ("vx", "vy", "omega")] == [True] * 3


def test_what_repeated_a_joint_that_is_removed_takes_over():
    system = plank()
    system.enforce("left", [(-1.0, 0.5)])
    result = system.simulate(1.0, output_times=[0.25, 0.75])
    assert result.outcome.completed
    assert result["right.lambda[2]"][[0, -1]] == pytest.approx([4.905, 9.81], abs=1e-9)
    assert result["right.lambda[3]"][[0, -1]] == pytest.approx([0.0, -9.81], abs=1e-9)
    assert result.changes[0].heirs == ("right",)
    assert "'left' was removed at t = 0.5 s; 'right', which repeated its constraints, carries its load from then on" in result.outcome.notes


def test_a_joint_that_repeats_others_can_be_added():
    system = plank(("left", "right", "middle"))
    system.enforce("right", [(0.5, None)])
    system.enforce("middle", [(0.5, 0.75)])
    result = system.simulate(1.0, output_times=[0.25, 0.6, 1.0])
    assert result.outcome.completed
    assert not any(result.changes[0].impulses.values())
    assert result["left.lambda[2]"][[0, -1]] == pytest.approx([9.81, 4.905], abs=1e-9)
    assert sum(result[f"{weld}.lambda[2]"][result.time == 0.6] for weld in ("left", "middle", "right")) == pytest.approx(9.81, abs=1e-9)
    assert not result["middle.lambda[2]"][-1]


@pytest.mark.parametrize("options", [{}, {"multipliers": Successive(redundant="first")}])
def test_joints_that_repeat_each_other_and_ask_for_different_velocities_end_the_run(options):
    system = rod(x=0.0, y=0.0, vy=0.0)
    for name in ("rail1", "rail2"):
        hinge(system, name, "ground.p1", "rod.p1", "planar.RelativeVelocity")
        system.drive(f"{name}.velocity", 0.3 * (name == "rail1"))
        system.drive(f"{name}.velocity.rate", 0.0)
    system.enforce("rail2", [(0.5, None)])
    result = system.simulate(1.0, start_values={"rod.vx": 0.3}, **options)
    assert result.outcome.ending is Ending.CONTRADICTORY
    assert result.outcome.sentence.startswith(
        "stopped at t = 0.5 s: 'rail2' contradicts 'rail1': it repeats its constraints, but asks for another"
    )
    assert "remove one of them" in result.outcome.sentence
    assert not result.changes
    assert result.time[-1] == 0.5


def test_a_joint_whose_position_does_not_fit_ends_the_run():
    system = disc(RADIUS + 0.0123, gx=0.0, gy=0.0)
    system.enforce("plane", [(0.2, None)])
    system.enforce("grip", [])
    result = system.simulate(1.0)
    assert result.outcome.sentence == (
        "stopped at t = 0.2 s: 'plane' cannot be added, position[1] = 0.0123 m (at most 1e-06 m is allowed); add it where it fits. The result "
        "holds everything up to there"
    )
    assert result.time[-1] == 0.2


def test_a_velocity_that_jumps_is_warned_of():
    result = through_all_stages().simulate(1.6)
    assert (
        "'grip' was added at t = 0.5 s with a velocity of 2.8525 m/s: an impulse of -1.90167 N.s made it hold, and 2.71225 J were lost; if you "
        "expected none, let the velocities agree there"
    ) in result.outcome.warnings
    gentle = disc(RADIUS, vx=0.0)
    gentle.enforce("grip", [(1e-12, None)])
    assert not any("impulse" in warning for warning in gentle.simulate(1.0).outcome.warnings)


def test_joints_that_are_not_in_force_are_not_checked_at_the_start_nor_assembled():
    system = disc(1.0)
    system.enforce("plane", [])
    system.enforce("grip", [(5.0, None)])
    result = system.simulate(0.1)
    assert not result.outcome.warnings
    assert result["disc.vy"][-1] == pytest.approx(0.1 * result["disc.ay"][0] if "disc.ay" in result else -0.849570921, abs=1e-8)
    assert not result.violation["position"].any()
    assembled = disc(1.0)
    assembled.enforce("plane", [(0.0, None)])
    assembled.enforce("grip", [])
    with pytest.raises(ValueError, match=r"plane\.position"):
        assembled.simulate(0.1)


def test_a_joint_that_is_not_yet_in_force_violates_nothing_though_all_its_outputs_are_recorded() -> None:
    """The disc is 0.17 m above the plane at first, and rolls on it at the end."""
    result = through_all_stages().simulate(0.8, outputs=["*"], output_interval=0.1, rtol=1e-8)
    assert result["plane.position[1]"][[0, -1]] == pytest.approx([-GY * TOUCHES**2 / 2, 0.0], abs=1e-9)
    assert [each.partition(" at ")[0] for each in result.outcome.warnings] == ["'plane' was added", "'grip' was added"]


def test_a_joint_moves_with_a_system_that_is_copied_and_runs_again():
    system = through_all_stages()
    first = system.simulate(1.6)
    again = system.simulate(1.6)
    assert np.array_equal(first.values, again.values)
    assert first.changes == again.changes
    assert system.__copy__().definition == system.definition
    late = system.simulate(0.9, start_time=0.6, start_values={"disc.y": RADIUS, "disc.omega": -0.4 / RADIUS})
    assert [c.joint for c in late.changes] == []


def test_co_simulation_and_export_are_refused(tmp_path):
    system = through_all_stages()
    with pytest.raises(BuildError) as caught:
        system.simulate(1.0, communication_step=0.1)
    assert str(caught.value) == (
        "enforce: 'plane' cannot be switched while 'disc' runs in Co-Simulation, where velocities cannot be set. Leave out communication_step and "
        "run 'disc' with kind='me', or use a compliant contact in place of the joint, such as a spring and a damper"
    )
    with pytest.raises(BuildError, match="'plane' is switched by enforce"):
        system.export_fmu(tmp_path / "disc.fmu")


SENTENCES = {
    "order": ("grip", [(1.0, 0.5)], "enforce: the interval (1.0, 0.5) s of 'grip' ends before it begins; swap the times"),
    "empty": ("grip", [(1.0, 1.0)], "enforce: the interval (1.0, 1.0) s of 'grip' ends where it begins; give a later end"),
    "overlap": ("grip", [(0.5, 1.0), (0.7, 2)], "enforce: intervals of 'grip' overlap at 0.7 s; join them"),
    "body": ("disc", [(0, 1)], "enforce: 'disc' has no constraints; only joints can be added and removed"),
    "typing": ("grap", [(0, 1)], "enforce: 'grap' is no joint of the system; did you mean 'grip'?"),
    "state": (
        "disc.theta",
        [(0, 1)],
        "enforce: 'disc.theta' is a variable; give a joint, whose constraints are switched. Values that must not change are named in hold= of "
        "equilibrium(), and those of add() stay in initial='assemble'",
    ),
    "kind": (3, [(0, 1)], "enforce: 3 is no joint; give the name of one, such as 'grip'"),
    "pair": (
        "grip",
        [0.5, 1.0],
        "enforce: 0.5 of 'grip' is refused: give intervals as pairs of seconds, such as [(0.5, 1.0), (1.5, None)], of which None means from then on",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_what_cannot_be_enforced_is_refused_in_a_sentence(case):
    joint, intervals, sentence = SENTENCES[case]
    assert refusal(lambda: disc().enforce(joint, intervals)) == sentence


def test_a_joint_is_given_its_intervals_once_and_those_that_touch_are_one():
    system = disc()
    system.enforce("grip", [(1.0, 2.0), (0.0, 1.0)])
    assert system.definition.enforced == (("grip", ((0.0, 2.0),)),)
    assert refusal(lambda: system.enforce("grip", [])) == "enforce: 'grip' has been given intervals before; give all of them at once"


TREATMENTS = {
    "simultaneous": {},
    "successive": {"multipliers": "successive"},
    "the first carry": {"multipliers": Successive(redundant="first")},
}


@pytest.mark.parametrize("treatment", TREATMENTS)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)])
def test_a_hundred_changes_at_random_keep_what_is_in_force_and_never_win_energy(seed, treatment):
    """Three rods swing. Each hangs on one of two pins or on both, which go and come, also both at one instant; brakes of velocities come and go."""
    system, pins, brakes = chain_with_brakes()
    times, states = at_random(seed, pins, brakes)
    for joint in (*sum(pins, ()), *brakes):
        system.enforce(joint, intervals_of(joint, times, states))
    result = system.simulate(5.0, rtol=1e-10, output_interval=0.05, **TREATMENTS[treatment])
    assert result.outcome.completed, result.outcome
    assert len(result.changes) >= 90
    at = {time: [change for change in result.changes if change.time == time] for time in times}
    assert sum({each.what for each in found} == {"added", "removed"} for found in at.values()) > 5
    assert result.violation["velocity"].max() < CLOSE and result.violation["position"].max() < CLOSE
    assert max(gaps(result)) < CLOSE and slip_of_brakes(result, times, states) < CLOSE
    assert np.diff(result.energy).max() < 1e-8
    names = set()
    for time, found in at.items():
        if not found:
            continue
        before, after = result.energy[rows(result, time)]
        assert before - after == pytest.approx(found[0].energy, abs=1e-12) and found[0].energy > -1e-14
        if all(change.what == "removed" for change in found):
            assert before == pytest.approx(after, abs=1e-14) and found[0].energy == 0.0
            moved = [result[f"rod{i}.{name}"][rows(result, time)] for i in range(3) for name in ("x", "y", "theta", "vx", "vy", "omega")]
            assert not np.ptp(moved, axis=1).any()
        names |= {(change.joint, change.heirs) for change in found if change.heirs}
    assert names and names <= {(pin, (twin,)) for pair in pins for pin, twin in (pair, pair[::-1])}


def chain_with_brakes() -> tuple[System, list[tuple[str, str]], list[str]]:
    """Three rods, each on a pin and its twin, and brakes along a direction at the end of each."""
    system, pins, brakes = System("brakes"), [], []
    system.add("ground", "planar.Fixed")
    before = "ground.p1"
    for i in range(3):
        start = {"I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": i + 0.5, "vy": (i + 0.5) * 2, "omega": 2.0}
        system.add(f"rod{i}", "planar.Body2", start)
        pins.append((f"pin{i}", f"twin{i}"))
        for pin in pins[-1]:
            hinge(system, pin, before, f"rod{i}.p1")
        before = f"rod{i}.p2"
        brakes.append(f"brake{i}")
        system.add(brakes[-1], "planar.RelativeVelocity", {"direction": ALONG * i})
        system.connect("ground.p1", f"{brakes[-1]}.M")
        system.connect(before, f"{brakes[-1]}.N")
    return system, pins, brakes


ALONG = 0.7
"""Angle between the directions of one brake and the next, in rad."""


def at_random(seed: int, pins: list[tuple[str, str]], brakes: list[str]) -> tuple[list[float], list[frozenset[str]]]:
    """Times, and what is in force until the first one and from each one on."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0.05, 4.95, 75)).tolist()
    states = [frozenset(pin for pin, _ in pins)]
    for _ in times:
        on, what, pair = set(states[-1]), rng.integers(4), pins[rng.integers(3)]
        if what < 2 and on >= set(pair):
            on.remove(pair[rng.integers(2)])
        elif what == 0:
            on.update(pair)
        elif what == 1:
            on.symmetric_difference_update(pair)
        if what > 0:
            on.symmetric_difference_update({brakes[rng.integers(3)]})
        states.append(frozenset(on))
    return times, states


def intervals_of(joint: str, times: list[float], states: list[frozenset[str]]) -> list[tuple[float, float | None]]:
    edges = [-1.0, *times]
    on = [joint in state for state in states]
    begins = [i for i, now in enumerate(on) if now and not (i and on[i - 1])]
    ends = [next((j for j in range(i, len(on)) if not on[j]), None) for i in begins]
    return [(edges[i], None if j is None else edges[j]) for i, j in zip(begins, ends, strict=True)]


def ends(result: Result, i: int, speeds: bool = False) -> np.ndarray:
    """The places of both ends of a rod, or their velocities."""
    theta, x, y, vx, vy, omega = (result[f"rod{i}.{name}"] for name in ("theta", "x", "y", "vx", "vy", "omega"))
    arm = np.array([np.cos(theta), np.sin(theta)]) / 2
    middle, off = (np.array([vx, vy]), omega * np.array([-arm[1], arm[0]])) if speeds else (np.array([x, y]), arm)
    return np.array([middle - off, middle + off])


def gaps(result: Result) -> list[float]:
    """Returns the gaps of places and of velocities in the pins, of which one is always in force."""
    found = []
    for speeds in (False, True):
        all_ends = [np.zeros((2, 2, len(result))), *(ends(result, i, speeds) for i in range(3))]
        found += [float(np.abs(after[0] - before[1]).max()) for before, after in pairwise(all_ends)]
    return found


def slip_of_brakes(result: Result, times: list[float], states: list[frozenset[str]]) -> float:
    """The greatest velocity along a brake that is in force."""
    slip = 0.0
    edges = [0.0, *times, 5.0]
    for i in range(3):
        along = np.array([np.cos(ALONG * i), np.sin(ALONG * i)]) @ ends(result, i, speeds=True)[1]
        for state, begin, end in zip(states, edges, edges[1:], strict=False):
            inside = (result.time > begin) & (result.time < end)
            inside |= np.arange(len(result)) == np.flatnonzero(result.time == begin)[-1]
            slip = max(slip, np.abs(along[inside]).max(initial=0.0) if f"brake{i}" in state else 0.0)
    return slip
