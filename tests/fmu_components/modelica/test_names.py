"""Names, units, numbers and texts of Modelica."""

from __future__ import annotations

import pytest

from fmu_components.catalogue import all_components
from fmu_components.declare.units import DERIVED, MIXED
from fmu_components.modelica.names import modelica_name, modelica_string, modelica_unit, modelica_value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rotation.k", "rotation_k"),
        ("multiplier[1]", "multiplier_1"),
        ("A[1,2]", "A_1_2"),
        ("flow", "flow_"),
        ("initial", "initial_"),
        ("flow.q", "flow_q"),
        ("max", "max_"),
        ("gx", "gx"),
    ],
)
def test_names_are_identifiers(name: str, expected: str) -> None:
    """A word of Modelica, or the name of a function that equations call, has an underscore at its end."""
    assert modelica_name(name) == expected


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("m3/s.Pa", "m3/(s.Pa)"),
        ("N.m.s/rad", "N.m.s/rad"),
        ("kg.m2/s4.A", "kg.m2/(s4.A)"),
        ("1/s2", "1/s2"),
        ("N.s2/m2", "N.s2/m2"),
        ("", "1"),
        (MIXED, ""),
        *((unit, unit) for unit in DERIVED),
    ],
)
def test_units_have_parentheses_below_the_slash(unit: str, expected: str) -> None:
    assert modelica_unit(unit) == expected


def test_texts_are_escaped() -> None:
    assert modelica_string('a "b" \\ c') == r'"a \"b\" \\ c"'


def test_values() -> None:
    assert [modelica_value(each) for each in (True, False, 1, 2.5e-9, None)] == ["true", "false", "1.0", "2.5e-09", "0.0"]


def test_names_of_libraries_and_components_are_identifiers() -> None:
    assert all(modelica_name(part) == part for name in all_components() for part in name.split("."))
