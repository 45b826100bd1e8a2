"""The terminals of an FMU: groups of variables that are connected together."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from xml.etree.ElementTree import Element

from coupling.fmus.errors import FmuError, Source

_FACTS = "Annotations/Annotation[@type='org.jourdain']"
_DEEPEST = 100
"""Greatest depth of nested terminals; deeper ones are ignored."""
_FLOWS = ("inflow", "outflow")
"""Names in the standard of members that balance."""
TERMINALS = ("terminalsAndIcons/terminalsAndIcons.xml", "extra/terminalsAndIcons/terminalsAndIcons.xml")
"""Paths of the file with terminals, in FMI 3 and in FMI 2."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """A named group of variables that belong together."""

    name: str
    kind: str
    rule: str
    members: Mapping[str, str]
    """The names of the variables by the names of the members."""
    added: frozenset[str] = frozenset()
    """The members that add up where several ports meet: efforts, flows and currents."""
    power: tuple[tuple[str, str], ...] = ()
    """Efforts, flows and currents, each with the member that it makes power with."""
    torque_free: tuple[str, ...] | None = None
    """Variables that must be 0 for the terminal to transmit no torque.

    They belong to a terminal that gives effort. If it gives motion and takes no torque, the tuple is empty; None if torques are given or
    taken.
    """


def read_terminals(
    files: Mapping[str, bytes], names: Callable[[str], Sequence[str]], variables: Container[str], source: Source
) -> tuple[dict[str, Terminal], list[str]]:
    """Returns the terminals by name, and notes on terminals that cannot be used. An FMU works without its terminals.

    ``names`` gives the names of the elements of an array, each of which is a member.
    """
    text = next((files[name] for name in TERMINALS if name in files), None)
    if text is None:
        return {}, []
    try:
        root = source.tree(text, "terminalsAndIcons.xml")
    except FmuError as error:
        return {}, [f"{error}; its terminals are ignored"]
    found: dict[str, Terminal] = {}
    notes = []
    for whole in (each for top in root.iterfind("Terminals/Terminal") for each in _nested(top, "")):
        terminal = _by_elements(whole, names)
        if terminal.name.count(".") == _DEEPEST:
            notes.append(f"'{source.path}' has terminals that lie in one another more than {_DEEPEST} deep; deeper terminals are ignored")
        missing = [name for name in terminal.members.values() if name not in variables]
        if missing:
            notes.append(f"'{source.path}' has the terminal '{terminal.name}' with the variable '{missing[0]}', which does not exist")
        else:
            found[terminal.name] = terminal
    return found, notes


def _by_elements(terminal: Terminal, names: Callable[[str], Sequence[str]]) -> Terminal:
    """Returns the terminal with a member for each element of its arrays, ``u`` becoming ``u[1]``, ``u[2]`` ..."""
    inside = {member: names(name) for member, name in terminal.members.items()}
    if all(found == [terminal.members[member]] for member, found in inside.items()):
        return terminal
    members: dict[str, list[str]] = {}
    variables: dict[str, str] = {}
    for member, found in inside.items():
        whole = terminal.members[member]
        members[member] = [member + each.removeprefix(whole) for each in found]
        variables |= dict(zip(members[member], found, strict=True))
    added = frozenset(each for member in terminal.added for each in members[member])
    power = tuple(pair for effort, rate in terminal.power for pair in zip(members[effort], members[rate], strict=False))
    return replace(terminal, members=MappingProxyType(variables), added=added, power=power)


def _nested(top: Element, prefix: str) -> Iterator[Terminal]:
    """Yields a terminal and those inside it, which are named after it."""
    waiting = [(top, prefix)]
    while waiting:
        element, before = waiting.pop()
        name = before + (element.get("name") or "")
        members: dict[str, str] = {}
        for member in element.iterfind("TerminalMemberVariable"):
            variable = member.get("variableName") or ""
            members[member.get("memberName") or variable] = variable
        for member in element.iterfind("TerminalStreamMemberVariable"):
            for side in ("inStream", "outStream"):
                members[member.get(f"{side}MemberName") or ""] = member.get(f"{side}VariableName") or ""
        kind, rule = element.get("terminalKind") or "", element.get("matchingRule") or ""
        added, power = frozenset(_added(element, members)), tuple(_power(element, members))
        yield Terminal(name, kind, rule, MappingProxyType(members), added, power, _torque_free(element))
        inside = [(inner, f"{name}.") for inner in element.iterfind("Terminal")]
        if name.count(".") < _DEEPEST:
            waiting += reversed(inside)


def _added(element: Element, members: Container[str]) -> Iterator[str]:
    """Yields the members that add up, by the standard's kind of the member, or by our own annotation."""
    for member in element.iterfind("TerminalMemberVariable"):
        if member.get("variableKind") in _FLOWS:
            yield member.get("memberName") or member.get("variableName") or ""
    for fact in element.iterfind(f"{_FACTS}/Sum"):
        if fact.get("member") in members:
            yield fact.get("member", "")


def _power(element: Element, members: Container[str]) -> Iterator[tuple[str, str]]:
    for fact in element.iterfind(f"{_FACTS}/Power"):
        effort, rate = fact.get("effort", ""), fact.get("rate", "")
        if effort in members and rate in members:
            yield effort, rate


def _torque_free(element: Element) -> tuple[str, ...] | None:
    fact = element.find(f"{_FACTS}/NoTorque")
    return None if fact is None else tuple((fact.get("where") or "").split())
