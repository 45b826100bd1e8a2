"""Tasks that every solver with steps of its own leaves to the driver: outputs, events, ends."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable

import numpy as np
import pytest

from coupling import Result, System
from coupling.outcome import Ending
from coupling.solvers.base.solver import SOLVERS as ALL
from tests.support import foreign
from tests.support.oracles.motion import deviation
from tests.support.oracles.planar import Pendulum
from tests.support.runtime import runtime_components
from tests.support.systems.systems import system_of

SOLVERS = ["cvode", "ida", "RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"]

solver = pytest.mark.parametrize("solver", SOLVERS)


def of(fmu: object, name: str = "it") -> System:
    system = System()
    system.add(name, fmu)
    return system


def events(result: Result) -> np.ndarray:
    """The times of which there are two rows."""
    return result.time[1:][np.diff(result.time) == 0]


def test_all_of_them_are_offered() -> None:
    """They are offered by their own names, besides the explicit methods of the kernel."""
    assert set(ALL) >= {*SOLVERS, "dopri5", "dop853"}


# -- steps and outputs -------------------------------------------------------------------------------------------------------------


@solver
def test_a_pendulum_swings_as_it_should(solver: str) -> None:
    """It follows its closed form, and more closely for a smaller tolerance."""
    oracle, times = Pendulum(angle=0.5), np.linspace(0, 1, 7)
    motion, errors = oracle.motion(times), []
    for tolerance in (1e-5, 1e-8):
        result = system_of(oracle).simulate(1.0, solver=solver, rtol=tolerance, atol=tolerance, output_times=times)
        assert result.outcome.completed
        errors.append(deviation(motion, result.__getitem__))
    assert errors[0] < 3e-3 and errors[1] < 3e-6 and errors[1] < 0.05 * errors[0]


@solver
def test_outputs_cost_no_steps(solver: str) -> None:
    """The requested times change neither the steps nor the values at the same time."""
    system = of(foreign.oscillator())
    few = system.simulate(2.0, solver=solver, rtol=1e-8, output_times=[0.0, 1.0, 2.0])
    many = system.simulate(2.0, solver=solver, rtol=1e-8, output_interval=1e-3)
    assert few.statistics.steps == many.statistics.steps
    assert len(many) == 2001 and few.time.tolist() == [0.0, 1.0, 2.0]
    assert few["it.x"].tolist() == [many["it.x"][np.argmin(abs(many.time - t))] for t in few.time]
    assert np.abs(many["it.x"] - np.cos(many.time)).max() < 1e-6


@solver
def test_steps_are_no_longer_than_allowed(solver: str) -> None:
    """A second takes at least 100 steps with max_step = 0.01 s, and far fewer without it."""
    system = of(foreign.oscillator())
    result = system.simulate(1.0, solver=solver, rtol=1e-5, max_step=0.01)
    assert result.outcome.completed and result.statistics.steps >= 100
    assert system.simulate(1.0, solver=solver, rtol=1e-5).statistics.steps < 50


@solver
def test_a_run_ends_after_so_many_steps(solver: str) -> None:
    """The sentence says what to do, and all recorded rows are kept."""
    result = of(foreign.oscillator()).simulate(20.0, solver=solver, rtol=1e-8, max_steps=10)
    assert result.outcome.ending is Ending.TOO_MANY_STEPS and result.statistics.steps == 10
    text = result.outcome.sentence
    assert "after max_steps = 10 steps; raise max_steps, or loosen rtol = 1e-08 or atol. The result holds everything up to there" in text
    assert result.time[-1] < 20


@solver
def test_a_run_of_no_length_records_its_start(solver: str) -> None:
    """The result has one row, and the run is completed."""
    result = of(foreign.oscillator()).simulate(0.0, solver=solver)
    assert result.outcome.completed and result.time.tolist() == [0.0] and result["it.x"].tolist() == [1.0]


def test_rejected_steps_are_counted() -> None:
    """At a jump of the derivative every solver has to try again."""
    for name in SOLVERS:
        result = of(foreign.hidden_jump()).simulate(1.0, solver=name, rtol=1e-6)
        assert result.outcome.completed and result["it.x"][-1] == pytest.approx(0.0, abs=1e-4)
        assert 3 <= result.statistics.rejected <= 60, (name, result.statistics)


# -- events ------------------------------------------------------------------------------------------------------------------------


def landings(stop: float) -> np.ndarray:
    """Returns the times at which the bouncing ball lands."""
    t, times = np.sqrt(2 / 9.81), []
    interval = 2 * t
    while t <= stop:
        times.append(t)
        interval *= 0.8
        t += interval
    return np.array(times)


@solver
def test_state_events_are_where_the_states_cross(solver: str) -> None:
    """The ball lands at known times, which have rows before and behind; in between it falls freely."""
    ball = of(runtime_components.BouncingBall, "ball")
    tolerance = 1e-8 if solver == "RK23" else 1e-11
    result = ball.simulate(2.0, solver=solver, rtol=tolerance, atol=tolerance)
    v, t = result["ball.v"], result.time
    jumps = np.flatnonzero((np.diff(t) == 0) & (np.diff(v) > 1e-6))
    np.testing.assert_allclose(t[jumps], landings(2.0), rtol=0, atol=1e-9)
    np.testing.assert_allclose(v[jumps + 1], -0.8 * v[jumps], rtol=1e-9)
    assert np.abs(result["ball.h"][jumps]).max() < 1e-12
    speed = -9.81 * t + 1.8 * 9.81 * np.array([sum(0.8**k * t[jumps[0]] for k, j in enumerate(jumps) if i > j) for i in range(len(t))])
    np.testing.assert_allclose(v, speed, atol=1e-7)
    assert result.statistics.state_events == result.statistics.events >= len(jumps)


@solver
def test_short_bounces_are_not_stepped_over(solver: str) -> None:
    """The first step after an event is short against the time since the one before."""
    result = of(runtime_components.BouncingBall, "ball").simulate(3.9, solver=solver, rtol=1e-6)
    jumps = (np.diff(result.time) == 0) & (np.diff(result["ball.v"]) > 1e-6)
    assert jumps.sum() == len(landings(3.9)) == 14


@solver
def test_time_events_are_met_exactly(solver: str) -> None:
    """Each has a row before it and one behind; a system without states steps from one to the next."""
    result = of(runtime_components.Stair, "stair").simulate(3.5, solver=solver, output_times=[0.0, 0.5, 1.0, 3.5])
    assert result.time.tolist() == [0.0, 0.5, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.5]
    assert result["stair.height"].tolist() == [0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75]
    assert result.statistics.time_events == 3 and result.statistics.steps == 4


@solver
def test_time_and_state_events_together(solver: str) -> None:
    """The FMU is a foreign one: its slope is 1, from 0.35 on 2; it drops by 1 where it reaches 1."""
    result = of(foreign.two_events()).simulate(2.0, solver=solver, rtol=1e-9)
    np.testing.assert_allclose(np.unique(np.round(events(result), 9)), [0.35, 0.675, 1.175, 1.675], atol=1e-9)
    x, level = foreign.two_events_exact(result.time)
    apart = np.min(np.abs(result.time[:, None] - events(result)), axis=1) > 1e-9
    np.testing.assert_allclose(result["it.x"][apart], x[apart], atol=1e-8)
    np.testing.assert_array_equal(result["it.level"][apart], level[apart])


@solver
def test_the_kinks_of_a_table_are_events(solver: str) -> None:
    """An integrator follows a table exactly: no solver steps over its kinks, nor over a jump."""
    system = of(runtime_components.SawTooth)
    system.drive("it.u", [(0.0, 0.0), (0.25, 1.0), (0.5, 1.0), (0.5, -1.0), (1.0, -1.0)])
    result = system.simulate(1.0, solver=solver, rtol=1e-10, atol=1e-10, output_times=[0.25, 0.5, 1.0])
    values = dict(zip(result.time, result["it.x"], strict=True))
    np.testing.assert_allclose([values[t] for t in (0.25, 0.5, 1.0)], [0.125, 0.375 - 0.3, 0.375 - 0.3 - 0.5], atol=1e-8)


@solver
def test_steps_are_told_to_who_wants_to_know(solver: str) -> None:
    """An FMU that discards what lies more than 0.01 s after the last completed step goes through in short steps.

    LSODA starts anew behind each discard, at order 1, which adds up.
    """
    result = of(foreign.discards_long_steps(0.01)).simulate(0.5, solver=solver, rtol=1e-5)
    assert result.outcome.completed and result.statistics.steps >= 50
    assert result["it.x"][-1] == pytest.approx(np.cos(0.5), abs=2e-3 if solver == "LSODA" else 1e-4)


@solver
def test_events_without_end_are_an_end(solver: str) -> None:
    """Friction without a state of rest switches again and again; the sentence names the condition."""
    result = of(runtime_components.Slider, "slider").simulate(1.5, solver=solver)
    assert result.outcome.ending is Ending.CHATTERING
    assert result.outcome.sentence.startswith("stopped at t = 1 s: 'slider.forward.indicator' causes events without end there (chattering)")


@pytest.mark.parametrize("solver", ["cvode", "ida", "RK45", "Radau"])
def test_events_that_accumulate_are_an_end(solver: str) -> None:
    """The ball's bounces shrink to nothing at a time that is known."""
    result = of(runtime_components.BouncingBall, "ball").simulate(10.0, solver=solver, rtol=1e-10, atol=1e-12)
    assert result.outcome.ending is Ending.CHATTERING
    assert result.time[-1] == pytest.approx(9 * np.sqrt(2 / 9.81), abs=1e-4)


