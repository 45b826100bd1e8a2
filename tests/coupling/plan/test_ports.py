"""Meaning of a connection of two terminals."""

from __future__ import annotations

from pathlib import Path

import pytest

from coupling import System
from coupling.fmus import Terminal, load
from coupling.fmus.ports import described, needs_partner, partners
from coupling.plan.connections import wires_of
from fmu_components.catalogue import find
from fmu_components.declare.ports import KINDS
from fmu_components.export.build import cached_fmu
from tests.support.systems.systems import described as written
from tests.support.systems.systems import refusal


def test_a_description_says_kind_and_side() -> None:
    """A kind of ours goes without its prefix."""
    fmu = load(cached_fmu(find("planar.ActuatedRevolute"), 3))
    assert described(fmu, fmu.terminals["flange"]) == "rotational: gives phi, w, a; takes tau"


def test_what_makes_power() -> None:
    """The efforts and rates of each kind are those of textbooks."""
    found = {kind.terminal_kind: tuple((effort.name, rate.name) for effort, rate in kind.power) for kind in KINDS}
    assert found == {
        "org.jourdain.planar": (("Fx", "vx"), ("Fy", "vy"), ("Cz", "omega")),
        "org.jourdain.spatial": (("Fx", "vx"), ("Fy", "vy"), ("Fz", "vz"), ("Cx", "omegax"), ("Cy", "omegay"), ("Cz", "omegaz")),
        "org.jourdain.rotational": (("tau", "w"),),
        "org.jourdain.translational": (("f", "v"),),
        "org.jourdain.hydraulic": (("q", "p"),),
        "org.jourdain.electrical": (("i", "v"),),
        "org.jourdain.pneumatic": (),  # pressure times mass flow is no power
        "org.jourdain.thermal": (),
    }


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
    """Each gives the quantities that the other takes; nothing adds up without a declaration."""
    a = load(written(tmp_path, "A", VARIABLES, port(("send", "y"), ("receive", "u"))))
    b = load(written(tmp_path, "B", VARIABLES, port(("send", "u"), ("receive", "y"))))
    assert wires_of({"a": a, "b": b}, [("a.port", "b.port")], {}) == {("b", "u"): [("a", "y")], ("a", "u"): [("b", "y")]}
    with pytest.raises(ValueError, match=r"the input 'c\.u' has two sources, 'a\.y' and 'b\.w'"):
        wires_of({"a": a, "b": b, "c": b}, [("a.port", "c.port"), ("b.w", "c.u")], {})


def test_flows_of_other_tools_add_up(tmp_path: Path) -> None:
    """The standard says so of inflows and outflows; such a port may stay open, since it is not declared to pass power."""
    flow = '<TerminalMemberVariable variableName="{}" memberName="i" variableKind="{}flow"/>'
    kind = '<Terminal name="port" matchingRule="plug" terminalKind="org.jourdain.electrical">{}</Terminal>'
    sink = load(written(tmp_path, "A", VARIABLES, kind.format(flow.format("u", "in"))))
    one = load(written(tmp_path, "B", VARIABLES, kind.format(flow.format("y", "out"))))
    assert sink.terminals["port"].added == {"i"} and sink.terminals["port"].power == ()
    assert not needs_partner(sink, sink.terminals["port"])
    pairs = [("a.port", "b.port"), ("a.port", "c.port")]
    assert wires_of({"a": sink, "b": one, "c": one}, pairs, {}) == {("a", "u"): [("b", "y"), ("c", "y")]}


def test_facts_on_members_that_are_not_there_are_left_out(tmp_path: Path) -> None:
    """Annotations of other types say nothing to us."""
    ours = '<Annotation type="org.jourdain"><Sum member="i"/><Sum member="j"/><Power effort="i" rate="k"/></Annotation>'
    other = '<Annotation type="net.other"><Sum member="k"/></Annotation>'
    inside = '<TerminalMemberVariable variableName="u" memberName="i" variableKind="signal"/>'
    text = f'<Terminal name="port" matchingRule="plug" terminalKind="net">{inside}<Annotations>{other}{ours}</Annotations></Terminal>'
    read = load(written(tmp_path, "A", VARIABLES, text)).terminals["port"]
    assert read.added == {"i"} and read.power == ()


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
        return refusal(lambda: system.connect("a.port", "b.port"))

    assert joined(a, b) == (
        "'a.port' (net: gives send; takes receive) and 'b.port' (net: gives more; takes send) do not match: "
        "more, receive in one of them only; connect their variables one by one"
    )
    assert joined(c, d) == (
        "'a.port' (net: gives send, receive; takes nothing) and 'b.port' (net: gives send; takes nothing) do not match: "
        "receive in one of them only; connect their variables one by one"
    )
