"""The word ``table``: array parameters, functions of them, and the tables that users give instead."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy

from fmu_components.declare.component import Component, declaration
from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.tabled.data import MOST
from fmu_components.declare.tables import Curve, Surface
from fmu_components.export.build import table_of


class Tables(Component):
    """A curve and a surface."""

    def declare(self):
        s = self.input("s", 0.25, "m", "deflection", order=0)
        force = self.table("force", ((-1, 1), (-100, 100)), ("m", "N"), "force by deflection")
        self.output("f", force(s), "N", "force")
        area = self.table("area", ((0, 1), (0, 2), ((0, 0), (1, 2))), ("m", "m", "m2"), "area by stroke and height", kind="cubic")
        self.output("a", area(s, s), "m2", "area")


def test_a_table_is_two_arrays_and_a_function():
    declared = declaration(Tables)
    x, y, z = (declared[f"area.{axis}"] for axis in "xyz")
    assert [(v.shape, v.start) for v in (x, y, z)] == [((2,), (0.0, 1.0)), ((2,), (0.0, 2.0)), ((2, 2), (0.0, 0.0, 1.0, 2.0))]
    assert [each.name for each in z.scalars] == ["area.z[1,1]", "area.z[1,2]", "area.z[2,1]", "area.z[2,2]"]
    s = declared["s"].symbol
    assert declared["a"].equation == Surface(0, 0, 1, s, s, x.symbol, y.symbol, z.symbol)
    assert declared["f"].equation.diff(s) == Curve(1, 0, s, declared["force.x"].symbol, declared["force.y"].symbol)
    assert declared["f"].equation.diff(s, s) == 0 == declared["f"].equation.diff(declared["force.y"].symbol)
    assert declared["a"].equation.diff(*[s] * 3) != 0


def test_references_count_the_elements():
    table = table_of(Tables)
    assert [table.reference(name) for name in ("force.x", "force.y", "area.x", "s")] == [1, 3, 5, 13]
    assert table.reference("time") == table.count == 16
    assert table.variable(13).name == "s"


FILES = {
    "comma.csv": "deflection,force\n-1,-10\n0.5,0\n2,40\n",
    "blank.txt": "-1 -10\n\n0.5  0\n2\t40",
    "semicolon.csv": "Weg;Kraft\n-1;-10\n0,5;0\n2;40\n",
    "tab.txt": "Weg 1 [m]\tKraft\n-1\t-10\n0,5\t0\n2\t40\n",
    "units.csv": "Fahrzeug 7, vorne, links\nWeg;Kraft\n[m];[N]\n-1;-10\n0,5;0\n2;40\n",
    "marks.csv": '"deflection","force"\n"\u22121","-10"\n"0.5","0"\n"2","40"\n',
}


@pytest.mark.parametrize("name", FILES)
def test_a_curve_is_read_from_a_file(tmp_path, name):
    """Commas, blanks or semicolons, with or without heads."""
    (tmp_path / name).write_text(FILES[name])
    declared = declaration(Tables.with_tables(force=tmp_path / name))
    assert (declared["force.x"].start, declared["force.y"].start) == ((-1, 0.5, 2), (-10, 0, 40))
    assert declared.name == "Tables" and declaration(Tables)["force.x"].size == 2


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_spreadsheets_write_files_in_several_encodings(tmp_path, encoding):
    (tmp_path / "a.csv").write_text("Länge;Kraft\n-1;-10\n0,5;0\n2;40\n", encoding)
    declared = declaration(Tables.with_tables(force=tmp_path / "a.csv"))
    assert (declared["force.x"].start, declared["force.y"].start) == ((-1, 0.5, 2), (-10, 0, 40))


def test_a_periodic_table_may_end_a_rounding_error_off():
    turn = np.linspace(0, 2 * np.pi, 9)
    declared = declaration(Tables.with_tables(force={"points": [turn, np.sin(turn)], "kind": "periodic cubic"}))
    assert np.sin(turn)[-1] != 0 == declared["force.y"].start[-1]


@pytest.mark.parametrize("corner", ["", "mm", "0"])
def test_a_surface_is_read_from_a_file(tmp_path, corner):
    (tmp_path / "a.csv").write_text(f"{corner},0,1,2\n0,1,2,3\n5,4,5,6\n")
    declared = declaration(Tables.with_tables(area=str(tmp_path / "a.csv")))
    assert [declared[f"area.{axis}"].start for axis in "xyz"] == [(0, 5), (0, 1, 2), (1, 2, 3, 4, 5, 6)]


@pytest.mark.parametrize(
    "given",
    [
        [[-1, 0.5, 2], [-10, 0, 40]],
        np.array([[-1, -10], [0.5, 0], [2, 40]]),
        (np.array([-1, 0.5, 2]), [-10, 0, 40]),
        {"points": [[-1, 0.5, 2], [-10, 0, 40]], "kind": "cubic", "beyond": "warned"},
    ],
)
def test_a_curve_is_given_by_numbers(given):
    declared = declaration(Tables.with_tables(force=given))
    assert (declared["force.x"].start, declared["force.y"].start) == ((-1, 0.5, 2), (-10, 0, 40))
    warned = isinstance(given, dict)
    assert declared["f"].equation.args[1] == int(warned)
    assert ("force.excess[1]" in declared.by_name) == warned
    assert not warned or (declared["force.excess[1]"].holds, declared["force.excess[1]"].nominal) == ((None, 0), 3)


def test_a_surface_is_given_by_numbers():
    grid = np.array([[np.nan, 0, 1, 2], [0, 1, 2, 3], [5, 4, 5, 6]])
    for given in ([[0, 5], [0, 1, 2], [[1, 2, 3], [4, 5, 6]]], grid):
        declared = declaration(Tables.with_tables(area=given))
        assert [declared[f"area.{axis}"].start for axis in "xyz"] == [(0, 5), (0, 1, 2), (1, 2, 3, 4, 5, 6)]


def test_the_same_numbers_give_the_same_class():
    first, second = (Tables.with_tables(force=[[0, 1], [0, each]]) for each in (1, 2))
    assert first is Tables.with_tables(force=[[0, 1], [0, 1]])
    assert table_of(first).token != table_of(second).token


WRONG = [
    ("1 2\n3 x4\n", "contains 'x4' in line 2, which is no number; write numbers such as 0.25 or 1e-3"),
    ("1.000,5;2\n3;4\n5;6\n", "contains '1.000.5' in line 1, which is no number"),
    ("0x1;0x2\n3;4\n5;6\n", "contains '0x1' in line 1, which is no number"),
    ("x;2\n3;4\n5;6\n", "contains 'x' in line 1, which is no number"),
    ("1;2;\n3;4;\n", "has 3 numbers in line 1 where 2 belong"),
    ("1_0;2\n30;4\n", "contains '1_0' in line 1, which is no number"),
    ("1 2\n3 4 5\n", "has 3 numbers in line 2 where 2 belong"),
    ("1 2\n", "has 1 value of x; give at least 2"),
    ("", "has 0 values of x; give at least 2"),
    ("0 2\n3 4\n\n3 5\n", "does not increase: x[3] = 3 in line 4 follows 3; sort it, and remove repetitions"),
    ("nan nan\n0 2\n3 4\n", "contains nan; give finite numbers only"),
    ("0 2\n3 inf\n", "contains inf; give finite numbers only"),
    ([[0, 1, 2], [0, 1]], "has 3 numbers where 2 belong"),
    ([0, 1, 2], "has 1 number where 2 belong"),
    ([[0, 1], ["a", 1]], "contains 'a', which is no number"),
    (5, "is given as '5'; give the path of a file, or lists of numbers"),
    ([range(MOST), range(MOST)], f"has {2 * MOST} numbers; give at most {MOST}"),
    ({"points": [[0, 1], [0, 1]], "kind": "spline"}, "has kind = 'spline'; give 'linear' or 'cubic'"),
    (
        {"points": [[0, 1], [2, 1]], "kind": "periodic linear"},
        "is periodic, but begins with 2 and ends with 1; repeat the first value at the end",
    ),
    ({"points": [[0, 1], [0, 1]], "beyond": "stop"}, "has beyond = 'stop'; give 'held' or 'warned'"),
    ({"numbers": [[0, 1], [0, 1]]}, "is given with 'numbers'; give 'points'"),
]


@pytest.mark.parametrize(("given", "sentence"), WRONG)
def test_what_is_no_curve_is_refused(tmp_path, given, sentence):
    if isinstance(given, str):
        (tmp_path / "wrong.csv").write_text(given)
        given = tmp_path / "wrong.csv"
    with pytest.raises(DeclarationError, match=rf"^the table 'force' of Tables {re.escape(sentence)}"):
        Tables.with_tables(force=given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([[0, 1], [0, 1], [[0, 1]]], "has 2 values of x and 1 rows of z"),
        ([[0, 1], [0, 1], [[0, 1], [0, 1, 2]]], "has 3 numbers where 2 belong"),
        ([[0, 1], [1, 0], [[0, 1], [0, 1]]], "does not increase: y[2] = 0 follows 1"),
        ([0, 1], "is no grid"),
    ],
)
def test_what_is_no_surface_is_refused(given, sentence):
    with pytest.raises(DeclarationError, match=re.escape(sentence)):
        Tables.with_tables(area=given)


def test_files_and_names_that_do_not_exist_are_refused(tmp_path):
    with pytest.raises(DeclarationError, match=r"'force' of Tables: the file '.*none.csv' cannot be read: No such file or directory"):
        Tables.with_tables(force=tmp_path / "none.csv")
    (tmp_path / "book.xlsx").write_bytes(b"PK\x03\x04\xff\x00")
    with pytest.raises(DeclarationError, match=r"cannot be read: it is no text; give a text file of numbers in columns"):
        Tables.with_tables(force=tmp_path / "book.xlsx")
    with pytest.raises(DeclarationError, match=r"Tables has no table 'strength'; its tables are force, area"):
        Tables.with_tables(strength=[[0, 1], [0, 1]])


def test_units_are_checked():
    class Wrong(Component):
        """A force that is a length."""

        def declare(self):
            t = self.input("t", 0.0, "s", "time")
            self.output("f", self.table("force", ((0, 1), (0, 1)), ("m", "N"), "force")(t), "N", "force")

    with pytest.raises(DeclarationError, match=r"the terms of .* differ in dimension"):
        declaration(Wrong)


@pytest.mark.parametrize("units", ["mN", ("N",), ("m", "m", "m", "N")])
def test_a_table_has_a_unit_for_each_argument_and_one_for_its_values(units):
    class Odd(Component):
        """A table with too few or too many units."""

        def declare(self):
            self.table("force", ((0, 1), (0, 1)), units, "force by deflection")

    with pytest.raises(
        DeclarationError, match=r"'force' of Odd has the units .*; give those of its one or two arguments and of its values"
    ):
        declaration(Odd)


def test_a_table_takes_as_many_arguments_as_it_has():
    class Wrong(Component):
        """A curve of two arguments."""

        def declare(self):
            self.table("force", ((0, 1), (0, 1)), ("m", "N"), "force")(sympy.Integer(0), sympy.Integer(0))

    with pytest.raises(DeclarationError, match=r"the table 'force' was given 2 arguments; it takes 1"):
        declaration(Wrong)


def test_more_values_than_an_fmu_can_have_are_refused():
    points = (tuple(range(MOST // 2)), tuple(range(MOST // 2)))

    class Large(Component):
        """Four tables of the largest size."""

        def declare(self):
            for name in "abcd":
                self.table(name, points, ("", ""), "a table")

    with pytest.raises(DeclarationError, match=f"Large has {4 * MOST + 1} values, and an FMU at most 65534; give its tables fewer points"):
        declaration(Large)
