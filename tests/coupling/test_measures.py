"""Numbers of a run, against what they are of known courses."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from coupling import Ending, Outcome, Result
from coupling.measures import energy_drift, final, maximum, minimum, peak, rms, value_at
from coupling.record import Column, Record
from coupling.rows_file import NO_STATISTICS
from tests.support.systems.systems import pendulum, refusal


def result_of(time: list[float], *courses: list[float]) -> Result:
    names = ("a.x", "a.energy.kinetic", "a.energy.potential")
    columns = tuple(Column(name, name[2:], "") for name in names[: len(courses)])
    return Result(Record("s", columns, np.column_stack([time, *courses]), NO_STATISTICS), Outcome(Ending.COMPLETED, ""))


@pytest.mark.parametrize(
    ("measure", "name", "value"),
    [
        (final("a.x"), "final(a.x)", 1.0),
        (peak("a.x"), "peak(a.x)", 3.0),
        (minimum("a.x"), "minimum(a.x)", -3.0),
        (maximum("a.x"), "maximum(a.x)", 2.0),
        (value_at("a.x", 0.5), "value_at(a.x, 0.5)", 1.0),
        (value_at("a.x", 1.0), "value_at(a.x, 1.0)", -3.0),
        (value_at("a.x", 1.0, "before"), "value_at(a.x, 1.0, before)", 2.0),
        (rms("a.x"), "rms(a.x)", math.sqrt((4 / 3 + (9 - 3 + 1) / 3) / 2)),
        (energy_drift(), "energy_drift()", 0.5),
    ],
    ids=str,
)
def test_measures(measure, name, value) -> None:
    """The signal rises from 0 to 2 in the first second, then jumps to -3 and rises to 1. The energy is 2.5 at first and then 3 and 2. All
    measures can be pickled."""
    result = result_of([0.0, 1.0, 1.0, 2.0], [0.0, 2.0, -3.0, 1.0], [1.0, 2.0, 2.0, 1.0], [1.5, 1.0, 1.0, 1.0])
    assert str(measure) == name and measure(result) == pytest.approx(value, abs=1e-15)
    assert pickle.loads(pickle.dumps(measure))(result) == measure(result)


def test_the_mean_square_does_not_depend_on_where_rows_are() -> None:
    """The mean square of a constant is its square for any duration, and that of one row the square of its value."""
    assert rms("a.x")(result_of([0.0, 0.1, 5.0], [2.0, 2.0, 2.0])) == pytest.approx(2.0)
    assert rms("a.x")(result_of([3.0], [-2.0])) == 2.0
    t = np.linspace(0, 2 * np.pi, 2001)
    assert rms("a.x")(result_of(list(t), list(np.sin(t)))) == pytest.approx(math.sqrt(0.5), abs=1e-6)


def test_a_name_that_was_not_recorded_has_its_sentence() -> None:
    result = pendulum().simulate(0.0)
    for measure in (final, peak, rms):
        assert refusal(lambda measure=measure: measure("rod.thta")(result), KeyError).startswith(
            "'rod.thta' was not recorded; did you mean"
        )
    assert "was not recorded" in refusal(lambda: value_at("rod.thta", 0.0)(result), KeyError)
    assert refusal(lambda: value_at("rod.x", 1.0)(result)).startswith("t = 1 s is refused: the result holds from 0 to 0 s")
