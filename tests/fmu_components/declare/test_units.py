"""Units follow from their names."""

import pytest
import sympy

from fmu_components.declare.tables import Curve, Surface
from fmu_components.declare.units import BASE, Dimension, UnitError, dimension, exponents


@pytest.mark.parametrize(
    ("unit", "powers"),
    [
        ("N", {"kg": 1, "m": 1, "s": -2}),
        ("N.m/rad", {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("rad/s2", {"rad": 1, "s": -2}),
        ("1/s", {"s": -1}),
        ("", {}),
        ("kg.m2", {"kg": 1, "m": 2}),
        ("V", {"kg": 1, "m": 2, "s": -3, "A": -1}),
        ("Pa", {"kg": 1, "m": -1, "s": -2}),
    ],
)
def test_exponents_of_base_units(unit, powers):
    """Products, quotients, powers and derived units."""
    assert dict(zip(BASE, exponents(unit), strict=True)) == dict.fromkeys(BASE, 0) | powers


@pytest.mark.parametrize("unit", ["foo", "m/s/s", "m^2"])
def test_what_is_no_unit_is_refused(unit):
    """The sentence names it."""
    with pytest.raises(UnitError, match=rf"the unit '{unit.replace('^', chr(92) + '^')}'"):
        exponents(unit)


def test_dimensions_go_through_expressions():
    """Products, roots and functions; a radius times an angle is a length."""
    r, phi, F = sympy.symbols("r phi F", real=True)
    known = {r: Dimension.of("m"), phi: Dimension.of("rad"), F: Dimension.of("N")}
    assert dimension(r * phi, known) == Dimension.of("m")
    assert dimension(sympy.sqrt(F**2 + (F * sympy.sin(phi)) ** 2), known) == Dimension.of("N")
    assert dimension(F * r, known).unit() == "N.m"
    assert dimension(sympy.atan2(r, 2 * r), known) == Dimension.of("")
    with pytest.raises(UnitError, match="differ in dimension"):
        dimension(F + r, known)


def test_a_table_has_the_dimension_of_its_values():
    """Each order of a derivative divides by the dimension of its nodes, with which the argument has to agree."""
    x, y, X, Y, Z = sympy.symbols("x y X Y Z", real=True)
    known = dict(zip((x, y, X, Y, Z), map(Dimension.of, ("m", "s", "m", "s", "N")), strict=True))
    assert dimension(Curve(0, 0, x, X, Z), known).unit() == "N"
    assert dimension(Curve(0, 1, x, X, Z).diff(x), known).unit() == "N/m"
    assert dimension(Surface(0, 0, 1, x, y, X, Y, Z).diff(x, y), known) == Dimension.of("N/m.s")
    with pytest.raises(UnitError, match="differ in dimension"):
        dimension(Curve(0, 0, y, X, Z), known)
