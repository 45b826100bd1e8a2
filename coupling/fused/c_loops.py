"""Large graphs as loops in C: what belongs to one instance, or to the elimination of one joint, is a *cluster*; clusters of one *shape* run in one loop.

The C depends on the shapes alone, so that chains of 100 and of 10,000 links share it. Which clusters run in which order, and where each finds its
operands, is data: runs of ``shape, count``, and for each cluster where its own results begin and where those of others do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from coupling.fused.c_code import EXPORTED, HEAD, CSource, Section, c_number, operation
from coupling.fused.expressions import Graph, Op

MOST_SHAPES = 400
"""With more there is too little that repeats."""

Operand = tuple[int, int | float] | tuple[int, int, int]
"""Of a shape: 0 and an operation of the same cluster, 1 and a constant, or 2, a block, and the place in it."""


class TooManyShapes(Exception):
    """Loops would be no shorter than the graph."""


@dataclass(frozen=True)
class _Shape:
    """A cluster without its addresses."""

    operations: tuple[tuple[int, tuple[Operand, ...]], ...]
    results: tuple[int, ...]
    """The operations whose values others read, or are wanted."""
    blocks: int
    """How many it reads from."""


@dataclass(eq=False, slots=True)
class _Cluster:
    """Operations of one owner that can run one after the other without those of others between them."""

    nodes: list[int] = field(default_factory=list)
    place: dict[int, int] = field(default_factory=dict)
    """Among the results, by node."""
    first: int = 0
    """The slot of its results."""
    shape: int = 0
    blocks: list[_Cluster | int] = field(default_factory=list)
    """What it reads from: other clusters, or the slot of the first of some leaves."""
    waits: int = 0
    followers: list[_Cluster] = field(default_factory=list)


def loops_source(
    graph: Graph,
    stages: Mapping[str, Section],
    kept: Iterable[int],
    slot_of_leaf: Mapping[int, int],
    first_free: int,
    owner: Callable[[int], Hashable],
) -> CSource:
    """The same as :func:`coupling.fused.c_code.c_source`, with data for each stage. ``owner`` is that of a node."""
    writer = _Writer(graph, kept, slot_of_leaf, first_free, owner)
    writer.cut(stages)
    writer.find_shapes()
    data = {
        stage: np.fromiter(chain(writer.runs(stage), (_END,), writer.copied(section)), dtype=np.intc) for stage, section in stages.items()
    }
    slot = {node: cluster.first + cluster.place[node] for node, cluster in writer.home.items() if node in cluster.place}
    return CSource(
        text="\n".join(_text(writer.shapes, stages)) + "\n",
        size=writer.size,
        slot={**writer.slot, **slot},
        constants=writer.constants,
        data=data,
    )


_CONSTANT, _VARIABLE = Op.CONSTANT, Op.VARIABLE
_END = -1
_FAR = 64
"""Leaves of one owner that are farther from each other than this are told apart."""


class _Writer:
    def __init__(
        self, graph: Graph, kept: Iterable[int], slot_of_leaf: Mapping[int, int], first_free: int, owner: Callable[[int], Hashable]
    ) -> None:
        self.graph, self.kept, self.owner = graph, list(kept), owner
        self.slot = dict(slot_of_leaf)
        self.size = first_free
        self.clusters: dict[str, list[_Cluster]] = {}
        self.home: dict[int, _Cluster] = {}
        """Of each node that is computed."""
        self.constants: dict[int, float] = {}
        self.shapes: list[_Shape] = []

    # -- clusters ----------------------------------------------------------------------------------------------------------------------

    def cut(self, stages: Mapping[str, Section]) -> None:
        """Tells which cluster computes which node, and what of it is read elsewhere."""
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
        """By levels: a cluster ends where an operation needs what another owner computes from this one's results."""
        args = self.graph.args
        level: dict[int, tuple[int, Hashable]] = {}
        """With the owner."""
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
        """How many copies there are, from where, and to where."""
        yield len(section.copies)
        for target, node in section.copies.items():
            cluster = self.home.get(node)
            yield self.slot[node] if cluster is None else cluster.first + cluster.place[node]
            yield target

    # -- shapes ------------------------------------------------------------------------------------------------------------------------

    def find_shapes(self) -> None:
        """Numbered by what they are, not by where they come first."""
        found: dict[_Shape, int] = {}
        every = [cluster for clusters in self.clusters.values() for cluster in clusters]
        for cluster in every:
            cluster.shape = found.setdefault(self._shape(cluster), len(found))
            if len(found) > MOST_SHAPES:
                raise TooManyShapes
        self.shapes = sorted(found, key=_sorting)
        number = {found[shape]: i for i, shape in enumerate(self.shapes)}
        for cluster in every:
            cluster.shape = number[cluster.shape]

    def _shape(self, cluster: _Cluster) -> _Shape:
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
        return _Shape(tuple(operations), tuple(own[node] for node in cluster.place), len(numbers))

    def _leaves(self, cluster: _Cluster) -> dict[int, int]:
        """By leaf, the slot of the first of those near it that the cluster reads."""
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

    def runs(self, stage: str) -> Iterator[int]:
        """The clusters of a stage, as many of one shape after each other as can be."""
        here = set(self.clusters[stage])
        waiting: dict[int, deque[_Cluster]] = {}
        for cluster in self.clusters[stage]:
            sources = [each for each in cluster.blocks if each in here]
            cluster.waits = len(sources)
            for each in sources:
                each.followers.append(cluster)
            if not sources:
                waiting.setdefault(cluster.shape, deque()).append(cluster)
        while waiting:
            shape = max(waiting, key=lambda each: len(waiting[each]))
            ready, data = waiting.pop(shape), []
            count = 0
            while ready:
                cluster = ready.popleft()
                cluster.first = self.size
                self.size += len(cluster.place)
                data.append(cluster.first)
                data += [each if isinstance(each, int) else each.first for each in cluster.blocks]
                count += 1
                for each in cluster.followers:
                    each.waits -= 1
                    if not each.waits:
                        (ready if each.shape == shape else waiting.setdefault(each.shape, deque())).append(each)
            yield shape
            yield count
            yield from data


