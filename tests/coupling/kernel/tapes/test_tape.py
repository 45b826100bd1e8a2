"""Tapes: each operation as NumPy has it, in batches, in a workspace that holds no numbers before."""

from __future__ import annotations

import numpy as np
import pytest

from coupling.fused.expressions import CALCULATED, Op
from coupling.kernel.tapes.tape import END, OPERATIONS, run

COUNT = 7
_JOINED = {"MULTIPLY_ADD": lambda a, b, c: a + b * c, "MULTIPLY_SUBTRACT": lambda a, b, c: a - b * c}
_OF_TABLES = {"CURVE", "SURFACE"}
"""Operations on arrays, which tests of tables compare."""


def test_all_operations_of_graphs_are_known():
    assert OPERATIONS.keys() == {op.name for op in CALCULATED} | _JOINED.keys() | _OF_TABLES


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in _OF_TABLES])
def test_an_operation(name):
    """It works on a batch of numbers on both sides of 0, on truth values, or within the domain of a function."""
    number, operands = OPERATIONS[name]
    expected = _JOINED.get(name) or CALCULATED[Op[name]]
    random = np.random.default_rng(number)
    low, high = (0.1, 0.9) if name in ("SQRT", "LOG", "POWER", "ASIN", "ACOS") else (-2.0, 2.0)
    values = random.uniform(low, high, (operands, COUNT))
    values[:, 0] = 0.5
    if name in ("AND", "OR", "NOT", "SELECT"):
        values[0] = np.arange(COUNT) % 2
    workspace = np.full((operands + 1) * COUNT, np.nan)
    workspace[COUNT:] = values.ravel()
    places = [COUNT * (1 + operand) + i for i in range(COUNT) for operand in range(operands)]
    run(np.array([number, COUNT, 0, *places, END], dtype=np.int32), workspace)
    assert workspace[:COUNT] == pytest.approx(expected(*values), rel=4e-16, abs=0)


def test_batches_follow_each_other():
    """A batch reads the results of the one before it."""
    add, square = OPERATIONS["ADD"][0], OPERATIONS["MULTIPLY"][0]
    workspace = np.array([1.0, 2.0, np.nan, np.nan])
    run(np.array([add, 1, 2, 0, 1, square, 1, 3, 2, 2, END], dtype=np.int32), workspace)
    assert list(workspace) == [1, 2, 3, 9]
