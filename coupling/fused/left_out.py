"""Unknowns that a solution may leave out, since their constraints repeat others.

The motion has to be the same however redundant constraints share their load.
"""

from __future__ import annotations

from collections.abc import Iterable

from coupling.fused.expressions import Op
from coupling.fused.lowered import Lowered


def may_be_left_out(lowered: Lowered, numbers: Iterable[int]) -> frozenset[int]:
    """Returns the numbers of the unknowns, or nothing where anything but the motion of the bodies follows from the unknowns of their loops.

    Limits of friction, event indicators and states such as a sum of losses may depend on how redundant constraints share a load.
    """
    built, graph, reading = lowered.built, lowered.graph, lowered.built.reading
    numbers = frozenset(numbers)
    shared = set[int]()
    for number, loop in enumerate(lowered.loops):
        own = range(loop.first, loop.first + len(loop.unknowns))
        if numbers.isdisjoint(own):
            continue
        if built.schedule.loops[number].torn or any(each.loop == number for each in built.switched):
            return frozenset()
        shared |= {*own}

    def follows(node: int) -> bool:
        return any(graph.op[each] is Op.UNKNOWN and int(graph.value[each]) in shared for each in graph.order((node,)))

    moved = reading.states if reading else ()
    others = [node for state, node in enumerate(lowered.derivatives) if state not in moved]
    return frozenset() if not reading or any(map(follows, (*lowered.indicators, *others))) else numbers
