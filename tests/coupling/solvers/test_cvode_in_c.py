"""CVODE called by the kernel, against the same solver called through Python; and how its runs end."""

from __future__ import annotations

import ctypes
import math
import os
import signal
from collections.abc import Callable

import numpy as np
import pytest

from coupling import Isolation, Result, System
from coupling.kernel.hosts import sandbox
from coupling.kernel.runs import sundials as kernel_sundials
from coupling.kernel.runs.sundials import library_of
from coupling.outcome import Ending
from coupling.solvers import cvode
from coupling.solvers.base.sundials import as_reason, linked
from tests.coupling.fused.test_examples import example
from tests.coupling.live.test_fused import four_bars, moving
from tests.support.systems import seven_bodies


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Lists the solver that took the steps of each run."""
    found: list[str] = []
    make = cvode._made
    monkeypatch.setattr(cvode, "_made", lambda *given: found.append(type(solver := make(*given)).__name__) or solver)
    return found


@pytest.mark.parametrize(
    ("make", "stop", "options"),
    [
        (lambda: example("06_hydraulic_crane").system(), 6.0, {"rtol": 1e-6}),  # with a table's corners, and the cylinder's end stop
        (seven_bodies.system, 0.01, {"rtol": 1e-7, "atol": 1e-9}),
        (lambda: four_bars(1), 1.0, {"start_values": moving(1, 1.0), "stabilisation": "baumgarte"}),
    ],
    ids=["crane", "seven bodies", "four bars"],
)
def test_every_number_is_that_of_the_same_solver_called_through_python(make, stop, options, made, monkeypatch):
    """Bit by bit, with rows between the steps and at events."""
    options = {"solver": "cvode", "evaluation": "tape", "output_interval": stop / 50, **options}
    ours = make().simulate(stop, **options)
    monkeypatch.setattr(cvode, "can_be_called", lambda *_: False)
    theirs = make().simulate(stop, **options)
    assert made == ["CvodeInC", "Cvode"] and ours.outcome.completed
    for name in ("steps", "rejected", "jacobians", "events", "state_events"):
        assert getattr(ours.statistics, name) == getattr(theirs.statistics, name), name
    assert (
        0 <= theirs.statistics.evaluations - ours.statistics.evaluations <= 1 + 2 * ours.statistics.events
    )  # one more where a run begins anew
    assert np.array_equal(ours.time, theirs.time)
    assert all(np.array_equal(ours[name], theirs[name]) for name in theirs.names)


def test_jacobians_are_counted_as_cvode_counts_them(monkeypatch):
    solvers: list[cvode.CvodeInC] = []
    make = cvode._made
    monkeypatch.setattr(cvode, "_made", lambda *given: solvers.append(solver := make(*given)) or solver)
    result, counted = run(), ctypes.c_long()
    sundials = library_of(linked("CVODE"))
    assert sundials.CVodeGetNumJacEvals(solvers[0]._cvode._memory, ctypes.byref(counted)) == 0
    assert result.statistics.jacobians == counted.value > 1
    assert f"evaluations, {counted.value} Jacobians, 0 events" in result.summary()


def test_the_crane_takes_no_more_steps_than_by_the_derivatives_of_fmus():
    system = example("06_hydraulic_crane").system()
    by_graph, by_fmus = (system.simulate(6.0, solver="cvode", rtol=1e-6, evaluation=each) for each in ("tape", "fmus"))
    assert by_graph.statistics.steps <= 1.01 * by_fmus.statistics.steps
    assert by_graph["cylinder.p1"][-1] == pytest.approx(by_fmus["cylinder.p1"][-1], rel=1e-4)


def pendulum(torque: Callable[[float], float]) -> System:
    system = System("pendulum", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
    system.add("motor", "planar.Wrench")
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    system.connect("motor.M", "rod.p2")
    system.drive("motor.Cz", torque)
    return system


def run(torque: Callable[[float], float] = lambda t: 0.0, stop: float = 2.0, **options) -> Result:
    return pendulum(torque).simulate(stop, solver="cvode", evaluation="tape", **{"rtol": 1e-6, **options})


def test_what_a_users_function_raises_is_raised(made):
    def torque(t: float) -> float:
        if t > 0.5:
            raise ZeroDivisionError("of the user")
        return t

    with pytest.raises(ZeroDivisionError, match=r"^of the user"):
        run(torque)
    assert made == ["CvodeInC"]


def test_an_interrupt_keeps_what_there_is():
    """It does so while a user's function runs, too."""
    sent: list[float] = []

    def torque(t: float) -> float:
        if t > 0.5 and not sent:
            sent.append(t)
            os.kill(os.getpid(), signal.SIGINT)
        return 0.0

    result = run(torque, 1e5, output_times=np.linspace(0, 1e5, 10**5))
    assert result.outcome.ending is Ending.INTERRUPTED and 0.01 < result.time[-1] <= 1e3


