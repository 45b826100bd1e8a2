"""Meaning of a connection of two terminals."""

from __future__ import annotations

from coupling.fmus.description import Fmu
from coupling.fmus.terminals import Terminal

OWN_KINDS = "org.jourdain."
"""Prefix of the kinds of ports of this library."""


def gives(fmu: Fmu, terminal: Terminal) -> dict[str, str]:
    """Returns the members that a port gives, with the names of their variables."""
    return {member: name for member, name in terminal.members.items() if fmu.variables[name].causality != "input"}


def takes(fmu: Fmu, terminal: Terminal) -> dict[str, str]:
    """Returns the members that a port takes, with the names of their variables."""
    return {member: name for member, name in terminal.members.items() if fmu.variables[name].causality == "input"}


def needs_partner(fmu: Fmu, terminal: Terminal) -> bool:
    """Says whether a port needs a partner: it passes power or is of our own kinds, and takes the motion, pressure or voltage that its
    partner gives."""
    return bool(terminal.power or terminal.kind.startswith(OWN_KINDS)) and bool(needed(fmu, terminal))


def needed(fmu: Fmu, terminal: Terminal) -> dict[str, str]:
    """Returns the members that a port takes and that one partner has to give: members that do not add up."""
    return {member: name for member, name in takes(fmu, terminal).items() if member not in terminal.added}


def is_member(fmu: Fmu, name: str) -> bool:
    """Returns whether a variable belongs to a port."""
    return any(name in port.members.values() for port in fmu.terminals.values())


def adds(fmu: Fmu, name: str) -> bool:
    """Says whether a variable adds up the values of several partners, as a force of a port does."""
    return any(member in port.added for port in fmu.terminals.values() for member, each in port.members.items() if each == name)


def partners(a: Terminal, b: Terminal) -> list[tuple[str, str]] | None:
    """Returns the pairs of members of two ports that belong together, by the matching rule of FMI; None if the ports do not match."""
    if a.rule == b.rule == "sequence":
        return list(zip(a.members, b.members, strict=True)) if len(a.members) == len(b.members) else None
    if a.rule == b.rule == "bus":
        return [(member, member) for member in a.members if member in b.members] or None
    return [(member, member) for member in a.members] if set(a.members) == set(b.members) else None


def described(fmu: Fmu, terminal: Terminal) -> str:
    """Returns a port's kind and side as text for a user."""
    kind = terminal.kind.removeprefix("org.jourdain.") or "unnamed"
    given = ", ".join(gives(fmu, terminal)) or "nothing"
    taken = ", ".join(takes(fmu, terminal)) or "nothing"
    return f"{kind}: gives {given}; takes {taken}"
