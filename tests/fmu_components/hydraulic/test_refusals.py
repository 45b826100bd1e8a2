"""Refusals of invalid values, by the name of the variable and its value."""

from __future__ import annotations

import pytest

from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Role
from fmu_components.export.build import cached_fmu
from tests.support.runtime.driver import ERROR, Driver, status_of

NAMES = [name for name in all_components() if name.startswith("hydraulic.")]
STATES = [
    ("Volume", {"p": -1.0}, "the absolute pressure p is greater than 0; the value that must be positive is -1, from p = -1 Pa"),
    ("Hose", {"p": 0.0}, "the absolute pressure p is greater than 0; the value that must be positive is 0, from p = 0 Pa"),
    (
        "Accumulator",
        {"p": -2e5},
        "the absolute pressure p is greater than 0; the value that must be positive is -200000, from p = -200000 Pa",
    ),
    ("Cylinder", {"p1": -3.0}, "the absolute pressure p1 is greater than 0; the value that must be positive is -3, from p1 = -3 Pa"),
    ("Cylinder", {"p2": -4.0}, "the absolute pressure p2 is greater than 0; the value that must be positive is -4, from p2 = -4 Pa"),
    (
        "Cylinder",
        {"flange.s": 0.3, "offset": 0.5},
        "the piston lies inside the stroke: flange.s is greater than offset; the value that must be positive is -0.2, "
        "from offset = 0.5 m, flange.s = 0.3 m",
    ),
    (
        "Cylinder",
        {"flange.s": 0.7},
        "the piston lies inside the stroke: flange.s is less than offset + stroke; the value that must be positive is -0.3, "
        "from stroke = 0.4 m, offset = 0 m, flange.s = 0.7 m",
    ),
    (
        "Cylinder",
        {"rod": 0.1},
        "the rod is thinner than the piston; the value that must be positive is -0.02, from piston = 0.08 m, rod = 0.1 m",
    ),
    ("ProportionalValve43", {"spool": 1.5}, "the spool lies between -1 and 1; the value that must be positive is -0.5, from spool = 1.5"),
]


@pytest.mark.parametrize(("component", "start", "sentence"), STATES)
def test_senseless_starts_are_refused(component, start, sentence, fmi):
    """The refusal comes at the end of initialisation, with the condition and all values that it depends on; a valid start is accepted."""
    with Driver(cached_fmu(find(f"hydraulic.{component}"), fmi), "cs", "unit") as driver:
        driver.enter()
        driver.set(start)
        assert status_of(driver.fmu.exitInitializationMode) == ERROR
        assert driver.log == [f"unit: it is required that {sentence}"]
        driver.set({name: float(driver.variables[name].start) for name in start})
        assert status_of(driver.fmu.exitInitializationMode) == 0


@pytest.mark.parametrize("name", NAMES)
def test_sizes_that_must_be_positive_are_refused_at_zero(name, fmi):
    """Areas, volumes, lengths, densities, moduli, rated flows: every parameter whose range excludes 0, by name, value and unit."""
    for variable in declaration(find(name)).with_role(Role.PARAMETER):
        if not (variable.range.minimum == 0 and variable.range.open_below):
            continue
        with Driver(cached_fmu(find(name), fmi), "me", "unit") as driver:
            assert status_of(driver.set, {variable.name: 0.0}) == ERROR
            unit = f" {variable.unit}" if variable.unit else ""
            assert driver.log == [f"unit: {variable.name} = 0{unit} is refused: it must be greater than 0"]


@pytest.mark.parametrize(
    ("component", "sizes"),
    [
        ("Accumulator", {"precharge", "volume", "dead", "bulk"}),
        ("CheckValve", {"nominal.flow", "nominal.drop", "laminar"}),
        ("Cylinder", {"piston", "stroke", "hose1.volume", "hose2.volume", "bulk.oil", "bulk.wall", "bulk.hose"}),
        ("Hose", {"length", "diameter", "bulk", "density"}),
        ("Motor", {"displacement"}),
        ("Orifice", {"area", "discharge", "density", "laminar"}),
        ("ProportionalValve43", {"nominal.flow", "nominal.drop", "laminar", "bandwidth"}),
        ("Pump", {"displacement"}),
        ("ReliefValve", {"band", "nominal.flow", "nominal.drop", "laminar"}),
        ("Tank", {"pressure"}),
        ("Volume", {"volume", "bulk"}),
    ],
)
def test_the_sizes_that_must_be_positive(component, sizes):
    """These are among the parameters that the test above looks at."""
    found = {
        v.name for v in declaration(find(f"hydraulic.{component}")).with_role(Role.PARAMETER) if v.range.open_below and v.range.minimum == 0
    }
    assert sizes <= found
