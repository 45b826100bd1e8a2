"""Objects as data: written objects come back to the bit, and objects that cannot be written have a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

from coupling import BuildError, Scheme
from coupling.plan.as_data import AbsentFunction, as_data, from_data
from coupling.plan.drives import FunctionDrive, TableDrive


@pytest.mark.parametrize(
    "array",
    [np.array([[0.1, -0.0, 1e-310], [np.pi, np.inf, 2.0]]), np.arange(3, dtype=np.int32), np.zeros((0, 2))],
    ids=["real", "int", "empty"],
)
def test_arrays_come_back_to_the_bit(array: np.ndarray) -> None:
    """Their kind and shape come back too, through JSON; the arrays can be changed."""
    found = from_data(json.loads(json.dumps(as_data({"x": array}))))["x"]
    assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert found.flags.writeable


def test_values_come_back_as_they_were() -> None:
    """Sequences as tuples, names that are no texts, options and tables."""
    table = TableDrive(np.array([0.0, 1.0]), np.array([2.0, 3.0]))
    given = {(1, "x"): [np.float64(0.1), None, True], "scheme": Scheme("implicit", tolerance=1e-3), "table": table}
    found = from_data(json.loads(json.dumps(as_data(given))))
    assert found[1, "x"] == (0.1, None, True) and type(found[1, "x"][0]) is float
    assert found["scheme"] == given["scheme"]
    assert [each.tolist() for each in (found["table"].times, found["table"].values)] == [[0.0, 1.0], [2.0, 3.0]]


def test_functions_of_time_leave_what_can_be_said_of_them() -> None:
    found = from_data(as_data(FunctionDrive(abs, name="wave.u", breaks=(0.5, 1.0))))
    assert found == AbsentFunction("wave.u", (0.5, 1.0), 0)


def test_other_objects_have_a_sentence() -> None:
    with pytest.raises(BuildError, match="cannot be written down"):
        as_data(object())
