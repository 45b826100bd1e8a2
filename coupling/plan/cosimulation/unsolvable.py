"""The multipliers that cannot be solved for at a communication point."""

from __future__ import annotations

from coupling.plan.graph import Address
from coupling.plan.schedule import Schedule, ScheduledLoop


def unsolvable(schedule: Schedule, loop: ScheduledLoop) -> tuple[int, str] | None:
    """Returns an instance that keeps a loop's multipliers from being solved for at a point, and why. It gives no accelerations, or not how
    these depend on forces."""
    graph = schedule.graph
    for residual in loop.residuals[: len(loop.unknowns) - loop.torn]:
        part = graph.parts[residual.part]
        if part.states:
            continue  # solved between the points as well, where others only push
        declared = next(u for u in part.structure.residuals if u.reference == residual.reference)
        known = None if declared.dependencies is None else {reference for reference, _ in declared.dependencies}
        wires = (
            (a, given)
            for a, given in graph.wires.items()
            if a.part == residual.part and (known is None or part.fmu.own(a.reference) in known)
        )
        sources = {s.part for _, given in wires for s in given}
        for other in sorted(sources):
            if graph.parts[other].stepped and not graph.parts[other].interface.directional_derivatives:
                return other, "offers no directional derivatives, and its motion under a force is not known"
        for reference, _ in declared.dependencies or ():
            variable = part.fmu.by_reference[reference]
            addresses = {Address(residual.part, 0, part.fmu.seen(variable, in_base)) for in_base in (False, True)}
            if variable.causality == "input" and addresses.isdisjoint(graph.node) and sources:
                return residual.part, f"does not receive '{variable.name}'"
    return None
