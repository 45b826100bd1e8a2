"""The equations of a component class as an expression graph of their own: the declarations of SymPy, without SymPy.

This is the only file here that knows the declarations of components.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from coupling.fmus import Fmu
from coupling.fused.expressions import Graph, Op
from coupling.plan.instances import component_of
from fmu_components.declare.declaration import Declaration, Role, Variable
from fmu_components.declare.functions import ComposedBase, Direction, Magnitude
from fmu_components.declare.tables import Item, LookupBase
from fmu_components.export.build import table_of

__all__ = ["DISCRETE", "ClassEquations", "NoEquations", "Role", "Variable", "equations_of"]

DISCRETE = (Role.DISCRETE, Role.DISCRETE_INPUT, Role.RELATION)
"""Roles of variables that change at events only."""


class NoEquations(LookupError):
    """An error that says why a function or an FMU has no equations: a clause that follows the name of the instance."""


@dataclass
class ClassEquations:
    """The equations of a class: how each variable follows from others, by its place in the declaration."""

    declared: Declaration
    graph: Graph = field(default_factory=Graph)
    places: dict[str, int] = field(default_factory=dict)
    """Places of variables by name."""
    root: dict[int, int] = field(default_factory=dict)
    """Node of each calculated variable that was asked for."""
    code: dict[int, list[int]] = field(default_factory=dict)
    """Nodes that each of them is made of, operands first."""
    needs: dict[int, list[int]] = field(default_factory=dict)
    """Variables among these nodes."""

    def __post_init__(self) -> None:
        self.variables = self.declared.variables
        self.places = {variable.name: place for place, variable in enumerate(self.variables)}
        self._lowering = _Lowering(self)

    def calculated(self, place: int) -> bool:
        return self.variables[place].equation is not None

    def prepare(self, place: int) -> None:
        """Lowers the equation of a variable, unless that is done."""
        if place in self.root:
            return
        root = self._lowering.node(self.variables[place].equation)
        self.root[place] = root
        self.code[place] = self.graph.order([root])
        self.needs[place] = [int(self.graph.value[n]) for n in self.code[place] if self.graph.op[n] is Op.VARIABLE]


def equations_of(fmu: Fmu, ideal: bool) -> ClassEquations:
    """Returns the equations of the class that an FMU was built from, with multipliers given from outside if ``ideal``.

    Of equal expressions the form that comes first stays. Each system has equations of its own, so that its graph does not depend on others.
    """
    component = component_of(fmu)
    if component is None:
        raise NoEquations(f"is an FMU of {fmu.generation_tool or 'an unnamed tool'}, whose equations are not known")
    table = table_of(component)
    equations = ClassEquations(table.declared)
    if table.switch is not None:
        equations._lowering.fixed[table.switch.symbol] = float(ideal)
    return equations


class _Lowering:
    """Turns expressions of SymPy into nodes, each part once."""

    def __init__(self, equations: ClassEquations) -> None:
        self.graph, self.equations = equations.graph, equations
        self.fixed: dict[sympy.Symbol, float] = {}
        self._done: dict[sympy.Basic, int] = {}
        self._settled: dict[int, bool] = {}

    def node(self, expression: sympy.Basic) -> int:
        known = self._done.get(expression)
        if known is None:
            known = self._done[expression] = self._lower(expression)
        return known

    def _lower(self, e: Any) -> int:
        g = self.graph
        if e.is_Symbol:
            return g.constant(self.fixed[e]) if e in self.fixed else self._variable(e)
        if isinstance(e, BooleanAtom):
            return g.constant(float(bool(e)))
        if e.is_Number or e.is_NumberSymbol:
            return g.constant(float(e))
        if e.is_Add:
            return self._settled_first(g.add, sorted((self.node(each) for each in e.args), key=self._is_state))
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow:
            return self._power(e.base, e.exp)
        if isinstance(e, sympy.Piecewise):
            *cases, (last, _) = e.args
            return reduce(lambda rest, case: g.select(self.node(case[1]), self.node(case[0]), rest), reversed(cases), self.node(last))
        if isinstance(e, Relational):
            return self._relation(e)
        if isinstance(e, Direction):
            length = self.node(Magnitude(*e.args))
            return g.select(g.apply(Op.GREATER, length, g.zero), g.div(self.node(e.args[0]), length), g.zero)
        if isinstance(e, ComposedBase):
            return self.node(e.formula)
        if isinstance(e, LookupBase):
            return self._lookup(e)
        if isinstance(e, Item) and e.args[0] == 0:  # the leaf of an array stands for its first element
            return self._variable(e.array)
        return self._function(e)

    def _variable(self, symbol: sympy.Symbol) -> int:
        variable = self.equations.declared.by_symbol[symbol]
        return self.graph.leaf(Op.VARIABLE, self.equations.places[variable.name])

    def _is_settled(self, node: int) -> bool:
        """Says whether a node changes with parameters and at events only."""
        if node not in self._settled:
            op = self.graph.op[node]
            if op is Op.VARIABLE:
                self._settled[node] = _settled(self.equations.variables[int(self.graph.value[node])])
            else:
                self._settled[node] = all(map(self._is_settled, self.graph.args[node]))
        return self._settled[node]

    def _is_state(self, node: int) -> bool:
        """Says whether a node is a state. Sums often differ in the state alone, as positions of points do from arms."""
        return self.graph.op[node] is Op.VARIABLE and self.equations.variables[int(self.graph.value[node])].role is Role.STATE

    def _settled_first(self, operation: Callable[[int, int], int], nodes: list[int]) -> int:
        """Applies an operation to many operands, those first that change seldom: their partial result is computed as seldom."""
        return reduce(operation, sorted(nodes, key=lambda n: not self._is_settled(n)))

    def _product(self, e: sympy.Mul) -> int:
        g = self.graph
        above, below = [], []
        for factor in e.args:
            if factor.is_Pow and factor.exp.is_Number and factor.exp.is_negative:
                node = self._power(factor.base, -factor.exp)
                if self._is_settled(node):
                    above.append(g.div(g.one, node))
                else:
                    below.append(node)
            else:
                above.append(self.node(factor))
        result = self._settled_first(g.mul, above) if above else g.one
        return g.div(result, self._settled_first(g.mul, below)) if below else result

    def _power(self, base: sympy.Expr, exponent: sympy.Expr) -> int:
        g, b = self.graph, self.node(base)
        if exponent.is_Rational and exponent.q in (1, 2) and abs(exponent) <= _PRODUCT:
            whole, half = divmod(abs(int(exponent.p)), int(exponent.q))
            result = g.apply(Op.SQRT, b) if half else g.one
            square = b
            while whole:
                result = g.mul(result, square) if whole & 1 else result
                whole >>= 1
                square = g.mul(square, square) if whole else square
            return g.div(g.one, result) if exponent.is_negative else result
        return g.apply(Op.POWER, b, self.node(exponent))

    def _lookup(self, e: LookupBase) -> int:
        sizes = self.equations.declared.by_symbol[e.arrays[-1]].shape
        constants = map(self.graph.constant, (*e.orders, e.kind)), map(self.graph.constant, sizes)
        varying, arrays = map(self.node, e.varying), map(self._variable, e.arrays)
        return self.graph.apply(Op.CURVE if len(sizes) == 1 else Op.SURFACE, *constants[0], *varying, *constants[1], *arrays)

    def _relation(self, e: Relational) -> int:
        g, left, right = self.graph, self.node(e.lhs), self.node(e.rhs)
        if isinstance(e, sympy.Ne):
            return g.apply(Op.NOT, g.apply(Op.EQUAL, left, right))
        if isinstance(e, sympy.StrictLessThan | sympy.LessThan):
            left, right = right, left
        return g.apply(_RELATIONS[type(e)], left, right)

    def _function(self, e: sympy.Basic) -> int:
        op = next((op for kind, op in _FUNCTIONS.items() if isinstance(e, kind)), None)
        if op is None:
            raise NoEquations(f"contains '{type(e).__name__}', for which fused code has no operation")
        nodes = [self.node(each) for each in e.args]
        if op in _REPEATED:
            return reduce(lambda a, b: self.graph.apply(op, a, b), nodes)
        return self.graph.apply(op, *nodes)


_PRODUCT = 32
"""Largest exponent up to which powers are products."""

_RELATIONS: Mapping[type, Op] = {
    sympy.StrictGreaterThan: Op.GREATER,
    sympy.StrictLessThan: Op.GREATER,
    sympy.GreaterThan: Op.GREATER_EQUAL,
    sympy.LessThan: Op.GREATER_EQUAL,
    sympy.Eq: Op.EQUAL,
}
_FUNCTIONS: Mapping[type, Op] = {
    sympy.sin: Op.SIN,
    sympy.cos: Op.COS,
    sympy.tan: Op.TAN,
    sympy.asin: Op.ASIN,
    sympy.acos: Op.ACOS,
    sympy.atan: Op.ATAN,
    sympy.atan2: Op.ATAN2,
    sympy.sinh: Op.SINH,
    sympy.cosh: Op.COSH,
    sympy.tanh: Op.TANH,
    sympy.exp: Op.EXP,
    sympy.log: Op.LOG,
    sympy.Abs: Op.ABS,
    sympy.sign: Op.SIGN,
    sympy.floor: Op.FLOOR,
    sympy.ceiling: Op.CEILING,
    sympy.Max: Op.MAX,
    sympy.Min: Op.MIN,
    sympy.And: Op.AND,
    sympy.Or: Op.OR,
    sympy.Not: Op.NOT,
}
_REPEATED = (Op.MAX, Op.MIN, Op.AND, Op.OR)


def _settled(variable: Variable) -> bool:
    return variable.role in (Role.PARAMETER, Role.SWITCH, *DISCRETE)
