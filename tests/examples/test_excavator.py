"""The excavator: its inverse kinematics against the mechanism, its planner against an independent importer, its work against tolerances."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import sympy

from coupling import System
from coupling.errors import InitialStateError
from fmu_components.declare.component import declaration

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def excavator() -> Iterator[ModuleType]:
    """The example as a module; as a script it finds its folder by itself."""
    sys.path.insert(0, str(EXAMPLES))
    specification = importlib.util.spec_from_file_location("example_excavator", EXAMPLES / "07_excavator.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    yield module
    sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="module")
def path(excavator):
    return excavator.DiggingPath(excavator.DEPTH)


@pytest.fixture(scope="module")
def planner(excavator, tmp_path_factory) -> Path:
    """The FMU of the planner."""
    return excavator.build_planner(tmp_path_factory.mktemp("planner"))


TIMES = (0.0, 0.9, 1.7, 2.7, 3.5, 4.6, 5.8, 7.5, 8.3, 9.1, 10.4, 11.5)


# -- inverse kinematics --------------------------------------------------------------------------------------------------------


def assembled(excavator, links, wrong=0.0):
    """The arm alone, put together from the angles and angular velocities of four of its links."""
    arm = System("arm")
    held = {name: {"theta": link.angle, "omega": link.rate} for name, link in links.items()} | {"link": {}}
    held["rocker"]["theta"] += wrong
    excavator.add_arm(arm, held)
    for name in excavator.CYLINDERS:
        arm.add(f"{name} push", "mechanical1d.Force")
        arm.connect(f"{name} actuator.flange", f"{name} push.flange")
    return arm.simulate(1e-3, initial="assemble", output_times=[0.0])


@pytest.mark.parametrize("time", TIMES)
def test_the_mechanism_takes_the_pose_that_was_planned(excavator, path, time):
    """Put together by the master, the tip is where it is to be, and the cylinders are as long and as fast as the planner says."""
    tip, angle, rate = path.bucket(time)
    found = assembled(excavator, excavator.placed(tip, angle, rate))
    assert excavator.tip_of(found)[0] == pytest.approx(tip.point, abs=1e-12)
    velocity = found[f"{excavator.TIP}.vx"][0] + 1j * found[f"{excavator.TIP}.vy"][0]
    assert velocity == pytest.approx(tip.velocity, abs=1e-12)
    for name, (length, length_rate) in path.lengths(time).items():
        assert found[f"{name} actuator.length"][0] == pytest.approx(length, abs=1e-12)
        assert found[f"{name} actuator.flange.v"][0] == pytest.approx(length_rate, abs=1e-12)


def test_four_bars_that_do_not_close_are_not_put_together(excavator, path):
    """A rocker that is turned by a thousandth contradicts the planned angle of the bucket."""
    with pytest.raises(InitialStateError):
        assembled(excavator, excavator.placed(*path.bucket(5.0)), wrong=1e-3)


def test_rates_are_those_of_the_lengths(path):
    """They agree with central differences, to 1e-8 m/s."""
    h = 1e-5
    for time in np.linspace(0.01, 11.9, 60):
        before, now, behind = (path.lengths(t) for t in (time - h, time, time + h))
        for name, (_, rate) in now.items():
            assert rate == pytest.approx((behind[name][0] - before[name][0]) / (2 * h), abs=1e-8)


def test_the_path_is_smooth(path):
    """Positions, velocities and accelerations go on at every pose, where the bucket rests."""
    h = 1e-4
    for time in path.arrivals[1:-1]:
        tip, _, rate = path.bucket(time)
        assert tip.velocity == rate == 0
        for side in (time - h, time + h):
            there, _, turning = path.bucket(side)
            assert abs(there.point - tip.point) < 1e-9 and abs(there.velocity) / h < 2e-3 and abs(turning) / h < 2e-3


def test_two_bars_meet(excavator):
    """Bars of 0.3 m and 0.4 m over 0.5 m make a right angle, on the left. Their pin turns with their hinges as a whole."""
    meeting = importlib.import_module("excavator.arm").meeting
    for turn in (1, 1j, -0.6 + 0.8j):
        a, b = (excavator.Moving(point * turn, 2j * point * turn) for point in (0, 0.5))
        pin = meeting("the pin", a, 0.3, b, 0.4)
        assert pin.point == pytest.approx((0.18 + 0.24j) * turn) and pin.velocity == pytest.approx(2j * pin.point)


@pytest.mark.parametrize(
    ("tip", "angle", "sentence"),
    [
        (
            4.0 + 0.0j,
            -1.6,
            r"the pin of the bucket is out of reach: the hinges lie 4\.\d+ m apart, and the bars .* are 1\.95 m and 1\.05 m long",
        ),
        (2.4 - 1.4j, -2.0, r"the boom cylinder would have to be 0\.691 m long, but reaches from 0\.7 m to 1\.15 m; give another pose"),
        (2.6 + 0.4j, -0.6, r"the bucket cylinder would have to be 0\.593 m long, but reaches from 0\.68 m to 1\.09 m; give another pose"),
    ],
    ids=["arm", "boom", "bucket"],
)
def test_poses_out_of_reach_are_refused(excavator, tip, angle, sentence):
    """The sentence names what is out of reach, and by how much."""
    with pytest.raises(ValueError, match=sentence):
        excavator.cylinder_lengths(excavator.placed(excavator.Moving(tip), angle, 0.0))


# -- the planner as an FMU -------------------------------------------------------------------------------------------------------

_IN_FMPY = """
import sys, fmpy, numpy
found = fmpy.simulate_fmu(sys.argv[1], stop_time=9.0, output_interval=0.05, start_values={"depth": float(sys.argv[2])}, debug_logging=True)
numpy.savetxt("found.csv", found, delimiter=",", header=",".join(found.dtype.names), comments="")
"""


def test_the_fmu_plans_by_itself(excavator, planner, tmp_path):
    """It gives the same digits as the functions, in FMPy and in a process without the example, for another depth too."""
    for depth in (0.35, 0.2):
        subprocess.run([sys.executable, "-c", _IN_FMPY, str(planner), str(depth)], cwd=tmp_path, check=True, capture_output=True)
        table = np.genfromtxt(tmp_path / "found.csv", delimiter=",", names=True, deletechars="")
        plan = excavator.DiggingPath(depth)
        assert len(table) == 181
        for row in table:
            for name, (length, rate) in plan.lengths(row["time"]).items():
                assert [row[f"{name}.length"], row[f"{name}.rate"]] == pytest.approx([length, rate], abs=1e-12)
            assert row["tip.x"] + 1j * row["tip.y"] == pytest.approx(plan.bucket(row["time"])[0].point, abs=1e-12)


def test_a_depth_out_of_reach_is_answered_by_a_sentence(planner, tmp_path):
    """The planner discards the step and says which cylinder is too short."""
    done = subprocess.run([sys.executable, "-c", _IN_FMPY, str(planner), "2.0"], cwd=tmp_path, capture_output=True, text=True)
    assert "Planner: with depth = 2 m the stick cylinder would have to be 0.799 m long, but reaches from 0.8 m to 1.35 m" in done.stdout


# -- the machine -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mixed", [False, True], ids=["in one piece", "mixed"])
def test_the_arm_is_at_rest_at_the_start(excavator, planner, mixed):
    """The forces from the planner's rates by virtual power hold it: with the multipliers of the joints no link is accelerated."""
    options = {"communication_step": 0.01} if mixed else {"solver": "cvode"}
    found = excavator.system(planner if mixed else None).simulate(0.01, output_times=[0.0], **options)
    for link in excavator.LINKS:
        assert [found[f"{link}.p1.{name}"][0] for name in ("ax", "ay", "alpha")] == pytest.approx([0, 0, 0], abs=1e-10)
    assert max(abs(found[f"{name} cylinder.force"][0]) for name in excavator.CYLINDERS) > 1e4


