"""FMUs as they describe themselves: our own against the exporter's table, other tools' by small descriptions written here."""

from __future__ import annotations

import math
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from coupling.fmus import Fmu, FmuError, Interface, Structure, Unit, Unknown, load, same_unit
from fmu_components.catalogue import find
from fmu_components.declare import units
from fmu_components.declare.component import Component
from fmu_components.declare.declaration import Role
from fmu_components.declare.ports import Side
from fmu_components.export import structure as exporter
from fmu_components.export.build import cached_fmu
from tests.support.export.tables import table_of

Build = Callable[[type[Component], int], Path]
Write = Callable[..., Path]


# -- our own -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def read(component: type[Component], fmi: int, fmu: Build) -> Fmu:
    return load(fmu(component, fmi))


def test_variables(read: Fmu, component: type[Component]) -> None:
    """Every variable as it is declared, by name, in the order of the references."""
    table = table_of(component)
    assert list(read.variables) == [v.name for v in table.variables]
    for declared, variable in zip(table.variables, read.variables.values(), strict=True):
        assert read.by_reference[variable.reference] is variable
        assert variable.reference == table.reference(declared)
        assert variable.type == declared.type
        assert variable.unit == (declared.unit if declared.unit not in ("", units.MIXED) else None)
        assert variable.start == declared.start
        assert (variable.minimum, variable.maximum) == (declared.range.minimum, declared.range.maximum)
        assert variable.nominal == declared.nominal
        assert variable.derivative == (declared.partner if declared.role is Role.DERIVATIVE else None)
        assert variable.dimensions == ()


def test_natures(read: Fmu, component: type[Component], fmi: int) -> None:
    """Causality, variability and initial have values wherever the version gives them one."""
    inputs = {v.name for v in table_of(component).with_role(Role.INPUT)}
    if fmi == 2:
        inputs |= {v.name for v in table_of(component).with_role(Role.ALGEBRAIC)}
    assert {v.name for v in read.variables.values() if v.causality == "input"} == inputs
    for variable in read.variables.values():
        assert variable.variability != "continuous" or variable.type == "real"
        assert (variable.initial is None) == (variable.causality == "independent" or (fmi == 2 and variable.causality == "input"))


def test_structure(read: Fmu, component: type[Component], fmi: int) -> None:
    """The lists of unknowns are those that the exporter wrote; of the indicators, FMI 2 gives the number alone."""
    table = table_of(component)
    written = exporter.ModelStructure(table, fmi)
    assert read.structure.outputs == listed(written.outputs)
    assert read.structure.derivatives == listed(written.derivatives)
    assert read.structure.indicators == (listed(written.indicators) if fmi == 3 else (Unknown(-1, None),) * len(written.indicators))
    assert read.structure.residuals == ()
    assert list(read.states) == table.references(Role.STATE)
    assert [read.time] == table.references(Role.TIME)
    for unknown in (*read.structure.outputs, *read.structure.derivatives):
        assert unknown.dependencies is not None
        assert unknown.name == table.variables[unknown.reference].name
        assert unknown.knowns == tuple(table.variables[reference].name for reference, _ in unknown.dependencies)


def listed(unknowns: list[exporter.ListedUnknown]) -> tuple[Unknown, ...]:
    return tuple(Unknown(u.reference, tuple((d.known, d.kind) for d in u.dependencies)) for u in unknowns)


def test_terminals(read: Fmu, component: type[Component]) -> None:
    """A port is a terminal whose members are the port's variables."""
    ports = {port.name: port for port in table_of(component).declared.ports}
    assert read.terminals.keys() == ports.keys()
    assert not read.notes
    for name, terminal in read.terminals.items():
        assert terminal.kind == f"org.jourdain.{ports[name].kind.identifier}"
        assert terminal.members == {member: f"{name}.{member}" for member in terminal.members}
        assert terminal.members.keys() == {quantity.name for side in Side for quantity in ports[name].kind.given_by(side)}


def test_units(read: Fmu) -> None:
    """Every unit that is used is defined in base units."""
    assert read.units.keys() == {v.unit for v in read.variables.values() if v.unit is not None}
    for name, unit in read.units.items():
        assert unit == Unit(name, units.exponents(name))


def test_what_all_components_can_do(read: Fmu, component: type[Component], fmi: int) -> None:
    """One set of properties for both versions."""
    me, cs = read.interface("me"), read.interface("cs")
    for interface in (me, cs):
        assert interface.identifier == component.__module__.split(".")[1] + "_" + component.__name__
        assert interface.directional_derivatives and interface.save_state and interface.serialize_state
        assert interface.adjoint_derivatives == (fmi == 3)
        assert not interface.needs_tool and not interface.once_per_process
    assert me.needs_completed_step == bool(table_of(component).with_role(Role.RELATION))
    assert not cs.needs_completed_step
    assert cs.variable_step and cs.output_derivative_order == 1
    assert cs.interpolates_inputs == (fmi == 2)
    assert cs.event_mode == cs.intermediate_update == cs.early_return == (fmi == 3)
    assert (read.version, read.model_name, read.token) == (fmi, table_of(component).declared.name, table_of(component).token)
    assert read.generation_tool.startswith("Jourdain ")
    assert (read.default_stop_time, read.tolerance) == (table_of(component).declared.stop_time, 1e-6)


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


