"""What connecting two terminals means, for the kinds of terminals that this master knows and for all others."""

from __future__ import annotations

from coupling.fmus.description import Fmu
from coupling.fmus.terminals import Terminal

POWER: dict[str, tuple[tuple[str, str], ...]] = {
    "org.jourdain.planar": (("Fx", "vx"), ("Fy", "vy"), ("Cz", "omega")),
    "org.jourdain.rotational": (("tau", "w"),),
    "org.jourdain.translational": (("f", "v"),),
    "org.jourdain.hydraulic": (("q", "p"),),
    "org.jourdain.electrical": (("i", "v"),),
}
"""Efforts, flows and currents, each with what it makes power with, by kind."""
ADDED: dict[str, frozenset[str]] = {kind: frozenset(effort for effort, _ in pairs) for kind, pairs in POWER.items()}
"""The members that add up where several ports meet, by kind: efforts, flows and currents."""


def gives(fmu: Fmu, terminal: Terminal) -> dict[str, str]:
    """The members that a port gives, with the names of their variables."""
    return {member: name for member, name in terminal.members.items() if fmu.variables[name].causality != "input"}


def takes(fmu: Fmu, terminal: Terminal) -> dict[str, str]:
    """The members that a port takes."""
    return {member: name for member, name in terminal.members.items() if fmu.variables[name].causality == "input"}


def needs_partner(fmu: Fmu, terminal: Terminal) -> bool:
    """Whether a port makes no sense alone: it takes a motion, a pressure or a voltage, which nobody gives where it is open."""
    return terminal.kind in ADDED and any(member not in ADDED[terminal.kind] for member in takes(fmu, terminal))


def partners(a: Terminal, b: Terminal) -> list[tuple[str, str]] | None:
    """Which members of two ports belong together, by the matching rule of FMI; None where the ports do not match."""
    if a.rule == b.rule == "sequence":
        return list(zip(a.members, b.members, strict=True)) if len(a.members) == len(b.members) else None
    if a.rule == b.rule == "bus":
        return [(member, member) for member in a.members if member in b.members] or None
    return [(member, member) for member in a.members] if set(a.members) == set(b.members) else None


def described(fmu: Fmu, terminal: Terminal) -> str:
    """A port's kind and side, for a user."""
    kind = terminal.kind.removeprefix("org.jourdain.") or "unnamed"
    given = ", ".join(gives(fmu, terminal)) or "nothing"
    taken = ", ".join(takes(fmu, terminal)) or "nothing"
    return f"{kind}: gives {given}; takes {taken}"
