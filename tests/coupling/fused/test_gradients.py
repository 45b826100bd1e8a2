"""Exact derivatives of expressions, and of a system through its unknowns, against complex steps along the same graph."""

from __future__ import annotations

import numpy as np
import pytest

from coupling.fused.expressions import Graph, Op
from coupling.fused.gradients import gradients
from coupling.fused.open_loops import Slopes, slopes
from coupling.kernel.tapes.tape import run
from tests.coupling.fused.test_examples import example
from tests.support.fused.agreement import Fused, begun, random_point
from tests.support.fused.smallest import smallest

STEP = 1e-30
ALLOWED = 1e-10

STEPPED = {Op.SIGN, Op.FLOOR, Op.CEILING, Op.GREATER, Op.GREATER_EQUAL, Op.EQUAL, Op.AND, Op.OR, Op.NOT}


@pytest.mark.parametrize("op", [op for op in Op if Op.ADD <= op < Op.CURVE])
def test_the_slope_of_each_operation(op):
    """The slope exists by each operand, except where the operation jumps."""
    g = Graph()
    leaves = [g.leaf(Op.STATE, i) for i in range(3)]
    at = np.array([0.7, 0.4, 0.9])
    count = 3 if op is Op.SELECT else 1 if op not in _OF_TWO else 2
    node = g.apply(op, *leaves[:count])
    (found,) = gradients(g, [node], Op.STATE)
    for place in range(count):
        moved = at + 1j * STEP * (np.arange(3) == place)
        (expected,) = g.evaluate([node], lambda _, number, moved=moved: moved[number])
        (slope,) = g.evaluate([found.get(place, g.zero)], lambda _, number: at[number])
        assert float(slope) == pytest.approx(float(np.imag(expected)) / STEP, rel=1e-14)
    if op in STEPPED:
        assert not found


_OF_TWO = {
    *(Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.DIVIDE, Op.ATAN2, Op.POWER, Op.MAX, Op.MIN),
    *(Op.GREATER, Op.GREATER_EQUAL, Op.EQUAL, Op.AND, Op.OR),
}


def test_a_length_that_vanishes_has_the_slope_0():
    g = Graph()
    x = g.leaf(Op.STATE, 0)
    (found,) = gradients(g, [g.apply(Op.SQRT, g.mul(x, x))], Op.STATE)
    assert g.evaluate([found[0]], lambda *_: 0.0) == [0.0]


CASES = {
    "seven bodies": lambda: example("03_seven_body_mechanism").system(),
    "crane": lambda: example("06_hydraulic_crane").system(),
    "spatial joint": lambda: smallest("spatial.Universal"),
    "rolling disc": lambda: smallest("planar.RollingDisc"),
    "lossy gear": lambda: smallest("mechanical1d.LossyGear"),
    "friction by a reaction": lambda: smallest("planar.RevoluteFriction"),
}


@pytest.mark.parametrize("case", [each if each == "rolling disc" else pytest.param(each, marks=pytest.mark.slow) for each in CASES])
def test_the_jacobian_is_that_of_complex_steps(case):
    """It includes the unknowns; errors are relative to the greatest of each row."""
    built = CASES[case]().build(communication=False)
    fused, code = Fused(built), slopes(built)
    with begun(built, {}) as session:
        t, x = random_point(session, np.random.default_rng(3))
        session.kernel.evaluate(t, x)
        leaves = fused.leaves(session, t, x)
        found = _through_unknowns(code, np.concatenate([*leaves.values(), fused.unknowns(leaves)]))
        expected = np.empty_like(found)
        for state in range(len(x)):
            moved = {**leaves, Op.STATE: x + 1j * STEP * (np.arange(len(x)) == state)}
            expected[:, state] = np.imag(fused.values(fused.roots.derivatives, moved)) / STEP
    size = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1e-300)
    assert np.abs((found - expected) / size).max() < ALLOWED


def _through_unknowns(code: Slopes, given: np.ndarray) -> np.ndarray:
    w, n, both = np.array(code.initial), code.states, code.states + code.unknowns
    w[: code.given] = given
    run(code.code, w)
    matrix = np.zeros((max(code.rows) + 1, both))
    matrix[code.rows, code.columns] = [w[slot] if slot >= 0 else -w[-2 - slot] for slot in code.slots]
    return matrix[:n, :n] - matrix[:n, n:] @ np.linalg.solve(matrix[n:both, n:], matrix[n:both, :n])