# -- what goes wrong ---------------------------------------------------------------------------------------------------------------


@solver
@pytest.mark.parametrize(
    ("fmu", "said"),
    [
        (foreign.fails_at, f"returned 'error' at t = .* {foreign.BURNT_OUT}"),
        (foreign.discards_at, f"returned 'discard' at t = 0.5 s .* {foreign.NOT_YET}"),
    ],
    ids=["error", "discard"],
)
def test_what_an_fmu_says_is_in_the_outcome(solver: str, fmu: Callable[[], object], said: str, capfd: pytest.CaptureFixture) -> None:
    """An error ends the run, a discard when no step is short enough; nothing is printed, and what was recorded is kept."""
    result = of(fmu()).simulate(2.0, solver=solver, rtol=1e-6)
    assert result.outcome.ending is Ending.FMU_FAILED
    assert re.search(said, result.outcome.sentence), result.outcome.sentence
    assert 0 < result.time[-1] <= 0.5 and np.abs(result["it.x"] - np.cos(result.time)).max() < 1e-4
    assert capfd.readouterr() == ("", "")


@solver
def test_what_a_users_function_raises_is_raised(solver: str) -> None:
    """The exception is unchanged, even if solvers raise the same kind themselves."""
    for error in (ZeroDivisionError, ValueError, RuntimeError):

        def drive(t: float, error: type[Exception] = error) -> float:
            if t > 0.5:
                raise error("of the user")
            return t

        system = of(foreign.oscillator())
        system.drive("it.u", drive)
        with pytest.raises(error, match=r"^of the user"):
            system.simulate(2.0, solver=solver)


