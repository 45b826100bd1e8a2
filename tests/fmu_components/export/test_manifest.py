"""The manifest of the layered standard for DAE describes the ideal mode."""

from __future__ import annotations

from pathlib import Path

import fmpy
import pytest
from lxml import etree

from fmu_components.catalogue import all_components
from fmu_components.declare.declaration import Role
from fmu_components.declare.joint import Joint
from fmu_components.export.table import VariableTable
from tests.support.export.dependence import check_dependencies, dependence
from tests.support.export.tables import manifest_of, table_of
from tests.support.properties import check_all

LISTS = ("Output", "ContinuousStateDerivative", "InitialUnknown", "EventIndicator", "Residual")


class _ShippedWithFmpy(etree.Resolver):
    """The schema of the attributes common to all layered standards."""

    def resolve(self, url, pubid, context):
        name = Path(url).name
        shipped = Path(fmpy.__file__).parent / "schema" / "fmi3" / name
        return self.resolve_filename(str(shipped), context) if name == "fmi3LayeredStandardManifest.xsd" else None


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    parser = etree.XMLParser()
    parser.resolvers.add(_ShippedWithFmpy())
    return etree.XMLSchema(etree.parse(Path(__file__).with_name("fmi-ls-dae.xsd"), parser))


JOINTS = {name: component for name, component in all_components().items() if issubclass(component, Joint) and component.constrains()}


@pytest.fixture(params=list(JOINTS))
def table(request: pytest.FixtureRequest) -> VariableTable:
    """Every component that leaves unknowns to the importer."""
    return table_of(JOINTS[request.param])


@pytest.fixture
def written(table, fmi) -> etree._Element:
    return read(table, fmi)


def read(table: VariableTable, fmi: int) -> etree._Element:
    text = manifest_of(table, fmi)
    assert text is not None
    return etree.fromstring(text.encode())


def name(table: VariableTable, element: etree._Element) -> str:
    return table.variable(int(element.get("valueReference"))).name


def dependencies(table: VariableTable, element: etree._Element, fmi: int = 3) -> dict[str, str]:
    """The kinds of what an unknown depends on, by name; FMI 2 has elements of arrays."""
    names = dict(table.scalars() if fmi == 2 else table.numbered())
    knowns = [names[int(reference)].name for reference in element.get("dependencies").split()]
    return dict(zip(knowns, element.get("dependenciesKind", "").split(), strict=True))


def check_the_schema_accepts_it(written, schema):
    """The manifest has the elements of version 1.0.0-alpha.1, in their order."""
    schema.assertValid(written)


def test_the_root_says_which_standard_it_follows(joint, fmi):
    """The three attributes have the values that the standard fixes; libxml2 does not check these."""
    space = "{http://fmi-standard.org/fmi-ls-manifest}"
    assert dict(read(joint, fmi).attrib) == {
        f"{space}fmi-ls-name": "org.fmi-standard.fmi-ls-dae",
        f"{space}fmi-ls-version": "1.0.0-alpha.1",
        f"{space}fmi-ls-description": "Layered standard for DAE support in FMI.",
    }


def test_the_schema_is_strict(joint, schema):
    """A residual before the outputs, a kind that the initialisation forbids, or no switch are not accepted."""
    for spoil in (
        lambda root: root.find("ModelStructure").insert(0, root.find("ModelStructure/Residual")),
        lambda root: root.find("ModelStructure/InitialUnknown").set("dependenciesKind", "tunable"),
        lambda root: root.remove(root.find("EnableDAEParameter")),
    ):
        root = read(joint, 3)
        spoil(root)
        assert not schema.validate(root)


def test_switch_algebraic_variables_and_residuals(joint, fmi):
    """The joint hands over its multipliers, for which there are as many residuals, while the switch is on."""
    root = read(joint, fmi)
    assert name(joint, root.find("EnableDAEParameter")) == "ideal"
    assert [name(joint, each) for each in root.find("AlgebraicVariables")] == ["lambda[1]", "lambda[2]"]
    assert [name(joint, each) for each in root.findall("ModelStructure/Residual")] == ["residual[1]", "residual[2]"]


def check_each_list_is_complete(written, table):
    """The lists replace those of the model description, so that they name every output, derivative and event indicator."""
    expected = {
        "Output": [Role.OUTPUT],
        "ContinuousStateDerivative": [Role.DERIVATIVE],
        "EventIndicator": [Role.INDICATOR],
        "InitialUnknown": [Role.OUTPUT, Role.DERIVATIVE],
    }
    for tag, roles in expected.items():
        names = {name(table, each) for each in written.findall(f"ModelStructure/{tag}")}
        assert names == {v.name for v in table.with_role(*roles)}


def check_dependencies_hold_numerically(written, table, fmi):
    """While the switch is on, nothing moves with what is not declared, and the slopes are what the kinds promise."""
    probe = dependence(table, True)
    always = {Role.TIME, Role.STATE, Role.INPUT, Role.DISCRETE_INPUT, Role.ALGEBRAIC}
    later = always | ({Role.PARAMETER, Role.DISCRETE} if fmi == 3 else set())
    knowns = dict.fromkeys(LISTS, later)
    knowns |= {"InitialUnknown": always | {Role.PARAMETER, Role.DISCRETE}, "Residual": always | {Role.PARAMETER}}
    for tag, roles in knowns.items():
        for each in written.findall(f"ModelStructure/{tag}"):
            among = [v.name for known in table.with_role(*roles) for v in (known.scalars if fmi == 2 else (known,))]
            check_dependencies(probe, name(table, each), among, dependencies(table, each, fmi))


def test_the_wrench_is_that_of_lambda(joint, fmi):
    """The force of a revolute joint in ideal mode is its multiplier, whatever the motion."""
    (force,) = [each for each in read(joint, fmi).findall("ModelStructure/Output") if name(joint, each) == "M.Fx"]
    assert dependencies(joint, force) == {"lambda[1]": "constant"}


def test_every_manifest_describes_the_ideal_mode(written, table, fmi, schema):
    """The checks above, of what is read once."""
    check_all(
        check_the_schema_accepts_it,
        check_each_list_is_complete,
        check_dependencies_hold_numerically,
        written=written,
        table=table,
        fmi=fmi,
        schema=schema,
    )