# -- other tools' ------------------------------------------------------------------------------------------------------


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes an FMU from the inside of its model description."""

    def write(fmi: int, inside: str, files: Mapping[str, str | bytes] | None = None, attributes: str = "", name: str = "m.fmu") -> Path:
        token = 'guid="g"' if fmi == 2 else 'instantiationToken="g"'
        head = f'fmiVersion="{fmi}.0" modelName="m" generationTool="Tool 1" {token} {attributes}'
        return packed(
            tmp_path / name, {"modelDescription.xml": f"<fmiModelDescription {head}>{inside}</fmiModelDescription>"} | dict(files or {})
        )

    return write


def packed(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


ME = '<ModelExchange modelIdentifier="m"/>'
CS = '<CoSimulation modelIdentifier="m"/>'

FMI_2 = (
    ME
    + """
<UnitDefinitions>
  <Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit>
  <Unit name="bar"><BaseUnit kg="1" m="-1" s="-2" factor="1e5"/></Unit>
  <Unit name="unused"/>
</UnitDefinitions>
<TypeDefinitions>
  <SimpleType name="Pressure"><Real unit="bar" min="0" max="1000" nominal="100"/></SimpleType>
  <SimpleType name="Gear"><Enumeration><Item name="R" value="-1"/><Item name="N" value="0"/><Item name="D" value="4"/></Enumeration></SimpleType>
</TypeDefinitions>
<ModelVariables>
  <ScalarVariable name="p" valueReference="0" causality="input"><Real declaredType="Pressure" start="1" max="INF"/></ScalarVariable>
  <ScalarVariable name="gear" valueReference="0" causality="parameter"><Enumeration declaredType="Gear" start="4"/></ScalarVariable>
  <ScalarVariable name="der(x)" valueReference="2"><Annotations/><Real derivative="4"/></ScalarVariable>
  <ScalarVariable name="x" valueReference="1" initial="exact" description="the state"><Real unit="degC" start="-1.5e1"/></ScalarVariable>
  <ScalarVariable name="T" valueReference="1" causality="output"><Real unit="degC"/></ScalarVariable>
  <ScalarVariable name="n" valueReference="1" causality="output" variability="discrete"><Integer/></ScalarVariable>
  <ScalarVariable name="on" valueReference="0"><Boolean/></ScalarVariable>
  <ScalarVariable name="file" valueReference="0" causality="parameter" variability="tunable"><String start="a b"/></ScalarVariable>
  <ScalarVariable name="g" valueReference="7" variability="constant"><Real start="9.81" unit="m/s2"/></ScalarVariable>
  <ScalarVariable name="c" valueReference="8" causality="calculatedParameter"><Real/></ScalarVariable>
  <ScalarVariable name="extra" valueReference="9" causality="output"><Real/></ScalarVariable>
</ModelVariables>
<ModelStructure>
  <Outputs><Unknown index="5" dependencies="4" dependenciesKind="constant"/><Unknown index="6" dependencies="1 2"/></Outputs>
  <Derivatives><Unknown index="3"/></Derivatives>
  <InitialUnknowns><Unknown index="3"/></InitialUnknowns>
