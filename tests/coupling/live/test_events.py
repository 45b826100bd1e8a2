"""Events of Model Exchange FMUs: state, time and step events, discrete values between FMUs, and events without end."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from coupling import Ending, Result, StartError, System
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.runtime.runtime_components import BouncingBall, Crest, Flight, Passes, Relay, Sampler, SawTooth, Slider, Stair
from tests.support.systems.systems import refusal

G = 9.81
FIRST = math.sqrt(2 / G)


@pytest.fixture(params=["dopri5", "dop853"])
def solver(request: pytest.FixtureRequest) -> str:
    return request.param


def alone(fmu: Path, **values: float) -> System:
    """A system of one instance, ``unit``."""
    system = System("alone")
    system.add("unit", fmu, values)
    return system


def events(result: Result, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The times of which there are two rows, with the values before and behind, where these differ."""
    rows = np.flatnonzero(np.diff(result.time) == 0)
    before, behind = result[name][rows], result[name][rows + 1]
    changed = before != behind
    return result.time[rows][changed], before[changed], behind[changed]


# -- state events ------------------------------------------------------------------------------------------------------


def test_a_ball_bounces_when_it_should(fmi, fmu, solver):
    """The bounces, at FIRST and then after flights that shrink by e, to 1e-9; the speed is turned round there, and e of it left."""
    e = 0.8
    result = alone(fmu(BouncingBall, fmi), e=e).simulate(3.0, solver=solver, rtol=1e-10)
    times, before, behind = events(result, "unit.v")
    flights = 2 * FIRST * e ** np.arange(1, 20)
    exact = np.cumsum([FIRST, *flights])
    exact = exact[exact < 3.0]
    assert times == pytest.approx(exact, abs=1e-9)
    assert behind == pytest.approx(-e * before, rel=1e-14)
    assert before == pytest.approx(-G * FIRST * e ** np.arange(len(exact)), abs=1e-8)
    heights = result["unit.h"][np.flatnonzero(np.isin(result.time, times))]
    assert np.abs(heights).max() < 1e-12
    assert result["unit.h"].min() > -1e-12


def test_a_saw_tooth(fmi, fmu, solver):
    """It rises to its limit and starts again from 0; rows before and behind each event show both."""
    result = alone(fmu(SawTooth, fmi), limit=0.3).simulate(1.0, solver=solver)
    times, before, behind = events(result, "unit.x")
    assert times == pytest.approx([0.3, 0.6, 0.9], abs=1e-12)
    assert before == pytest.approx(np.full(3, 0.3), abs=1e-12) and np.abs(behind).max() == 0


def test_a_relay_switches_when_another_fmu_tells_it_to(fmi, fmu, solver):
    """Its input is an oscillator's cos t, which falls below 0.5 at pi/3 and rises above it at 5 pi/3; the charge is held there."""
    system = System("relay")
    system.add("wave", foreign.oscillator(fmi))
    system.add("relay", fmu(Relay, fmi))
    system.connect("wave.y", "relay.u")
    result = system.simulate(2 * math.pi, solver=solver, rtol=1e-11, outputs=["*", "relay.held", "relay.stopped", "relay.q"])
    times, _, stopped = events(result, "relay.stopped")
    assert times == pytest.approx([math.pi / 3], abs=1e-9) and stopped == times
    at_event = np.searchsorted(result.time, times[0])
    assert result["relay.held"][-1] == pytest.approx(result["relay.q"][at_event], abs=1e-12)
    # While it charges, q' = (cos t - q)/tau from 0.2; so q = (cos t + tau sin t)/(1 + tau^2) + c exp(-t/tau).
    t, tau = times[0], 0.5
    assert result["relay.held"][-1] == pytest.approx(
        (math.cos(t) + tau * math.sin(t)) / (1 + tau**2) + (0.2 - 1 / (1 + tau**2)) * math.exp(-t / tau), abs=1e-9
    )


