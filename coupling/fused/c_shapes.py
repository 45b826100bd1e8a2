"""The C of loops: a function over clusters of one shape, one cluster at a time, or several at once where their operands lie at equal distances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from coupling.fused.c_angles import WIDTH
from coupling.fused.c_code import c_number, operation
from coupling.fused.expressions import Op

Operand = tuple[int, int | float] | tuple[int, int, int]
"""An operand of a shape: 0 and an operation of the same cluster, 1 and a constant, or 2, a block, and its place there."""


@dataclass(frozen=True)
class Shape:
    """A cluster without its addresses."""

    operations: tuple[tuple[int, tuple[Operand, ...]], ...]
    results: tuple[int, ...]
    """The operations whose values others read, or are wanted."""
    blocks: int
    """Number of sources that it reads."""

    @property
    def turns(self) -> bool:
        """True if the shape has sines or cosines."""
        return any(op in _TURNED for op, _ in self.operations)


@dataclass(frozen=True)
class Loop:
    """A function over clusters of a shape. Its data begin with the slot of the first result, and have for each block the slot of what lies first there."""

    shape: int
    apart: tuple[int, ...]
    """Distances of the results of a cluster from each other: its own and those of each block."""
    follows: tuple[bool, ...] = ()
    """Truths for several clusters at once: what the next cluster reads from a block is beside what this one reads. Otherwise the data have
    the distance as well."""


def text(number: int, loop: Loop, shape: Shape) -> Iterator[str]:
    """Yields the function, which returns where its data end."""
    yield f"static const int *loop_{number}(const int *c, int n, double *w)\n{{"
    yield from (_several if loop.follows else _one)(loop, shape)
    yield "}"


def _one(loop: Loop, shape: Shape) -> Iterator[str]:
    yield f"    for (; n; n--, c += {1 + shape.blocks}) {{"
    yield "        double *const o = w + c[0];"
    yield from (f"        const double *const b{i} = w + c[{1 + i}];" for i in range(shape.blocks))
    yield from _statements(loop, shape, "double", ["b{0}[{1}]"] * shape.blocks, "o[{}]")
    yield "    }\n    return c;"


def _several(loop: Loop, shape: Shape) -> Iterator[str]:
    yield f"    for (int i = 0; i < n; i += {WIDTH}) {{"
    yield f"        const long at = i < n - {WIDTH} ? i : n - {WIDTH};"
    yield "        double *const o = w + c[0] + at;"
    place, reads = 1, []
    for i, follows in enumerate(loop.follows):
        if follows:
            yield f"        const double *const b{i} = w + c[{place}] + at;"
            reads.append("*(const beside *)(b{0} + {1})")
        else:
            yield f"        const long s{i} = c[{place + 1}];"
            yield f"        const double *const b{i} = w + c[{place}] + at * s{i};"
            reads.append(f"(several){{{{{', '.join(f'b{{0}}[{{1}} + {k} * s{{0}}]' for k in range(WIDTH))}}}}}")
        place += 1 if follows else 2
    yield from _statements(loop, shape, "several", reads, "*(beside *)(o + {})")
    yield f"    }}\n    return c + {place};"


def _statements(loop: Loop, shape: Shape, kind: str, reads: list[str], result: str) -> Iterator[str]:
    """Yields the statements. A block's value is read where it is needed first, and results are kept at once; registers are free again
    then."""
    known: dict[Operand, str] = {}
    turned: set[str] = set()
    used = {each[1] for _, operands in shape.operations for each in operands if each[0] == 0}
    place = {node: f"{result.format(i * loop.apart[0])} = " for i, node in enumerate(shape.results)}
    for i, (op, operands) in enumerate(shape.operations):
        count = _FIRST_ARRAY.get(Op(op), len(operands))
        for each in operands[:count]:
            if each not in known:
                known[each] = _named(each, len(known))
                if each[0] == 2:
                    _, block, at = each  # type: ignore[misc]
                    yield f"        const {kind} {known[each]} = {reads[block].format(block, at * loop.apart[1 + block])};"
        values = [known[each] for each in operands[:count]]
        if count < len(operands):
            done = _of_tables(Op(op), loop, operands, values, kind)
        elif kind == "double" or (op in _WHOLE and any(each[0] != 1 for each in operands)):
            done = operation(Op(op), values)
        elif op in _TURNED:
            if values[0] not in turned:
                turned.add(values[0])
                yield f"        several sine_{values[0]}, cosine_{values[0]};"
                yield f"        angles({WIDTH}, (const double *)&{values[0]}, (double *)&sine_{values[0]}, (double *)&cosine_{values[0]});"
            done = f"{_TURNED[Op(op)]}_{values[0]}"
        else:
            done = _by_one(Op(op), operands, values)
        yield f"        {f'const {kind} n{i} = ' if i in used else ''}{place.get(i, '')}{done};"


def _of_tables(op: Op, loop: Loop, operands: tuple[Operand, ...], values: list[str], kind: str) -> str:
    """Returns an operation on arrays, whose first places stand for them."""

    def place(operand: Operand, k: int) -> str:
        _, block, at = operand  # type: ignore[misc]
        apart = "" if not k else f" + {k}" if loop.follows[block] else f" + {k} * s{block}"
        return f"b{block}[{at * loop.apart[1 + block]}{apart}]"

    def one(k: int, several: bool) -> str:
        numbers = [f"{each}[{k}]" if several and operand[0] != 1 else each for operand, each in zip(operands, values, strict=False)]
        return operation(op, [*numbers, *(place(each, k) for each in operands[len(values) :])])

    return one(0, False) if kind == "double" else f"(several){{{', '.join(one(k, True) for k in range(WIDTH))}}}"


def _named(operand: Operand, number: int) -> str:
    return f"n{operand[1]}" if operand[0] == 0 else c_number(operand[1]) if operand[0] == 1 else f"r{number}"


_WHOLE = (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.NEGATE)
_TURNED = {Op.SIN: "sine", Op.COS: "cosine"}
_FIRST_ARRAY = {Op.CURVE: 4, Op.SURFACE: 7}
"""Place of the first operand that is an array."""


def _by_one(op: Op, operands: tuple[Operand, ...], values: list[str]) -> str:
    each = (
        operation(op, [value if operand[0] == 1 else f"{value}[{k}]" for operand, value in zip(operands, values, strict=True)])
        for k in range(WIDTH)
    )
    return f"(several){{{', '.join(each)}}}"


HEAD = f"""typedef double several __attribute__((vector_size({8 * WIDTH}), may_alias));
typedef several beside __attribute__((aligned(8)));"""
