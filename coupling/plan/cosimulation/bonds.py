"""The paths of power through ports into Co-Simulation instances, by which the energy that coupling creates is watched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coupling.plan.graph import Address, Part
from coupling.plan.schedule import Schedule


@dataclass(frozen=True)
class Bond:
    """An input of a Co-Simulation instance and an output of it whose product is power."""

    port: str
    """Name of the port, and of the ports connected with it."""
    input: int
    """Number of the input among those that arrive at Co-Simulation instances."""
    output: int
    """The slot of the conjugate quantity."""
    sign: float
    """1 where the product is power into the instance, -1 where it is power out of it."""


def bonds_of(parts: Sequence[Part], connections: Sequence[tuple[str, str]], schedule: Schedule) -> Iterator[Bond]:
    """Yields all bonds, port by port. Several connections that add up at one port cannot be told apart."""
    place = {address: i for i, address in enumerate(schedule.arriving)}
    partners: dict[str, list[str]] = {}
    for a, b in connections:
        partners.setdefault(a, []).append(b)
        partners.setdefault(b, []).append(a)
    for index, part in enumerate(parts):
        for name, terminal in part.fmu.terminals.items() if part.stepped else ():
            port = f"{part.name}.{name}"
            title = f"{port} - {' + '.join(partners.get(port, ['...']))}"
            for effort, rate in terminal.power:
                members = [part.fmu.variables[terminal.members[member]] for member in (effort, rate) if member in terminal.members]
                if len(members) < 2:
                    continue
                takes_effort = members[0].causality == "input"
                pair = [Address(index, 0, v.reference) for v in (members if takes_effort else members[::-1])]
                in_base = [Address(index, 0, part.fmu.seen(v, True)) for v in (members if takes_effort else members[::-1])]
                taken, given = (a if a in place or a in schedule.slot else b for a, b in zip(in_base, pair, strict=True))
                if taken in place and given in schedule.slot:
                    yield Bond(title, place[taken], schedule.slot[given], 1.0 if takes_effort else -1.0)
