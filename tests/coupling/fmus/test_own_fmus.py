"""Our own FMUs as they describe themselves, against the exporter's table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from coupling.fmus import Fmu, Structure, Unit, Unknown, level_of, load
from coupling.fmus.constraints import LEVELS
from coupling.fmus.ports import gives, needs_partner, takes
from fmu_components.catalogue import find
from fmu_components.declare import units
from fmu_components.declare.component import Component, component_name
from fmu_components.declare.declaration import TIME_NAMES, Role, Variable
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import Side
from fmu_components.export import structure as exporter
from fmu_components.export.build import cached_fmu
from tests.support.export.tables import table_of
from tests.support.properties import check_all
from tests.support.timings import turn

Build = Callable[[type[Component], int], Path]


@pytest.fixture
def read(component: type[Component], fmi: int, fmu: Build) -> Fmu:
    return load(fmu(component, fmi))


@pytest.fixture
def fmi(component: type[Component]) -> int:
    """Each component is read in one version."""
    return turn(component_name(component))


def name_of(declared: Variable, fmi: int) -> str:
    """Returns the name in a version: in FMI 2 the independent variable has another one."""
    return TIME_NAMES[fmi] if declared.role is Role.TIME else declared.name


def check_variables(read: Fmu, component: type[Component], fmi: int) -> None:
    """Every variable as it is declared, by name, in the order of the references."""
    table = table_of(component)
    scalars = [each for _, each in table.scalars()]
    arrays = {each.name for v in table.variables if v.shape for each in v.scalars}
    assert list(read.variables) == [name_of(v, fmi) for v in scalars]
    for declared, variable in zip(scalars, read.variables.values(), strict=True):
        assert read.by_reference[variable.reference] is variable
        assert declared.name in arrays or variable.reference == table.reference(declared)
        assert variable.type == declared.type
        assert variable.unit == (declared.unit if declared.unit not in ("", units.MIXED) else None)
        assert variable.start == declared.start
        least, greatest = declared.holds
        assert variable.minimum == (declared.range.minimum if least is None else least)
        assert variable.maximum == (declared.range.maximum if greatest is None else greatest)
        assert variable.nominal == declared.nominal
        assert variable.derivative == (declared.partner if declared.role is Role.DERIVATIVE else None)
        assert variable.dimensions == ()


def check_natures(read: Fmu, component: type[Component], fmi: int) -> None:
    """Causality, variability and initial have values wherever the version gives them one."""
    inputs = {v.name for v in table_of(component).with_role(Role.INPUT, Role.DISCRETE_INPUT)}
    if fmi == 2:
        inputs |= {v.name for v in table_of(component).with_role(Role.ALGEBRAIC)}
    assert {v.name for v in read.variables.values() if v.causality == "input"} == inputs
    for variable in read.variables.values():
        assert variable.variability != "continuous" or variable.type == "real"
        assert (variable.initial is None) == (variable.causality == "independent" or (fmi == 2 and variable.causality == "input"))


def check_structure(read: Fmu, component: type[Component], fmi: int) -> None:
    """The lists of unknowns are those that the exporter wrote; of the indicators, FMI 2 gives the number alone."""
    table, places = table_of(component), places_of(read, component, fmi)
    written = exporter.ModelStructure(table, fmi)
    assert read.structure.outputs == listed(written.outputs, places)
    assert read.structure.derivatives == listed(written.derivatives, places)
    indicators = listed(written.indicators, places)
    assert read.structure.indicators == (indicators if fmi == 3 else (Unknown(-1, None),) * len(indicators))
    assert read.structure.residuals == ()
    assert [(each,) for each in read.states] == [places[each] for each in table.references(Role.STATE)]
    assert [(read.time,)] == [places[each] for each in table.references(Role.TIME)]
    for unknown in (*read.structure.outputs, *read.structure.derivatives):
        assert unknown.dependencies is not None
        assert unknown.name == read.by_reference[unknown.reference].name
        assert unknown.knowns == tuple(read.by_reference[reference].name for reference, _ in unknown.dependencies)


def places_of(read: Fmu, component: type[Component], fmi: int) -> dict[int, tuple[int, ...]]:
    """Returns the master's references of each variable by that in the FMU; it has some of its own for the elements of an array of FMI 3."""
    table = table_of(component)
    listed = table.numbered() if fmi == 3 else table.scalars()
    return {number: tuple(read.variables[name_of(each, fmi)].reference for each in v.scalars) for number, v in listed}


def listed(unknowns: list[exporter.ListedUnknown], places: Mapping[int, tuple[int, ...]]) -> tuple[Unknown, ...]:
    """Returns the unknowns as the master has them."""
    return tuple(
        Unknown(places[u.reference][0], tuple((place, d.kind) for d in u.dependencies or () for place in places[d.known])) for u in unknowns
    )


def check_terminals(read: Fmu, component: type[Component]) -> None:
    """A port is a terminal whose members are the port's variables."""
    ports = {port.name: port for port in table_of(component).declared.ports}
    assert read.terminals.keys() == ports.keys()
    assert not read.notes
    for name, terminal in read.terminals.items():
        assert terminal.kind == f"org.jourdain.{ports[name].kind.identifier}"
        assert terminal.members == {member: f"{name}.{member}" for member in terminal.members}
        assert terminal.members.keys() == {quantity.name for side in Side for quantity in ports[name].kind.given_by(side)}


