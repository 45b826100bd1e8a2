"""Heights of boxes in the columns of a diagram: most wires straight, the others short, and nothing too near."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from coupling.pictures.diagram.layers import LEFT, RIGHT, Box, Layers, Link

_CLEAR, _BETWEEN = 14, 22
"""Distances in pixels between a wire and the boxes that it passes, and between boxes."""
_JOG, _SMALL = 40, 24
"""Costs of a bend in a wire, in pixels of its length, and the largest step that is removed."""
_MOVES = tuple((by, whole) for whole in (True, False) for by in (8, -8, 16, -16, 24, -24))
"""Distances by which rows, and then single boxes, move for wires that are in each other's way."""
NEAR = 6
"""Distance in pixels below which rows look like one."""


def settle(layers: Layers) -> None:
    """Sets the heights in sweeps to and fro: each box as near to the median of its neighbours as the others in its column allow."""
    for column in layers.columns:
        y = 0.0
        for above, box in zip([None, *column], column, strict=False):
            y = 0.0 if above is None else y + _apart(above, box)
            box.y = y
    for sweep in range(60):
        for column in layers.columns if sweep % 2 == 0 else layers.columns[::-1]:
            wanted = [_wanted(layers, box) for box in column]
            _pool(column, wanted)
    lowest = min((box.y for column in layers.columns for box in column), default=0.0)
    for column in layers.columns:
        for box in column:
            box.y = math.floor(box.y - lowest + 0.5 + 1e-6)
        for above, box in pairwise(column):
            box.y = max(box.y, above.y + _apart(above, box))
    for sweep in range(8):
        for column in layers.columns if sweep % 2 == 0 else layers.columns[::-1]:
            _straighten(layers, column)
    _level(layers)
    _untie(layers)
    _close(layers)


def _close(layers: Layers) -> None:
    """Moves parts that no wire connects close to each other."""
    bottoms = [-math.inf] * len(layers.columns)
    for part in sorted({box.part for column in layers.columns for box in column}):
        members = [[box for box in column if box.part == part] for column in layers.columns]
        rooms = [each[0].y - each[0].above - bottom - 2 * _BETWEEN for each, bottom in zip(members, bottoms, strict=True) if each]
        up = min((room for room in rooms if room < math.inf), default=0.0)
        for column, each in enumerate(members):
            for box in each:
                box.y -= up
            bottoms[column] = each[-1].y + each[-1].below if each else bottoms[column]


def _straighten(layers: Layers, column: Sequence[Box]) -> None:
    """Moves boxes to heights at which more of their wires are straight, as far as their neighbours in the column allow."""
    for i, box in enumerate(column):
        low = column[i - 1].y + _apart(column[i - 1], box) if i else -math.inf
        high = column[i + 1].y - _apart(box, column[i + 1]) if i + 1 < len(column) else math.inf
        wanted = _straight_at(layers, box)
        costs = [
            (sum(weight * (abs(height - y) + _JOG * (height != y)) for height, weight in wanted), abs(y - box.y), y)
            for y in {box.y, *(height for height, _ in wanted if low <= height <= high)}
        ]
        box.y = min(costs)[-1]


def _apart(above: Box, below: Box) -> float:
    plain = sum(not (box.bend or box.pinned) for box in (above, below))
    return above.below + below.above + (_CLEAR if plain < 2 else _BETWEEN) + (_BETWEEN if above.part != below.part else 0)


def _straight_at(layers: Layers, box: Box) -> list[tuple[float, int]]:
    """Returns the heights at which a box has a straight wire, with their weights. Wires between bends are long and count more."""
    return [
        *(
            (link.a.y + link.a.offsets[RIGHT, link.port_a] - box.offsets[LEFT, link.port_b], 3 if box.bend and link.a.bend else 1)
            for link in layers.before[box]
        ),
        *(
            (link.b.y + link.b.offsets[LEFT, link.port_b] - box.offsets[RIGHT, link.port_a], 3 if box.bend and link.b.bend else 1)
            for link in layers.after[box]
        ),
    ]