</ModelStructure>"""
)


@pytest.fixture
def second(write: Write) -> Fmu:
    """An FMU of FMI 2 with what our own do not use."""
    return load(write(2, FMI_2, attributes='numberOfEventIndicators="2"'))


@pytest.mark.parametrize(
    ("name", "nature"),
    [
        ("p", ("real", "Real", "input", "continuous", None)),
        ("gear", ("integer", "Enumeration", "parameter", "fixed", "exact")),
        ("x", ("real", "Real", "local", "continuous", "exact")),
        ("T", ("real", "Real", "output", "continuous", "calculated")),
        ("n", ("integer", "Integer", "output", "discrete", "calculated")),
        ("on", ("boolean", "Boolean", "local", "discrete", "calculated")),
        ("file", ("string", "String", "parameter", "tunable", "exact")),
        ("g", ("real", "Real", "local", "constant", "exact")),
        ("c", ("real", "Real", "calculatedParameter", "fixed", "calculated")),
    ],
)
def test_defaults_of_fmi2(second: Fmu, name: str, nature: tuple[str | None, ...]) -> None:
    """What the file does not say follows from the tables of the standard."""
    v = second.variables[name]
    assert (v.type, v.fmi_type, v.causality, v.variability, v.initial) == nature


def test_values_of_fmi2(second: Fmu) -> None:
    """Start values have the type of the variable; what the declared type says holds unless the variable says otherwise."""
    p, gear, x = (second.variables[name] for name in ("p", "gear", "x"))
    assert (p.start, p.unit, p.minimum, p.maximum, p.nominal) == (1.0, "bar", 0.0, math.inf, 100.0)
    assert (gear.start, gear.minimum, gear.maximum, gear.nominal) == (4, -1.0, 4.0, 1.0)
    assert (x.start, x.description, x.minimum, x.maximum) == (-15.0, "the state", -math.inf, math.inf)
    assert second.variables["file"].start == "a b"
    assert second.variables["n"].start is None


def test_structure_of_fmi2(second: Fmu) -> None:
    """Places in the list become value references; what is not declared stays open, an output that is not listed included."""
    assert second.structure == Structure(
        outputs=(Unknown(1, ((1, "constant"),)), Unknown(1, ((0, "dependent"), (0, "dependent"))), Unknown(9, None)),
        derivatives=(Unknown(2, None),),
        indicators=(Unknown(-1, None), Unknown(-1, None)),
    )
    assert second.states == (1,)
    assert second.variables["der(x)"].derivative == "x"
    assert second.time is None and second.dae is None


def test_references_of_fmi2_are_unique_per_type_only(second: Fmu) -> None:
    """By reference there are the reals, and the first of aliases; names tell apart what has the same reference."""
    assert second.by_reference[0].name == "p"
    assert second.by_reference[1].name == "x"
    assert [unknown.name for unknown in second.structure.outputs] == ["T", "n", "extra"]
    assert second.structure.outputs[1].knowns == ("p", "gear")


def test_a_real_goes_before_others_whatever_the_order(write: Write) -> None:
    """An integer that is listed first does not hide the real of the same reference."""
    first = '<ScalarVariable name="i" valueReference="3"><Integer/></ScalarVariable>'
    fmu = load(
        write(2, f'{ME}<ModelVariables>{first}<ScalarVariable name="r" valueReference="3"><Real/></ScalarVariable></ModelVariables>')
    )
    assert fmu.by_reference[3].name == "r"


def test_units_of_fmi2(second: Fmu) -> None:
    """Exponents, factor and offset; a unit that is used without a definition is a mere name."""
    assert second.units["degC"] == Unit("degC", (0, 0, 0, 0, 1, 0, 0, 0), 1.0, 273.15)
    assert second.units["bar"] == Unit("bar", (1, -1, -2, 0, 0, 0, 0, 0), 1e5)
    assert second.units["m/s2"] == Unit("m/s2", None)
    assert "unused" not in second.units


FMI_3 = (
    CS
    + """
<TypeDefinitions>
  <Float32Type name="Angle" unit="deg" min="-180"/>
  <EnumerationType name="Mode"><Item name="a" value="1"/><Item name="b" value="2"/></EnumerationType>
</TypeDefinitions>
<ModelVariables>
  <Float64 name="time" valueReference="0" causality="independent"/>
  <Float32 name="phi" valueReference="1" causality="input" declaredType="Angle" start="0.5"><Alias name="angle" description="seen from above"/></Float32>
  <Enumeration name="mode" valueReference="2" causality="parameter" declaredType="Mode" start="2"/>
  <UInt64 name="n" valueReference="3" causality="structuralParameter" start="3"/>
  <Float64 name="A" valueReference="4" causality="parameter" start="1 2 3 4 5 6"><Dimension valueReference="3"/><Dimension start="2"/></Float64>
  <Float64 name="b" valueReference="5" causality="parameter" start="7"><Dimension valueReference="3"/></Float64>
  <String name="lines" valueReference="6" causality="parameter"><Dimension start="2"/><Start value="a b"/><Start value=""/></String>
  <Binary name="blob" valueReference="7" causality="input"><Start value="0aFF"/></Binary>
  <Clock name="tick" valueReference="8" causality="input" intervalVariability="constant" intervalDecimal="0.1"/>
  <Boolean name="on" valueReference="9" causality="output"/>
  <Int8 name="k" valueReference="10" causality="input" start="-3"/>
  <Float64 name="r" valueReference="11" variability="constant" start="1" nominal="-20"/>