@pytest.mark.slow
def test_an_interrupt_from_outside_is_heard_soon(made):
    """The run that it interrupts would take very long."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 2.0)
        result = seven_bodies.system().simulate(1e6, solver="cvode", evaluation="tape", rtol=1e-6, output_times=[0.0, 1e6], max_steps=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert result.outcome.ending is Ending.INTERRUPTED and made == ["CvodeInC"]


def test_a_run_ends_after_so_many_steps():
    result = run(max_steps=30)
    assert result.outcome.ending is Ending.TOO_MANY_STEPS and result.statistics.steps == 30


def test_values_that_are_none_end_a_run_in_words(capfd):
    """A torque that is no number from some time on; nothing is printed."""
    result = run(lambda t: float("nan") if t > 0.5 else 0.0)
    assert result.outcome.ending is Ending.NOT_FINITE and "'motor.Cz'" in result.outcome.sentence
    assert result.time[-1] == pytest.approx(0.5, abs=1e-3)
    assert capfd.readouterr() == ("", "")


def test_it_gives_up_where_no_step_is_small_enough(capfd):
    """A torque of noise."""
    result = run(lambda t: 1e16 * math.sin(1e15 * t) if t > 0.5 else 0.0, max_steps=3000)
    assert result.outcome.ending is Ending.SOLVER_FAILED and result.time[-1] == pytest.approx(0.5, abs=0.01)
    assert (
        "CVODE failed: the step size fell below the resolution of numbers" in result.outcome.sentence and "'rod." in result.outcome.sentence
    )
    assert capfd.readouterr() == ("", "")


def test_the_reason_of_the_library_is_part_of_a_sentence():
    assert as_reason(linked("CVODE").CVMESSAGES[-3]) == "error tests failed too many times, or reached min step size"


def test_in_a_process_of_its_own_the_kernel_there_calls_it(made):
    """The numbers are the same. A process that may open nothing but FMUs calls it through Python."""
    confined = {"isolate": Isolation(which="all", sandbox=True)}
    runs = [run(stop=1.0, output_interval=0.1, **options) for options in ({}, {"isolate": "all"}, *([] if sandbox.lacks() else [confined]))]
    here = runs[0]
    assert made == ["CvodeInC", "CvodeInC", "Cvode"][: len(runs)]
    for there in runs[1:]:
        assert there.statistics.evaluated == here.statistics.evaluated and there.statistics.steps == here.statistics.steps
        assert there.statistics.jacobians == here.statistics.jacobians
        assert all(np.array_equal(here[name], there[name]) for name in here.names)


def test_what_a_users_function_raises_is_raised_from_another_process(made):
    def torque(t: float) -> float:
        if t > 0.5:
            raise RuntimeError("no torque")
        return 0.0

    with pytest.raises(RuntimeError, match="no torque"):
        run(torque, isolate="all")
    assert made == ["CvodeInC"]


def test_another_kind_of_library_is_called_through_python(made, monkeypatch):
    monkeypatch.setattr(kernel_sundials, "VERSIONS", ("5",))
    monkeypatch.setattr(cvode, "library_of", kernel_sundials.library_of.__wrapped__)
    assert run(stop=0.1).outcome.completed and made == ["Cvode"]