def test_state_and_time_events_of_one_fmu(fmi, solver):
    """x drops where it reaches 1, and its slope doubles at a time; times to 1e-12, values before and behind."""
    result = alone(foreign.two_events(fmi)).simulate(3.0, solver=solver)
    times, before, behind = events(result, "unit.level")
    assert times == pytest.approx(0.675 + 0.5 * np.arange(5), abs=1e-12)
    assert list(behind) == [1, 2, 3, 4, 5] and list(before) == [0, 1, 2, 3, 4]
    switched, slow, fast = events(result, "unit.fast")
    assert list(switched) == [0.35] and (slow[0], fast[0]) == (0, 1)
    apart = np.abs(result.time[:, None] - times).min(axis=1) > 1e-9
    x, level = foreign.two_events_exact(result.time[apart])
    assert result["unit.x"][apart] == pytest.approx(x, abs=1e-12) and list(result["unit.level"][apart]) == list(level)
    assert result["unit.y"][apart] == pytest.approx(x + level, abs=1e-12)
    assert (result.statistics.time_events, result.statistics.state_events) == (1, 5)


def test_two_events_within_one_step(fmi, solver):
    """The first in time is found, whichever FMU comes first."""
    system = System("both")
    for name, limit in (("late", 0.31), ("early", 0.3)):
        system.add(name, foreign.two_events(fmi), {"switch_time": limit})
    balls = system.simulate(0.7, solver=solver)
    for name, limit in (("late", 0.31), ("early", 0.3)):
        times, _, _ = events(balls, f"{name}.level")
        assert times == pytest.approx([limit + (1 - limit) / 2], abs=1e-12)


def test_rows_are_in_the_order_of_time(fmi, fmu, solver):
    """Rows at the times asked for, and two more at each event."""
    times = np.linspace(0, 2, 41)
    result = alone(fmu(BouncingBall, fmi)).simulate(2.0, solver=solver, output_times=times)
    assert (np.diff(result.time) >= 0).all()
    assert np.isin(times, result.time).all()
    assert len(result) == len(times) + 2 * result.statistics.events


# -- time events -------------------------------------------------------------------------------------------------------


def test_a_stair_in_time(fmi, fmu, solver):
    """The FMU has no state: it steps at exact times, the last at the stop."""
    result = alone(fmu(Stair, fmi), period=0.25).simulate(1.0, solver=solver)
    times, before, behind = events(result, "unit.height")
    assert list(times) == [0.25, 0.5, 0.75, 1.0]
    assert list(behind) == [0.25, 0.5, 0.75, 1.0] and list(before) == [0, 0.25, 0.5, 0.75]


def test_a_sampler(fmi, fmu, solver):
    """Samples are what the state is at these times, and end when the deadline passes."""
    result = alone(fmu(Sampler, fmi)).simulate(
        1.0, solver=solver, rtol=1e-11, outputs=["unit.held", "unit.closed", "unit.samples", "unit.x"]
    )
    times, _, held = events(result, "unit.held")
    assert list(times) == [0.25, 0.5]
    assert held == pytest.approx(np.exp(-times / 0.5), abs=1e-10)
    assert list(events(result, "unit.closed")[0]) == [0.6]
    assert result["unit.samples"][-1] == 2


def test_kinks_of_a_table_are_events(fmi, fmu, solver):
    """x' is a table with two kinks and a jump; x is exact behind each, and both values of the jump are shown."""
    system = alone(fmu(SawTooth, fmi), limit=100.0)
    system.drive("unit.u", [(0, 0), (0.3, 3), (0.6, 0), (0.6, 1), (0.8, 1)])
    result = system.simulate(1.0, solver=solver, rtol=1e-6, output_times=[0, 0.3, 0.6, 0.8, 1.0], outputs=["unit.x", "unit.u"])
    assert result.statistics.time_events == 3
    assert result["unit.x"][result.time == 0.3] == pytest.approx([0.45, 0.45], abs=1e-13)
    assert result["unit.x"][result.time == 0.6] == pytest.approx([0.9, 0.9], abs=1e-13)
    assert result["unit.x"][-1] == pytest.approx(0.9 + 0.4, abs=1e-13)
    assert list(result["unit.u"][result.time == 0.6]) == [0, 1]


