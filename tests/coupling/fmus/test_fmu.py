"""FMUs of other tools as they describe themselves, by small descriptions written here."""

from __future__ import annotations

import math
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from coupling.fmus import Fmu, FmuError, Interface, Structure, Unit, Unknown, load, same_unit
from coupling.fmus.scaled import with_scaled
from fmu_components.catalogue import find
from fmu_components.declare.component import Component
from tests.support.fmus.written import FMI_3, ME, Write

Build = Callable[[type[Component], int], Path]


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
    """The tables of the standard supply values that the file does not contain."""
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
    """References lead to the real variables, and to the first of aliases; names distinguish variables with the same reference."""
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


def test_nominal_values_are_converted_as_values_are(second: Fmu) -> None:
    """A pressure of 100 bar in base units, and what a connection turns around and doubles; offsets have no part in a size."""
    pressure = second.variables["p"]
    assert pressure.nominal == 100
    assert second.by_reference[second.seen(pressure, True)].nominal == pytest.approx(1e7)
    scaled, found = with_scaled(second, [("p", -2.0, 3.0)])
    assert scaled.by_reference[found["p", -2.0, 3.0]].nominal == 200


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
    """An input is exact in FMI 3, and all variables other than floats are discrete."""
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
    """Sizes are fixed or the start values of structural parameters; one start value stands for all elements. Elements are
    variables, under references that the FMU does not use."""
    a, b, lines = third.arrays["A"], third.arrays["b"], third.arrays["lines"]
    assert (a.dimensions, a.start) == ((3, 2), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    assert (b.dimensions, b.start) == ((3,), (7.0, 7.0, 7.0))
    assert (lines.dimensions, lines.start) == ((2,), ("a b", ""))
    assert [third.variables[f"lines[{i}]"].start for i in (1, 2)] == ["a b", ""]
    elements = [third.variables[f"A[{row},{column}]"] for row in (1, 2, 3) for column in (1, 2)]
    assert [each.start for each in elements] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert len({each.reference for each in third.variables.values()}) == len(third.variables) - 1  # an alias
    assert all(each.reference > 11 and each.dimensions == () for each in elements) and "A" not in third.variables


def test_arrays_of_another_size(write: Write) -> None:
    """A structural parameter that is given another value resizes what depends on it; what that starts with is not known then."""
    path = write(3, FMI_3)
    other = load(path, structural={"n": 1})
    assert (other.arrays["A"].dimensions, other.arrays["A"].start) == ((1, 2), None)
    assert [name for name in other.variables if name.startswith(("A", "b["))] == ["A[1,1]", "A[1,2]", "b[1]"]
    assert other.variables["n"].start == 1
    assert load(path, structural={"n": 1}) is other is not load(path)
    assert load(path, structural={"n": 0}).variables.keys().isdisjoint({"b[1]", "A[1,1]"})


def test_arrays_beyond_what_can_be_followed(write: Write) -> None:
    """Each element is a variable, of which there is a limit."""
    path = write(3, FMI_3)
    with pytest.raises(FmuError) as error:
        load(path, structural={"n": 1_000_000})
    assert str(error.value) == (
        f"'{path}' has arrays of 3000002 elements together, 'A' of 1000000 x 2, and no more than 1000000 can be followed; export it with smaller "
        "arrays, or give smaller values to its structural parameters"
    )


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
    """The definition decides; the name does so without a definition."""
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