def _sorting(shape: _Shape) -> tuple:
    return len(shape.operations), shape.operations, shape.results


def _text(shapes: list[_Shape], stages: Iterable[str]) -> Iterator[str]:
    yield HEAD
    for number, shape in enumerate(shapes):
        yield f"static void shape_{number}(const int *restrict c, int n, double *w)\n{{\n    for (; n; n--, c += {1 + shape.blocks}) {{"
        yield from (f"        const double *const b{i} = w + c[{1 + i}];" for i in range(shape.blocks))
        for i, (op, operands) in enumerate(shape.operations):
            yield f"        const double n{i} = {operation(Op(op), [_operand(each) for each in operands])};"
        yield "        double *const o = w + *c;"
        yield from (f"        o[{i}] = n{each};" for i, each in enumerate(shape.results))
        yield "    }\n}"
    yield f"static void (*const shape[])(const int *restrict, int, double *) = {{{', '.join(f'shape_{i}' for i in range(len(shapes))) or '0'}}};"
    yield f"static const int width[] = {{{', '.join(str(1 + each.blocks) for each in shapes) or '0'}}};"
    yield _RUN
    for stage in stages:
        yield f"{EXPORTED} void jourdain_{stage}(const void *code, double *w)\n{{\n    run(code, w);\n}}"


_RUN = """static void run(const int *code, double *w)
{
    while (*code >= 0) {
        const int kind = code[0], count = code[1];
        shape[kind](code + 2, count, w);
        code += 2 + count * width[kind];
    }
    int copies = code[1];
    for (code += 2; copies; copies--, code += 2)
        w[code[1]] = w[code[0]];
}"""


def _operand(operand: Operand) -> str:
    if operand[0] == 0:
        return f"n{operand[1]}"
    return c_number(operand[1]) if operand[0] == 1 else f"b{operand[1]}[{operand[2]}]"  # type: ignore[misc]
