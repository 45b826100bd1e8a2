"""Loops whose equations are not affine in their unknowns, such as friction whose limit follows from a load.

Their entries and residuals are those at a guess of the unknowns: leaves, in place of which come the results of Newton's method, which begins
at 0. Nothing is kept from one evaluation to the next. The kernel takes the solution as that of affine equations; where the method has not come to
rest, the right sides are infinite, and the instances are evaluated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from coupling.fused.elimination import eliminations
from coupling.fused.expressions import Op
from coupling.fused.guesses import at
from coupling.fused.lowered import Lowered
from coupling.fused.roots import misfits, solved_loops

_ROUNDS, _ROUNDS_OF_CURVES = 2, 4
"""Solutions one after the other before the last one, of equations in pieces that are affine, and of others."""
_NEAR = 1e-6
"""Residual, relative to the terms of its equation, from which one more solution leaves rounding alone."""


def settle(lowered: Lowered) -> None:
    """Puts the results of Newton's method in place of all guesses; the equations are then those of its last step."""
    if not lowered.bends:
        return
    graph = lowered.graph
    orders, loops = eliminations(lowered), lowered.loops
    lowered.bent = loops
    found: Sequence[int] = [graph.zero] * lowered.unknowns
    for _ in range(_ROUNDS_OF_CURVES if lowered.curved else _ROUNDS):
        lowered.loops = at(graph, loops, found)
        found = solved_loops(lowered, orders)
    lowered.loops = at(graph, loops, found)
    off = misfits(lowered, lowered.loops, orders, found)
    for place, (loop, worst) in enumerate(zip(lowered.loops, off, strict=True)):
        near = graph.apply(Op.GREATER, graph.constant(_NEAR), worst)
        right = tuple(graph.select(near, node, graph.constant(math.inf)) for node in loop.residuals)
        lowered.loops = (*lowered.loops[:place], replace(loop, residuals=right), *lowered.loops[place + 1 :])


def at_unknowns(lowered: Lowered) -> None:
    """Puts the unknowns themselves in place of all guesses: the equations are then exact, and affine at this point alone."""
    if not lowered.bends:
        return
    unknowns = [lowered.graph.leaf(Op.UNKNOWN, number) for number in range(lowered.unknowns)]
    lowered.loops = at(lowered.graph, lowered.loops, unknowns)
