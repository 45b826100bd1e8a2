"""Packages of other tools, written by hand: nesting, units, parameter sets and mappings, and what is refused by its element."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, System
from coupling.fmus import load
from coupling.ssp.elements import Document
from tests.support.foreign import Model, Variable, export
from tests.support.ssp import DECLARED, FMU, check_valid, connection, connections, connector, described, elements, given, packed
from tests.support.systems.kept import zone
from tests.support.systems.systems import refusal

MM = """<ssd:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit><ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit>
<ssc:Unit name="s"><ssc:BaseUnit s="1"/></ssc:Unit></ssd:Units>"""


def amplifier() -> Path:
    """Returns an FMU with y = k u + b, all in m except k."""
    variables = [
        Variable("u", "input", unit="m"),
        Variable("k", "parameter", 1.0),
        Variable("b", "parameter", 0.0, unit="m"),
        Variable("y", "output", unit="m", value="k * u + b", depends=["u"]),
    ]
    return export(Model("Amplifier", variables), 2)


def with_units(name: str, **units: str) -> str:
    """An amplifier that declares connectors in units."""
    kinds = {"u": "input", "y": "output"}
    declared = "".join(connector(each, kinds[each], unit) for each, unit in units.items())
    return f'<ssd:Component name="{name}" source="resources/amplifier.fmu"><ssd:Connectors>{declared}</ssd:Connectors></ssd:Component>'


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    """A chain: first -> (connectors in mm) inner.one -> inner.two -> last, with factors on the way and values by sets and mappings."""
    inner = (
        '<ssd:System name="inner">'
        f"<ssd:Connectors>{connector('in', 'input', 'mm')}{connector('out', 'output', 'mm')}{connector('gain', 'parameter')}</ssd:Connectors>"
        '<ssd:ElementGeometry x1="100" y1="0" x2="200" y2="100"/>'
        + elements(
            '<ssd:Component name="one" source="resources/amplifier.fmu"><ssd:ElementGeometry x1="0" y1="0" x2="1" y2="1"/></ssd:Component>',
            FMU.format("two", "amplifier"),
        )
        + connections(
            connection("in", "one.u", '<ssc:LinearTransformation factor="2" offset="0.5"/>'),  # m
            connection("two.u", "one.y"),  # the other way round, as some tools write
            connection("two.y", "out"),
            connection("gain", "one.k"),
            connection("gain", "two.k"),
        )
        + '<ssd:SystemGeometry x1="0" y1="0" x2="10" y2="10"/></ssd:System>'
    )
    binding = (
        '<ssd:ParameterBindings><ssd:ParameterBinding source="resources/values.ssv">'
        '<ssd:ParameterMapping source="resources/names.ssm"/></ssd:ParameterBinding>'
        '<ssd:ParameterBinding prefix="last."><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="more"><ssv:Parameters>'
        '<ssv:Parameter name="b"><ssv:Real value="7" unit="mm"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>'
        "</ssd:ParameterBinding></ssd:ParameterBindings>"
    )
    oms = (
        '<ssd:Annotations><ssc:Annotation type="org.openmodelica"><oms:Annotations xmlns:oms="https://example.org/oms.xsd">'
        '<oms:SimulationInformation><oms:FixedStepMaster stepSize="0.05"/></oms:SimulationInformation></oms:Annotations></ssc:Annotation>'
        "</ssd:Annotations>"
    )
    text = described(
        elements(
            FMU.format("first", "amplifier"),
            inner,
            '<ssd:Component name="last" source="resources/amplifier.fmu" implementation="CoSimulation"/>',
        )
        + connections(
            connection("first.y", "inner.in"),
            connection("inner.out", "last.u", '<ssc:LinearTransformation factor="0.25"/>', 'suppressUnitConversion="true"'),
        )
        + oms,
        MM + '<ssd:DefaultExperiment startTime="0" stopTime="0.2"/>',
        binding,
    )
    values = (
        f'<ssv:ParameterSet {DECLARED} version="1.0" name="values"><ssv:Parameters>'
        '<ssv:Parameter name="amplification"><ssv:Real value="3"/></ssv:Parameter>'
        '<ssv:Parameter name="shift"><ssv:Real value="20" unit="mm"/></ssv:Parameter>'
        '<ssv:Parameter name="start"><ssv:Real value="0.1"/></ssv:Parameter></ssv:Parameters>'
        '<ssv:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit></ssv:Units></ssv:ParameterSet>'
    )
    names = (
        f'<ssm:ParameterMapping {DECLARED} version="1.0">'
        '<ssm:MappingEntry source="amplification" target="inner.gain"><ssc:LinearTransformation factor="2" offset="-1"/></ssm:MappingEntry>'
        '<ssm:MappingEntry source="shift" target="first.b"/>'
        '<ssm:MappingEntry source="shift" target="inner.one.b" suppressUnitConversion="true"/>'
        '<ssm:MappingEntry source="start" target="first.u"/>'
        '<ssm:MappingEntry source="amplification" target="nowhere.k"/></ssm:ParameterMapping>'
    )
    files = {
        "SystemStructure.ssd": text,
        "resources/values.ssv": values,
        "resources/names.ssm": names,
        "resources/amplifier.fmu": amplifier(),
    }
    return packed(tmp_path / "nested.ssp", files)


def test_nested_systems_units_sets_and_mappings(nested: Path) -> None:
    """Values by hand: first.y = 0.1 + 0.02; one.u = 2 first.y + 0.5; gains are 2*3 - 1; mm arrive as numbers at last.u, times 0.25."""
    assert check_valid(nested) == ["SystemStructureDescription", "ParameterSet", "ParameterSet", "ParameterMapping"]
    system = System.from_ssp(nested)
    assert list(system.instances) == ["first", "inner.one", "inner.two", "last"]
    assert dict(system.settings) == {"start_time": 0.0, "stop_time": 0.2, "communication_step": 0.05}
    assert system.notes == (
        "the parameter 'nowhere.k' belongs to no component, and is left out",
        "the annotation of type 'org.openmodelica' is read for its step, its solver and its tolerance alone",
    )
    starts = {name: dict(given) for name, given in system.start_values.items()}
    assert starts["first"] == {"b": pytest.approx(0.02), "u": 0.1} and starts["inner.two"] == {"k": 5.0} and starts["last"] == {"b": 0.007}
    assert starts["inner.one"] == {"k": 5.0, "b": 20.0}
    result = system.simulate(**system.settings)
    first = 0.1 + 0.02
    one = 5 * (2 * first + 0.5) + 20
    two = 5 * one
    assert [result[f"{name}.y"][-1] for name in ("first", "inner.one", "inner.two", "last")] == pytest.approx(
        [first, one, two, 250 * two + 0.007], rel=1e-12
    )


def test_nested_systems_are_written_as_such(nested: Path, tmp_path: Path) -> None:
    """They have connectors at each level; settings stay."""
    system = System.from_ssp(nested)
    system.to_ssp(tmp_path / "again.ssp")
    assert check_valid(tmp_path / "again.ssp")[0] == "SystemStructureDescription"
    again = System.from_ssp(tmp_path / "again.ssp")
    assert again.definition == system.definition
    assert dict(again.settings) == dict(system.settings)
    assert again.notes == ()


def test_packages_inside_packages(nested: Path, tmp_path: Path) -> None:
    """A component that is a package is a nested system; values from outside overrule its own; its connectors are those of its system."""
    system = "<ssd:Connectors>" + connector("in", "input", "mm") + connector("out", "output") + "</ssd:Connectors>"
    inner = described(
        elements(FMU.format("a", "amplifier")) + connections(connection("in", "a.u"), connection("a.y", "out")),
        MM,
        system + given("a.k", 2) + "",
    )
    part = packed(tmp_path / "part.ssp", {"SystemStructure.ssd": inner, "resources/amplifier.fmu": amplifier()})
    outer = described(
        elements(
            FMU.format("first", "amplifier"),
            '<ssd:Component name="part" type="application/x-ssp-package" source="resources/part.ssp">'
            + given("a.b", 1.5)
            + "</ssd:Component>",
        )
        + connections(connection("first.y", "part.in")),
        "",
        given("part.a.k", 4) + "",
    )
    files = {"SystemStructure.ssd": outer, "resources/part.ssp": part, "resources/amplifier.fmu": amplifier()}
    system_ = System.from_ssp(packed(tmp_path / "outer.ssp", files))
    assert list(system_.instances) == ["first", "part.a"]
    assert dict(system_.start_values["part.a"]) == {"k": 4.0, "b": 1.5}
    assert str(system_.wires).splitlines()[1] == "first.y [m]               part.a.u [m]"


TWO = elements(FMU.format("a", "amplifier"), FMU.format("b", "amplifier"))
PASSING = (
    '<ssd:System name="s"><ssd:Connectors>'
    + connector("in", "input", "s")
    + connector("out", "output", "s")
    + "</ssd:Connectors>"
    + connections(connection("in", "out"))
    + "</ssd:System>"
)
LOOP = (
    '<ssd:System name="s"><ssd:Connectors>'
    + connector("in", "input")
    + connector("out", "output")
    + "</ssd:Connectors>"
    + connections(connection("in", "out"))
    + "</ssd:System>"
)


@pytest.mark.parametrize(
    ("structure", "sentence"),
    [
        (
            described(elements(FMU.format("a", "amplifer"))),
            "the component 'a' has the source 'resources/amplifer.fmu', and '{path}' has no such file; did you mean 'resources/amplifier.fmu'?",
        ),
        (
            described(elements(FMU.format("a", "../../../etc/x"))),
            "the component 'a' has the source 'resources/../../../etc/x.fmu', and '{path}' has no such file; did you mean "
            "'resources/amplifier.fmu'?",
        ),
        (
            described(elements('<ssd:Component name="a" source="https://example.org/a.fmu"/>')),
            "the component 'a' has the source 'https://example.org/a.fmu', which is not in '{path}'; only files in the package are read",
        ),
        (
            described(elements('<ssd:Component name="a" type="application/x-python" source="a.py"/>')),
            "'SystemStructure.ssd' has the component 'a' of type 'application/x-python'; only FMUs and SSP packages can be run, so take it out",
        ),
        (
            described(elements('<ssd:Robot name="r"/>')),
            "'SystemStructure.ssd' has the element 'r' of the kind Robot, which SSP 1.0 does not know; take it out",
        ),
        (
            described(TWO + connections(connection("a.y", "bb.u"))),
            "'SystemStructure.ssd' has, in the system 'root', a connection with 'bb.u', and there is no element 'bb'; did you mean 'b'?",
        ),
        (
            described(TWO + connections(connection("a.y", "b.v"))),
            "'SystemStructure.ssd' has the connector 'b.v', and the FMU 'amplifier.fmu' has no such variable; its inputs and outputs are 'u', 'y'",
        ),
        (
            described(TWO + connections(connection("a.y", "b.y"))),
            "'SystemStructure.ssd' connects 'a.y' with 'b.y', which both give a value; connect an output with an input",
        ),
        (
            described(TWO + connections(connection("out", "b.u"))),
            "'SystemStructure.ssd' has, in the system 'root', a connection with 'out', and there is no such connector; add it, or take the "
            "connection out",
        ),
        (
            described(elements(FMU.format("a", "amplifier"), LOOP) + connections(connection("a.y", "s.in"), connection("s.out", "s.in"))),
            "connections lead in a circle: s.in -> s.out -> s.in; take one of them out",
        ),
        (
            described(elements(FMU.format("a", "amplifier"), LOOP) + connections(connection("s.out", "s.in"))),  # that no FMU feeds
            "connections lead in a circle: s.in -> s.out -> s.in; take one of them out",
        ),
        (
            described(elements(with_units("a", y="m"), with_units("b", u="s")) + connections(connection("a.y", "b.u")), MM),
            "'SystemStructure.ssd' has the connector 'b.u' in s, and the variable of 'amplifier.fmu' is in m; declare a unit of the same quantity, "
            "or none",
        ),
        (
            described(elements(FMU.format("a", "amplifier"), PASSING) + connections(connection("a.y", "s.in")), MM),
            "'a.y' in m cannot be connected with 's.in' in s; connect variables of one quantity, or suppress the conversion of units",
        ),
        (
            described(TWO, MM, given("a.b", 2).replace('value="2"', 'value="2" unit="s"')),
            "'a.b' is given in s, and is in m; give a value of the same quantity",
        ),
        (
            described(elements('<ssd:Component name="a" source="SystemStructure.ssd"/>')),
            "'SystemStructure.ssd' contains itself, by the component 'a.a'; take that out",
        ),
        (
            described(elements(FMU.format("a", "amplifier"), FMU.format("a", "amplifier"))),
            "'SystemStructure.ssd' has, in the system 'root', two elements with the name 'a'; give each a name of its own",
        ),
        (
            described(
                TWO
                + connections(
                    connection(
                        "a.y",
                        "b.u",
                        '<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/></ssc:BooleanMappingTransformation>',
                    )
                )
            ),
            "'SystemStructure.ssd' has a mapping of values between 'a.y' and 'b.u', and only linear transformations act on signals; put a component "
            "there",
        ),
        (
            described(TWO, "", given("a.kk", 2)),
            "'a' (Amplifier) has no variable 'kk' to start from; did you mean 'k'?",
        ),
        (
            "<!DOCTYPE a [<!ENTITY b 'c'>]>" + described(TWO),
            "'SystemStructure.ssd' cannot be read: it has a DOCTYPE, which SSP does not use; save it again as XML",
        ),
        (
            described(TWO).replace('version="1.0"', 'version="3.0"', 1),
            "'SystemStructure.ssd' is of version '3.0'; SSP 1.0 and 2.0 are read",
        ),
        (
            described(TWO + connections(connection("a.y", "b.u"), connection("a.y", "b.u"))),
            "'a.y' is connected with 'b.u' twice; take one connection out",
        ),
        (
            described(TWO, "", '<ssd:ParameterBindings><ssd:ParameterBinding source="resources/values.ssv"/></ssd:ParameterBindings>'),
            "the parameter set of 'the system' has the source 'resources/values.ssv', and '{path}' has no such file; its files of this kind are "
            "none",
        ),
        (described(""), "'by hand' has no components; a package with FMUs is wanted"),
    ],
)
def test_what_cannot_be_read_is_named(structure: str, sentence: str, tmp_path: Path) -> None:
    """Each by its element, with what to do."""
    path = packed(tmp_path / "x.ssp", {"SystemStructure.ssd": structure, "resources/amplifier.fmu": amplifier()})
    assert refusal(lambda: System.from_ssp(path), BuildError) == sentence.format(path=path)


def test_what_is_left_out_is_noted(tmp_path: Path) -> None:
    """Elements that the standard does not know, and units that the package does not define; one that the FMU knows needs no definition."""
    inside = elements(with_units("a", y="m"), with_units("b", u="ft").replace("<ssd:Connectors>", "<ssd:Wizardry/><ssd:Connectors>"))
    structure = described(inside + connections(connection("a.y", "b.u")) + "<ssd:Magic/>", "<ssd:Sorcery/>")
    path = packed(tmp_path / "x.ssp", {"SystemStructure.ssd": structure, "resources/amplifier.fmu": amplifier()})
    system = System.from_ssp(path)
    assert system.notes == (
        "the package has the element Sorcery, which SSP 1.0 does not know; it is left out",
        "the system 'root' has the element Magic, which SSP 1.0 does not know; it is left out",
        "the component 'b' has the element Wizardry, which SSP 1.0 does not know; it is left out",
        "the connector 'b.u' is in ft, which 'SystemStructure.ssd' does not define among its Units; its values are not converted",
    )
    assert system.connections == (("a.y", "b.u"),)


def test_a_solver_that_omsimulator_names(tmp_path: Path) -> None:
    """Beside its step: the solver and its tolerance are settings."""
    solver = (
        '<ssd:Annotations><ssc:Annotation type="org.openmodelica"><oms:Annotations xmlns:oms="https://example.org/oms.xsd">'
        '<oms:SimulationInformation><oms:VariableStepSolver description="cvode" relativeTolerance="1e-5"/></oms:SimulationInformation>'
        "</oms:Annotations></ssc:Annotation></ssd:Annotations>"
    )
    files = {"SystemStructure.ssd": described(TWO + connections(connection("a.y", "b.u")) + solver), "resources/amplifier.fmu": amplifier()}
    system = System.from_ssp(packed(tmp_path / "solver.ssp", files))
    assert dict(system.settings) == {"solver": "cvode", "rtol": 1e-5}


def test_files_that_are_no_packages(tmp_path: Path) -> None:
    """The file is missing, is no archive, has no structure, or contains files that would be written elsewhere."""
    none = tmp_path / "none.ssp"
    assert refusal(lambda: System.from_ssp(none)) == (
        f"'{none}' cannot be opened: No such file or directory; give the path of a file that ends in .ssp"
    )
    none.write_text("no archive")
    assert refusal(lambda: System.from_ssp(none)) == (
        f"'{none}' is no zip archive that can be read (File is not a zip file), as an SSP package is; save it again"
    )
    empty = packed(tmp_path / "empty.ssp", {"readme.txt": "nothing"})
    assert refusal(lambda: System.from_ssp(empty)) == (
        f"'{empty}' holds no SystemStructure.ssd and is no SSP package; save the system as SSP 1.0 or 2.0"
    )
    outside = packed(tmp_path / "outside.ssp", {"../x.txt": "x"})
    assert "would write the file '../x.txt' outside its own folder" in refusal(lambda: System.from_ssp(outside))


def test_ssv_files_as_start_values(tmp_path: Path) -> None:
    """They serve one instance, by the names of its variables, and a run, by full names; in the units of the variables."""
    text = (
        f'<ssv:ParameterSet {DECLARED} version="1.0" name="v"><ssv:Parameters><ssv:Parameter name="{{0}}k"><ssv:Integer value="4"/></ssv:Parameter>'
        '<ssv:Parameter name="{0}b"><ssv:Real value="250" unit="mm"/></ssv:Parameter></ssv:Parameters>'
        '<ssv:Units><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="0.001"/></ssc:Unit></ssv:Units></ssv:ParameterSet>'
    )
    one, run = tmp_path / "one.ssv", tmp_path / "run.ssv"
    one.write_text(text.replace("{0}", ""))
    run.write_text(text.replace("{0}", "a.").replace('"250"', '"500"'))
    system = System()
    system.add("a", amplifier(), one)
    assert dict(system.start_values["a"]) == {"k": 4.0, "b": 0.25}
    system.drive("a.u", 1.0)
    assert system.simulate(0.1)["a.y"][-1] == 4.25
    assert system.simulate(0.1, start_values=str(run))["a.y"][-1] == 4.5
    one.write_text(text.replace("{0}", "").replace('name="b"', 'name="c"'))
    assert refusal(lambda: System().add("a", amplifier(), one)).startswith(f"'{one}': 'a' (Amplifier) has no port or variable 'c'")
    one.write_text(text.replace("{0}", "").replace('unit="mm"', 'unit="inch"'))
    assert refusal(lambda: System().add("a", amplifier(), one)) == (
        f"'{one}' gives the parameter 'b' the unit 'inch', which it does not define; define it among its Units"
    )
    one.write_text(text.replace("{0}", "").replace('value="4"', 'value="4.5"'))
    assert (
        refusal(lambda: System().add("a", amplifier(), one))
        == f"'{one}' gives the parameter 'k' the value '4.5', which is no Integer; mend it"
    )


def test_ssv_files_are_start_values_of_exports_and_assemblies(tmp_path: Path) -> None:
    """They serve these as they serve a run."""
    file = tmp_path / "heavy.ssv"
    file.write_text(
        f'<ssv:ParameterSet {DECLARED} version="1.0" name="v"><ssv:Parameters><ssv:Parameter name="rod.m"><ssv:Real value="2000" unit="g"/>'
        '</ssv:Parameter><ssv:Parameter name="rod.theta"><ssv:Real value="0.5"/></ssv:Parameter></ssv:Parameters>'
        '<ssv:Units><ssc:Unit name="g"><ssc:BaseUnit kg="1" factor="0.001"/></ssc:Unit></ssv:Units></ssv:ParameterSet>'
    )
    system = System()
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5})
    system.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    assert system.assemble(start_values=file)["rod.x"] == pytest.approx(0.5 * np.cos(0.5))
    path = system.export_fmu(tmp_path / "rod.fmu", initial="assemble", start_values=str(file), platforms=["linux64"])
    variables = load(path).variables
    assert (variables["rod.m"].start, variables["rod.theta"].start) == (2.0, 0.5)
    assert variables["rod.x"].start == pytest.approx(0.5 * np.cos(0.5))


def test_units_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The units of a document do not cost more with each connector that has one."""
    zone().to_ssp(tmp_path / "zone.ssp")
    asked: list[str] = []
    plain = Document.parsed

    def counted(self: Document, *given: Any) -> Any:
        asked.append(self.file)
        return plain(self, *given)

    monkeypatch.setattr(Document, "parsed", counted)
    System.from_ssp(tmp_path / "zone.ssp")
    assert 0 < len(asked) < 500
