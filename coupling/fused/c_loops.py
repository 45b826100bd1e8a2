"""Large graphs as loops in C. The operations that belong to one instance, or to the elimination of one joint, are a *cluster*; clusters of
one *shape* run in one loop.

Where many of one shape wait for none of each other, their results lie side by side, those of one operation after each other. Several
clusters are then computed at once, in *tiles*. The distance between results is thus known when the C is compiled, however many clusters
there are.

The C depends on the shapes alone; chains of 100 and of 10,000 links therefore share it. Data give the order of the clusters, and where each
finds its operands. They are runs of ``loop, count``. For each cluster, or for all at once, the first slots of its own results and of those
of others follow.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import NamedTuple

import numpy as np

from coupling.fused import c_shapes
from coupling.fused.c_angles import ANGLES, WIDTH
from coupling.fused.c_code import EXPORTED, HEAD, TABLES, CSource, Section
from coupling.fused.c_shapes import Loop, Operand, Shape
from coupling.fused.expressions import Graph, Op

MOST_SHAPES = 400
"""Largest number of shapes; with more, too little repeats."""

TILE = 72
"""Number of clusters whose results lie side by side: nine lines of a cache. The results of one cluster are then not all in the same few
places of it."""
MANY = 16
"""Least number of clusters of one shape whose results lie side by side."""


class TooManyShapes(Exception):
    """An error: loops would be no shorter than the graph."""


@dataclass(eq=False, slots=True)
class _Cluster:
    """Operations of one owner that can run one after the other without those of others between them."""

    nodes: list[int] = field(default_factory=list)
    place: dict[int, int] = field(default_factory=dict)
    """Places among the results, by node."""
    first: int = 0
    """The slot of its first result."""
    apart: int = 1
    """Distance of its results from each other."""
    shape: int = 0
    blocks: list[_Cluster | int] = field(default_factory=list)
    """Sources that it reads: other clusters, or the slot of the first of some leaves."""
    waits: int = 0
    followers: list[_Cluster] = field(default_factory=list)

    def slot(self, node: int) -> int:
        return self.first + self.apart * self.place[node]


def loops_source(
    graph: Graph,
    stages: Mapping[str, Section],
    kept: Iterable[int],
    slot_of_leaf: Mapping[int, int],
    first_free: int,
    owner: Callable[[int], Hashable],
) -> CSource:
    """Returns the same as :func:`coupling.fused.c_code.c_source`, with data for each stage. ``owner`` gives the owner of a node."""
    writer = _Writer(graph, kept, slot_of_leaf, first_free, owner)
    writer.cut(stages)
    writer.find_shapes()
    runs = {stage: list(writer.runs(stage)) for stage in stages}
    loops = sorted({loop for each in runs.values() for loop, _, _ in each}, key=lambda loop: (loop.shape, loop.apart, loop.follows))
    number = {loop: i for i, loop in enumerate(loops)}
    data = {
        stage: np.fromiter(chain(_numbered(runs[stage], number), (_END,), writer.copied(section)), dtype=np.intc)
        for stage, section in stages.items()
    }
    slot = {node: cluster.slot(node) for node, cluster in writer.home.items() if node in cluster.place}
    return CSource(
        text="\n".join(_text(loops, writer.shapes, stages)) + "\n",
        size=writer.size,
        slot={**writer.slot, **slot},
        constants=writer.constants,
        data=data,
    )


_CONSTANT, _VARIABLE = Op.CONSTANT, Op.VARIABLE
_END = -1
_FAR = 64
"""Distance from which on leaves of one owner are told apart."""


class _Writer:
    def __init__(
        self, graph: Graph, kept: Iterable[int], slot_of_leaf: Mapping[int, int], first_free: int, owner: Callable[[int], Hashable]
    ) -> None:
        self.graph, self.kept, self.owner = graph, list(kept), owner
        self.slot = dict(slot_of_leaf)
        self.size = first_free
        self.clusters: dict[str, list[_Cluster]] = {}
        self.home: dict[int, _Cluster] = {}
        """Cluster of each node that is computed."""
        self.constants: dict[int, float] = {}
        self.shapes: list[Shape] = []

    # -- clusters ----------------------------------------------------------------------------------------------------------------------

    def cut(self, stages: Mapping[str, Section]) -> None:
        """Decides which cluster computes which node, and which nodes are read elsewhere."""
        for stage, section in stages.items():
            self._cut_stage(stage, section)
        read = {*self.kept, *(node for section in stages.values() for node in section.copies.values())}
        args, home = self.graph.args, self.home
        for node, cluster in home.items():
            for each in args[node]:
                if each in home and home[each] is not cluster:
                    read.add(each)
        for cluster in (each for clusters in self.clusters.values() for each in clusters):
            cluster.place = {node: i for i, node in enumerate(each for each in cluster.nodes if each in read)}
        for node in sorted(read):
            if self.graph.is_constant(node):
                self.slot[node] = self.size
                self.constants[self.size] = float(self.graph.value[node])
                self.size += 1

    def _cut_stage(self, stage: str, section: Section) -> None:
        """Cuts a stage by levels: a cluster ends where an operation needs a result of another owner that depends on this cluster's
        results."""
        args = self.graph.args
        level: dict[int, tuple[int, Hashable]] = {}
        """Level and owner by node."""
        found: dict[tuple[int, Hashable], list[int]] = {}
        for node in section.nodes:
            mine, height = self.owner(node), 0
            for each in args[node]:
                if each in level:
                    below, whose = level[each]
                    if whose != mine:
                        below += 1
                    if below > height:
                        height = below
            key = level[node] = height, mine
            if key in found:
                found[key].append(node)
            else:
                found[key] = [node]
        clusters = [_Cluster(nodes) for nodes in found.values()]
        for cluster in clusters:
            self.home.update(dict.fromkeys(cluster.nodes, cluster))
        self.clusters[stage] = clusters

    def copied(self, section: Section) -> Iterator[int]:
        """Yields the number of copies, and for each its source and target."""
        yield len(section.copies)
        for target, node in section.copies.items():
            cluster = self.home.get(node)
            yield self.slot[node] if cluster is None else cluster.slot(node)
            yield target

    # -- shapes ------------------------------------------------------------------------------------------------------------------------

    def find_shapes(self) -> None:
        """Numbers the shapes by their content, not by their first place."""
        found: dict[Shape, int] = {}
        every = [cluster for clusters in self.clusters.values() for cluster in clusters]
        for cluster in every:
            cluster.shape = found.setdefault(self._shape(cluster), len(found))
            if len(found) > MOST_SHAPES:
                raise TooManyShapes
        self.shapes = sorted(found, key=_sorting)
        number = {found[shape]: i for i, shape in enumerate(self.shapes)}
        for cluster in every:
            cluster.shape = number[cluster.shape]

    def _shape(self, cluster: _Cluster) -> Shape:
        graph, home, args, own = self.graph, self.home, self.graph.args, {node: i for i, node in enumerate(cluster.nodes)}
        numbers: dict[Hashable, int] = {}
        operand: dict[int, Operand] = {node: (0, i) for node, i in own.items()}
        operations = []
        leaves = self._leaves(cluster)
        for node in cluster.nodes:
            for each in args[node]:
                if each in operand:
                    continue
                if graph.is_constant(each):
                    operand[each] = (1, graph.value[each])
                else:
                    source: _Cluster | int = home[each] if each in home else leaves[each]
                    if source not in numbers:
                        numbers[source] = len(numbers)
                        cluster.blocks.append(source)
                    place = self.slot[each] - source if isinstance(source, int) else source.place[each]
                    operand[each] = (2, numbers[source], place)
            operations.append((int(graph.op[node]), tuple([operand[each] for each in args[node]])))
        return Shape(tuple(operations), tuple(own[node] for node in cluster.place), len(numbers))

    def _leaves(self, cluster: _Cluster) -> dict[int, int]:
        """Returns, by leaf, the slot of the first of the leaves near it that the cluster reads."""
        op, read = self.graph.op, {*chain.from_iterable(map(self.graph.args.__getitem__, cluster.nodes))}
        leaves = [each for each in read if _CONSTANT < op[each] <= _VARIABLE]
        found: dict[int, int] = {}
        first: dict[Hashable, int] = {}
        for each in sorted(leaves, key=self.slot.__getitem__):
            slot, key = self.slot[each], (op[each], self.owner(each))
            if slot - first.get(key, -_FAR) >= _FAR:
                first[key] = slot
            found[each] = first[key]
        return found

    # -- the order ---------------------------------------------------------------------------------------------------------------------

    def runs(self, stage: str) -> Iterator[_Run]:
        for wave in self._waves(stage):
            self._place(wave)
            rows = [_Row.of(cluster) for cluster in wave]
            i = 0
            while i < len(wave):
                count = _alike(rows, i) if wave[i].apart == TILE else 1
                if count >= WIDTH:
                    yield _several(wave[i].shape, rows[i], rows[i].steps_to(rows[i + 1])[1:], count)
                    i += count
                else:
                    yield Loop(wave[i].shape, rows[i].apart), 1, rows[i].slots
                    i += 1

    def _waves(self, stage: str) -> Iterator[list[_Cluster]]:
        """Yields the clusters of a stage, as many of one shape together as wait for none of each other."""
        here = set(self.clusters[stage])
        waiting: dict[int, list[_Cluster]] = {}
        for cluster in self.clusters[stage]:
            sources = [each for each in cluster.blocks if each in here]
            cluster.waits = len(sources)
            for each in sources:
                each.followers.append(cluster)
            if not sources:
                waiting.setdefault(cluster.shape, []).append(cluster)
        while waiting:
            wave = waiting.pop(max(waiting, key=lambda each: len(waiting[each])))
            yield wave
            for cluster in wave:
                for each in cluster.followers:
                    each.waits -= 1
                    if not each.waits:
                        waiting.setdefault(each.shape, []).append(each)

    def _place(self, wave: list[_Cluster]) -> None:
        if len(wave) < MANY:
            for cluster in wave:
                cluster.first = self.size
                self.size += len(cluster.place)
            return
        for i, cluster in enumerate(wave):
            tile, beside = divmod(i, TILE)
            cluster.first, cluster.apart = self.size + tile * TILE * len(cluster.place) + beside, TILE
        self.size += -(-len(wave) // TILE) * TILE * len(wave[0].place)


class _Row(NamedTuple):
    """The slots of a cluster's results, and then of each block; and the distances of the results of each from each other."""

    slots: list[int]
    apart: tuple[int, ...]

    @staticmethod
    def of(cluster: _Cluster) -> _Row:
        every = (cluster, *cluster.blocks)
        return _Row(
            [each if isinstance(each, int) else each.first for each in every],
            tuple([1 if isinstance(each, int) else each.apart for each in every]),
        )

    def steps_to(self, other: _Row) -> list[int]:
        return [there - here for here, there in zip(self.slots, other.slots, strict=True)]