def _wanted(layers: Layers, box: Box) -> tuple[float, float]:
    """Returns the height at which most of its wires are straight, and its weight."""
    found = sorted(height for height, weight in _straight_at(layers, box) for _ in range(weight))
    if not found:
        return box.y, 0.1
    return (found[len(found) // 2] + found[(len(found) - 1) // 2]) / 2, 8.0 if box.bend else 1.0 + len(found)


def _pool(column: Sequence[Box], wanted: Sequence[tuple[float, float]]) -> None:
    """Pools adjacent violators: minimises the squares of distances from wanted heights, with the least distance between boxes."""
    base = [0.0]
    for above, below in pairwise(column):
        base.append(base[-1] + _apart(above, below))
    blocks: list[tuple[float, float, int]] = []
    for (height, weight), offset in zip(wanted, base, strict=True):
        block = ((height - offset) * weight, weight, 1)
        while blocks and blocks[-1][0] / blocks[-1][1] > block[0] / block[1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    heights = [total / weight for total, weight, count in blocks for _ in range(count)]
    for box, height, offset in zip(column, heights, base, strict=True):
        box.y = height + offset


def _level(layers: Layers) -> None:
    """Removes small steps in wires if whole rows can move: a box with all boxes on straight wires, and the boxes that these push."""
    for _ in range(3):
        before = [box.y for column in layers.columns for box in column]
        for link in layers.links:
            step = _step(link)
            if 0 < abs(step) <= _SMALL:
                for start, by in ((link.b, -step), (link.a, step)):
                    moved = _row(layers, start, by)
                    if (link.a in moved) != (link.b in moved) and _gain(layers, moved, by) > 0:
                        for box in moved:
                            box.y += by
                        break
        if before == [box.y for column in layers.columns for box in column]:
            return


def _step(link: Link) -> float:
    return link.b.y + link.b.offsets[LEFT, link.port_b] - link.a.y - link.a.offsets[RIGHT, link.port_a]


def _row(layers: Layers, start: Box, by: float, whole: bool = True) -> dict[Box, None]:
    """Returns the boxes that move with a box: those that it pushes, and for a ``whole`` row all that hang on it by straight wires."""
    moved = {start: None}
    queue = [start]
    for box in queue:
        others = []
        if whole:
            others += [link.a for link in layers.before[box] if _step(link) == 0] + [
                link.b for link in layers.after[box] if _step(link) == 0
            ]
        column = layers.columns[box.rank]
        if by > 0 and box.index + 1 < len(column):
            below = column[box.index + 1]
            others += [below] if below.y - box.y < _apart(box, below) + by else []
        if by < 0 and box.index > 0:
            above = column[box.index - 1]
            others += [above] if box.y - above.y < _apart(above, box) - by else []
        for other in others:
            if other not in moved:
                moved[other] = None
                queue.append(other)
    return moved


def _gain(layers: Layers, moved: Mapping[Box, None], by: float) -> float:
    """Returns the cost of wires that is saved when all these boxes have moved."""
    found = 0.0
    for link in layers.links:
        if (link.a in moved) != (link.b in moved):
            now = _step(link)
            then = now + (by if link.b in moved else -by)
            found += abs(now) + _JOG * (now != 0) - abs(then) - _JOG * (then != 0)
    return found


def _untie(layers: Layers) -> None:
    """Moves rows until no two wires between two columns each have to turn before the other.

    Such a pair exists if each wire begins in the row in which the other ends.
    """
    for links in layers.gaps:
        for start in dict.fromkeys(box for link in _tied(links) for box in (link.b, link.a)):
            tied = sum(len(_tied(each)) for each in layers.gaps)
            before = {box: box.y for column in layers.columns for box in column}
            for by, whole in _MOVES if _tied(links) else ():
                for box in _row(layers, start, by, whole):
                    box.y += by
                if sum(len(_tied(each)) for each in layers.gaps) < tied:
                    break
                for box, y in before.items():
                    box.y = y


def _tied(links: Sequence[Link]) -> list[Link]:
    rows: dict[object, tuple[list[float], list[float]]] = {}
    for link in links:
        starts, ends = rows.setdefault(link.net, ([], []))
        starts.append(link.a.y + link.a.offsets[RIGHT, link.port_a])
        ends.append(link.b.y + link.b.offsets[LEFT, link.port_b])
    tied = {
        net
        for net, (starts, ends) in rows.items()
        for other, (its_starts, its_ends) in rows.items()
        if net != other and _meet(starts, its_ends) and _meet(its_starts, ends)
    }
    return [link for link in links if link.net in tied]


def _meet(rows: Sequence[float], others: Sequence[float]) -> bool:
    return any(abs(row - other) < NEAR for row in rows for other in others)
