"""Tables: NumPy's interpolation, once and over many periods, exact events, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

from coupling import StartError
from tests.support.components.signals import apart, blocks, event_times

TIMES = [0.0, 0.15, 0.4, 0.4, 0.55, 0.6]
VALUES = [1.0, -2.0, 0.5, 3.0, 3.0, -1.0]


def table(times, values, **others):
    """A system with a table; its numbers are set as arrays, so that tables of one size are one FMU."""
    usual = [list(range(len(times))), [0.0] * len(times)]
    return blocks({"table": ("signal.Table", {"points": usual, "points.x": times, "points.y": values, **others})})


def test_the_default_is_a_unit_ramp():
    """It rises from 0 to 1 in a second."""
    result = blocks({"table": ("signal.Table", {})}).simulate(2.0)
    assert result["table.y"] == pytest.approx(np.minimum(result.time, 1), abs=1e-15)


def test_a_table_that_is_not_repeated():
    """It is linear between its points, jumps where two times are equal, and is constant outside; each kink is an event."""
    times = [0.2 + t for t in TIMES]
    result = table(times, VALUES).simulate(1.2)
    assert event_times(result).tolist() == sorted(set(times))
    rows = apart(result, [times[2]])
    assert result["table.y"][rows] == pytest.approx(np.interp(result.time[rows], times, VALUES), abs=1e-14)
    before, behind = np.flatnonzero(result.time == times[2])
    assert result["table.y"][[before, behind]] == pytest.approx([0.5, 3.0], abs=1e-14)


@pytest.mark.parametrize("period", [0.6, 0.7])
@pytest.mark.parametrize("first", [0.0, 0.05])
def test_a_repeated_table_is_that_of_numpy_in_every_period(period, first):
    """Interpolated at the time in the period, which ends with a jump back or with a rest at the last value."""
    times = [max(first, t) for t in TIMES]
    result = table(times, VALUES, period=period).simulate(5.32, output_interval=0.013)
    instants = [n * period + t for n in range(9) for t in (0.0, times[2], times[-1])]
    rows = apart(result, instants)
    inside = np.mod(result.time[rows], period)
    assert rows.sum() > 300
    assert result["table.y"][rows] == pytest.approx(np.interp(inside, times, VALUES), abs=1e-12)
    expected = sorted({n * period + t for n in range(9) for t in {*times, 0.0} if 0 < n * period + t < 5.32 and t < period})
    assert event_times(result) == pytest.approx(expected, abs=1e-12)


def test_a_repeated_table_stays_exact_over_many_periods():
    """After ten thousand periods of a tenth, whose sum in floating point is off by 1.6e-10, the value is off by no more than rounding of time."""
    result = table([0.0, 0.05, 0.1], [0.0, 1.0, 0.0], period=0.1).simulate(1000.0, output_times=[999.98125, 999.9375, 1000.0])
    for time, value in zip(result.time, result["table.y"], strict=True):
        inside = Fraction(float(time)) % Fraction(0.1)
        exact = 1 - abs(1 - 20 * inside)
        assert value == pytest.approx(float(exact), abs=20 * 4 * np.spacing(1000.0))
    assert result.statistics.time_events == pytest.approx(20000, abs=2)


def test_a_run_may_start_in_any_period():
    """A start after a million periods needs no event for each of them."""
    result = table(TIMES, VALUES, period=0.7).simulate(700001.0, start_time=700000.0, output_interval=0.0371)
    inside = np.array([float(Fraction(float(t)) % Fraction(0.7)) for t in result.time])
    rows = np.abs(inside[:, None] - np.array([0.0, 0.4, 0.7])[None, :]).min(axis=1) > 1e-6
    assert rows.sum() > 20
    assert result["table.y"][rows] == pytest.approx(np.interp(inside[rows], TIMES, VALUES), abs=1e-7)


def test_steps_at_the_ends_of_the_period():
    """A square wave: up at 0, down in the middle; several points at the same time are one step to the last of them."""
    times, values = [0.0, 0.0, 0.5, 0.5, 0.5, 1.0], [7.0, 1.0, 1.0, 9.0, -1.0, -1.0]
    result = table(times, values, period=1.0).simulate(3.0, output_times=np.arange(0.05, 3.0, 0.1))
    rows = apart(result, np.arange(0, 3.5, 0.5))
    assert result["table.y"][rows] == pytest.approx(np.where(np.mod(result.time[rows], 1) < 0.5, 1.0, -1.0))
    assert np.abs(result["table.y"][result.time > 0]).max() == 1.0


def test_a_table_that_ends_with_a_step():
    """The last value holds from the step on."""
    result = table([0.0, 1.0, 1.0], [0.0, 1.0, 5.0]).simulate(2.0, output_interval=0.3)
    assert result["table.y"] == pytest.approx(
        np.where(np.arange(len(result.time)) > np.flatnonzero(result.time == 1.0)[0], 5.0, result.time)
    )


def test_five_hundred_points():
    """The number of points is free; the last one counts like every other."""
    random = np.random.default_rng(5)
    times, values = np.sort(random.uniform(0, 2, 500)), random.normal(size=500)
    result = table(times, values).simulate(2.5)
    assert result["table.y"] == pytest.approx(np.interp(result.time, times, values), abs=1e-11)


def test_points_in_a_file(tmp_path):
    """A measured signal is a file with two columns."""
    (tmp_path / "measured.csv").write_text("t;y\n0;1,5\n1;2,5\n2;0\n")
    result = blocks({"table": ("signal.Table", {"points": tmp_path / "measured.csv"})}).simulate(2.5)
    assert result["table.y"] == pytest.approx(np.interp(result.time, [0, 1, 2], [1.5, 2.5, 0]), abs=1e-14)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"points": [[0, 1, 2], [0, 1, 0]], "period": 1.75}, r"the period is 0 or not less than the last time; .* -0.25"),
        ({"points": [[0, 1, 2], [0, 1, 0]], "points.x[3]": 0.5}, r"the nodes points.x never decrease; .* -0.5"),
        ({"points": [[0, 2, 1.5], [0, 1, 0]]}, r"the table 'points' of signal.Table does not increase: x\[3\] = 1.5 follows 2"),
        ({"points": [[1, 1], [0, 1]]}, "the last point comes later than the first; .* 0"),
        ({"points": [[-1, 1], [0, 1]]}, r"the table 'points' of signal.Table begins at x\[1\] = -1, but must be at least 0"),
        ({"points.x[1]": -1.0}, r"points.x\[1\]' = -1.0 s is refused: it must be at least 0"),
        ({"period": -2.0}, "period' = -2.0 s is refused: it must be at least 0"),
    ],
)
def test_wrong_tables_are_refused(values, sentence):
    """The message gives name and value."""
    with pytest.raises((StartError, ValueError), match=rf"table.*{sentence}"):
        blocks({"table": ("signal.Table", values)}).simulate(1.0)
