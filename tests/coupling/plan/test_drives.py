"""Inputs driven by constants, functions of time and tables: their values against closed forms, and what is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from coupling import BuildError, Ending, Result, Scheme, StartError, System
from coupling.plan.drives import TableDrive, drive_of
from tests.support import foreign
from tests.support.systems.systems import pendulum, refusal


def pushed(force: object, stop: float = 3.0, breaks: object = None, gy: float = 0.0, **options: object) -> Result:
    """A body of 2 kg under a force along x."""
    system = System("pushed")
    system.add("body", "planar.Body1", {"gy": gy, "m": 2.0})
    system.drive("body.p1.Fx", force, breaks=breaks)
    return system.simulate(stop, **{"outputs": ["body.x", "body.vx", "body.p1.Fx"], "rtol": 1e-10, **options})


@pytest.mark.parametrize("force", [4, 4.0, np.float32(4), np.int64(4), True * 4])
def test_a_constant(force: float) -> None:
    """The body accelerates evenly: x = t^2."""
    result = pushed(force)
    assert np.allclose(result["body.x"], result.time**2, rtol=1e-12, atol=1e-12)
    assert (result["body.p1.Fx"] == 4).all()


@pytest.mark.parametrize("function", [math.cos, np.cos, lambda t: np.array([math.cos(t)]), lambda t: np.float32(math.cos(t))])
def test_a_function_of_time(function: Callable[[float], float]) -> None:
    """A force cos t makes the velocity sin t / 2."""
    result = pushed(function)
    assert np.allclose(result["body.vx"], np.sin(result.time) / 2, atol=1e-7)
    assert np.allclose(result["body.p1.Fx"], np.cos(result.time), atol=1e-7)


TABLE = [(0.5, 2.0), (1.0, 2.0), (1.0, -4.0), (2.0, 4.0)]


@pytest.mark.parametrize("table", [TABLE, np.array(TABLE), tuple(map(tuple, TABLE))])
def test_a_table(table: object) -> None:
    """Linear between its times, constant before and behind them; the impulse is 2 until 1, and 4 (t - 2) behind 2."""
    result = pushed(table)
    expected = np.select(
        [result.time < 1, result.time <= 2], [result.time, 1 + 2 * (result.time - 1) * (result.time - 2)], 1 + 2 * (result.time - 2)
    )
    assert np.allclose(result["body.vx"], expected, atol=1e-12)


def test_kinks_and_jumps_of_a_table_are_events() -> None:
    """They cause no rejected steps, and a jump has a row before and a row after it."""
    result = pushed(TABLE)
    assert result.statistics.rejected == 0 and result.statistics.time_events == 3
    first = int(np.flatnonzero(result.time == 1.0)[0])
    assert list(result.time[first : first + 2]) == [1.0, 1.0]
    assert list(result["body.p1.Fx"][first : first + 2]) == [2.0, -4.0]


def test_a_jump_at_the_very_start_has_happened() -> None:
    """The first row has the value behind it."""
    assert pushed([(0.0, 1.0), (0.0, 4.0)])["body.p1.Fx"][0] == 4.0


@pytest.mark.parametrize("function", [lambda t: 2.0 if t > 0.5 else 0.0, lambda t: 2.0 if t >= 0.5 else 0.0], ids=["open", "closed"])
@pytest.mark.parametrize(
    ("options", "tolerance"),
    [
        ({"solver": "dopri5"}, 1e-12),
        ({"solver": "dop853"}, 1e-12),
        ({"solver": "cvode"}, 1e-7),
        ({"solver": "Radau"}, 1e-12),
        ({"communication_step": 0.3, "scheme": Scheme(extrapolation=0)}, 1e-12),
        ({"communication_step": 0.3, "scheme": Scheme("implicit", step_control="adaptive")}, 1e-12),
    ],
    ids=str,
)
def test_a_function_that_jumps_where_it_says(function: Callable[[float], float], options: dict[str, object], tolerance: float) -> None:
    """The time itself may belong to the interval before or after. The jump causes no rejected step, and x = (t - 1/2)^2 / 2 after it."""
    result = pushed(function, breaks=[0.5], gy=-9.81, **options)
    assert result["body.x"] == pytest.approx(np.maximum(0, result.time - 0.5) ** 2 / 2, abs=tolerance)
    assert result.statistics.rejected <= 2 and not result.outcome.warnings
    assert list(result["body.p1.Fx"][np.flatnonzero(result.time == 0.5)]) == [0, 2]


@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_a_function_that_jumps_without_a_word_is_named(solver: str) -> None:
    """The warning names the input, not the body's y, which only happens to be the greatest."""
    (warning,) = pushed(lambda t: 1.0 if t > 0.5 else 0.0, gy=-9.81, solver=solver).outcome.warnings
    assert re.fullmatch(
        r"the step at t = \S+ s was rejected \d+ times because 'body\.p1\.Fx' is driven by a function that jumps at t = 0\.5 s; name that time, "
        r"drive\('body\.p1\.Fx', \.\.\., breaks=\[0\.5\]\)",
        warning,
    )


