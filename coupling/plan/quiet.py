"""Instances that no event concerns: they have no connection, however long, with one that has events."""

from __future__ import annotations

import numpy as np

from coupling.plan.build import Built


def quiet_parts(built: Built) -> np.ndarray:
    """Returns truths by instance: it and all instances connected with it are components of this library without events.

    A drive that several instances have in common connects nothing.
    """
    graph = built.schedule.graph
    leader = list(range(len(built.parts)))

    def root(part: int) -> int:
        while leader[part] != part:
            leader[part] = part = leader[leader[part]]
        return part

    for target, sources in graph.wires.items():
        for source in sources:
            leader[root(target.part)] = root(source.part)
    for loop in built.schedule.loops:
        members = [graph.addresses[node].part for node in loop.members]
        for each in members:
            leader[root(each)] = root(members[0])
    loud = {root(number) for number, part in enumerate(built.parts) if not _is_plain(built, number) or part.stepped}
    return np.array([root(number) not in loud for number in leader], dtype=bool)


def _is_plain(built: Built, number: int) -> bool:
    part = built.parts[number]
    events = part.structure.indicators or (part.dae and part.dae.switched) or number in built.enforced
    return part.fmu.is_own and not events and not part.interface.needs_completed_step
