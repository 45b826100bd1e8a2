"""The stages of an evaluation as straight-line C over one workspace, in chunks. Compilers take more than twice the time for a function of
twice the size."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from coupling.fused.c_angles import ANGLES, CALL, angles_first, calls, turned
from coupling.fused.c_order import interleaved
from coupling.fused.expressions import Graph, Op

GENERATOR = 5
"""Version of the generated text; to be raised with each change of the text for the same graph."""
CHUNK = 400
"""Operations of one function."""
_LONG = 100
"""Characters of an expression that is not joined with others any more."""

HEAD = f"/* Generated from the equations of a system; generator {GENERATOR}. */\n#include <math.h>"
TABLES = '#include "lookup.h"'
EXPORTED = '__attribute__((visibility("default")))'


@dataclass(frozen=True)
class Section:
    """The work of a stage: nodes, operands first, and the nodes by slot that are copied at its end."""

    nodes: Sequence[int]
    copies: Mapping[int, int] = field(default_factory=dict)
    may_wait: frozenset[int] = frozenset()
    """Nodes of the section that no stage reads before the next stage has run."""


@dataclass(frozen=True, kw_only=True)
class CSource:
    """C source with a function for each stage, ``void jourdain_STAGE(const void *code, double *w)``, and the data that these functions
    need, in their order."""

    text: str
    size: int
    """Size of the workspace, in numbers."""
    slot: Mapping[int, int]
    """Slots of the kept values, by node."""
    constants: Mapping[int, float]
    """Initial values of the workspace, by slot."""
    data: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Integers that each stage's function gets as ``code``; absent where it needs none."""


def c_source(graph: Graph, stages: Mapping[str, Section], kept: Iterable[int], slot_of_leaf: Mapping[int, int], first_free: int) -> CSource:
    """Returns straight-line C. A node that is ``kept``, or read by another function than computes it, gets a slot from ``first_free``
    on."""
    places = _Places(graph, stages, kept, slot_of_leaf, first_free)
    text = [line for stage, section in stages.items() for line in _functions(graph, places, stage, section)]
    tables = any(graph.op[node] >= Op.CURVE for section in stages.values() for node in section.nodes)
    head = [HEAD, *([TABLES] if tables else []), *([ANGLES] if any(line.startswith(CALL) for line in text) else [])]
    return CSource(text="\n".join(head + text) + "\n", size=places.size, slot=places.slot, constants=places.constants)


def _in_order(graph: Graph, stages: Mapping[str, Section]) -> dict[str, Sequence[int]]:
    """Returns the order of nodes by stage. Nodes that may wait are moved to the next stage where that stage would otherwise only wait for
    its own results."""
    found = {stage: interleaved(graph, section.nodes) or section.nodes for stage, section in stages.items()}
    for (stage, section), (following, needed) in pairwise(stages.items()):
        together = interleaved(graph, sorted({*section.may_wait, *needed.nodes})) if section.may_wait else None
        if together:
            assert not needed.may_wait and section.may_wait.isdisjoint(section.copies.values()), (
                "a waiting value is moved once, and not copied before"
            )
            now = [node for node in section.nodes if node not in section.may_wait]
            found |= {stage: interleaved(graph, now) or now, following: together}
    return found


