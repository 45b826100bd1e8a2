"""Runs by a tape, and by compiled code, against the same runs by the FMUs: the same evaluations, steps, events, warnings and, to rounding, numbers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from coupling import BuildError, Result, System
from coupling.fused.stages import Region
from coupling.kernel.equations import fused as kernel_fused
from coupling.kernel.system.core import Core
from coupling.kernel.system.kernel import Kernel
from coupling.live import fused
from coupling.live.fused import begin_fused
from fmu_components.catalogue import all_components
from fmu_components.export.build import cached_fmu
from tests.coupling.live.test_stabilisation import four_bars, moving
from tests.fmu_components.planar.test_massless import four_bar
from tests.support.fused.chains import chain
from tests.support.fused.ways import WAYS
from tests.support.runtime.runtime_components import BouncingBall
from tests.support.systems import blocks, seven_bodies
from tests.support.systems.hard_systems import braced_parallelogram
from tests.support.systems.sessions import started
from tests.whole.test_singular_poses import rockers


def verify(kernel: Core, dx: np.ndarray) -> int:
    """Verifies the fused equations, as a run does from time to time."""
    return kernel.library.kernel_verify(kernel.handle, kernel.library.pointer(dx))


EVENTS = ("events", "state_events", "time_events")
COUNTS = ("evaluations", "steps", "rejected", "factorisations", "newton_iterations", *EVENTS)


each_way = pytest.mark.parametrize("way", ["tape", pytest.param("compiled", marks=pytest.mark.slow)])


def both_ways(
    make: Callable[[], System], stop: float, within: float = 1e-9, counts: Sequence[str] = COUNTS, way: bool | str = "tape", **options
) -> Result:
    """The run by the tape, or by compiled code, after it has been compared with that by the FMUs."""
    options = {"output_times": [stop / 2, stop], **options}
    ours, theirs = (make().simulate(stop, evaluation=evaluation, **options) for evaluation in (way, "fmus"))
    assert ours.statistics.evaluated == WAYS[way] and theirs.statistics.evaluated == fused.BY_INSTANCES
    assert [getattr(ours.statistics, name) for name in counts] == [getattr(theirs.statistics, name) for name in counts]
    assert ours.outcome.completed and str(ours.outcome) == str(theirs.outcome)
    assert ours.time == pytest.approx(theirs.time, rel=1e-12)
    assert [(each.joint, each.what) for each in ours.changes] == [(each.joint, each.what) for each in theirs.changes]
    assert [each.time for each in ours.changes] == pytest.approx([each.time for each in theirs.changes], rel=1e-12)
    for name in theirs.names:
        size = np.abs(theirs[name]).max()
        assert ours[name] == pytest.approx(theirs[name], rel=0, abs=within * max(size, 1)), name
    return ours


@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte"])
def test_a_row_of_four_bars(stabilisation):
    result = both_ways(lambda: four_bars(2), 1.0, start_values=moving(2, 1.0), stabilisation=stabilisation)
    assert "fast evaluation: derivatives came from a tape" in result.summary() and not result.statistics.by_fmus


@each_way
def test_a_singular_pose_is_passed_with_the_same_damping(way):
    """Near it, and there alone, the general equations are solved; the passage is warned of as ever."""
    result = both_ways(lambda: rockers(2, np.pi / 2, 1.0), 3.0, within=1e-6, way=way, rtol=1e-6)
    assert 0 < result.statistics.handed_over < result.statistics.evaluations / 10


@each_way
@pytest.mark.parametrize("make", [lambda: rockers(3, np.pi / 2, 1.0), braced_parallelogram], ids=["three rockers", "braced"])
def test_redundant_constraints_have_the_same_names_and_multipliers(make, way):
    """Constraints that repeat others are left out of the solution; the multipliers of rows that are recorded are those of least length."""
    result = both_ways(make, 0.5, within=1e-6, way=way, rtol=1e-6)
    assert result.outcome.warnings and result.statistics.handed_over <= 2


def doubled() -> System:
    """A loop of blocks, whose equations are indefinite, that is closed by two joints in one place."""
    system = blocks.four_bar(True)
    system.add("again", "planar.Revolute")
    system.connect("coupler.C1", "again.M")
    system.connect("again.N", "rocker.C1")
    return system


@pytest.mark.parametrize(
    "make", [lambda: four_bar("planar.MasslessLink2"), lambda: blocks.four_bar(True)], ids=["off the diagonal", "on it"]
)
def test_equations_that_are_not_definite_are_solved_in_a_fixed_order(make):
    """The size of their pivots and the residual of their solution show that no other order is needed."""
    assert not both_ways(make, 0.3, rtol=1e-9).statistics.handed_over


@each_way
def test_equations_that_are_neither_definite_nor_regular_are_handed_over(way):
    """The load is shared as by the FMUs."""
    result = both_ways(doubled, 0.2, within=1e-6, way=way, rtol=1e-6)
    assert result.statistics.handed_over >= result.statistics.evaluations - 10


@pytest.mark.parametrize(("make", "within"), [(lambda: four_bars(1), 1e-9), (braced_parallelogram, 1e-6)], ids=["four-bar", "braced"])
def test_multipliers_one_after_the_other_are_those_of_the_general_equations(make, within):
    """These alone know the order; what leads to the equations and what follows from the multipliers is by the tape."""
    result = both_ways(make, 0.3, within=within, rtol=1e-6, multipliers="successive")
    assert result.statistics.handed_over >= result.statistics.evaluations - 10
    assert not result.statistics.by_fmus


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sensitivities": ["rod0.m"]}, "sensitivities are integrated with the directional derivatives of the FMUs"),
        ({"communication_step": 0.01}, "with a communication_step FMUs integrate by themselves"),
    ],
)
def test_what_the_fmus_are_asked_for_besides_derivatives_is_said(options, sentence):
    result = chain(1).simulate(0.02, evaluation="tape", **options)
    assert f"evaluation = 'tape': {sentence}; derivatives were found by the FMUs" in result.outcome.warnings


@pytest.mark.parametrize(("solver", "counts"), [("cvode", ("steps", "rejected", *EVENTS)), ("RK45", COUNTS)])
def test_methods_outside_of_the_kernel(solver, counts):
    """Their states are projected by what the tape knows of the loops. CVODE, called in C by the tape alone, asks once less where a run begins."""
    both_ways(lambda: four_bars(1), 0.5, within=1e-6, counts=counts, start_values=moving(1, 1.0), solver=solver)


def test_a_jump_of_a_drive_is_passed_at_the_same_time():
    def swing() -> System:
        system = System("swing", gravity=(0.0, -9.81))
        system.add("ground", "planar.Fixed")
        system.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
        system.add("motor", "planar.Wrench")
        system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
        system.connect("motor.M", "rod.p2")
        system.drive("motor.Cz", [(0.0, 0.0), (0.25, 0.0), (0.25, 3.0), (1.0, 1.0)])
        return system

    assert both_ways(swing, 0.9).statistics.time_events == 1


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_ball_bounces_at_the_same_times(fmi):
    """Its indicator comes from the tape at each step; FMI 2 does not tell which of its variables it is."""

    def balls() -> System:
        system = System("balls")
        system.add("ball", BouncingBall)
        system.add("other", cached_fmu(BouncingBall, fmi), {"h": 0.7, "e": 0.9}, kind="me")
        return system

    result = both_ways(balls, 2.0)
    assert result.statistics.state_events >= 8
    with started(balls(), evaluation="tape") as session:
        begin_fused(session)
        kernel, x, ours, theirs = session.kernel, session.x.copy(), np.zeros(2), np.zeros(2)
        for height in (0.3, -0.2):
            x[::2] = height, height + 0.1
            assert kernel.derivatives(0.1, x, np.zeros(4)) == kernel.indicators(ours) == 0
            first = session.program.fused.slots["indicator"]
            assert list(kernel_fused.workspace(kernel)[first]) == list(ours)  # they were found there
            assert kernel.evaluate(0.1, x) == kernel.indicators(theirs) == 0 and list(ours) == list(theirs)


def test_an_indicator_in_which_multipliers_enter():
    """A dead zone that a reaction leaves and enters; what it lets through moves another mass. In the reaction nothing is affine."""

    def rods() -> System:
        system = four_bars(1)
        system.add("zone", "signal.Deadzone", {"lower": -3.0, "upper": 3.0})
        system.add("mass", "mechanical1d.Mass")
        system.add("force", "mechanical1d.Force")
        system.connect("left1.reaction", "zone.u")
        system.connect("zone.y", "force.force")
        system.connect("force.flange", "mass.flange")
        return system

    ours, theirs = (rods().simulate(1.0, evaluation=evaluation, start_values=moving(1, 1.0)) for evaluation in ("tape", "fmus"))
    events = [result.time[:-1][np.diff(result.time) == 0] for result in (ours, theirs)]
    assert len(events[0]) == 2 and events[0] == pytest.approx(events[1], rel=0, abs=1e-11)
    assert ours["mass.v"][-1] == pytest.approx(theirs["mass.v"][-1], rel=1e-8)
    assert ours.statistics.evaluated == fused.BY_TAPE and not ours.statistics.by_fmus


def test_seven_bodies_with_a_workspace_that_held_no_numbers():
    """Derivatives at other states, from slots that are filled with NaN before."""
    with started(seven_bodies.system(), evaluation="tape") as session:
        begin_fused(session)
        kernel, x = session.kernel, session.x.copy()
        ours, theirs = np.zeros_like(x), np.zeros_like(x)
        random = np.random.default_rng(7)
        points = [x + random.uniform(-0.05, 0.05, len(x)) for _ in range(20)]
        found = []
        for point in points:
            assert kernel.derivatives(0.0, point, ours) == 0
            found.append(ours.copy())
        told = kernel_fused.report(kernel)
        assert (told.evaluations, told.handed, told.by_rows) == (20, 0, 0) and np.isnan(told.given_up)
        kernel_fused.fuse(kernel, None)
        for point, derivatives in zip(points, found, strict=True):
            kernel.derivatives(0.0, point, theirs)
            kernel.derivatives(0.0, point, theirs)  # the first leaves rounding of the multipliers of the point before
            assert derivatives == pytest.approx(theirs, rel=0, abs=1e-12 * np.abs(theirs).max())


def test_what_the_instances_deny_ends_the_tape():
    """Parameters that are others to the tape are found out at the next check; the FMUs go on, and the summary says since when."""
    with started(seven_bodies.system(), evaluation="tape") as session:
        begin_fused(session)
        kernel, x, dx = session.kernel, session.x.copy(), np.zeros(len(session.x))
        assert kernel.derivatives(0.0, x, dx) == 0 and verify(kernel, dx) == 0
        first, right = session.program.fused.first[Region.PARAMETERS], dx.copy()
        kernel_fused.workspace(kernel)[first:] *= 1.5
        assert kernel.derivatives(0.0, x, dx) == 0 and verify(kernel, dx) != 0
        assert kernel_fused.report(kernel).given_up == 0.0
        assert "until t = 0 s, where they differed from the FMUs" in fused.told(session, kernel_fused.report(kernel))
        assert kernel.derivatives(0.0, x, dx) == 0 and kernel_fused.report(kernel).evaluations == 2
        assert dx == pytest.approx(right, abs=1e-9 * np.abs(right).max())


@pytest.mark.parametrize(("off", "denied"), [(0.0, False), (1e-12, False), (1e-5, True)])
def test_multipliers_that_are_off_are_told_from_rounding(off, denied):
    """Larger residuals are judged by the factors of the FMUs, which show the errors of multipliers and of accelerations."""
    with started(seven_bodies.system(), evaluation="tape") as session:
        begin_fused(session)
        kernel, dx = session.kernel, np.zeros(len(session.x))
        assert kernel.derivatives(0.0, session.x, dx) == 0
        loop = session.schedule.loops[0]
        kernel.slots[loop.first : loop.first + len(loop.unknowns)] *= 1 + off
        assert bool(verify(kernel, dx)) == denied
        assert np.isnan(kernel_fused.report(kernel).given_up) != denied


@pytest.mark.parametrize(("tampered", "found"), [(2, 5), (30, 85), (1400, 2389)])
def test_the_fmus_are_asked_ever_more_seldom(tampered, found, monkeypatch):
    """The checks come after 1, 5, 21, 85, 341 and 1,365 steps, then each 1,024. They find all faults of the tape since the last check."""
    advance = Kernel.advance

    def advance_and_tamper(kernel, steps):
        if kernel.steps:
            return advance(kernel, steps)
        status = advance(kernel, tampered)
        kernel_fused.workspace(kernel)[:] *= 1.001
        return status

    monkeypatch.setattr(Kernel, "advance", advance_and_tamper)
    result = chain(1).simulate(2.5, rtol=1e-3, max_step=1e-3, evaluation="tape", output_times=[2.5])
    assert result.outcome.completed
    assert f"until t = {found / 1000:g} s, where they differed from the FMUs" in result.statistics.evaluated
    assert "; fast evaluation: derivatives came from a tape of the FMUs' equations until t = " in str(result.statistics)


@each_way
def test_the_last_row_is_the_same_whatever_rows_there_are_before(way):
    """It is bit-identical: it is computed like the other rows. The FMUs stay meanwhile where a check has put them."""
    system = seven_bodies.system()
    results = [system.simulate(0.01, evaluation=way, output_times=times) for times in ([0.01], [0.00999, 0.01], np.linspace(0, 0.01, 101))]
    one, two, many = (np.array([result[name][-1] for name in result.names]) for result in results)
    assert two.tobytes() == one.tobytes() == many.tobytes()


def test_the_tape_runs_wherever_there_is_one(monkeypatch):
    """It does so unless the run asks otherwise, and silently omits it where no tape exists; very many instances need a request."""
    system = four_bars(1)
    plain, asked, by_fmus = (
        system.simulate(0.1, output_times=[0.1], **options) for options in ({}, {"evaluation": "tape"}, {"evaluation": "fmus"})
    )
    assert plain.statistics.evaluated == fused.BY_TAPE and list(plain.values[-1]) == list(asked.values[-1])
    assert by_fmus.statistics.evaluated == fused.BY_INSTANCES
    stepped = seven_bodies.system().simulate(1e-3, communication_step=1e-4)
    assert stepped.statistics.evaluated == fused.BY_INSTANCES and not any("evaluation" in each for each in stepped.outcome.warnings)
    monkeypatch.setattr(fused, "_MOST_BY_DEFAULT", 3)
    found = [four_bars(1).simulate(0.1, output_times=[0.1], **options).statistics.evaluated for options in ({}, {"evaluation": "tape"})]
    assert found == [fused.BY_INSTANCES, fused.BY_TAPE]


_LATER = """
import sys
from coupling import System
system = System("pendulum", gravity=(0.0, -9.81))
system.add("rod", sys.argv[1], {"p1.rx": -0.5, "x": 0.5})
result = system.simulate(0.1)
print(result.statistics.evaluated, {"sympy", "scipy.integrate"} & {*sys.modules})
"""


def test_a_structure_that_is_kept_is_run_without_declarations_of_components():
    """SymPy, in which they are written, takes longer to import than most systems to run; so do SciPy's solvers, unless one of them is asked for."""
    rod = cached_fmu(all_components()["planar.Body1"], 3)
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", _LATER, str(rod)], capture_output=True, text=True, check=True)
    assert done.stdout == f"{fused.BY_TAPE} set()\n"


@pytest.mark.parametrize("given", [True, "tapes", None])
def test_what_evaluation_may_be(given):
    with pytest.raises(BuildError, match=rf"evaluation = {given!r} is unknown; choose 'auto', 'fmus', 'tape' or 'compiled'"):
        four_bars(1).simulate(1.0, evaluation=given)