def check_ports(read: Fmu, component: type[Component]) -> None:
    """The kind of a port has efforts that add up, the port is either side of its kind, and the side of efforts needs a partner."""
    for port in table_of(component).declared.ports:
        terminal = read.terminals[port.name]
        given, taken = gives(read, terminal), takes(read, terminal)
        assert terminal.added == {quantity.name for quantity in port.kind.effort}
        assert terminal.power == tuple((effort.name, rate.name) for effort, rate in port.kind.power)
        assert set(given) == {quantity.name for quantity in port.kind.given_by(port.side)}
        assert set(taken) == {quantity.name for quantity in port.kind.given_by(port.side.opposite)}
        assert set(given if port.side is Side.EFFORT else taken) == terminal.added
        assert needs_partner(read, terminal) == (port.side is Side.EFFORT)


def check_units(read: Fmu) -> None:
    """Every unit that is used is defined in base units."""
    assert read.units.keys() == {v.unit for v in read.variables.values() if v.unit is not None}
    for name, unit in read.units.items():
        assert unit == Unit(name, units.exponents(name))


def check_what_all_components_can_do(read: Fmu, component: type[Component], fmi: int) -> None:
    """Both versions have one set of properties."""
    me, cs = read.interface("me"), read.interface("cs")
    for interface in (me, cs):
        assert interface.identifier == component.__module__.split(".")[1] + "_" + component.__name__
        assert interface.directional_derivatives and interface.save_state and interface.serialize_state
        assert interface.adjoint_derivatives == (fmi == 3)
        assert not interface.needs_tool and not interface.once_per_process
    assert me.needs_completed_step == bool(table_of(component).with_role(Role.RELATION))
    assert not cs.needs_completed_step
    assert cs.variable_step and cs.attributes["maxOutputDerivativeOrder"] == "1"
    assert cs.interpolates_inputs == (fmi == 2)
    assert cs.event_mode == cs.intermediate_update == cs.early_return == (fmi == 3)
    assert (read.version, read.model_name, read.token) == (fmi, table_of(component).declared.name, table_of(component).token)
    assert read.generation_tool.startswith("Jourdain ")
    assert (read.default_stop_time, read.tolerance) == (table_of(component).declared.stop_time, 1e-6)


def check_the_ideal_mode(read: Fmu, component: type[Component], fmi: int) -> None:
    """The DAE mode that is read equals the exporter's table of the ideal mode; bodies have none."""
    table, dae = table_of(component), read.dae
    if table.switch is None:
        assert dae is None
        return
    assert dae is not None
    ideal = exporter.ModelStructure(table, fmi, ideal=True)
    places = places_of(read, component, fmi)
    assert (dae.switch,) == places[table.reference("ideal")]
    assert [(each,) for each in dae.algebraic] == [places[each] for each in table.references(Role.ALGEBRAIC)]
    lists = (ideal.outputs, ideal.derivatives, ideal.indicators, ideal.residuals)
    assert dae.structure == Structure(*(listed(each, places) for each in lists))


def check_the_levels_of_every_constraint(read: Fmu, component: type[Component]) -> None:
    """Each multiplier of a joint has its residual and what that is made of; a constraint of velocities has no position."""
    names = {name: variable.reference for name, variable in read.variables.items()}
    for k, constraint in enumerate(read.dae.constraints if read.dae and issubclass(component, Joint) else (), 1):
        assert (constraint.multiplier, constraint.residual) == (names[f"lambda[{k}]"], names[f"residual[{k}]"])
        assert [constraint.at(level) for level in LEVELS] == [names.get(f"{level}[{k}]") for level in LEVELS]
        assert constraint.velocity is not None and constraint.acceleration is not None
    given = {level_of(name) for name in names} - {None}
    assert given <= set(LEVELS) and (not given or read.dae is not None)


def test_the_other_backend() -> None:
    """PythonFMU writes its own model description of the same component, and calls the FMU a link to Python."""
    component = find("planar.Revolute")
    fmu = load(cached_fmu(component, 2, "python"))
    native = load(cached_fmu(component, 2))
    shared = {v.name: v.start for v in fmu.variables.values() if v.causality in ("parameter", "input")}
    assert shared and shared == {name: native.variables[name].start for name in shared}
    assert {u.name for u in fmu.structure.outputs} == {v.name for v in fmu.variables.values() if v.causality == "output"}
    assert fmu.model_exchange is None and fmu.interface("cs").needs_tool and "PythonFMU" in fmu.notes[0]
    assert fmu.library("cs").is_file()


def test_every_component_is_read_as_it_is_declared(read: Fmu, component: type[Component], fmi: int) -> None:
    """The checks above, of what is read once."""
    check_all(
        check_variables,
        check_natures,
        check_structure,
        check_terminals,
        check_ports,
        check_units,
        check_what_all_components_can_do,
        check_the_ideal_mode,
        check_the_levels_of_every_constraint,
        read=read,
        component=component,
        fmi=fmi,
    )
