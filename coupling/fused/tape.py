"""Parts of a graph as tapes: batches of equal operations, each on operands that earlier ones have left in a workspace."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from coupling.fused.expressions import Graph, Op
from coupling.kernel.tapes.tape import END, OPERATIONS

_ADD, _ADD_PRODUCT, _SUBTRACT_PRODUCT = OPERATIONS["ADD"][0], OPERATIONS["MULTIPLY_ADD"][0], OPERATIONS["MULTIPLY_SUBTRACT"][0]
_NUMBER: dict[Op, int] = {op: OPERATIONS[op.name][0] for op in Op if op.name in OPERATIONS}


@dataclass
class Writer:
    """A workspace in which each node has its slot, and the tapes that fill it."""

    graph: Graph
    slot: dict[int, int]
    """Slots of leaves at first; then of all nodes that a tape has computed."""
    size: int
    """Number of slots."""
    constants: dict[int, float] = field(default_factory=dict)
    """Constants by slot."""

    def place(self, count: int) -> int:
        """Returns the first of some new slots."""
        self.size += count
        return self.size - count

    def constant(self, value: float) -> int:
        node = self.graph.constant(value)
        if node not in self.slot:
            self.slot[node] = self.place(1)
            self.constants[self.slot[node]] = value
        return self.slot[node]

    def place_of(self, node: int) -> int:
        """Returns the slot of a node that has been computed, or is a constant or a leaf."""
        return self.constant(float(self.graph.value[node])) if self.graph.op[node] is Op.CONSTANT else self.slot[node]

    def signed(self, node: int, negative: bool) -> int:
        """Returns the slot as the kernel's arrays have it: -1 for a zero, -2 less the slot for an opposite."""
        return -1 if node == self.graph.zero else -2 - self.place_of(node) if negative else self.place_of(node)

    def initial(self) -> np.ndarray:
        """Returns the workspace before any stage has run: constants, and NaN elsewhere, which shows values that are read too early."""
        values = np.full(self.size, np.nan)
        values[list(self.constants)] = list(self.constants.values())
        return values

    def tape(self, nodes: Iterable[int], wanted: Iterable[int], copies: Mapping[int, int] | None = None) -> np.ndarray:
        """Computes nodes, given in their order, from values with slots.

        ``wanted`` are nodes that others read; a product that goes into one sum alone is joined with it. ``copies``: slots that get the
        value of a node as well.
        """
        nodes, slot = list(nodes), self.slot
        code = self._joined(nodes, set(wanted))
        tape = array("i")
        for operation, batch in self._batches(code):
            placed = sorted([([slot[a] if a in slot else self.place_of(a) for a in code[node][1]], node) for node in batch])
            tape.extend((operation, len(batch), self.size))
            for place, (operands, node) in enumerate(placed, start=self.place(len(batch))):
                tape.extend(operands)
                slot[node] = place
        for target, node in (copies or {}).items():
            tape.extend((_ADD, 1, target, self.place_of(node), self.constant(0.0)))
        tape.append(END)
        return np.array(tape, dtype=np.int32)

    def _joined(self, nodes: list[int], wanted: set[int]) -> dict[int, tuple[int, tuple[int, ...]]]:
        """Returns operation and operands by node that is computed by itself."""
        op, args, add, subtract, multiply = self.graph.op, self.graph.args, Op.ADD, Op.SUBTRACT, Op.MULTIPLY
        uses = Counter(chain.from_iterable(map(args.__getitem__, nodes)))
        alone = {n for n in nodes if op[n] is multiply and uses[n] == 1 and n not in wanted}
        code: dict[int, tuple[int, tuple[int, ...]]] = {}
        joined: set[int] = set()
        for node in nodes:
            operands, kind = args[node], op[node]
            if not operands:
                continue
            if kind is add or kind is subtract:
                a, b = operands
                if b in alone:
                    joined.add(b)
                    code[node] = (_ADD_PRODUCT if kind is add else _SUBTRACT_PRODUCT), (a, *args[b])
                    continue
                if kind is add and a in alone:
                    joined.add(a)
                    code[node] = _ADD_PRODUCT, (b, *args[a])
                    continue
            code[node] = _NUMBER[kind], operands
        return {node: each for node, each in code.items() if node not in joined}

    def _batches(self, code: Mapping[int, tuple[int, tuple[int, ...]]]) -> Iterable[tuple[int, list[int]]]:
        """Yields batches. Of all operations that can be done the most frequent one goes first, which makes batches long."""
        readers: dict[int, list[int]] = {}
        missing: dict[int, int] = {}
        ready: dict[int, list[int]] = {}
        for node, (operation, operands) in code.items():
            waits = 0
            for a in operands:
                if a in code:
                    waits += 1
                    if a in readers:
                        readers[a].append(node)
                    else:
                        readers[a] = [node]
            if waits:
                missing[node] = waits
            else:
                ready.setdefault(operation, []).append(node)
        while ready:
            operation = max(ready, key=lambda each: (len(ready[each]), -each))
            batch = ready.pop(operation)
            yield operation, batch
            for node in batch:
                for reader in readers.pop(node, ()):
                    waits = missing[reader] - 1
                    missing[reader] = waits
                    if not waits:
                        ready.setdefault(code[reader][0], []).append(reader)