def test_breaks_that_make_no_sense() -> None:
    """They are for functions, and are times."""
    assert refusal(lambda: pushed(math.cos, breaks=0.5), BuildError) == (
        "breaks = 0.5 of 'body.p1.Fx' is refused: give a list of times in seconds, such as [0.5]"
    )
    assert refusal(lambda: pushed(2.0, breaks=[0.5]), BuildError) == (
        "breaks = [0.5] of 'body.p1.Fx' is for functions of time; a constant has no jumps, a table has them in its rows"
    )


def test_a_table_of_one_row_is_a_constant() -> None:
    """Its value holds before and behind it."""
    assert (pushed([(1.0, 4.0)])["body.p1.Fx"] == 4.0).all()


def test_inputs_that_change_at_events_hold_each_value_of_a_table() -> None:
    """The counter counts by 1, from 0.15 on by 3, and rests between 0.35 and 0.75."""
    system = System()
    system.add("counter", foreign.counter())
    system.drive("counter.running", [(0, True), (0.35, False), (0.75, True)])
    system.drive("counter.step", [(0, 1), (0.15, 3)])
    result = system.simulate(1.05, outputs=["counter", "counter.running"], output_times=[0.05, 0.25, 0.32, 0.5, 0.72, 0.78, 0.85, 0.95])
    last = np.searchsorted(result.time, [0.05, 0.25, 0.32, 0.5, 0.72, 0.78, 0.85, 0.95], side="right") - 1
    assert list(result["counter.count"][last]) == [0, 4, 7, 7, 7, 7, 10, 13]
    assert list(result["counter.running"][last]) == [1, 1, 1, 0, 0, 1, 1, 1]


def test_a_held_table_is_a_flight_of_steps() -> None:
    """The second of two values for one time counts."""
    held = TableDrive(np.array([0.0, 1.0, 1.0, 2.0]), np.array([5.0, 6.0, 7.0, 8.0])).steps
    assert list(held.times) == [0, 1, 1, 2, 2] and list(held.values) == [5, 5, 7, 7, 8]


def test_a_constant_for_a_whole_number_and_a_truth() -> None:
    """They are set before the start."""
    system = System()
    system.add("counter", foreign.counter())
    system.drive("counter.step", 2)
    system.drive("counter.running", True)
    assert system.simulate(0.55)["counter.count"][-1] == 10


@pytest.mark.parametrize("drive", [2.0, lambda t: 2.0, [(0, 2.0)]])
def test_what_adds_up_can_be_driven_and_connected_at_once(drive: object) -> None:
    """A force at the pin, beside that of the pin: the pin's multiplier takes it up, and nothing else changes."""
    plain, loaded = pendulum(), pendulum()
    loaded.drive("rod.p1.Fx", drive)
    a, b = plain.simulate(0.5), loaded.simulate(0.5)
    assert np.allclose(a["rod.theta"], b["rod.theta"], atol=1e-7)
    assert np.allclose(b["pin.N.Fx"] - a["pin.N.Fx"], -2.0, atol=1e-5)


# -- functions that fail -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", [0.0, 0.5])
def test_what_a_function_raises_comes_through_with_a_note(start: float) -> None:
    """The exception is the function's own; the note says which input, and when."""
    called = []

    def force(t: float) -> float:
        called.append(t)
        if t >= start:
            raise RuntimeError("the pump is dry")
        return 1.0

    with pytest.raises(RuntimeError, match="the pump is dry") as caught:
        pushed(force, 1.0)
    assert caught.value.__notes__ == [f"raised by the function that drives 'body.p1.Fx', called with t = {called[-1]:.9g} s"]
    assert [t >= start for t in called].count(True) == 1


@pytest.mark.parametrize(("value", "text"), [(None, "None"), ("a", "'a'"), (1j, "1j"), ([1, 2], "[1, 2]")])
def test_a_function_must_return_a_number(value: object, text: str) -> None:
    """Otherwise it is named, with what it returned."""
    assert refusal(lambda: pushed(lambda t: value), BuildError) == (
        f"the function that drives 'body.p1.Fx' returned {text} at t = 0 s; return a number"
    )


def test_a_function_without_a_value_at_the_start() -> None:
    """Nothing can start from there."""
    assert refusal(lambda: pushed(lambda t: math.nan), StartError) == (
        "the start fails when passing on the values before the start: "
        "the function that drives 'body.p1.Fx' gave no finite number at t = 0 s"
    )


