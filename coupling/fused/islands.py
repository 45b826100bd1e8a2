"""FMUs without known equations among instances with known ones: the conditions under which they can be called before all else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from coupling.fused.expressions import Graph, Op
from coupling.fused.not_fused import NotFused
from coupling.plan.build import Built
from coupling.plan.graph import Address


class Fed(Protocol):
    """The part of a lowered system that is needed here."""

    built: Built
    graph: Graph
    foreign: tuple[int, ...]
    leaving: tuple[tuple[Address, int], ...]
    readings: tuple[tuple[int | None, int | None], ...]


def check_loops(built: Built, foreign: Collection[int]) -> None:
    """Refuses FMUs without known equations that have a part in what is solved for."""
    addresses = built.schedule.graph.addresses
    inside = (addresses[node] for loop in built.schedule.loops for node in sorted(loop.members))
    found = next((address for address in inside if address.part in foreign), None)
    if found is not None:
        raise NotFused(
            f"'{built.named(found.part, found.reference)}', whose equations are not known, is part of the equations of an unknown"
        )


def check_order(lowered: Fed) -> None:
    """Refuses FMUs without known equations whose inputs do not follow from states and time."""
    for address, node in lowered.leaving:
        if _waits(lowered, [node], Op.UNKNOWN, Op.DRIVE):
            name = lowered.built.named(address.part, address.reference)
            raise NotFused(
                f"'{name}' goes to an FMU whose equations are not known and itself follows from multipliers or from outputs of such an FMU"
            )
    read = [node for levels in lowered.readings for node in levels if node is not None]
    if lowered.foreign and _waits(lowered, read, Op.DRIVE):
        raise NotFused("a position or velocity that is projected follows from outputs of an FMU whose equations are not known")


def _waits(lowered: Fed, nodes: Sequence[int], *ops: Op) -> bool:
    """Says whether nodes depend on unknowns, or on drives beyond those of the system."""
    graph, drives = lowered.graph, len(lowered.built.drives)
    leaves: Iterable[int] = (node for node in graph.order(nodes) if graph.op[node] in ops)
    return any(graph.op[node] is Op.UNKNOWN or int(graph.value[node]) >= drives for node in leaves)
