"""The terminals are the ports, with all their variables, where the icon shows them."""

from __future__ import annotations

from pathlib import Path

import fmpy
import pytest
from lxml import etree

from fmu_components.catalogue import all_components
from fmu_components.declare.component import Component, declaration
from fmu_components.declare.ports import KINDS
from fmu_components.declare.units import exponents
from fmu_components.export.pages.icons import EXTENT, port_positions
from fmu_components.export.table import VariableTable
from fmu_components.export.terminals import terminal_icons, terminals_and_icons
from tests.support.export.tables import table_of
from tests.support.properties import check_all


def read(table: VariableTable, fmi: int) -> etree._Element:
    return etree.fromstring(terminals_and_icons(table, fmi, port_positions(table.declared)).encode())


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    return etree.XMLSchema(file=str(Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"))


def check_the_schema_accepts_it(table, schema):
    """The file is valid for every component, also for one without ports."""
    schema.assertValid(read(table, 3))


def check_both_versions_have_the_same_text(table):
    """FMI 2 carries the file in the format of FMI 3."""
    assert terminals_and_icons(table, 2, port_positions(table.declared)) == terminals_and_icons(table, 3, port_positions(table.declared))


def check_one_terminal_per_port(table):
    """Each port is a terminal of its name, matched by the names of its members, with its kind and a description."""
    terminals = read(table, 3).findall("Terminals/Terminal")
    assert [t.get("name") for t in terminals] == [port.name for port in table.declared.ports]
    assert [t.get("terminalKind") for t in terminals] == [f"org.jourdain.{port.kind.identifier}" for port in table.declared.ports]
    assert all(t.get("matchingRule") == "plug" and t.get("description") for t in terminals)


def check_members_are_all_variables_of_the_port(table):
    """The members are the inputs and outputs of the port, named as without its prefix, so that both sides of a connection match."""
    for terminal in read(table, 3).findall("Terminals/Terminal"):
        members = {m.get("variableName"): m.get("memberName") for m in terminal.findall("TerminalMemberVariable")}
        assert set(members) == {v.name for v in table.variables if v.port == terminal.get("name")}
        assert all(variable == f"{terminal.get('name')}.{member}" for variable, member in members.items())


def check_what_a_master_has_to_know(table):
    """An annotation says what adds up, and what makes power with what: all efforts, each with one rate of the same port. Flows of mass and of
    heat make no power with pressures and temperatures."""
    ports = {port.name: port for port in table.declared.ports}
    for terminal in read(table, 3).findall("Terminals/Terminal"):
        kind = ports[terminal.get("name")].kind
        (facts,) = terminal.findall("Annotations/Annotation")
        assert facts.get("type") == "org.jourdain"
        assert [each.get("member") for each in facts.findall("Sum")] == [effort.name for effort in kind.effort]
        pairs = {each.get("effort"): each.get("rate") for each in facts.findall("Power")}
        efforts = [effort.name for effort in kind.effort] if kind.powered else []
        assert list(pairs) == efforts and set(pairs.values()) <= {q.name for q in kind.motion}


def test_what_makes_power():
    """The units of an effort and of its rate make watts; radians count for nothing."""
    for kind in KINDS:
        for effort, rate in kind.power:
            product = [a + b for a, b in zip(exponents(effort.unit), exponents(rate.unit), strict=True)]
            assert product[:-1] == list(exponents("W"))[:-1]


def test_the_sides_of_a_connection_match(joint, fmi):
    """A joint and a body have terminals of the same kind with the same members in the same order, as the rule 'plug' wants it."""

    class Point(Component):
        """Point."""

        def declare(self):
            from fmu_components.declare.ports import PLANAR, Side

            self.moves(self.port("p1", PLANAR, Side.MOTION, "point"), 0, 0, 0)

    on_joint, on_body = (read(t, fmi).find("Terminals/Terminal") for t in (joint, VariableTable(declaration(Point))))
    assert on_joint.get("terminalKind") == on_body.get("terminalKind") == "org.jourdain.planar"
    members = [[m.get("memberName") for m in t.findall("TerminalMemberVariable")] for t in (on_joint, on_body)]
    assert members[0] == members[1] == ["x", "y", "theta", "vx", "vy", "omega", "ax", "ay", "alpha", "Fx", "Fy", "Cz"]


def test_places(joint, fmi):
    """Coordinates reach from -100 to 100, the icon as far as its image; the ports of a joint lie left and right."""
    root = read(joint, fmi)

    def box(element: etree._Element) -> list[float]:
        return [float(element.get(corner)) for corner in ("x1", "y1", "x2", "y2")]

    assert box(root.find("GraphicalRepresentation/CoordinateSystem")) == [-100, -100, 100, 100]
    assert box(root.find("GraphicalRepresentation/Icon")) == pytest.approx([-100 * EXTENT, -100 * EXTENT, 100 * EXTENT, 100 * EXTENT])
    places = [box(each) for each in root.iter("TerminalGraphicalRepresentation")]
    assert places == [[-110, -10, -90, 10], [90, -10, 110, 10]]


def check_every_image_exists(table):
    """Each terminal refers to an image, without its ending, that is made beside the file."""
    images = terminal_icons(table)
    named = {f"{each.get('iconBaseName')}.png" for each in read(table, 3).iter("TerminalGraphicalRepresentation")}
    assert named == set(images)
    assert all(image.startswith(b"\x89PNG\r\n") for image in images.values())


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))])
def test_every_port_is_a_terminal(part, schema):
    """The checks above hold for the text of each component, which is the same in both versions; a quarter of the components at a time."""
    for component in list(all_components().values())[part::4]:
        check_all(
            check_both_versions_have_the_same_text,
            check_the_schema_accepts_it,
            check_one_terminal_per_port,
            check_members_are_all_variables_of_the_port,
            check_what_a_master_has_to_know,
            check_every_image_exists,
            table=table_of(component),
            schema=schema,
        )