# -- discrete values between FMUs --------------------------------------------------------------------------------------


def follower(version: int) -> Path:
    """``out`` = in + 1, found by an event update alone; ``updates`` counts how often the input was new."""
    return foreign.export(
        Model(
            "Follower",
            [
                Variable("in_", "input", 0, type="Integer"),
                Variable("seen", "local", 0, type="Integer"),
                Variable("updates", "output", 0, type="Integer"),
                Variable("out", "output", 1, type="Integer"),
            ],
            update="if (in_ != seen) seen = in_, updates += 1;\n    out = in_ + 1;",
        ),
        version,
    )


def test_discrete_values_pass_through_a_chain_within_one_event(fmi, solver):
    """Each of five FMUs counts on from the one before; they stand last to first, so that it takes five rounds."""
    system = System("chain")
    for k in range(5, 0, -1):
        system.add(f"f{k}", follower(fmi))
    system.add("clock", foreign.counter(fmi), {"period": 0.25})
    system.connect("clock.count", "f1.in_")
    for k in range(1, 5):
        system.connect(f"f{k}.out", f"f{k + 1}.in_")
    result = system.simulate(1.0, solver=solver)
    for k in range(1, 6):
        times, before, behind = events(result, f"f{k}.out")
        assert list(times) == [0.25, 0.5, 0.75, 1.0]
        assert list(before) == [k, k + 1, k + 2, k + 3] and list(behind) == [k + 1, k + 2, k + 3, k + 4]
    assert result["f1.updates"][-1] == 4


def test_integers_booleans_and_reals_between_fmus(fmi, solver):
    """A counter governs another: steps of its count where it is odd; a real input follows a real output at once."""
    system = System("counters")
    system.add("first", foreign.counter(fmi), {"period": 0.1})
    system.add("second", foreign.counter(fmi), {"period": 0.25})
    for a, b in (("first.count", "second.step"), ("first.odd", "second.running"), ("first.y", "second.u")):
        system.connect(a, b)
    result = system.simulate(0.9, solver=solver)
    # At 0.25 the first has counted to 2, which is even; at 0.5 both tick, and 4 still holds; at 0.75 it is 7.
    times, _, behind = events(result, "second.count")
    assert list(times) == [0.75] and list(behind) == [7]
    assert result["second.y"] == pytest.approx(result["first.count"] + result["second.count"], abs=0)


def test_a_discrete_value_reaches_a_derivative(fmi, solver):
    """x' is the level of another FMU, which steps at 0.675 and 1.175: x = integral of the level."""
    model = Model("Integrator", [Variable("level", "input"), Variable("x", "output", 0.0, rate="level", depends=["level"])])
    system = System("level")
    system.add("source", foreign.two_events(fmi))
    system.add("integrator", foreign.export(model, fmi))
    system.connect("source.level", "integrator.level")
    result = system.simulate(1.5, solver=solver)
    assert result["integrator.x"][-1] == pytest.approx(0.5 * 1 + 0.325 * 2, abs=1e-12)


def test_discrete_values_that_never_settle_end_the_start(fmi):
    """Two FMUs count each other on without end."""
    system = System("endless")
    for name in ("a", "b"):
        system.add(name, follower(fmi))
    system.connect("a.out", "b.in_")
    system.connect("b.out", "a.in_")
    text = refusal(lambda: system.simulate(1.0), StartError)
    assert ("without end" in text or "keeps changing" in text) and ("'a'" in text or "'b'" in text or "'a." in text or "'b." in text)


def restless(version: int) -> Path:
    """Returns an FMU that asks for one discrete update after the other from t = 0.5 on."""
    update = "if (time >= 0.5 - 1e-12) again = 1;\n    else next = 0.5;"
    return foreign.export(Model("Restless", [Variable("x", "output", 0.0, rate="1", depends=[])], update=update), version)