@pytest.mark.parametrize("missing", [math.nan, math.inf])
def test_a_function_whose_values_end(missing: float) -> None:
    """The run ends there, and the result holds what was before."""
    result = pushed(lambda t: 4.0 if t <= 0.5 else missing, 1.0)
    assert result.outcome.ending is Ending.NOT_FINITE
    assert result.outcome.sentence.startswith(
        "stopped at t = 0.5 s: the function that drives 'body.p1.Fx' gave no finite number at t = 0.5"
    )
    assert result.outcome.sentence.endswith(
        " s; check the range of validity of the component that computes it, and the start values. The result holds everything up to there"
    )
    assert result.time[-1] == pytest.approx(0.5, abs=0.01)
    assert np.allclose(result["body.x"], result.time**2)


def test_an_interrupt_inside_a_function_ends_the_run() -> None:
    """Pressing Ctrl-C there is no different from anywhere else."""

    def force(t: float) -> float:
        if t > 0.5:
            raise KeyboardInterrupt
        return 4.0

    outcome = pushed(force, 1.0).outcome
    assert outcome.ending is Ending.INTERRUPTED
    assert re.fullmatch(r"interrupted at t = 0\.[0-4]\d* s. The result holds everything up to there", outcome.sentence)


# -- what is no drive --------------------------------------------------------------------------------------------------

WANTED = "give a number, a function of time, or a table: pairs of time and value"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"fast"}, f"'u.v' cannot be driven by {{'fast'}}; {WANTED}"),
        ([(0, "idle"), (1, 2)], "the table of 'u.v' mixes 'idle' and 2; give values of one type"),
        ([("now", "idle")], "the table of 'u.v' has a time that is no number; give rows of a time in seconds and a text"),
        (None, f"'u.v' cannot be driven by None; {WANTED}"),
        ({0: 1}, f"'u.v' cannot be driven by {{0: 1}}; {WANTED}"),
        (1j, f"'u.v' cannot be driven by 1j; {WANTED}"),
        ([(0, 1), (1,)], f"'u.v' cannot be driven by [(0, 1), (1,)]; {WANTED}"),
        (math.nan, "'u.v' cannot be driven by nan; give a finite number"),
        (-math.inf, "'u.v' cannot be driven by -inf; give a finite number"),
        ([], "the table of 'u.v' is empty; give at least one row of time and value"),
        (np.zeros((0, 2)), "the table of 'u.v' is empty; give at least one row of time and value"),
        ([1, 2, 3], "the table of 'u.v' has the shape 3; give rows of two numbers, time and value"),
        ([[1, 2, 3]], "the table of 'u.v' has the shape 1 x 3; give rows of two numbers, time and value"),
        (
            ([0, 1, 2], [5, 6, 7]),
            "the table of 'u.v' has the shape 2 x 3; give rows of two numbers, time and value: np.column_stack((times, values))",
        ),
        ([(0, 1), (1, math.nan)], "the table of 'u.v' holds nan in row 2; all its numbers must be finite"),
        ([(0, 1), (2, 1), (1, 1)], "the times of the table of 'u.v' go back from 2 to 1 s; sort its rows by time"),
        ([(0, 1), (0, 2), (0, 3)], "the table of 'u.v' has three rows for t = 0 s; give at most two, the values before and after a jump"),
    ],
)
def test_a_value_that_is_no_drive(value: object, sentence: str) -> None:
    """It is refused where it is given."""
    assert refusal(lambda: drive_of("u.v", value), BuildError) == sentence
    assert refusal(lambda: System().drive("u.v", value), BuildError) == sentence  # type: ignore[arg-type]


def test_a_table_may_jump_wherever_it_has_two_rows_of_one_time_and_not_three() -> None:
    """Jumps at the start and later: m v is the area, 2 N for a second and 6 N for another."""
    result = pushed([(0, 0), (0, 2), (1, 2), (1, 6), (2, 6)], stop=2.0)
    assert result["body.vx"][-1] == pytest.approx((2 + 6) / 2, rel=1e-9)
    assert refusal(lambda: pushed([(0, 0), (1, 2), (1, 4), (1, 6), (2, 6)]), BuildError) == (
        "the table of 'body.p1.Fx' has three rows for t = 1 s; give at most two, the values before and after a jump"
    )


def test_an_input_is_driven_once() -> None:
    """The second drive is refused, as is a name that is none."""
    system = pendulum()
    system.drive("rod.p1.Fx", 1.0)
    assert refusal(lambda: system.drive("rod.p1.Fx", 2.0)) == "'rod.p1.Fx' is driven twice; leave one of the two out"
    assert refusal(lambda: system.drive(3, 2.0)) == "3 cannot be driven; give the name of an input, such as 'motor.tau'"  # type: ignore[arg-type]
