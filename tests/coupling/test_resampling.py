"""Values of a result at other times than those of its rows, and results with one row for each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coupling import Result, ResultError, System
from coupling.outcome import Ending, Outcome
from coupling.record import Column, Record, Statistics
from tests.support.systems.systems import pendulum, refusal

COLUMNS = (Column("a.ramp", "ramp", "m"), Column("a.jump", "jump", "m/s"), Column("a.level", "level", "", discrete=True))
ROWS = np.array([[0, 0, 1, 5], [1, 2, 1, 5], [1, 2, -3, 6], [3, 6, -7, 6], [4, 8, -9, 6], [4, 8, 0, 7]], dtype=float)
"""A ramp 2 t; 1 up to the first event at t = 1, -1 - 2 t up to the second one at t = 4, then 0; and 5, 6 and 7."""


def exact(t: float, side: str = "after") -> list[float]:
    """The closed form."""
    passed = (lambda event: t >= event) if side == "after" else (lambda event: t > event)
    return [2 * t, 0 if passed(4) else -1 - 2 * t if passed(1) else 1, 7 if passed(4) else 6 if passed(1) else 5]


@pytest.fixture
def result() -> Result:
    more = {"created_energy": {"a.p": ROWS[:, 1]}, "drawn": {"a.x": ROWS[:, 1]}, "off": {"a": ((2, 4),), "b": ((0, 2), (4, 6))}}
    record = Record("by hand", COLUMNS, ROWS, Statistics(*[0] * 9, 0.0, 0.0, 0.0), **more)
    return Result(record, Outcome(Ending.COMPLETED, "completed at t = 4 s", 4.0))


TIMES = [0.0, 0.25, 1.0, 1.0 + 1e-16, 2.5, 3.0, 3.75, 4.0]


@pytest.mark.parametrize("side", ["before", "after"])
def test_values_at_an_array_of_times(result: Result, side: str) -> None:
    """They may come in any order, and give an array for each name; a single time gives numbers, the same ones."""
    found = result.at(np.array(TIMES[::-1]), side)
    for i, name in enumerate(result.names):
        assert found[name] == pytest.approx([exact(t, side)[i] for t in TIMES[::-1]], abs=1e-15)
        assert found[name].tolist() == [result.at(t, side)[name] for t in TIMES[::-1]]
    assert type(result.at(0.25)["a.ramp"]) is float
    assert result.at([], side)["a.ramp"].shape == (0,) and result.at((1,))["a.level"].tolist() == [6]
    assert refusal(lambda: found["a.rmp"], KeyError).startswith("there is no recorded value 'a.rmp'; there are 'a.ramp', ")


@pytest.mark.parametrize("side", ["before", "after"])
def test_one_row_for_each_time(result: Result, side: str) -> None:
    """Everything that is recorded over time has one row for each; names, units and the outcome stay."""
    times = [0.0, 0.25, 1.0, 2.5, 3.75, 4.0]
    found = result.resample(times, side=side)
    assert found.time.tolist() == times and found.names == result.names and found.units == result.units
    assert found.values == pytest.approx(np.array([exact(t, side) for t in times]), abs=1e-15)
    assert found.created_energy["a.p"] == pytest.approx(2 * found.time) and found.outcome is result.outcome
    assert found._record.drawn["a.x"] == pytest.approx(2 * found.time)
    assert (
        found._record.off
        == {
            "before": {"a": ((3, 5),), "b": ((0, 3), (5, 6))},
            "after": {"a": ((2, 5),), "b": ((0, 2), (5, 6))},
        }[side]
    )
    assert len(result) == 6


def test_regular_times_and_recorded_times_once(result: Result) -> None:
    """At an interval up to the last time that fits; without any, each recorded time has the row after its event."""
    assert result.resample(interval=0.5).time.tolist() == [0.5 * k for k in range(9)]
    assert result.resample(interval=3).time.tolist() == [0, 3] and result.resample(interval=9.0).time.tolist() == [0]
    assert len(result.resample(interval=0.1)) == 41 and result.resample(interval=0.1).time[-1] == 4
    once = result.resample()
    assert once.time.tolist() == [0, 1, 3, 4] and once.values.tolist() == ROWS[[0, 2, 3, 5], 1:].tolist()
    assert result.resample(side="before").values.tolist() == ROWS[[0, 1, 3, 4], 1:].tolist()
    frame = result.to_dataframe(unique=True)
    assert frame.index.is_unique and frame["a.level"].tolist() == [5, 6, 6, 7] and frame.attrs == once.to_dataframe().attrs
    assert not result.to_dataframe().index.is_unique


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"times": [0, 5]}, "t = 5 s is refused: the result holds from 0 to 4 s; completed at t = 4 s"),
        ({"times": [0.2, 0.2]}, "times[1] = 0.2 s does not follow times[0] = 0.2 s; give times that increase"),
        ({"times": []}, "times is empty; give at least one time in seconds"),
        ({"times": "all"}, "times = 'all' is refused: give a time in seconds, or a list or array of times"),
        ({"times": [0.0, None]}, "times = [0.0, None] is refused: give a time in seconds, or a list or array of times"),
        ({"times": [0], "interval": 1.0}, "resample: times and interval are both given; leave one of the two out"),
        ({"interval": 0}, "interval = 0 is refused: give seconds, greater than 0 and finite"),
        ({"interval": True}, "interval = True is refused: give seconds, greater than 0 and finite"),
        ({"interval": 1e-12}, "interval = 1e-12 s is refused: it would make 4e+12 rows; give a longer one"),
        ({"side": "left"}, "side = 'left' is unknown; choose 'before' or 'after' an event"),
    ],
)
def test_times_that_make_no_rows(result: Result, arguments: dict[str, object], sentence: str) -> None:
    """Each is refused in a sentence."""
    assert refusal(lambda: result.resample(**arguments)) == sentence  # type: ignore[arg-type]  # what is tested


def test_a_result_without_rows() -> None:
    """There is nothing to take values from."""
    empty = Result(
        Record("none", COLUMNS, np.zeros((0, 4)), Statistics(*[0] * 9, 0.0, 0.0, 0.0)), Outcome(Ending.INTERRUPTED, "stopped", 0.0)
    )
    assert refusal(empty.resample, ResultError) == "there is nothing to resample: the result has no row; stopped"
    assert refusal(lambda: empty.at([0.0])) == "t = 0 s is refused: the result holds no time at all; stopped"
    assert len(empty.to_dataframe(unique=True)) == 0


def bouncing() -> System:
    """A ball that hits the ground, with two rows at each impact."""
    system = System("ball")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("ball", "mechanical1d.Mass", {"s": 1.0, "m": 2.0})
    system.add("weight", "mechanical1d.Force")
    system.add("floor", "mechanical1d.EndStop", {"high": 5.0, "e": 0.5})
    for a, b in (("ball.flange", "weight.flange"), ("ground.flange", "floor.M"), ("ball.flange", "floor.N")):
        system.connect(a, b)
    system.drive("weight.force", -20.0)
    return system


def test_slopes_of_a_resampled_run_are_finite(tmp_path: Path) -> None:
    """Two rows at each impact make np.gradient divide by zero; with one row it gives the speed between impacts."""
    result = bouncing().simulate(1.0)
    with np.errstate(all="ignore"):
        assert not np.isfinite(np.gradient(result["ball.s"], result.time)).all()
    regular = result.resample(interval=1e-3)
    slope = np.gradient(regular["ball.s"], regular.time)
    assert np.isfinite(slope).all()
    free = regular.time < 0.44
    assert slope[free][1:-1] == pytest.approx(-10 * regular.time[free][1:-1], abs=2e-2)
    assert regular["ball.s"][200] == pytest.approx(1 - 10 * 0.2**2 / 2, abs=1e-5)
    regular.save(tmp_path / "regular.jrd")
    again = Result.load(tmp_path / "regular.jrd")
    assert (again.time == regular.time).all() and (again.values == regular.values).all() and again.units == regular.units


def test_a_resampled_run_is_drawn_differentiated_and_compared(tmp_path: Path) -> None:
    """Sensitivities and poses have the same rows."""
    result = pendulum().simulate(0.5, sensitivities=["rod.m", "rod.I"], rtol=1e-9)
    found = result.resample(np.linspace(0.0, 0.5, 26))
    derivative = found.sensitivity("rod.theta", "rod.I")
    assert derivative.shape == (26,) and derivative[-1] == result.sensitivity("rod.theta", "rod.I")[-1] != 0
    once = result.resample()
    assert once.picture(0.3, tmp_path / "a.svg").read_bytes() == result.picture(0.3, tmp_path / "b.svg").read_bytes()
    assert found.violation["position"].max() <= result.violation["position"].max()
    assert max(each.greatest for each in result.compare(found).values()) == 0