@solver
def test_an_interrupt_keeps_what_there_is(solver: str) -> None:
    """It does so while a user's function runs, too."""

    def drive(t: float) -> float:
        if t > 0.5 and not sent:
            sent.append(t)
            os.kill(os.getpid(), signal.SIGINT)
        return 0.0

    sent: list[float] = []
    system = of(foreign.oscillator())
    system.drive("it.u", drive)
    result = system.simulate(2.0, solver=solver, rtol=1e-8)
    assert result.outcome.ending is Ending.INTERRUPTED and 0.01 < result.time[-1] <= 1.0  # the step under way is finished
    assert np.abs(result["it.x"] - np.cos(result.time)).max() < 1e-5
    assert "interrupted at t = " in result.outcome.sentence


@solver
def test_an_interrupt_that_a_users_function_raises_is_one(solver: str) -> None:
    """It passes through the solver and the kernel as any other, and what was recorded is kept."""

    def drive(t: float) -> float:
        if t > 0.5:
            raise KeyboardInterrupt
        return 0.0

    system = of(foreign.oscillator())
    system.drive("it.u", drive)
    result = system.simulate(2.0, solver=solver, rtol=1e-8)
    assert result.outcome.ending is Ending.INTERRUPTED and 0.01 < result.time[-1] <= 0.5


@solver
def test_an_interrupt_from_outside_is_heard_at_once(solver: str) -> None:
    """The run that it interrupts would take very long."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    # The FMU itself gives the signal: by the clock it might come before the run has begun.
    rung = f"static int rung; if (time < 0.1) rung = 0; if (time > 1 && !rung) rung = 1, raise({signal.SIGALRM:d});"
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        result = of(foreign.of_oscillator(rates=rung)).simulate(1e8, solver=solver, rtol=1e-6, output_times=[0.0, 1.0])
    finally:
        signal.signal(signal.SIGALRM, before)
    assert result.outcome.ending is Ending.INTERRUPTED and result.time.tolist()[:1] == [0.0]


@solver
def test_a_solver_that_gives_up_says_where_and_of_what(solver: str, capfd: pytest.CaptureFixture) -> None:
    """A solution that grows without bound at t = 1: x' = x^2."""
    model = foreign.Model("Blow", [foreign.Variable("x", "output", 1.0, rate="x * x", depends=["x"])], partials={("der(x)", "x"): "2 * x"})
    result = of(foreign.export(model, 3)).simulate(2.0, solver=solver, rtol=1e-6, value_limit=None)
    assert result.outcome.ending in (Ending.SOLVER_FAILED, Ending.TOO_MANY_STEPS, Ending.NOT_FINITE)
    assert "'it.x'" in result.outcome.sentence or "'it.der(x)'" in result.outcome.sentence
    assert result.time[-1] == pytest.approx(1.0, abs=0.01)
    assert capfd.readouterr() == ("", "")


@solver
def test_projection_has_nothing_to_do_without_constraints(solver: str) -> None:
    system = of("signal.FirstOrder", "lag")
    ends = [
        system.simulate(1.0, solver=solver, stabilisation=way, start_values={"lag.u": 1.0})["lag.y"][-1] for way in ("projection", None)
    ]
    assert ends[0] == ends[1] == pytest.approx(1 - np.exp(-1), rel=1e-4)