@pytest.mark.parametrize(
    ("solver", "rtol", "allowed"),
    [
        ("cvode", 1e-5, 1e-4),
        ("cvode", 1e-8, 1e-8),
        pytest.param("ida", 1e-8, 1e-7, marks=pytest.mark.slow),
        pytest.param("dopri5", 1e-8, 1e-9, marks=pytest.mark.slow),
    ],
)
def test_work_adds_up_to_the_tolerance(excavator, solver, rtol, allowed):
    """Through the beginning of the cut, what engine and tank give is stored or lost, the better the tighter the tolerance."""
    result = excavator.system(None).simulate(4.0, solver=solver, rtol=rtol)
    assert result.outcome.completed, result.outcome
    work = excavator.balance(result)
    assert result["soil.loss"].max() > 500 and np.ptp(work["stored"]) > 500
    assert np.abs(work["left over"]).max() < allowed * work["work in"][-1]


@pytest.mark.slow
def test_shorter_steps_of_the_planner_come_nearer_to_one_piece(excavator, planner):
    """Its lengths go on linearly over a step, so that the error falls with the square of the step."""
    options = {"stop_time": 3.0, "rtol": 1e-8, "output_times": [3.0], "outputs": [excavator.TIP]}
    exact = excavator.tip_of(excavator.system(None).simulate(solver="cvode", **options))[-1]
    errors = [
        abs(excavator.tip_of(excavator.system(planner).simulate(communication_step=step, **options))[-1] - exact)
        for step in (0.04, 0.02, 0.01)
    ]
    assert errors[0] > 3 * errors[1] > 9 * errors[2] > 0
    assert errors[2] < 1e-4


# -- components ------------------------------------------------------------------------------------------------------------------


def test_the_soil_resists_motion(excavator):
    """Below the ground a force of resistance times area against the velocity; above there is none; what it takes is its loss."""
    declared = declaration(excavator.Soil)
    fx, fy, loss = (declared.expand(declared[name].symbol) for name in ("M.Fx", "M.Fy", "loss"))
    state = {"M.y": -0.3, "M.vx": -0.4, "M.vy": 0.3, "resistance": 5e4, "width": 0.5, "slip": 1e-9, "cutting": sympy.true}
    at = {declared[name].symbol: value for name, value in state.items()}
    assert [float(e.subs(at)) for e in (fx, fy, loss)] == pytest.approx([7500 * 0.8, -7500 * 0.6, 7500 * 0.5])
    above = at | {declared["M.y"].symbol: 0.3, declared["cutting"].symbol: sympy.false}
    assert [float(e.subs(above)) for e in (fx, fy, loss)] == [0, 0, 0]
    assert declared["cutting.indicator"].equation == -declared["M.y"].symbol
