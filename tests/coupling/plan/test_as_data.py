"""Objects as data: written objects come back to the bit, and objects that cannot be written have a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

from coupling import BuildError, Scheme
from coupling.plan import formulas
from coupling.plan.as_data import AbsentFunction, as_data, from_data
from coupling.plan.definition import Definition
from coupling.plan.drives import (
    ConstantDrive,
    Drive,
    FormulaDrive,
    FunctionDrive,
    PiecesDrive,
    PolynomialDrive,
    SplineDrive,
    TableDrive,
    TextDrive,
)


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


def read_again(drive: object, **changed: object) -> object:
    """Returns the drive of an input from a definition in JSON, in which entries of the drive are others."""
    said = as_data(Definition(name="it", drives=(("a.u", drive),)))  # type: ignore[arg-type]  # a file may hold anything
    said["drives"][0][1] |= changed
    return from_data(json.loads(json.dumps(said))).drives[0][1]


_TIMES, _VALUES = np.array([0.0, 0.5, 1.0]), np.array([2.0, -0.0, 1e-310])


@pytest.mark.parametrize(
    "drive",
    [
        *(ConstantDrive(3.5), ConstantDrive(2**62), ConstantDrive("open"), PolynomialDrive(0.25)),
        *(TableDrive(_TIMES, _VALUES), SplineDrive(_TIMES, _VALUES, "free"), TextDrive((0.0, 1.0), ("a", "b"))),
        FormulaDrive(("piecewise", ("add", formulas.TIME, 0.1, -2.0), ("less", formulas.TIME, 0.5), 3.0, 1.0), (0.5,)),
    ],
    ids=lambda drive: f"{type(drive).__name__}-{str(drive)[:24]}",
)
def test_drives_come_back(drive: Drive) -> None:
    assert read_again(drive) == drive


def test_formulas_of_hundreds_of_levels_come_back() -> None:
    """JSON is read to a depth of 64; a formula in it has a depth of two."""
    tree: formulas.Tree = formulas.TIME
    for level in range(150):
        tree = ("sin", ("add", tree, float(level)))
    assert read_again(FormulaDrive(tree)) == FormulaDrive(tree)


_NO_TABLE = "the drive of 'a.u' is damaged: it has not one value for each time; give the input another drive"
_NO_FORMULA = "the formula that drives 'a.u' has "


@pytest.mark.parametrize(
    ("drive", "changed", "sentence"),
    [
        (TableDrive(_TIMES, _VALUES), {"values": as_data(_VALUES[:1])}, _NO_TABLE),
        (TableDrive(_TIMES, _VALUES), {"times": as_data(_TIMES[None]), "values": as_data(_VALUES[None])}, _NO_TABLE),
        (TableDrive(_TIMES, _VALUES), {"values": as_data(1j * _VALUES)}, _NO_TABLE),
        (TableDrive(_TIMES[:0], _VALUES[:0]), {}, _NO_TABLE),
        (TableDrive(_TIMES[::-1], _VALUES), {}, "the times of the table of 'a.u' go back from 1 to 0.5 s; sort its rows by time"),
        (TableDrive(_TIMES, np.nan * _VALUES), {}, "the table of 'a.u' holds nan in row 1; all its numbers must be finite"),
        (SplineDrive(_TIMES, _VALUES[:2]), {}, _NO_TABLE),
        (SplineDrive(_TIMES[:1], _VALUES[:1]), {}, "the table of 'a.u' has one row, through which there is no curve; give a number"),
        (SplineDrive(_TIMES, _VALUES, "wild"), {}, "the curve of 'a.u' is 'wild'; the kinds are monotone, spline, free"),
        (TextDrive((0.0, 1.0), ("a",)), {}, _NO_TABLE),
        (ConstantDrive(np.inf), {}, "'a.u' cannot be driven by inf; give a finite number"),
        (PolynomialDrive(np.nan), {}, "'a.u' cannot be driven by nan; give a finite number"),
        (
            FormulaDrive(formulas.TIME),
            {"tree": ["time", ["power", 1]]},
            f"{_NO_FORMULA}'power' with 1 operands, which is not how many it has",
        ),
        (FormulaDrive(formulas.TIME), {"tree": ["time", ["sin", 2]]}, f"{_NO_FORMULA}('sin', 2) after 1 operands; start the run again"),
        (FormulaDrive(formulas.TIME), {"tree": [1.0, 2.0]}, f"{_NO_FORMULA}2 values in place of one; start the run again"),
        (FormulaDrive(formulas.TIME), {"tree": None}, f"{_NO_FORMULA}0 values in place of one; start the run again"),
        (FormulaDrive(formulas.TIME), {"tree": ["time", ["system", 1]]}, f"{_NO_FORMULA}('system', 'time'); the operations are 'add'"),
        *(
            (
                FormulaDrive(formulas.TIME),
                {"tree": tree},
                "'a.u' cannot be driven by a formula so deeply nested; give a table with smooth=True",
            )
            for tree in ([1.0] * 20_000 + [["piecewise", 20_000]], [1.0] + [["sin", 1]] * 100_000)
        ),
        (FormulaDrive(formulas.TIME), {"breaks": [np.nan]}, "breaks = (nan,) of 'a.u' is refused: give a list of times in seconds"),
        (AbsentFunction("a.u", (np.nan,), 0), {}, "breaks = (nan,) of 'a.u' is refused: give a list of times in seconds"),
    ],
)
def test_drives_that_nobody_can_give_are_refused(drive: object, changed: dict, sentence: str) -> None:
    """A table with fewer values, or a formula with too many on the stack, would reach beyond the kernel's memory."""
    with pytest.raises(BuildError) as caught:
        read_again(drive, **changed)
    assert str(caught.value).startswith(sentence)


def test_pieces_of_curves_are_made_by_building_alone() -> None:
    with pytest.raises(BuildError, match="cannot be written down"):
        as_data(PiecesDrive(_TIMES, np.zeros((2, 2)), (0.0, 0.0)))
