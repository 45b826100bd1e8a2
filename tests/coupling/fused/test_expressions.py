"""The graph of expressions: what is the same is one node, and what is simple is simplified."""

from __future__ import annotations

import numpy as np
import pytest

from coupling.fused.expressions import CALCULATED, Graph, Op


@pytest.fixture
def g() -> Graph:
    return Graph()


def test_what_is_the_same_is_one_node(g):
    x, y = g.leaf(Op.STATE, 0), g.leaf(Op.STATE, 1)
    assert g.add(x, y) == g.add(y, x)
    assert g.mul(x, y) == g.mul(y, x)
    assert g.sub(y, x) == g.neg(g.sub(x, y))
    assert g.apply(Op.SIN, g.neg(x)) == g.neg(g.apply(Op.SIN, x))
    assert g.apply(Op.COS, g.neg(x)) == g.apply(Op.COS, x)


def test_what_is_equal_is_one_node_whatever_it_looks_like(g):
    x, y, z = (g.leaf(Op.STATE, i) for i in range(3))
    assert g.mul(x, g.add(y, z)) == g.add(g.mul(x, y), g.mul(x, z))
    assert g.sub(g.mul(z, g.mul(x, y)), g.mul(y, g.mul(x, z))) == g.zero
    assert g.mul(g.sub(x, y), g.sub(y, x)) == g.neg(g.mul(g.sub(x, y), g.sub(x, y)))
    sine, cosine = g.apply(Op.SIN, x), g.apply(Op.COS, x)
    assert g.add(g.mul(sine, sine), g.mul(cosine, cosine)) == g.one
    assert g.add(g.mul(sine, sine), g.mul(sine, cosine)) != g.one
    assert g.apply(Op.SQRT, g.add(g.mul(x, y), g.mul(x, z))) == g.apply(Op.SQRT, g.mul(x, g.add(y, z)))


def test_what_is_rounding_is_left_where_it_is_asked_for(g):
    x, y, z = (g.leaf(Op.STATE, i) for i in range(3))
    g.merging = False
    assert g.sub(g.add(g.mul(x, y), g.mul(x, z)), g.mul(x, g.add(y, z))) != g.zero


def test_quotients_by_the_same_share_its_reciprocal(g):
    x, y, z = (g.leaf(Op.STATE, i) for i in range(3))
    quotients = [g.div(x, z), g.div(y, z)]
    assert [g.op[n] for n in g.order(quotients)].count(Op.DIVIDE) == 1


def test_what_is_simple_is_simplified(g):
    x, c = g.leaf(Op.STATE, 0), g.leaf(Op.DISCRETE, 0)
    assert (g.add(x, g.zero), g.mul(g.one, x), g.mul(x, g.zero), g.sub(x, x), g.div(x, g.one)) == (x, x, g.zero, g.zero, x)
    assert g.value[g.apply(Op.EXP, g.zero)] == 1
    assert g.select(g.one, x, c) == x
    assert g.select(g.apply(Op.NOT, c), x, g.zero) == g.select(c, g.zero, x)
    assert g.apply(Op.AND, g.one, c) == c and g.apply(Op.OR, g.one, c) == g.one


def test_constants_that_give_no_number_are_left_as_they_are(g):
    assert g.op[g.div(g.one, g.zero)] is Op.DIVIDE
    assert g.op[g.apply(Op.LOG, g.zero)] is Op.LOG


def test_operands_come_first(g):
    x = g.leaf(Op.STATE, 0)
    root = g.mul(g.apply(Op.SIN, x), g.add(x, g.constant(2)))
    order = g.order([root])
    assert all(order.index(a) < order.index(n) for n in order for a in g.args[n])
    assert g.order([root], lambda node: node == x) == [n for n in order if n != x]


@pytest.mark.parametrize("op", [op for op in Op if Op.ADD <= op < Op.CURVE])
def test_rules_keep_values(g, op):
    """The node has the value of the operation for all signs and constants of the operands."""
    x, y, z = (g.leaf(Op.STATE, i) for i in range(3))
    values = np.array([0.3, 0.8, 0.0])
    count = 3 if op is Op.SELECT else 1 if op in _OF_ONE else 2
    numbers = ((x, y, z), (g.neg(x), g.neg(y), x), (x, g.neg(y), y), (g.neg(x), y, z), (z, x, y), (g.constant(0.5), x, y))
    true, untrue = g.apply(Op.GREATER, y, x), g.apply(Op.GREATER, x, y)
    truths = ((true, untrue), (untrue, true), (g.one, untrue), (true, g.zero), (true, true), (g.zero, g.one))
    for operands in truths if op in (Op.AND, Op.OR) else numbers:
        given = operands[:count]
        node = g.apply(op, *given)
        found, *inner = g.evaluate([node, *given], lambda _, number: values[number])
        with np.errstate(all="ignore"):
            expected = CALCULATED[op](*inner)
        np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_what_is_chosen_of_two_numbers_is_what_python_chooses():
    """The table of operations in NumPy is itself compared, with Python's own words for them."""
    words = {Op.MAX: max, Op.MIN: min, Op.GREATER: float.__gt__, Op.GREATER_EQUAL: float.__ge__, Op.EQUAL: float.__eq__}
    words |= {Op.AND: lambda x, y: bool(x and y), Op.OR: lambda x, y: bool(x or y), Op.SELECT: lambda x, y: y if x else -y}
    for op, word in words.items():
        for x, y in ((0.3, 0.8), (0.8, 0.3), (0.5, 0.5), (-1.0, 0.0), (0.0, -1.0), (0.0, 0.0)):
            assert CALCULATED[op](*((x, y, -y) if op is Op.SELECT else (x, y))) == word(x, y), (op, x, y)


_OF_ONE = {
    *(Op.NEGATE, Op.SQRT, Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN, Op.SINH, Op.COSH, Op.TANH),
    *(Op.EXP, Op.LOG, Op.ABS, Op.SIGN, Op.FLOOR, Op.CEILING, Op.NOT),
}
