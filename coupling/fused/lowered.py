"""The equations of a system as data: the result of lowering, for all code after it, without the declarations."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from coupling.fused.expressions import Graph, Op
from coupling.plan.build import Built
from coupling.plan.graph import Address

if TYPE_CHECKING:  # SymPy, which declares them, takes longer to import than most systems to run
    from coupling.fused.equations import Variable


_INERTIA, _SMALL = "kg.m2", 0.1
"""Unit of inertia, and the ratio of products of inertia, which are 0 by default, to moments. Bodies have such small ratios; with others no
equations would be definite."""


@dataclass(frozen=True)
class LoweredLoop:
    """The equations of a loop: entries in compressed rows, as the kernel has them, times unknowns, plus the residuals at unknowns of 0."""

    first: int
    """The number of its first unknown; those of a loop follow one another, in the order of the schedule."""
    unknowns: tuple[Address, ...]
    row_start: tuple[int, ...]
    columns: tuple[int, ...]
    """Columns of the entries, from 0 on in each loop."""
    entries: tuple[int, ...]
    residuals: tuple[int, ...]

    def rows(self) -> list[dict[int, int]]:
        """Returns the nodes of the entries, by columns."""
        spans = zip(self.row_start[:-1], self.row_start[1:], strict=True)
        return [dict(zip(self.columns[a:b], self.entries[a:b], strict=True)) for a, b in spans]


@dataclass
class Lowered:
    """The equations of a system as data. Leaves are numbered as the lists below."""

    built: Built
    graph: Graph
    parameters: list[tuple[int, str]] = field(default_factory=list)
    """Part and name of each variable that is constant between changes from outside: parameters, and inputs that nothing feeds."""
    discrete: list[tuple[int, str]] = field(default_factory=list)
    """Part and name of each variable that changes at events only."""
    loops: tuple[LoweredLoop, ...] = ()
    bent: tuple[LoweredLoop, ...] = ()
    """The loops with guesses of their unknowns, where equations are not affine; ``loops`` are those of the last step of Newton's method."""
    bends: bool = False
    """True if something was not affine in the unknowns, and has guesses of them."""
    curved: bool = False
    """True if equations are not even affine in pieces."""
    switched: tuple[int, ...] = ()
    """Numbers of the unknowns whose equations set them to 0 while their modes have their constraints not in force."""
    left_out: frozenset[int] = frozenset()
    """Numbers of the unknowns that are taken for 0, since their constraints repeat others; entries and residuals have them all the same."""
    derivatives: tuple[int, ...] = ()
    """Derivatives by state, in terms of states, drives and unknowns."""

    readings: tuple[tuple[int | None, int | None], ...] = ()
    """Position and velocity by constraint of the plan's reading, in terms of states, drives and time."""
    foreign: tuple[int, ...] = ()
    """Parts that are called, since their equations are not known."""
    arriving: list[Address] = field(default_factory=list)
    """Outputs of these parts: leaves as drives, after those of the system."""
    leaving: tuple[tuple[Address, int], ...] = ()
    """Sources of the inputs of these parts, each with its node."""
    indicators: tuple[int, ...] = ()
    """Event indicators in the kernel's order; those of contacts and of friction contain unknowns."""
    recorded: tuple[int, ...] = ()
    """Variables that were asked for by themselves, in terms of states, drives and unknowns."""
    variables: dict[tuple[int, str], Variable] = field(default_factory=dict)
    """The declarations of the variables in these lists."""
    elements: dict[tuple[int, str], tuple[str, int]] = field(default_factory=dict)
    """Array and place of each element of an array among the parameters."""

    @property
    def unknowns(self) -> int:
        return sum(len(loop.unknowns) for loop in self.built.schedule.loops)

    def random_values(self, op: Op, number: int, random: Random, count: int) -> list[float]:
        """Returns values that a leaf may have; a Boolean has both, the second half of them being opposite to the first."""
        listed = self.parameters if op is Op.PARAMETER else self.discrete if op is Op.DISCRETE else None
        if listed is None:
            return [random.uniform(0.3, 1.7) for _ in range(count)]
        variable = self.variables[listed[number]]
        if listed[number] in self.elements:  # nodes of tables increase
            place = self.elements[listed[number]][1]
            return [0.3 + 1.4 * (place + random.random()) / variable.size for _ in range(count)]
        if variable.type == "boolean":
            first = [random.random() < 0.5 for _ in range(count // 2)]
            return [float(each) for each in (*first, *(not each for each in first))]
        values = [variable.range.nearest(random.uniform(0.3, 1.7)) for _ in range(count)]
        if variable.type == "integer":
            low, high = max(variable.range.minimum, -2), min(variable.range.maximum, 2)
            values = [float(low + i % int(high - low + 1)) for i in range(count)]
            random.shuffle(values)
        if variable.unit == _INERTIA and not variable.start:
            return [_SMALL * value for value in values]
        return values
