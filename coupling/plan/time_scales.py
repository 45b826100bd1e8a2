"""Time scales of events that error control does not see: periods of drives, and angles that turn far within one step."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from coupling.plan import formulas
from coupling.plan.drives import Drive, FormulaDrive, PiecesDrive

if TYPE_CHECKING:
    from coupling.plan.build import Built
    from coupling.plan.graph import Address
    from coupling.plan.schedule import Schedule

_PER_PERIOD = 8
"""Steps in a period of a drive."""
_ANGLE = "rad"


def longest_step(built: Built) -> float:
    """Returns the longest step that sees the periods of drives that reach event indicators or joints that switch."""
    targets = {i for i, part in enumerate(built.parts) if part.structure.indicators or (part.dae and part.dae.switched)}
    steps = [(period(drive) / _PER_PERIOD, address) for address, drive in built.drives] if targets else []
    if all(each == math.inf for each, _ in steps):
        return math.inf
    reach = _Reach(built.schedule)
    return next((each for each, address in sorted(steps) if reach.parts(address) & targets), math.inf)


class _Reach:
    """A search for variables that depend on drives; each search leaves out what an earlier search has visited."""

    def __init__(self, schedule: Schedule) -> None:
        self._graph = graph = schedule.graph
        self._after: list[list[int]] = [[] for _ in graph.addresses]
        for node, knowns in enumerate(graph.before):
            for known in knowns:
                self._after[known].append(node)
        self._loop = {node: number for number, loop in enumerate(schedule.loops) for node in loop.members}
        self._members = {number: loop.members for number, loop in enumerate(schedule.loops)}
        """Members of loops that no search has visited; all members of a loop depend on each other."""
        self._outputs: dict[int, list[int]] = defaultdict(list)
        for node, address in enumerate(graph.addresses):
            if graph.is_output[node]:
                self._outputs[address.part].append(node)
        self._derivatives = set(graph.derivatives)
        self._seen: set[int] = set()

    def parts(self, start: Address) -> set[int]:
        """Returns the instances with a variable that depends on this one."""
        found, waiting = set(), [self._graph.node[start]]
        while waiting:
            node = waiting.pop()
            if node in self._seen:
                continue
            self._seen.add(node)
            part = self._graph.addresses[node].part
            found.add(part)
            waiting += self._after[node]
            waiting += self._members.pop(self._loop.get(node, -1), ())
            if node in self._derivatives or self._graph.parts[part].stepped:  # its states may reach all of its outputs
                waiting += self._outputs.pop(part, [])
        return found


def period(drive: Drive) -> float:
    """Returns the shortest period of a drive, in seconds; infinite where it is not known."""
    if isinstance(drive, FormulaDrive):
        return min((2 * math.pi / fast for fast in _frequencies(drive.tree, "") if fast > 0), default=math.inf)
    if isinstance(drive, PiecesDrive):
        values = np.append(drive.coefficients[:, 0], drive.outside[1])
        turns = drive.times[1:-1][np.diff(np.sign(np.diff(values))) != 0]
        return 2 * float(np.diff(turns).min()) if len(turns) > 1 else math.inf
    return math.inf


def _frequencies(tree: Any, name: str) -> Iterator[float]:
    """Yields the angular frequencies of sines and cosines whose argument is linear in time."""
    if not isinstance(tree, tuple):
        return
    if tree[0] in ("sin", "cos"):
        speed = formulas.rate(tree[1], name)
        if isinstance(speed, float):
            yield abs(speed)
    for each in tree[1:]:
        yield from _frequencies(each, name)


def watched_angles(built: Built) -> tuple[list[tuple[int, int]], list[int]]:
    """Returns the angles that events may depend on: states, by instance and place, and drives, by number.

    They belong to instances that have indicators, and to instances that feed these.
    """
    parts = {i for i, part in enumerate(built.parts) if part.structure.indicators}
    if not parts:
        return [], []
    near = parts | {source.part for target, sources in built.schedule.graph.wires.items() if target.part in parts for source in sources}
    states = [
        (i, place)
        for i in sorted(near)
        for place, reference in enumerate(built.parts[i].states)
        if built.parts[i].fmu.by_reference[reference].unit == _ANGLE
    ]
    drives = [
        number
        for number, (target, _) in enumerate(built.drives)
        if target.part in near and built.parts[target.part].fmu.by_reference[target.reference].unit == _ANGLE
    ]
    return states, drives