_Run = tuple[Loop, int, list[int]]
"""A run: its loop, the number of clusters, and their slots."""


def _several(shape: int, row: _Row, steps: list[int], count: int) -> _Run:
    """Returns the run of clusters at equal distances from the first one on."""
    places = row.slots[:1]
    for slot, step in zip(row.slots[1:], steps, strict=True):
        places += [slot] if step == 1 else [slot, step]
    return Loop(shape, row.apart, tuple(step == 1 for step in steps)), count, places


def _alike(rows: list[_Row], first: int) -> int:
    """Returns how many clusters from the first on lie at equal distances, side by side."""
    end, steps = first + 1, list[int]()
    while end < len(rows) and rows[end].apart == rows[first].apart:
        found = rows[end - 1].steps_to(rows[end])
        if found != (steps or found) or found[0] != 1:
            break
        steps, end = found, end + 1
    return end - first


def _numbered(runs: list[_Run], number: Mapping[Loop, int]) -> Iterator[int]:
    """Yields the numbers of runs; clusters that one loop runs one after the other are one run."""
    for (loop, several), group in groupby(runs, key=lambda run: (run[0], bool(run[0].follows))):
        for count, places in ((run[1], run[2]) for run in group) if several else [_joined(group)]:
            yield number[loop]
            yield count
            yield from places


