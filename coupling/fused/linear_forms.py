"""Expressions that are affine in the unknowns, with names for intermediate sums: the entries of the equations by few products.

A force turns a body, whose turning moves points, whose accelerations are compared. To follow each unknown by itself through all of this
takes many products, most of which are the same for all unknowns. Here each sum that is multiplied gets a name. Names are eliminated last,
first the one that takes the fewest products. A body's inertia is thus inverted once, along its own axes, for all that acts on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from coupling.fused.expressions import Graph, Op


@dataclass(slots=True)
class Affine:  # frozen ones take thrice as long to make
    """A node, and the node by which each unknown, or name, is multiplied."""

    base: int
    slopes: dict[int, int]


Value = int | Affine
"""A node where no unknown enters."""


class Names:
    """Sums of unknowns and of each other, numbered after the unknowns."""

    def __init__(self, graph: Graph, unknowns: int) -> None:
        self.graph, self.first = graph, unknowns
        self._slopes: list[dict[int, int]] = []
        self._owner: list[int] = []
        self._known: dict[tuple[tuple[int, int], ...], int] = {}

    def of(self, slopes: Mapping[int, int]) -> dict[int, int]:
        """Returns the same sum as a name times 1, unless it is an unknown already."""
        key = tuple(sorted(slopes.items()))
        if len(key) == 1 and key[0][1] == self.graph.one:
            return dict(key)
        if key not in self._known:
            self._known[key] = self.first + len(self._slopes)
            self._slopes.append(dict(key))
            self._owner.append(self.graph.owner_now)
        return {self._known[key]: self.graph.one}

    def put_away(self, rows: Sequence[Mapping[int, int]]) -> list[dict[int, int]]:
        """Returns the same sums of unknowns alone."""
        return _Elimination(self, rows).done()

    def made_of(self, name: int) -> tuple[Mapping[int, int], int]:
        """Returns the sum behind a name, and the part for which it was made."""
        return self._slopes[name - self.first], self._owner[name - self.first]


class _Elimination:
    def __init__(self, names: Names, rows: Sequence[Mapping[int, int]]) -> None:
        self.graph, self.names, self.count = names.graph, names, len(rows)
        self.sums: dict[int, dict[int, int]] = {-1 - i: dict(row) for i, row in enumerate(rows)}
        """Sums of rows, by the opposite of the number after theirs, and of names."""
        self.readers: dict[int, dict[int, None]] = {}
        waiting = list(self.sums)
        while waiting:
            reader = waiting.pop()
            for name in self._names(self.sums[reader]):
                if name not in self.sums:
                    self.sums[name] = dict(names.made_of(name)[0])
                    waiting.append(name)
                self.readers.setdefault(name, {})[reader] = None

    def _names(self, among: Iterable[int]) -> list[int]:
        return [each for each in among if each >= self.names.first]

    def done(self) -> list[dict[int, int]]:
        heap = [(self._products(name), name) for name in self.readers]
        heapify(heap)
        while heap:
            expected, name = heappop(heap)
            if name in self.readers:
                products = self._products(name)
                if products > expected:
                    heappush(heap, (products, name))
                else:
                    for other in self._put_away(name):
                        heappush(heap, (self._products(other), other))
        return [self.sums[-1 - i] for i in range(self.count)]

    def _products(self, name: int) -> tuple[int, int, int]:
        """Returns how many operations the elimination of a name takes, and how many sums; of equal names the last one goes first."""
        terms, readers = self.sums[name], self.readers[name]
        weights = sum(map(self._is_weight, terms.values()))
        return weights * sum(self._is_weight(self.sums[reader][name]) for reader in readers), len(terms) * len(readers), -name

    def _is_weight(self, node: int) -> bool:
        """Says whether a product with a node takes an operation."""
        if self.graph.op[node] is Op.NEGATE:
            node = self.graph.args[node][0]
        return node != self.graph.one

    def _put_away(self, name: int) -> list[int]:
        """Eliminates a name; returns the names that this concerns."""
        g, terms, readers = self.graph, self.sums.pop(name), self.readers.pop(name)
        g.owner_now = self.names.made_of(name)[1]
        for each in self._names(terms):
            del self.readers[each][name]
        for reader in readers:
            into = self.sums[reader]
            weight = into.pop(name)
            for each, slope in terms.items():
                into[each] = g.add(into.get(each, g.zero), g.mul(weight, slope))
                if into[each] == g.zero:
                    del into[each]
                if each in into and each >= self.names.first:
                    self.readers[each][reader] = None
                elif each >= self.names.first:
                    self.readers[each].pop(reader, None)
        return sorted({*self._names(terms), *(reader for reader in readers if reader >= self.names.first)})
