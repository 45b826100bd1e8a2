"""The reading of constraints, by which states are moved onto them: at position and velocity level, without solving for anything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from coupling.errors import Unprojectable
from coupling.fmus import FmuVariable
from coupling.plan.graph import Address, Change, Graph, Part
from coupling.plan.schedule import Kind, Operation, Schedule, ScheduledLoop, passing_on


@dataclass(frozen=True)
class Held:
    """A constraint that an unknown of a loop keeps at zero, with the slots of its values once they are read."""

    loop: int
    unknown: int
    position: int | None
    velocity: int | None


@dataclass(frozen=True)
class Reading:
    """All constraints of a system, and the operations that read them."""

    constraints: tuple[Held, ...]
    states: frozenset[int]
    """Numbers of the states on which constraints depend; only these are moved."""
    parts: tuple[int, ...]
    """Instances that need time and states for the reading."""
    operations: tuple[Operation, ...]
    outputs: Mapping[int, Address]
    """Outputs that are read, by slot."""


def plan_reading(schedule: Schedule) -> Reading:
    """Returns the reading of a schedule. Refuses a system whose constraints cannot be read, or whose states cannot be moved onto them."""
    graph = schedule.graph
    places: dict[Address, int] = {}
    held: list[Held] = []
    for number, loop in enumerate(schedule.loops):
        for unknown in range(len(loop.unknowns) - loop.torn):
            slots: list[int | None] = []
            for address in _levels(graph, loop, unknown):
                slots.append(None if address is None else places.setdefault(address, len(places)))
            held.append(Held(number, unknown, *slots))
    if held and not places:
        refuse(
            graph,
            schedule.loops[0].unknowns[0],
            "belongs to a constraint without an output velocity[k], as do all others",
        )
    needed = _needed(graph, schedule, places)
    by_part: dict[int, list[Address]] = defaultdict(list)
    for address in places:
        by_part[address.part].append(address)
    first = schedule.new_slots(len(places))
    gets = [
        Operation(Kind.GET, part, Change.ALWAYS, 0, tuple(a.reference for a in addresses), 0, tuple(first + places[a] for a in addresses))
        for part, addresses in by_part.items()
    ]
    asked = sorted({graph.addresses[n].part for n in needed if graph.is_output[n]} | set(by_part))
    drives = [
        Operation(Kind.DRIVE, number, Change.ALWAYS, first=schedule.drive_slot[a])
        for a, number in graph.drives.items()
        if graph.node.get(a) in needed
    ]
    placed = tuple(
        Held(h.loop, h.unknown, None if h.position is None else first + h.position, None if h.velocity is None else first + h.velocity)
        for h in held
    )
    states = frozenset(_states(graph, [*places, *(graph.addresses[n] for n in needed if graph.is_output[n])]))
    return Reading(placed, states, tuple(asked), (*drives, *passing_on(schedule, needed), *gets), {first + i: a for a, i in places.items()})


def projectable(schedule: Schedule) -> bool:
    """Returns whether states can be moved onto the constraints."""
    try:
        plan_reading(replace(schedule))  # a copy, since slots are counted
    except Unprojectable:
        return False
    return True


def without_stabilisation(parts: Sequence[Part], among: Iterable[int]) -> dict[tuple[int, str], float]:
    """Returns start values by which joints, among some instances, have no stabilisation of their own."""
    found: dict[tuple[int, str], float] = {}
    for index in among:
        part = parts[index]
        held = part.dae is not None and any(each.velocity is not None for each in part.dae.constraints)
        found |= {(index, name): 0.0 for name in stabilisation_parameters(part.fmu.variables) if held}
    return found


def of_no_effect(
    parts: Sequence[Part],
    start: Sequence[Mapping[str, Any]],
    values: Mapping[tuple[int, str], Any],
    unstabilised: Iterable[tuple[int, str]],
    by: str = "stabilisation='projection'",
    instead: str = "stabilisation='baumgarte'",
) -> list[str]:
    """Returns a sentence on each value of a stabilisation that was given and that projection does not use."""
    return [
        f"{by} does without '{parts[index].name}.{name}', which was given a value; leave the value out, or choose {instead}"
        for index, name in unstabilised
        if name in start[index] or (index, name) in values
    ]


def stabilisation_parameters(variables: Mapping[str, FmuVariable]) -> list[str]:
    """Returns the names of the stabilisation parameters; in an FMU of a whole system they have the names of their joints before them."""
    return [name for name, v in variables.items() if v.causality == "parameter" and f".{name}".endswith(_STABILISATION)]


_STABILISATION = (".baumgarte.alpha", ".baumgarte.beta", ".baumgarte.gamma")


def refuse(graph: Graph, address: Address, why: str) -> NoReturn:
    """Names what keeps a system from being projected."""
    part = graph.parts[address.part]
    variable = part.fmu.by_reference.get(address.reference)
    name = f"{part.name}.{variable.name if variable else address.reference}"
    raise Unprojectable(f"'{name}' {why}")


def _levels(graph: Graph, loop: ScheduledLoop, unknown: int) -> tuple[Address | None, Address | None]:
    """Returns the outputs for the violation of a multiplier's constraint. Without any output, the constraint keeps a stabilisation of its
    own."""
    multiplier, residual = loop.unknowns[unknown], loop.residuals[unknown]
    part = graph.parts[residual.part]
    constraint = next((c for c in part.dae.constraints if c.residual == residual.reference), None) if part.dae else None
    if constraint is None or (constraint.velocity is None and constraint.position is None):
        return None, None
    if constraint.velocity is None:
        refuse(graph, multiplier, "belongs to a constraint without an output velocity[k]")
    if constraint.position is None and "baumgarte.beta" in part.fmu.variables and "baumgarte.gamma" not in part.fmu.variables:
        refuse(graph, multiplier, "belongs to a constraint of positions without an output position[k]")
    if loop.followers is None:
        refuse(graph, multiplier, "is found by iteration, and its effect on the states is unknown")
    position = None if constraint.position is None else Address(residual.part, 0, constraint.position)
    return position, Address(residual.part, 0, constraint.velocity)


def _known(graph: Graph, address: Address) -> tuple[tuple[int, str], ...] | None:
    """Returns the variables on which an output depends, as its FMU declares it."""
    described = next((u for u in graph.parts[address.part].structure.outputs if u.reference == address.reference), None)
    return described.dependencies if described else None


def _needed(graph: Graph, schedule: Schedule, wanted: Iterable[Address]) -> set[int]:
    """Returns all variables that have to be passed on."""
    solved = {n for loop in schedule.loops for n in loop.members}
    needed: set[int] = set()
    for address in wanted:
        known = _known(graph, address)
        if known is None:
            refuse(graph, address, "does not list its dependencies")
        open_now = [graph.node[a] for r, _ in known if (a := Address(address.part, 0, r)) in graph.node]
        while open_now:
            node = open_now.pop()
            if node in solved:
                refuse(graph, address, f"depends on '{_name(graph, node)}', which is solved for together with the multipliers")
            if node not in needed and graph.change[node] is not Change.AT_EVENTS:
                needed.add(node)
                open_now += graph.before[node]
    return needed


def _name(graph: Graph, node: int) -> str:
    address = graph.addresses[node]
    part = graph.parts[address.part]
    return f"{part.name}.{part.fmu.by_reference[address.reference].name}"


def _states(graph: Graph, outputs: Iterable[Address]) -> Iterable[int]:
    """Yields the numbers of the states on which outputs depend within their instances."""
    for address in outputs:
        part, known = graph.parts[address.part], _known(graph, address)
        references = part.states if known is None else [r for r, _ in known]
        yield from (part.first_state + part.states.index(r) for r in references if r in part.states)