def test_updates_without_end(fmi, solver):
    """The outcome names the FMU; what came before the event is kept."""
    result = alone(restless(fmi)).simulate(1.0, solver=solver)
    assert result.outcome.ending is Ending.CHATTERING
    assert "'unit' asks for discrete updates without end at t = 0.5 s" in result.outcome.sentence
    assert result.time[-1] == 0.5 and result["unit.x"][-1] == pytest.approx(0.5)


# -- step events and the end -------------------------------------------------------------------------------------------


def at_completed_steps(monkeypatch: pytest.MonkeyPatch, flags: str) -> None:
    """Makes exported FMUs set the flags of a completed step."""
    before = "*event = *terminate = 0;\n    TRY(on_completed(m));"
    assert before in foreign.SHARED
    monkeypatch.setattr(
        "tests.support.foreign.c_code.SHARED",
        foreign.SHARED.replace(before, f"*event = *terminate = 0; {flags}\n    TRY(on_completed(m));"),
    )


def test_step_events(fmi, solver, monkeypatch):
    """An FMU asks at the end of a step for Event Mode, where it drops a state that has passed its limit."""
    at_completed_steps(monkeypatch, "*event = m->v[1] > 1;")
    model = Model(
        "Dropping",
        [Variable("x", "output", 0.0, rate="1", depends=[]), Variable("drops", "output", 0.0)],
        update="if (x > 1) x -= 1, drops += 1, states_changed = 1;",
        wants_completed=True,
    )
    result = alone(foreign.export(model, fmi)).simulate(3.5, solver=solver, max_step=0.03)
    times, before, behind = events(result, "unit.x")
    assert len(times) == 3 == result.statistics.step_events
    assert behind == pytest.approx(before - 1, abs=1e-14) and (before < 1.03 + 1e-9).all()
    assert result["unit.x"] + result["unit.drops"] == pytest.approx(result.time, abs=1e-12)


def test_an_fmu_can_end_the_run_at_a_step(fmi, solver, monkeypatch):
    at_completed_steps(monkeypatch, "*terminate = m->v[0] > 0.5;")
    model = Model("Ending", [Variable("x", "output", 0.0, rate="1", depends=[])], wants_completed=True)
    result = alone(foreign.export(model, fmi)).simulate(2.0, solver=solver, max_step=0.03, output_interval=0.01)
    assert result.outcome.ending is Ending.TERMINATED
    assert "'unit' asked for the end at t = 0.5" in result.outcome.sentence
    assert 0.48 < result.time[-1] < 0.53


def test_completed_steps_are_told_at_events_too(fmi, solver, monkeypatch):
    """One call for each accepted step, where it ends; the FMU counts them, and the last comes at the event."""
    at_completed_steps(monkeypatch, "m->v[2] += 1; m->v[3] = m->v[0];")
    model = Model(
        "Counting",
        [
            Variable("x", "output", 0.0, rate="1", depends=[]),
            Variable("steps", "output", 0.0),
            Variable("latest", "output", 0.0),
            Variable("seen", "output", 0.0),
        ],
        indicators=["x - 0.5"],
        update="seen = latest;",
        wants_completed=True,
    )
    result = alone(foreign.export(model, fmi)).simulate(1.0, solver=solver)
    assert result["unit.seen"][-1] == pytest.approx(0.5, abs=1e-12)
    assert result["unit.steps"][-1] == result.statistics.steps


# -- events that begin and end within one step ------------------------------------------------------------------------


@pytest.mark.parametrize("rtol", [1e-5, 1e-7, 1e-9])
def test_every_crest_is_seen(fmi, fmu, solver, rtol):
    """Each lasts a twentieth of a period, and ends within the step in which it began."""
    result = alone(fmu(Crest, fmi), level=0.99).simulate(20 * math.pi, solver=solver, rtol=rtol)
    times, before, after = events(result, "unit.crests")
    assert (after - before).tolist() == [1] * 10
    assert times == pytest.approx(math.asin(0.99) + 2 * math.pi * np.arange(10), abs=1e3 * rtol)


