"""Two results side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coupling import Result
from coupling.outcome import Ending, Outcome
from coupling.record import Column, Record
from coupling.rows_file import NO_STATISTICS
from tests.support.systems.systems import pendulum, refusal


def result_of(name: str, time: list[float], values: list[float]) -> Result:
    """Returns a result of one variable, in m."""
    record = Record("s", (Column(name, name.partition(".")[2], "m"),), np.column_stack([time, values]), NO_STATISTICS)
    return Result(record, Outcome(Ending.COMPLETED, "completed"))


def test_a_difference_that_grows_linearly() -> None:
    """The greatest is at the end, and the root mean square is that over the square root of 3, exactly."""
    time = [0.0, 0.7, 1.0, 3.0]
    found = result_of("a.x", time, [0.0] * 4).compare(result_of("a.x", time, [-2 * t for t in time]))["a.x"]
    assert (found.greatest, found.time, found.unit, found.size) == (6.0, 3.0, "m", 6.0)
    assert found.rms == pytest.approx(6 / np.sqrt(3), rel=1e-15)


def test_only_common_times_count_and_both_sides_of_events() -> None:
    """Times of one side alone are passed over; of an event rows before it, and rows after it, belong together."""
    one = result_of("a.x", [0, 0.5, 1, 1, 2], [0, 99, 1, 5, 6])
    other = result_of("a.x", [0, 1, 1, 1.5, 2], [0, 1.25, 5, 99, 6])
    found = one.compare(other)
    assert found.time.tolist() == [0, 1, 1, 2] and found.differences["a.x"].tolist() == [0, 0.25, 0, 0]
    single = one.compare(result_of("a.x", [0, 1, 2], [0, 5, 6]))
    assert single.time.tolist() == [0, 1, 2] and single["a.x"].greatest == 0


def test_two_solvers_on_a_pendulum(tmp_path: Path) -> None:
    """The differences are those of the arrays; what differs most comes first, and is drawn."""
    options = {"stop_time": 0.5, "output_interval": 0.05}
    first, second = pendulum().simulate(rtol=1e-4, **options), pendulum().simulate(rtol=1e-9, **options)
    found = first.compare(second, ["rod.*"])
    name = "rod.theta"
    assert found[name].greatest == np.abs(first[name] - second[name]).max() > 0
    shares = [each.greatest / each.size for each in found.values() if each.size]
    assert shares == sorted(shares, reverse=True) and set(found) == {each for each in first.names if each.startswith("rod.")}
    assert str(found).splitlines()[0].split() == ["variable", "greatest", "at", "t,", "s", "rms", "size", "unit"]
    figure = found.plot(tmp_path / "difference.png")
    assert (tmp_path / "difference.png").stat().st_size > 5000
    drawn = {line.get_label(): line.get_ydata() for axes in figure.axes for line in axes.lines}
    assert set(drawn) == set(list(found)[:8])


def test_what_cannot_be_compared() -> None:
    """Each sentence says what is in the way and what to do."""
    one = result_of("a.x", [0, 1], [0, 1])
    assert refusal(lambda: one.compare("before.jrd"), TypeError) == (  # type: ignore[arg-type]
        "compare: 'before.jrd' is no result; give another Result, such as Result.load('before.jrd')"
    )
    assert refusal(lambda: one.compare(result_of("b.x", [0, 1], [0, 1]))) == (
        "compare: the results of 's' and 's' have no name in common; compare runs of one system"
    )
    assert refusal(lambda: one.compare(result_of("a.x", [0.5, 0.7], [0, 1]))) == (
        "compare: the results have no time in common; give both runs the same output_interval or output_times"
    )
    assert refusal(lambda: one.compare(result_of("b.x", [0, 1], [0, 1]), ["a.x"]), KeyError).startswith("'a.x' was not recorded")