class _Places:
    """The functions that compute the nodes, and the slots of the nodes."""

    def __init__(
        self, graph: Graph, stages: Mapping[str, Section], kept: Iterable[int], slot_of_leaf: Mapping[int, int], first_free: int
    ) -> None:
        self.graph = graph
        self.slot = dict(slot_of_leaf)
        self.size = first_free
        self.constants: dict[int, float] = {}
        self.chunks = {
            stage: [nodes[i : i + CHUNK] for i in range(0, len(nodes), CHUNK)]
            for stage, nodes in ((stage, angles_first(graph, nodes)) for stage, nodes in _in_order(graph, stages).items())
        }
        self.home = {node: home for stage in stages for home, chunk in self.functions(stage) for node in chunk}
        for stage, section in stages.items():
            for home, chunk in self.functions(stage):
                for node in chunk:
                    self._keep(each for each in graph.args[node] if self.home.get(each, home) != home)
            self._keep(node for node in section.copies.values() if node in self.home)
        self._keep(kept)

    def functions(self, stage: str) -> Iterator[tuple[tuple[str, int], Sequence[int]]]:
        return (((stage, number), chunk) for number, chunk in enumerate(self.chunks[stage]))

    def _keep(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            if node not in self.slot:
                self.slot[node] = self.size
                if self.graph.is_constant(node):
                    self.constants[self.size] = float(self.graph.value[node])
                self.size += 1

    def text(self, node: int) -> str:
        """Returns a node with a slot, or a constant, as an operand."""
        return c_number(self.graph.value[node]) if self.graph.is_constant(node) else f"w[{self.slot[node]}]"


def _functions(graph: Graph, places: _Places, stage: str, section: Section) -> Iterator[str]:
    count = 0
    for home, chunk in places.functions(stage):
        yield f"static __attribute__((noinline)) void {stage}_{home[1]}(double *restrict w)\n{{"
        yield from _statements(graph, places, chunk)
        yield "}"
        count += 1
    yield f"{EXPORTED} void jourdain_{stage}(const void *code, double *w)\n{{\n    (void)code, (void)w;"
    yield from (f"    {stage}_{number}(w);" for number in range(count))
    yield from (f"    w[{slot}] = {places.text(node)};" for slot, node in section.copies.items())
    yield "}"


def _statements(graph: Graph, places: _Places, chunk: Sequence[int]) -> Iterator[str]:
    """Yields the statements of a chunk; a node that is used once is written where it is used."""
    uses = Counter(operand for node in chunk for operand in graph.args[node])
    here = turned(graph, chunk)
    yield from calls(graph, here, places.text)
    for node in here:
        if node in places.slot:
            yield f"    {places.text(node)} = {here[node]};"
    for number, node in enumerate(chunk):
        if node in here:
            continue
        value = operation(graph.op[node], [here[each] if each in here else places.text(each) for each in graph.args[node]])
        kept = f"{places.text(node)} = " if node in places.slot else ""
        if uses[node] == 1 and not kept and len(value) < _LONG:
            here[node] = f"({value})"
            continue
        here[node] = f"n{number}"
        yield f"    {f'const double n{number} = ' if uses[node] else ''}{kept}{value};"


def operation(op: Op, operands: Sequence[str]) -> str:
    """Returns an operation in C."""
    return _FORMS[op].format(*operands)


def c_number(value: float) -> str:
    if not math.isfinite(value):
        return "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
    return repr(float(value))


_FORMS = {
    Op.ADD: "{} + {}",
    Op.SUBTRACT: "{} - {}",
    Op.MULTIPLY: "{} * {}",
    Op.DIVIDE: "{} / {}",
    Op.NEGATE: "-{}",
    Op.ATAN2: "atan2({}, {})",
    Op.POWER: "pow({}, {})",
    Op.ABS: "fabs({})",
    Op.SIGN: "({0} > 0) - ({0} < 0)",
    Op.CEILING: "ceil({})",
    Op.MAX: "{0} >= {1} ? {0} : {1}",
    Op.MIN: "{0} <= {1} ? {0} : {1}",
    Op.GREATER: "{} > {}",
    Op.GREATER_EQUAL: "{} >= {}",
    Op.EQUAL: "{} == {}",
    Op.AND: "{} != 0 && {} != 0",
    Op.OR: "{} != 0 || {} != 0",
    Op.NOT: "{} == 0",
    Op.SELECT: "{} != 0 ? {} : {}",
    Op.CURVE: "curve({}, {}, {}, {}, &{}, &{})",
    Op.SURFACE: "surface({}, {}, {}, {}, {}, {}, {}, &{}, &{}, &{})",
    **{
        op: f"{op.name.lower()}({{}})"
        for op in (Op.SQRT, Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN, Op.SINH, Op.COSH, Op.TANH, Op.EXP, Op.LOG, Op.FLOOR)
    },
}