def _joined(group: Iterable[_Run]) -> tuple[int, list[int]]:
    places = [run[2] for run in group]
    return len(places), [*chain.from_iterable(places)]


def _sorting(shape: Shape) -> tuple:
    return len(shape.operations), shape.operations, shape.results


def _text(loops: list[Loop], shapes: list[Shape], stages: Iterable[str]) -> Iterator[str]:
    yield HEAD
    yield c_shapes.HEAD
    if any(op >= Op.CURVE for shape in shapes for op, _ in shape.operations):
        yield TABLES
    if any(loop.follows and shapes[loop.shape].turns for loop in loops):
        yield ANGLES
    for number, loop in enumerate(loops):
        yield from c_shapes.text(number, loop, shapes[loop.shape])
    names = ", ".join(f"loop_{i}" for i in range(len(loops))) or "0"
    yield f"static const int *(*const loop[])(const int *, int, double *) = {{{names}}};"
    yield _RUN
    for stage in stages:
        yield f"{EXPORTED} void jourdain_{stage}(const void *code, double *w)\n{{\n    run(code, w);\n}}"


_RUN = """static void run(const int *code, double *w)
{
    while (*code >= 0)
        code = loop[code[0]](code + 2, code[1], w);
    int copies = code[1];
    for (code += 2; copies; copies--, code += 2)
        w[code[1]] = w[code[0]];
}"""
