"""What connecting two terminals means."""

from __future__ import annotations

from pathlib import Path

import pytest

from coupling import System
from coupling.fmus.fmu import Terminal, load
from coupling.fmus.ports import ADDED, described, gives, needs_partner, partners, takes
from coupling.plan.connections import wires_of
from fmu_components.catalogue import all_components, find
from fmu_components.declare.component import declaration
from fmu_components.declare.ports import Side
from fmu_components.export.build import cached_fmu
from tests.support.systems.systems import described as written
from tests.support.systems.systems import refusal


def test_every_port_of_the_catalogue_is_known(component: type) -> None:
    """Its kind has efforts that add up, it is either side of its kind, and the side of efforts needs a partner."""
    fmu = load(cached_fmu(component, 3))
    for port in declaration(component).ports:
        terminal = fmu.terminals[port.name]
        given, taken = gives(fmu, terminal), takes(fmu, terminal)
        assert terminal.kind in ADDED
        assert set(given) == {quantity.name for quantity in port.kind.given_by(port.side)}
        assert set(taken) == {quantity.name for quantity in port.kind.given_by(port.side.opposite)}
        assert set(given if port.side is Side.EFFORT else taken) == ADDED[terminal.kind]
        assert needs_partner(fmu, terminal) == (port.side is Side.EFFORT)


def test_a_description_says_kind_and_side() -> None:
    """A kind of ours goes without its prefix."""
    fmu = load(cached_fmu(find("planar.ActuatedRevolute"), 3))
    assert described(fmu, fmu.terminals["flange"]) == "rotational: gives phi, w, a; takes tau"


def test_all_kinds_of_the_catalogue_are_used() -> None:
    """Or are those of libraries to come."""
    used = {port.kind.identifier for component in all_components().values() for port in declaration(component).ports}
    assert {f"org.jourdain.{kind}" for kind in used} <= set(ADDED)


def terminal(rule: str, *members: str) -> Terminal:
    return Terminal("t", "k", rule, {member: f"t.{member}" for member in members})


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (terminal("plug", "u", "i"), terminal("plug", "i", "u"), [("u", "u"), ("i", "i")]),
        (terminal("plug", "u", "i"), terminal("plug", "u"), None),
        (terminal("bus", "u", "i", "n"), terminal("bus", "i", "n", "q"), [("i", "i"), ("n", "n")]),
        (terminal("bus", "u"), terminal("bus", "i"), None),
        (terminal("sequence", "u", "i"), terminal("sequence", "a", "b"), [("u", "a"), ("i", "b")]),
        (terminal("sequence", "u", "i"), terminal("sequence", "a"), None),
        (terminal("bus", "u", "i"), terminal("plug", "u"), None),
    ],
)
def test_matching_rules(a: Terminal, b: Terminal, expected: list[tuple[str, str]] | None) -> None:
    """A plug has the same members on both sides, a bus shares those of the same names, a sequence goes by order."""
    assert partners(a, b) == expected


VARIABLES = """<Float64 name="y" valueReference="1" causality="output"/><Float64 name="u" valueReference="2" causality="input" start="0"/>
<Float64 name="w" valueReference="3" causality="output"/>"""


def port(*members: tuple[str, str], rule: str = "plug") -> str:
    inside = "".join(f'<TerminalMemberVariable variableName="{v}" memberName="{m}" variableKind="signal"/>' for m, v in members)
    return f'<Terminal name="port" matchingRule="{rule}" terminalKind="net">{inside}</Terminal>'


def test_ports_of_other_tools_are_connected_by_their_members(tmp_path: Path) -> None:
    """Each gives what the other takes; nothing adds up, since nobody says so."""
    a = load(written(tmp_path, "A", VARIABLES, port(("send", "y"), ("receive", "u"))))
    b = load(written(tmp_path, "B", VARIABLES, port(("send", "u"), ("receive", "y"))))
    assert wires_of({"a": a, "b": b}, [("a.port", "b.port")], {}) == {("b", "u"): [("a", "y")], ("a", "u"): [("b", "y")]}
    with pytest.raises(ValueError, match=r"the input 'c\.u' has two sources, 'a\.y' and 'b\.w'"):
        wires_of({"a": a, "b": b, "c": b}, [("a.port", "c.port"), ("b.w", "c.u")], {})


def test_ports_that_do_not_match(tmp_path: Path) -> None:
    """The members that only one of them has are named."""
    a = written(tmp_path, "A", VARIABLES, port(("send", "y"), ("receive", "u")))
    b = written(tmp_path, "B", VARIABLES, port(("send", "u"), ("more", "y")))
    c = written(tmp_path, "C", VARIABLES, port(("send", "y"), ("receive", "w"), rule="sequence"))
    d = written(tmp_path, "D", VARIABLES, port(("send", "y"), rule="sequence"))

    def joined(one: Path, other: Path) -> str:
        system = System()
        system.add("a", one)
        system.add("b", other)
        system.connect("a.port", "b.port")
        return refusal(system.build)

    assert joined(a, b) == (
        "'a.port' (net: gives send; takes receive) and 'b.port' (net: gives more; takes send) do not match: "
        "more, receive in one of them only; connect their variables one by one"
    )
    assert joined(c, d) == (
        "'a.port' (net: gives send, receive; takes nothing) and 'b.port' (net: gives send; takes nothing) do not match: "
        "receive in one of them only; connect their variables one by one"
    )
