"""What is read to move states onto constraints: these at position and velocity level, without solving for anything."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from coupling.plan.graph import Address, Graph, Level
from coupling.plan.schedule import Kind, Operation, Schedule, passing_on


@dataclass(frozen=True)
class Held:
    """What an unknown of a loop keeps at zero, and where this is kept once it is read."""

    loop: int
    unknown: int
    position: int | None
    velocity: int | None


@dataclass(frozen=True)
class Reading:
    """All constraints of a system, and the operations that read them."""

    constraints: tuple[Held, ...]
    parts: tuple[int, ...]
    """The instances that need time and states for it."""
    operations: tuple[Operation, ...]


def plan_reading(schedule: Schedule) -> Reading | None:
    """None where a constraint has no velocity level, or where levels cannot be had without the multipliers."""
    graph = schedule.graph
    places: dict[Address, int] = {}
    held: list[Held] = []
    for number, loop in enumerate(schedule.loops):
        for unknown in range(len(loop.unknowns) - loop.torn):
            residual = loop.residuals[unknown]
            dae = graph.parts[residual.part].dae
            constraint = next((c for c in dae.constraints if c.residual == residual.reference), None) if dae else None
            if constraint is None or constraint.velocity is None:
                return None
            slots = []
            for reference in (constraint.position, constraint.velocity):
                if reference is not None:
                    places[Address(residual.part, 0, reference)] = len(places)
                slots.append(None if reference is None else places[Address(residual.part, 0, reference)])
            held.append(Held(number, unknown, *slots))
    needed = _needed(graph, schedule, list(places))
    if not held or needed is None:
        return None
    by_part: dict[int, list[Address]] = defaultdict(list)
    for address in places:
        by_part[address.part].append(address)
    first = schedule.new_slots(len(places))
    gets = [
        Operation(Kind.GET, part, Level.ALWAYS, 0, tuple(a.reference for a in addresses), 0, tuple(first + places[a] for a in addresses))
        for part, addresses in by_part.items()
    ]
    asked = sorted({graph.addresses[n].part for n in needed if graph.is_output[n]} | set(by_part))
    drives = [
        Operation(Kind.DRIVE, number, Level.ALWAYS, first=schedule.drive_slot[a])
        for a, number in graph.drives.items()
        if graph.node.get(a) in needed
    ]
    placed = tuple(
        Held(h.loop, h.unknown, None if h.position is None else first + h.position, None if h.velocity is None else first + h.velocity)
        for h in held
    )
    return Reading(placed, tuple(asked), (*drives, *passing_on(schedule, needed), *gets))


def _needed(graph: Graph, schedule: Schedule, wanted: list[Address]) -> set[int] | None:
    """All variables that have to be passed on."""
    solved = {n for loop in schedule.loops for n in loop.members}
    open_now: list[int] = []
    for address in wanted:
        part = graph.parts[address.part]
        described = next((u for u in part.structure.outputs if u.reference == address.reference), None)
        if described is None or described.dependencies is None:
            return None
        open_now += [graph.node[known] for r, _ in described.dependencies if (known := Address(address.part, 0, r)) in graph.node]
    needed: set[int] = set()
    while open_now:
        node = open_now.pop()
        if node in solved:
            return None
        if node not in needed and graph.level[node] is not Level.AT_EVENTS:
            needed.add(node)
            open_now += graph.before[node]
    return needed