def test_a_flight_that_just_reaches_a_height(fmi, fmu, solver):
    """A parabola knows no error: one step covers all of it, and of the height it has only 1e-8 m to spare."""
    result = alone(fmu(Flight, fmi), height=1 - 1e-8).simulate(10.0, solver=solver)
    assert result["unit.since"][-1] == pytest.approx(2 - 2e-4, abs=1e-8)


@pytest.mark.parametrize(("low", "high", "stop"), [(0.6, 1.22, 1.5), (0.6, 1.274, 10.0), (1.2, 1.22, 1.0), (0.2, 1.25, 3.0)])
def test_what_one_indicator_does_hides_no_other(fmu, low, high, stop):
    """The step after the first height was passed goes past the second one, up and down, and past the first again."""
    system = alone(fmu(Passes, 3))
    for solver in ("dopri5", "dop853", "cvode", "RK45", "Radau"):
        result = system.simulate(stop, solver=solver, start_values={"unit.low.height": low, "unit.high.height": high})
        assert (result["unit.low.passes"][-1], result["unit.high.passes"][-1]) == (1, 1), solver


def test_indicators_far_from_zero_cost_nothing(fmi, fmu, solver):
    """They are checked inside a step only where their previous course lets them reach zero and return within it."""
    near, far = (alone(fmu(Crest, fmi), level=level).simulate(20 * math.pi, solver=solver, output_interval=10.0) for level in (1.01, 50.0))
    assert far.statistics.steps == pytest.approx(near.statistics.steps, abs=2)
    stages = {"dopri5": 6, "dop853": 12}[solver]
    assert far.statistics.evaluations < stages * far.statistics.steps + 80 and near.statistics.evaluations > far.statistics.evaluations


# -- events without end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.8, 0.5, 0.1, 0.01])
def test_a_ball_that_bounces_ever_faster(fmi, fmu, solver, e):
    """Its bounces accumulate: the run ends there and says so, and the ball does not fall through the ground."""
    limit = FIRST * (1 + 2 * e / (1 - e))
    result = alone(fmu(BouncingBall, fmi), e=e).simulate(5.0, solver=solver)
    assert result.outcome.ending is Ending.CHATTERING
    assert "without end" in result.outcome.sentence and "'unit" in result.outcome.sentence
    assert f"t = {limit:.5f}"[:9] in result.outcome.sentence
    assert result.time[-1] == pytest.approx(limit, abs=1e-7)
    assert result["unit.h"].min() > -1e-9


def test_other_balls_may_bounce_meanwhile(fmi, fmu, solver):
    """Accumulation is seen indicator by indicator."""
    system = System("balls")
    for name, e in (("lively", 0.99), ("dull", 0.5)):
        system.add(name, fmu(BouncingBall, fmi), {"e": e})
    result = system.simulate(5.0, solver=solver)
    assert result.outcome.ending is Ending.CHATTERING and "'dull" in result.outcome.sentence
    assert result.time[-1] == pytest.approx(3 * FIRST, abs=1e-7)


def test_many_bounces_are_no_accumulation(fmi, fmu, solver):
    """The run continues where the intervals stay reasonable."""
    result = alone(fmu(BouncingBall, fmi), e=0.98).simulate(20.0, solver=solver)
    assert result.outcome.ending is Ending.COMPLETED and result.statistics.events > 50


def test_dry_friction_without_a_state_of_rest_chatters(fmi, fmu, solver):
    """At v = 0 the sign of the friction changes for ever; the sentence names the indicator and gives a remedy."""
    result = alone(fmu(Slider, fmi)).simulate(2.0, solver=solver)
    assert result.outcome.ending is Ending.CHATTERING
    assert "t = 1 s" in result.outcome.sentence and "'unit" in result.outcome.sentence and "hysteresis" in result.outcome.sentence
    assert result.time[-1] == pytest.approx(1.0, abs=1e-6)
    assert result["unit.v"][result.time <= 1] == pytest.approx(1 - result.time[result.time <= 1], abs=1e-9)
