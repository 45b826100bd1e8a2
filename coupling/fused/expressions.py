"""A graph of expressions in which each expression exists once: equal expressions are the same node.

Nodes are numbers that grow from operands to results. Nothing depends on addresses or on the order of sets; the same system therefore always
gives the same graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from math import prod
from typing import Any

import numpy as np

from coupling.fused.fingerprints import PRIME, of_leaf, of_number, on_circle, quotient
from coupling.fused.lookups import looked_up


class Op(IntEnum):
    """The kind of a node: a constant, a leaf with a number, or an operation on other nodes. True is 1, false 0."""

    CONSTANT = 0
    STATE = 1
    TIME = 2
    DRIVE = 3
    PARAMETER = 4
    DISCRETE = 5
    UNKNOWN = 6
    VARIABLE = 7
    """Leaf of a class: a variable by its place; the graph of a system has none."""
    ADD = 8
    SUBTRACT = 9
    MULTIPLY = 10
    DIVIDE = 11
    NEGATE = 12
    SQRT = 13
    SIN = 14
    COS = 15
    TAN = 16
    ASIN = 17
    ACOS = 18
    ATAN = 19
    ATAN2 = 20
    SINH = 21
    COSH = 22
    TANH = 23
    EXP = 24
    LOG = 25
    POWER = 26
    ABS = 27
    SIGN = 28
    FLOOR = 29
    CEILING = 30
    MAX = 31
    MIN = 32
    GREATER = 33
    GREATER_EQUAL = 34
    EQUAL = 35
    AND = 36
    OR = 37
    NOT = 38
    SELECT = 39
    """The second operand where the first is not 0, else the third."""
    CURVE = 40
    """Value of a table by its orders, kind, arguments, sizes and arrays; of each array the leaf of its first number is the operand."""
    SURFACE = 41

    @property
    def leaf(self) -> bool:
        return Op.CONSTANT < self <= Op.VARIABLE


def _signless(x: np.ndarray) -> Any:
    """Returns the size of a real number; of a complex one, along which a derivative is taken, the number or its opposite."""
    return np.where(np.real(x) < 0, -x, x)


CALCULATED: dict[Op, Callable[..., Any]] = {
    Op.ADD: np.add,
    Op.SUBTRACT: np.subtract,
    Op.MULTIPLY: np.multiply,
    Op.DIVIDE: np.divide,
    Op.NEGATE: np.negative,
    Op.SQRT: np.sqrt,
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.TAN: np.tan,
    Op.ASIN: np.arcsin,
    Op.ACOS: np.arccos,
    Op.ATAN: np.arctan,
    Op.ATAN2: lambda y, x: np.arctan2(np.real(y), np.real(x)) + _turned(y, x),
    Op.SINH: np.sinh,
    Op.COSH: np.cosh,
    Op.TANH: np.tanh,
    Op.EXP: np.exp,
    Op.LOG: np.log,
    Op.POWER: np.power,
    Op.ABS: _signless,
    Op.SIGN: lambda x: np.sign(np.real(x)),
    Op.FLOOR: lambda x: np.floor(np.real(x)),
    Op.CEILING: lambda x: np.ceil(np.real(x)),
    Op.MAX: lambda x, y: np.where(np.real(x) >= np.real(y), x, y),
    Op.MIN: lambda x, y: np.where(np.real(x) <= np.real(y), x, y),
    Op.GREATER: lambda x, y: (np.real(x) > np.real(y)) * 1.0,
    Op.GREATER_EQUAL: lambda x, y: (np.real(x) >= np.real(y)) * 1.0,
    Op.EQUAL: lambda x, y: (np.real(x) == np.real(y)) * 1.0,
    Op.AND: lambda x, y: ((np.real(x) != 0) & (np.real(y) != 0)) * 1.0,
    Op.OR: lambda x, y: ((np.real(x) != 0) | (np.real(y) != 0)) * 1.0,
    Op.NOT: lambda x: (np.real(x) == 0) * 1.0,
    Op.SELECT: lambda c, x, y: np.where(np.real(c) != 0, x, y),
}
"""Functions of NumPy by operation."""


def _turned(y: np.ndarray, x: np.ndarray) -> np.ndarray | float:
    """Returns what the imaginary parts of a direction add to its angle, to first order."""
    if not (np.iscomplexobj(y) or np.iscomplexobj(x)):
        return 0.0
    a, b = np.real(x), np.real(y)
    return 1j * (a * np.imag(y) - b * np.imag(x)) / (a * a + b * b)


_CONSTANT, _VARIABLE, _ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _NEGATE = (
    Op.CONSTANT,
    Op.VARIABLE,
    Op.ADD,
    Op.SUBTRACT,
    Op.MULTIPLY,
    Op.DIVIDE,
    Op.NEGATE,
)
_SELECT, _NOT, _AND, _OR, _SIN, _COS = Op.SELECT, Op.NOT, Op.AND, Op.OR, Op.SIN, Op.COS
"""Members of the enumeration as names, since a look-up in it takes longer than most of the work with a member."""


class Graph:
    """Expressions by number, made by the methods below, which simplify what is simple."""

    def __init__(self) -> None:
        self.op: list[Op] = []
        self.args: list[tuple[int, ...]] = []
        self.value: list[float | int] = []
        """The value of a constant, the number of a leaf, 0 of an operation."""
        self.owner: list[int] = []
        """Owner for which each node was made first: the part, or the number of parts and the place of a pivot."""
        self.owner_now = 0
        self.merging = True
        """True if expressions that are equal except for rounding are the same node."""
        self._known: dict[tuple[int | float, ...], int] = {}
        self._print: list[int | None] = []
        """Fingerprint of each node; see :mod:`coupling.fused.fingerprints`."""
        self._equal: dict[int, int] = {}
        """The first node with a fingerprint."""
        self.zero, self.one = self.constant(0.0), self.constant(1.0)

    def __len__(self) -> int:
        return len(self.op)

    # -- leaves ------------------------------------------------------------------------------------------------------

    def constant(self, value: float) -> int:
        value = float(value) + 0.0  # no negative zero
        return self._node((_CONSTANT, value), _CONSTANT, (), value)

    def leaf(self, op: Op, number: int = 0) -> int:
        return self._node((op, number), op, (), number)

    def renumber(self, op: Op, numbers: Mapping[int, int]) -> None:
        """Gives leaves other numbers; numbers without a leaf are left out."""
        nodes = {new: self._known.pop((op, old)) for old, new in numbers.items() if (op, old) in self._known}
        for new, node in nodes.items():
            self._known[op, new] = node
            self.value[node] = new

    def is_constant(self, node: int) -> bool:
        return self.op[node] is _CONSTANT

    def _node(self, key: tuple[int | float, ...], op: Op, args: tuple[int, ...], value: float | int) -> int:
        node = self._known.get(key)
        if node is None:
            found = self._fingerprint(op, args, value) if self.merging else None
            node = self._known[key] = self._made(op, args, value, found)
        return node

    def _made(self, op: Op, args: tuple[int, ...], value: float | int, fingerprint: int | None) -> int:
        """Returns a new node, unless it equals another one in a different form, or the opposite of one."""
        node = len(self.op)
        if fingerprint is not None:
            equal = self._equal
            if op >= _ADD:
                first = equal.get(fingerprint)
                if first is not None:
                    return first
                first = equal.get(PRIME - fingerprint)
                if first is not None and op is not _NEGATE:
                    return self._apply(_NEGATE, first)
                equal[fingerprint] = node
            else:
                equal.setdefault(fingerprint, node)
        self.op.append(op)
        self.args.append(args)
        self.value.append(value)
        self.owner.append(self.owner_now)
        self._print.append(fingerprint)
        return node

    def _fingerprint(self, op: Op, args: tuple[int, ...], value: float | int) -> int | None:
        if not args:
            return of_number(value) if op is _CONSTANT else of_leaf((int(op), len(self.op)))
        prints = self._print
        a = prints[args[0]]
        b = prints[args[1]] if len(args) > 1 else 0
        if a is None or b is None:
            return None
        if op is _MULTIPLY:
            return a * b % PRIME
        if op is _ADD:
            return (a + b) % PRIME
        if op is _SUBTRACT:
            return (a - b) % PRIME
        if op is _NEGATE:
            return -a % PRIME
        if op is _DIVIDE:
            return quotient(a, b)
        if op is _SIN or op is _COS:
            return on_circle(a)[op is _COS]
        every = [prints[each] for each in args]
        return None if None in every else of_leaf((int(op), *every))

    def _apply(self, op: Op, *args: int) -> int:
        return self._node((op, *args), op, args, 0)

    def _folded(self, op: Op, *args: int) -> int | None:
        """Returns the constant that an operation on constants gives, where that is a number."""
        if any(self.op[a] is not _CONSTANT for a in args):
            return None
        with np.errstate(all="ignore"):
            value = float(CALCULATED[op](*(self.value[a] for a in args)))
        return self.constant(value) if np.isfinite(value) else None

    # -- operations --------------------------------------------------------------------------------------------------

    def neg(self, a: int) -> int:
        if self.op[a] is _CONSTANT:
            return self.constant(-self.value[a])
        if self.op[a] is _NEGATE:
            return self.args[a][0]
        return self._apply(_NEGATE, a)

    def add(self, a: int, b: int) -> int:
        if a == self.zero:
            return b
        if b == self.zero:
            return a
        op = self.op
        if op[a] is _NEGATE:
            return self.neg(self.add(self.args[a][0], self.args[b][0])) if op[b] is _NEGATE else self.sub(b, self.args[a][0])
        if op[b] is _NEGATE:
            return self.sub(a, self.args[b][0])
        if op[a] is _CONSTANT and op[b] is _CONSTANT:
            return self.constant(self.value[a] + self.value[b])
        return self._apply(_ADD, a, b) if a <= b else self._apply(_ADD, b, a)

    def sub(self, a: int, b: int) -> int:
        if b == self.zero:
            return a
        if a == self.zero:
            return self.neg(b)
        if a == b:
            return self.zero
        op = self.op
        if op[b] is _NEGATE:
            return self.add(a, self.args[b][0])
        if op[a] is _NEGATE:
            return self.neg(self.add(self.args[a][0], b))
        if op[a] is _CONSTANT and op[b] is _CONSTANT:
            return self.constant(self.value[a] - self.value[b])
        opposite = self._known.get((_SUBTRACT, b, a))
        return self._apply(_SUBTRACT, a, b) if opposite is None else self.neg(opposite)

    def mul(self, a: int, b: int) -> int:
        if a == self.zero or b == self.zero:
            return self.zero
        if a == self.one:
            return b
        if b == self.one:
            return a
        op = self.op
        if op[a] is _NEGATE:
            return self.mul(self.args[a][0], self.args[b][0]) if op[b] is _NEGATE else self.neg(self.mul(self.args[a][0], b))
        if op[b] is _NEGATE:
            return self.neg(self.mul(a, self.args[b][0]))
        if op[a] is _CONSTANT:
            if op[b] is _CONSTANT:
                return self.constant(self.value[a] * self.value[b])
            if self.value[a] < 0:
                return self.neg(self.mul(self.constant(-self.value[a]), b))
        elif op[b] is _CONSTANT and self.value[b] < 0:
            return self.neg(self.mul(a, self.constant(-self.value[b])))
        return self._apply(_MULTIPLY, a, b) if a <= b else self._apply(_MULTIPLY, b, a)

    def div(self, a: int, b: int) -> int:
        if a == self.zero:
            return a
        if b == self.one:
            return a
        folded = self._folded(_DIVIDE, a, b)
        if folded is not None:
            return folded
        if self.op[a] is _NEGATE:
            return self.neg(self.div(self.args[a][0], b))
        if self.op[b] is _NEGATE:
            return self.neg(self.div(a, self.args[b][0]))
        if a != self.one and self.op[b] is not _CONSTANT:
            return self.mul(a, self.div(self.one, b))  # once for all quotients by b
        return self._apply(_DIVIDE, a, b)

    def select(self, condition: int, a: int, b: int) -> int:
        if self.op[condition] is _CONSTANT:
            return a if self.value[condition] else b
        if self.op[condition] is _NOT:
            return self.select(self.args[condition][0], b, a)
        return a if a == b else self._apply(_SELECT, condition, a, b)

    def apply(self, op: Op, *args: int) -> int:
        """Returns the node of any operation."""
        simple = _SIMPLE.get(op)
        if simple is not None:
            return simple(self, *args)
        folded = self._folded(op, *args)
        if folded is not None:
            return folded
        a = args[0]
        if self.op[a] is _NEGATE and op in _ODD:
            return self.neg(self.apply(op, self.args[a][0]))
        if self.op[a] is _NEGATE and op in _EVEN:
            return self.apply(op, self.args[a][0])
        if op is _NOT and self.op[a] is _NOT:
            return self.args[a][0]
        if op in (_AND, _OR):
            for one, other in (args, args[::-1]):
                if self.op[one] is _CONSTANT:
                    return other if bool(self.value[one]) is (op is _AND) else one
        if op in _SYMMETRIC and args[0] > args[1]:
            args = args[::-1]
        return self._apply(op, *args)

    # -- questions ---------------------------------------------------------------------------------------------------

    def order(self, roots: Iterable[int], known: Callable[[int], bool] | None = None) -> list[int]:
        """Returns all nodes that roots are made of, operands first; a node that is ``known`` is left out with all below it."""
        found: set[int] = set()
        waiting = list(roots)
        while waiting:
            node = waiting.pop()
            if node not in found and not (known and known(node)):
                found.add(node)
                waiting += self.args[node]
        return sorted(found)

    def evaluate(self, roots: Sequence[int], leaf: Callable[[Op, int], np.ndarray | float]) -> list[np.ndarray]:
        """Returns the values of roots, given those of leaves."""
        values: dict[int, np.ndarray] = {}
        with np.errstate(all="ignore"):
            for node in self.order(roots):
                op = self.op[node]
                if op is _CONSTANT:
                    values[node] = np.asarray(self.value[node])
                elif op <= _VARIABLE:
                    values[node] = np.asarray(leaf(op, int(self.value[node])))
                elif op >= Op.CURVE:
                    arrays = [self._array(each, size, leaf) for each, size in self.arrays_of(node)]
                    values[node] = looked_up(op.name, [values[a] for a in self.args[node][: -len(arrays)]], arrays)
                else:
                    values[node] = CALCULATED[op](*(values[a] for a in self.args[node]))
        return [values[root] for root in roots]

    def arrays_of(self, node: int) -> list[tuple[int, int]]:
        """Returns the arrays of a table, by the leaves of their first numbers, and their sizes."""
        count = 1 + (self.op[node] is Op.SURFACE)
        sizes = [int(self.value[each]) for each in self.args[node][-2 * count - 1 : -count - 1]]
        return list(zip(self.args[node][-count - 1 :], (*sizes, prod(sizes)), strict=True))

    def _array(self, first: int, size: int, leaf: Callable[[Op, int], np.ndarray | float]) -> np.ndarray:
        number = int(self.value[first])
        return np.stack([np.asarray(leaf(self.op[first], number + i)) for i in range(size)], axis=-1)


_SIMPLE: dict[Op, Callable[..., int]] = {
    Op.ADD: Graph.add,
    Op.SUBTRACT: Graph.sub,
    Op.MULTIPLY: Graph.mul,
    Op.DIVIDE: Graph.div,
    Op.NEGATE: Graph.neg,
    Op.SELECT: Graph.select,
}
_ODD = frozenset({Op.SIN, Op.TAN, Op.ASIN, Op.ATAN, Op.SINH, Op.TANH, Op.SIGN})
_EVEN = frozenset({Op.COS, Op.COSH, Op.ABS})
_SYMMETRIC = frozenset({Op.MAX, Op.MIN, Op.EQUAL, Op.AND, Op.OR})
