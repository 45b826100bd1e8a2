"""Values over time as a figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coupling import Result
from coupling.outcome import Ending, Outcome
from coupling.record import Column, Record
from coupling.rows_file import NO_STATISTICS
from tests.support.systems.systems import refusal

COLUMNS = (("rod.theta", "rad"), ("rod.omega", "rad/s"), ("arm.theta", "rad"), ("tank.p", "Pa"), ("pin.reaction", "N"))


def result_of(time: list[float], columns: tuple[tuple[str, str], ...] = COLUMNS, factor: float = 1.0) -> Result:
    """Straight lines over time."""
    rows = np.array([[t, *(factor * (k + 1) * t for k in range(len(columns)))] for t in time])
    named = tuple(Column(name, name.partition(".")[2], unit) for name, unit in columns)
    return Result(Record("machine", named, rows, NO_STATISTICS), Outcome(Ending.COMPLETED, "completed"))


@pytest.fixture(scope="module")
def result() -> Result:
    """Ten seconds with one event."""
    return result_of([0.0, 2.0, 4.0, 4.0, 10.0])


def test_names_that_share_a_unit_share_axes(result: Result) -> None:
    """The curves are the values, units are on the axes, and events on the axis of time."""
    upper, lower = result.plot("rod.theta", "rod.omega", "arm.theta").axes
    assert [line.get_label() for line in upper.lines] == ["rod.theta", "arm.theta"]
    assert (upper.get_ylabel(), lower.get_ylabel()) == ("in rad", "in rad/s")
    assert lower.get_xlabel() == "time in s; 1 event marked"
    assert (upper.lines[1].get_ydata() == result["arm.theta"]).all() and (upper.lines[1].get_xdata() == result.time).all()
    ((start, end),) = upper.collections[0].get_segments()
    assert start[0] == end[0] == 4.0
    assert not result.plot("rod.theta", events=False).axes[0].collections


def test_prefixes_that_fit_the_values() -> None:
    """Megapascals on the axis, milliseconds on that of time; angles have none."""
    fast = result_of([0.0, 0.01, 0.03], factor=1e7)
    pressure, angle = fast.plot("tank.p", "rod.theta").axes
    assert (pressure.get_ylabel(), angle.get_ylabel(), angle.get_xlabel()) == ("in MPa", "in rad", "time in ms")
    assert pressure.lines[0].get_ydata()[-1] == pytest.approx(1.2) and pressure.lines[0].get_xdata()[-1] == pytest.approx(30.0)


def test_patterns_tuples_and_a_file(result: Result, tmp_path: Path) -> None:
    """A pattern stands for all that fit, a tuple has axes of its own, and the picture is written."""
    figure = result.plot("*.theta", ("tank.p",), path=tmp_path / "run.svg")
    assert [[line.get_label() for line in axes.lines] for axes in figure.axes] == [["rod.theta", "arm.theta"], ["tank.p"]]
    assert "in Pa" in figure.axes[1].get_ylabel() and (tmp_path / "run.svg").read_text().startswith("<?xml")


def test_what_cannot_be_plotted(result: Result) -> None:
    """Each sentence says what to name."""
    assert refusal(lambda: result.plot("rod.theta", path="/proc/q.png"), OSError).startswith(
        "the figure cannot be written to '/proc/q.png': "
    )
    assert refusal(lambda: result.plot("rod.theta", path=3), TypeError) == (  # type: ignore[arg-type]  # what is tested
        "3 is no path; give that of the file to be written, such as 'result.png'"
    )
    assert refusal(result.plot) == "plot: name the values to show, such as result.plot('rod.theta', 'rod.omega')"
    assert refusal(lambda: result.plot("rod.thta"), KeyError).startswith("'rod.thta' was not recorded; did you mean 'rod.theta'")
    assert refusal(lambda: result.plot("rod"), KeyError) == (
        "'rod' has several variables; name one of them, such as 'rod.theta', or 'rod.*'"
    )
    assert refusal(lambda: result.plot("*.q"), KeyError).startswith("nothing that was recorded matches '*.q'; result.names lists")
    assert refusal(lambda: result.plot(("rod.theta", "tank.p"))) == (
        "plot: 'rod.theta' in rad and 'tank.p' in Pa cannot share axes; name them in separate tuples"
    )