</ModelVariables>
<ModelStructure><Output valueReference="9" dependencies="1 10"/><InitialUnknown valueReference="9"/></ModelStructure>
<DefaultExperiment startTime="0" stopTime="2.5"/>"""
)


@pytest.fixture
def third(write: Write) -> Fmu:
    """An FMU of FMI 3 with what our own do not use."""
    return load(write(3, FMI_3))


@pytest.mark.parametrize(
    ("name", "nature"),
    [
        ("time", ("real", "Float64", "independent", "continuous", None)),
        ("phi", ("real", "Float32", "input", "continuous", "exact")),
        ("mode", ("integer", "Enumeration", "parameter", "fixed", "exact")),
        ("n", ("integer", "UInt64", "structuralParameter", "fixed", "exact")),
        ("blob", ("binary", "Binary", "input", "discrete", "exact")),
        ("tick", ("clock", "Clock", "input", "discrete", None)),
        ("on", ("boolean", "Boolean", "output", "discrete", "calculated")),
        ("k", ("integer", "Int8", "input", "discrete", "exact")),
        ("r", ("real", "Float64", "local", "constant", "exact")),
    ],
)
def test_defaults_of_fmi3(third: Fmu, name: str, nature: tuple[str | None, ...]) -> None:
    """In FMI 3 an input is exact, and all that is no float is discrete."""
    v = third.variables[name]
    assert (v.type, v.fmi_type, v.causality, v.variability, v.initial) == nature


def test_values_of_fmi3(third: Fmu) -> None:
    """Declared types, enumerations, and the types that only FMI 3 has."""
    phi, mode = third.variables["phi"], third.variables["mode"]
    assert (phi.start, phi.unit, phi.minimum, phi.maximum) == (0.5, "deg", -180.0, math.inf)
    assert (mode.start, mode.minimum, mode.maximum) == (2, 1.0, 2.0)
    assert third.variables["blob"].start == b"\x0a\xff"
    assert third.variables["k"].start == -3
    assert third.variables["r"].nominal == 20.0
    assert (third.time, third.default_stop_time, third.tolerance) == (0, 2.5, None)


def test_arrays(third: Fmu) -> None:
    """Sizes are fixed or the start values of structural parameters; one start value stands for all elements."""
    a, b, lines = (third.variables[name] for name in ("A", "b", "lines"))
    assert (a.dimensions, a.start) == ((3, 2), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    assert (b.dimensions, b.start) == ((3,), (7.0, 7.0, 7.0))
    assert (lines.dimensions, lines.start) == ((2,), ("a b", ""))


def test_aliases_of_fmi3(third: Fmu) -> None:
    """An alias is a variable of its own name and description that shares all else, its value reference included."""
    phi, angle = third.variables["phi"], third.variables["angle"]
    assert list(third.variables)[1:3] == ["phi", "angle"]
    assert (angle.reference, angle.start, angle.unit) == (phi.reference, phi.start, phi.unit)
    assert angle.description == "seen from above"
    assert third.by_reference[1] is phi


def test_structure_of_fmi3(third: Fmu) -> None:
    """Kinds that are not declared are dependent."""
    assert third.structure == Structure(outputs=(Unknown(9, ((1, "dependent"), (10, "dependent"))),))


@pytest.mark.parametrize("capability", ["", 'providesDirectionalDerivatives="true"'])
def test_derivatives_without_model_exchange(write: Write, capability: str) -> None:
    """Without directional derivatives, Co-Simulation has no use for the list, and the standard has it ignored."""
    inside = (
        f'<CoSimulation modelIdentifier="m" {capability}/><ModelVariables><Float64 name="x" valueReference="1" start="0"/>'
        '<Float64 name="d" valueReference="2" derivative="1"/></ModelVariables>'
        '<ModelStructure><ContinuousStateDerivative valueReference="2"/><EventIndicator valueReference="1"/></ModelStructure>'
    )
    fmu = load(write(3, inside))
    assert fmu.states == ((1,) if capability else ())
    assert fmu.structure.indicators == ()


def test_capabilities_differ_in_name_and_sense() -> None:
    """FMI 2 reports completed steps unless told that it need not, FMI 3 only where asked; an attribute may be written as 1."""
    assert Interface("m", {}, "me", 2).needs_completed_step
    assert not Interface("m", {"completedIntegratorStepNotNeeded": "1"}, "me", 2).needs_completed_step
    assert not Interface("m", {}, "me", 3).needs_completed_step
    assert Interface("m", {"needsCompletedIntegratorStep": "true"}, "me", 3).needs_completed_step
    assert Interface("m", {"canGetAndSetFMUstate": "true"}, "cs", 2).save_state
    assert Interface("m", {"canBeInstantiatedOnlyOncePerProcess": "true"}, "cs", 2).once_per_process
    assert not Interface("m", {"providesDirectionalDerivative": "false"}, "cs", 2).directional_derivatives


def test_a_link_to_a_tool_is_noted(write: Write) -> None:
    """Such an FMU can be used where the tool is installed."""
    path = write(2, '<CoSimulation modelIdentifier="m" needsExecutionTool="true"/><ModelVariables/>')
    assert load(path).notes == (f"'{path}' is a link to 'Tool 1', which has to be installed on this machine",)


@pytest.mark.parametrize("folder", ["terminalsAndIcons", "extra/terminalsAndIcons"])
def test_terminals_of_other_tools(write: Write, folder: str) -> None:
    """A terminal inside another has both names; one with a variable that does not exist is left out, with a note."""
    text = """<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals>
    <Terminal name="bus" matchingRule="bus"><TerminalMemberVariable variableName="k" memberName="ratio" variableKind="signal"/>
      <Terminal name="inner" matchingRule="sequence" terminalKind="a.b"><TerminalMemberVariable variableName="phi" variableKind="signal"/></Terminal>
    </Terminal>
    <Terminal name="port" matchingRule="plug">
      <TerminalStreamMemberVariable inStreamMemberName="h_in" outStreamMemberName="h" inStreamVariableName="k" outStreamVariableName="r"/>
    </Terminal>
    <Terminal name="lost" matchingRule="plug"><TerminalMemberVariable variableName="none" memberName="a" variableKind="signal"/></Terminal>
    </Terminals></fmiTerminalsAndIcons>"""
    path = write(3, FMI_3, {f"{folder}/terminalsAndIcons.xml": text})
    fmu = load(path)
    assert {name: dict(terminal.members) for name, terminal in fmu.terminals.items()} == {
        "bus": {"ratio": "k"},
        "bus.inner": {"phi": "phi"},
        "port": {"h_in": "k", "h": "r"},
    }
    assert (fmu.terminals["bus.inner"].kind, fmu.terminals["bus.inner"].rule) == ("a.b", "sequence")
    assert fmu.notes == (f"'{path}' has the terminal 'lost' with the variable 'none', which does not exist",)


def test_terminals_that_cannot_be_read_keep_nobody_from_using_the_fmu(write: Write) -> None:
    """They are a convenience."""
    fmu = load(write(3, FMI_3, {"terminalsAndIcons/terminalsAndIcons.xml": "<Terminals"}))
    assert not fmu.terminals and "terminalsAndIcons.xml that is not well-formed" in fmu.notes[0]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (Unit("N.m", (1, 2, -2, 0, 0, 0, 0, 0)), Unit("J", (1, 2, -2, 0, 0, 0, 0, 0)), True),
        (Unit("bar", (1, -1, -2, 0, 0, 0, 0, 0), 1e5), Unit("Pa", (1, -1, -2, 0, 0, 0, 0, 0)), False),
        (Unit("degC", (0, 0, 0, 0, 1, 0, 0, 0), 1, 273.15), Unit("K", (0, 0, 0, 0, 1, 0, 0, 0)), False),
        (Unit("rad/s", (0, 0, -1, 0, 0, 0, 0, 1)), Unit("1/s", (0, 0, -1, 0, 0, 0, 0, 0)), False),
        (Unit("deg", (0, 0, 0, 0, 0, 0, 0, 1), 0.0174532925199433), Unit("°", (0, 0, 0, 0, 0, 0, 0, 1), math.pi / 180), True),
        (Unit("EUR", None), Unit("EUR", None), True),
        (Unit("EUR", None), Unit("USD", None), False),
        (Unit("m", None), Unit("m", (0, 1, 0, 0, 0, 0, 0, 0)), True),
        (Unit("m", (0, 1, 0, 0, 0, 0, 0, 0)), None, False),
        (None, None, True),
    ],
)
def test_same_unit(a: Unit | None, b: Unit | None, same: bool) -> None:
    """The definition decides; the name where there is none."""
    assert same_unit(a, b) is same_unit(b, a) is same


# -- files -------------------------------------------------------------------------------------------------------------


def test_the_same_file_is_the_same_object(write: Write) -> None:
    """Read once, whatever way the path is written, until the file changes."""
    path = write(3, FMI_3)
    first = load(path)
    assert load(str(path)) is first
    assert load(path.parent / "." / path.name) is first
    write(3, FMI_3.replace('start="0.5"', 'start="0.25"'))
    assert load(path).variables["phi"].start == 0.25


def test_what_is_read_cannot_be_changed(third: Fmu) -> None:
    """It is shared by all who use the FMU."""
    with pytest.raises(TypeError):
        third.variables["new"] = third.variables["phi"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        third.variables["phi"].start = 1.0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        third.version = 2  # type: ignore[misc]


def test_the_library_is_unpacked_once_for_each_content(fmu: Build, fmi: int, tmp_path: Path) -> None:
    """A copy under another name shares the folder, which holds what the FMU needs at run time and nothing else."""
    original = fmu(find("planar.Body1"), fmi)
    library = load(original).library("me")
    copy = Path(shutil.copy(original, tmp_path / "copy.fmu"))
    assert library.is_file()
    assert load(copy).library("cs") == load(original).library(load(original).interface("cs")) == library
    folder = library.parents[2]
    assert (folder / "modelDescription.xml").is_file()
    assert not (folder / "sources").exists() and not (folder / "documentation").exists()


def test_resources(write: Write) -> None:
    """FMI 2 gets an address in any case; FMI 3 a folder with a separator behind it, where there is one."""
    address = urlsplit(load(write(2, FMI_2, {"resources/table.csv": "1"}, name="a b.fmu")).resources)
    assert address.scheme == "file" and (Path(unquote(str(address.path))) / "table.csv").read_text() == "1"
    assert (Path(unquote(str(urlsplit(load(write(2, FMI_2)).resources).path)))).is_dir()
    folder = load(write(3, FMI_3, {"resources/sub/table.csv": "1"})).resources
    assert folder is not None and folder.endswith(os.sep) and (Path(folder) / "sub" / "table.csv").is_file()
    assert load(write(3, FMI_3, name="other.fmu")).resources is None


def test_separators_of_windows_are_understood(write: Write) -> None:
    """Some tools write backslashes into the archive, which the standard forbids."""
    folder = load(write(3, FMI_3, {"resources\\sub\\table.csv": "1"})).resources
    assert folder is not None and (Path(folder) / "sub" / "table.csv").is_file()


def test_programs_stay_programs(tmp_path: Path, write: Write) -> None:
    """A link to a tool may start one from its resources."""
    path = write(3, FMI_3)
    with zipfile.ZipFile(path, "a") as archive:
        entry = zipfile.ZipInfo("resources/start")
        entry.external_attr = 0o755 << 16
        archive.writestr(entry, "#!/bin/sh\n")
    folder = load(path).resources
    assert folder is not None and (Path(folder) / "start").stat().st_mode & stat.S_IXUSR


def test_nothing_is_left_behind(write: Write) -> None:
    """Unpacked files that may be written into are gone with the process."""
    path = write(2, FMI_2, {"resources/table.csv": "1"})
    script = f"from coupling.fmus import load; print(load({str(path)!r}).resources)"
    printed = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.strip()
    assert printed.startswith("file://") and not Path(unquote(urlsplit(printed).path)).parent.exists()


# -- what is wrong is said ---------------------------------------------------------------------------------------------


def complaint(path: Path | str) -> str:
    """What loading a file is answered with, its path shortened to its name."""
    with pytest.raises(FmuError) as error:
        load(path)
    return str(error.value).replace(f"{Path(path).parent}{os.sep}", "")


MENDED_BY = "; export it again, or report this to the makers of 'Tool 1'"


def test_a_missing_file(tmp_path: Path, write: Write) -> None:
    """A file of a similar name beside it is probably the one that was meant."""
    missing = tmp_path / "pendulum.fmu"
    assert complaint(missing) == "there is no file 'pendulum.fmu'; give the path of an FMU, a file whose name ends in .fmu"
    write(3, FMI_3, name="Pendulum1.fmu")
    assert complaint(missing) == "there is no file 'pendulum.fmu'; did you mean 'Pendulum1.fmu'?"


def test_a_folder(tmp_path: Path) -> None:
    """An unpacked FMU is not read: its path would say nothing of its content."""
    assert complaint(tmp_path) == f"'{tmp_path.name}' is a folder; give the path of the FMU itself, a file whose name ends in .fmu"


def test_no_archive(tmp_path: Path, write: Write) -> None:
    """Neither a file of another format nor a damaged one."""
    path = tmp_path / "m.fmu"
    path.write_text("hello")
    assert complaint(path) == "'m.fmu' is not a zip archive that can be read (File is not a zip file); copy or export the FMU again"
    write(3, FMI_3)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"Float64", b"Float65"))
    assert complaint(path).startswith("'m.fmu' is not a zip archive that can be read (Bad CRC-32 for file 'modelDescription.xml')")


def test_an_archive_that_is_damaged_elsewhere(write: Write) -> None:
    """It shows when it is unpacked."""
    path = write(3, FMI_3, {"resources/table": "precious content"})
    path.write_bytes(path.read_bytes().replace(b"precious", b"precioux"))
    with pytest.raises(FmuError, match=r"Bad CRC-32 for file 'resources/table'\); copy or export the FMU again"):
        _ = load(path).resources


def test_no_description(tmp_path: Path) -> None:
    """A zip file alone is no FMU."""
    path = packed(tmp_path / "m.fmu", {"readme.txt": ""})
    assert complaint(path) == "'m.fmu' holds no modelDescription.xml, so that it is no FMU; export the model as FMI 2.0 or 3.0"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "<fmiModelDescription",
            "'m.fmu' has a modelDescription.xml that is not well-formed XML (unclosed token: line 1, column 0); "
            "export it again, or report this to the makers of the tool that wrote it",
        ),
        ('<fmiModelDescription fmiVersion="1.0"/>', "'m.fmu' is FMI 1.0; export it as FMI 2.0 or 3.0"),
        ('<fmiModelDescription fmiVersion="3.0-beta.2"/>', "'m.fmu' is FMI 3.0-beta.2; export it as FMI 2.0 or 3.0"),
        (
            "<html/>",
            "'m.fmu' has a modelDescription.xml that describes no FMU: it names no FMI version; "
            "export it again, or report this to the makers of the tool that wrote it",
        ),
    ],
)
def test_descriptions_that_cannot_be_read(tmp_path: Path, text: str, sentence: str) -> None:
    """Which of the reasons it is decides what to do."""
    assert complaint(packed(tmp_path / "m.fmu", {"modelDescription.xml": text})) == sentence


def variables2(*inside: str) -> str:
    return f"{ME}<ModelVariables>{''.join(inside)}</ModelVariables>"


def scalar(name: str, reference: int | str, inside: str = "<Real/>") -> str:
    return f'<ScalarVariable name="{name}" valueReference="{reference}">{inside}</ScalarVariable>'


def structure2(tag: str, unknown: str) -> str:
    return f"<ModelStructure><{tag}>{unknown}</{tag}></ModelStructure>"


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        (variables2(scalar("a", 1), scalar("a", 2)), "has two variables with the name 'a' (value references 1 and 2)"),
        (variables2(scalar("", 1)), "has a variable without a name (value reference 1)"),
        (variables2(scalar("a", "x")), "gives 'x' as the value reference of 'a', which cannot be read"),
        (variables2(scalar("a", 1, '<Real start="1,5"/>')), "gives '1,5' as the start value of 'a', which cannot be read"),
        (variables2(scalar("a", 1, '<Boolean start="yes"/>')), "gives 'yes' as the start value of 'a', which cannot be read"),
        (variables2(scalar("a", 1, '<Real min="low"/>')), "gives 'low' as the min of 'a', which cannot be read"),
        (variables2(scalar("a", 1, '<Real declaredType="T"/>')), "gives 'a' the type 'T', which it does not define"),
        (variables2(scalar("a", 1, "<Complex/>")), "has the variable 'a' of an unknown type (ScalarVariable)"),
        (variables2(scalar("a", 1, '<Real derivative="2"/>')), "calls 'a' the derivative of variable 2, which does not exist"),
        (
            variables2(scalar("a", 1)) + structure2("Derivatives", '<Unknown index="1"/>'),
            "lists 'a' among the derivatives, but does not say of which state",
        ),
        (
            variables2(scalar("a", 1)) + structure2("Outputs", '<Unknown index="2"/>'),
            "refers to an unknown of its model structure by the index '2', which no variable has",
        ),
        (
            variables2(scalar("a", 1)) + structure2("Outputs", '<Unknown index="1" dependencies="1 7"/>'),
            "refers to a dependency of 'a' by the index '7', which no variable has",
        ),
        (
            variables2(scalar("a", 1)) + structure2("Outputs", '<Unknown index="1" dependencies="1" dependenciesKind="fixed constant"/>'),
            "lists 1 dependencies of 'a' (1) but 2 kinds (fixed constant)",
        ),
        (
            '<ModelExchange modelIdentifier="../m"/>',
            "has the modelIdentifier '../m' in its ModelExchange, which cannot be the name of a binary",
        ),
        (f'{ME}<DefaultExperiment stopTime="soon"/>', "gives 'soon' as the stopTime of its default experiment, which cannot be read"),
    ],
)
def test_mistakes_in_fmi2(write: Write, inside: str, sentence: str) -> None:
    """The variable and the value are named, and who can mend it."""
    assert complaint(write(2, inside)) == f"'m.fmu' {sentence}{MENDED_BY}"


@pytest.mark.parametrize(
    ("variables", "structure", "sentence"),
    [
        (
            '<Float64 name="a" valueReference="1"/>',
            '<Output valueReference="4294967295"/>',
            "refers to an unknown of its model structure by the value reference '4294967295', which no variable has",
        ),
        (
            '<Float64 name="a" valueReference="1"/>',
            '<Output valueReference="1" dependencies="2"/>',
            "refers to a dependency of 'a' by the value reference '2', which no variable has",
        ),
        ('<Float64 name="a" valueReference="1" derivative="7"/>', "", "calls 'a' the derivative of variable 7, which does not exist"),
        (
            '<Float64 name="a" valueReference="1"><Alias name="a"/></Float64>',
            "",
            "has two variables with the name 'a' (value references 1 and 1)",
        ),
        ('<Complex name="a" valueReference="1"/>', "", "has the variable 'a' of an unknown type (Complex)"),
        (
            '<Float64 name="a" valueReference="1" start="1 2"><Dimension start="3"/></Float64>',
            "",
            "gives 2 start values to 'a', which has 3 elements",
        ),
        (
            '<Float64 name="a" valueReference="1"><Dimension valueReference="3"/></Float64>',
            "",
            "gives '' as the size of 'a', which cannot be read",
        ),
    ],
)
def test_mistakes_in_fmi3(write: Write, variables: str, structure: str, sentence: str) -> None:
    """The same sentences, with value references."""
    inside = f"{ME}<ModelVariables>{variables}</ModelVariables><ModelStructure>{structure}</ModelStructure>"
    assert complaint(write(3, inside)) == f"'m.fmu' {sentence}{MENDED_BY}"


@pytest.mark.parametrize(
    ("offered", "kind", "sentence"),
    [
        (
            CS,
            "me",
            "has no interface for Model Exchange; it offers Co-Simulation, kind 'cs': choose that, or export it for Model Exchange",
        ),
        (
            ME,
            "cs",
            "has no interface for Co-Simulation; it offers Model Exchange, kind 'me': choose that, or export it for Co-Simulation",
        ),
        ('<ScheduledExecution modelIdentifier="m"/>', "me", "has no interface for Model Exchange; export it for Model Exchange"),
        (ME, "fast", "cannot run as 'fast'; choose 'me' (Model Exchange) or 'cs' (Co-Simulation)"),
    ],
)
def test_an_interface_that_is_not_offered(write: Write, offered: str, kind: str, sentence: str) -> None:
    """What is offered instead is the remedy."""
    path = write(3, f"{offered}<ModelVariables/>")
    with pytest.raises(FmuError) as error:
        load(path).interface(kind)
    assert str(error.value) == f"'{path}' {sentence}"


@pytest.fixture
def on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")


@pytest.mark.usefixtures("on_linux")
@pytest.mark.parametrize(
    ("fmi", "files", "sentence"),
    [
        (
            2,
            {"binaries/win64/m.dll": "", "binaries/linux64/other.so": ""},
            "has no binary linux64/m.so for this platform, it has linux64/other.so, win64/m.dll; export it for this platform",
        ),
        (3, {}, "has no binary x86_64-linux/m.so for this platform, it has none at all; export it for this platform"),
        (
            3,
            {"binaries/x86_64-windows/m.dll": "", "sources/m.c": ""},
            "has no binary x86_64-linux/m.so for this platform, it has x86_64-windows/m.dll; "
            "export it for this platform, or build it from the sources inside: fmpy compile 'm.fmu'",
        ),
    ],
)
def test_no_binary(write: Write, fmi: int, files: dict[str, str], sentence: str) -> None:
    """The binaries that there are, and the sources if they are inside, show the way out."""
    path = write(fmi, f"{ME}<ModelVariables/>", files)
    with pytest.raises(FmuError) as error:
        load(path).library("me")
    assert str(error.value).replace(f"{path.parent}{os.sep}", "") == f"'m.fmu' {sentence}"


@pytest.mark.parametrize(
    ("system", "machine", "fmi", "binary"),
    [
        ("linux", "x86_64", 2, "linux64/m.so"),
        ("linux", "x86_64", 3, "x86_64-linux/m.so"),
        ("linux", "aarch64", 2, "aarch64-linux/m.so"),
        ("darwin", "arm64", 3, "aarch64-darwin/m.dylib"),
        ("darwin", "x86_64", 2, "darwin64/m.dylib"),
        ("win32", "AMD64", 2, "win64/m.dll"),
        ("win32", "AMD64", 3, "x86_64-windows/m.dll"),
    ],
)
def test_names_of_platforms(monkeypatch: pytest.MonkeyPatch, write: Write, system: str, machine: str, fmi: int, binary: str) -> None:
    """FMI 2 has names of its own for the usual ones, and since 2.0.4 those of FMI 3 for all others."""
    path = write(fmi, f"{ME}<ModelVariables/>", {f"binaries/{binary}": f"{system} {machine} {fmi}"})
    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert load(path).library("me").as_posix().endswith(f"/binaries/{binary}")


@pytest.mark.parametrize("name", ["../evil", "resources/../../evil", "/tmp/evil", "C:/evil", "resources\\..\\..\\evil"])
def test_files_that_would_leave_the_folder(write: Write, name: str) -> None:
    """Nothing of such an archive is unpacked."""
    path = write(3, FMI_3, {name: "evil"})
    with pytest.raises(FmuError) as error:
        _ = load(path).resources
    shown = name.replace("\\", "/")
    assert str(error.value) == (
        f"'{path}' would write the file '{shown}' outside its own folder, and is not unpacked; get it from a source you trust"
    )


def test_a_file_that_changes_between_reading_and_unpacking(write: Write) -> None:
    """Its binary might not fit what was read."""
    path = write(3, FMI_3)
    fmu = load(path)
    write(3, FMI_3, {"resources/new": ""})
    with pytest.raises(FmuError, match=r"m\.fmu' has changed since it was read; load it again"):
        _ = fmu.resources
    path.unlink()
    with pytest.raises(FmuError, match=r"m\.fmu' is no longer there; put it back, or load it from where it is now"):
        _ = fmu.resources
