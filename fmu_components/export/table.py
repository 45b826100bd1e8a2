"""The variable table of a component: value references, dependencies and the Jacobian.

Every exporter reads this one table: C code, both model descriptions, manifest, terminals, documentation. Value references count
the variables from 1 on, the time being the last: some importers take references for the places of a list.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from random import Random
from typing import Any

import sympy
from sympy.printing.pycode import PythonCodePrinter

from fmu_components.declare.component import TIME
from fmu_components.declare.declaration import IMPLICIT, Condition, Declaration, Role, Variable
from fmu_components.declare.expressions import contains, free_symbols, replaced, symbols_of
from fmu_components.declare.functions import Unwrapped
from fmu_components.declare.tables import ArrayBase, LookupBase
from fmu_components.export.chain import cancelled, marked
from fmu_components.export.slopes import operations_in, slope_of, slopes_of

KNOWN = (Role.TIME, Role.STATE, Role.INPUT, Role.ALGEBRAIC)
SWITCHING = (Role.DISCRETE, Role.DISCRETE_INPUT, Role.RELATION)
"""Roles of variables that change at events only. Equations depend on them without a slope."""
UNKNOWN = (Role.OUTPUT, Role.DERIVATIVE, Role.LOCAL, Role.INDICATOR)
_COLUMNS = (*KNOWN, Role.PARAMETER)
LARGEST = 2500
"""Operations of the equations up to which an FMU computes the entries of the Jacobian, each by an expression of its own."""
_BRANCHES = 1
"""Bit of a link that is piecewise; the other bits are those of the variables on which its slope depends, by their references."""


@dataclass(frozen=True)
class Dependency:
    """One unknown's dependence on one known."""

    known: int
    kind: str
    """``constant``, ``fixed``, ``tunable``, ``discrete`` or ``dependent``, as in both FMI versions."""


class VariableTable:
    """All variables of one component, in the order of their value references."""

    naming = "structured"
    """The convention that the names follow, as FMI calls it."""

    def __init__(self, declared: Declaration) -> None:
        self.declared = declared
        self.variables = declared.variables
        ends = list(accumulate((variable.size for variable in self.variables), initial=1))
        self._reference = {variable.name: first for first, variable in zip(ends, self.variables, strict=False)}
        self._by_reference = dict(zip(ends, self.variables, strict=False))
        self.count = ends[-1] - 1
        """Number of all values. An array has as many consecutive references as it has elements; the first one stands for it."""
        self._replaced: dict[bool, dict[sympy.Basic, sympy.Basic]] = {False: {}, True: {}}
        """Parts of expressions as they are with the switch in a position."""

    def reference(self, variable: Variable | str) -> int:
        """The value reference. It is the place in the model description as well, if no array comes before."""
        return self._reference[variable if isinstance(variable, str) else variable.name]

    def variable(self, reference: int) -> Variable:
        return self._by_reference[reference]

    def numbered(self) -> Iterable[tuple[int, Variable]]:
        """All variables, each with its value reference."""
        return self._by_reference.items()

    def scalars(self) -> Iterable[tuple[int, Variable]]:
        """All variables, each with its value reference, and arrays as their elements."""
        return enumerate((each for variable in self.variables for each in variable.scalars), 1)

    def is_output(self, variable: Variable) -> bool:
        return variable.role is Role.OUTPUT

    def jumps(self, variable: Variable) -> bool:
        """Says whether an event may set the variable anew."""
        return any(variable.name in event.updates for event in self.declared.events)

    def has_events(self) -> bool:
        return bool(self.declared.events or self.has_relations())

    def has_relations(self) -> bool:
        return bool(self.with_role(Role.RELATION))

    def with_role(self, *roles: Role) -> tuple[Variable, ...]:
        return self.declared.with_role(*roles)

    def references(self, *roles: Role) -> list[int]:
        return [self.reference(variable) for variable in self.with_role(*roles)]

    @property
    def switch(self) -> Variable | None:
        """The Boolean that turns lambda into unknowns of the importer, where there is one."""
        return next((v for v in self.with_role(Role.SWITCH) if self.with_role(Role.ALGEBRAIC)), None)

    @property
    def implicit(self) -> Variable | None:
        """The Boolean that chooses the implicit method of integration inside Co-Simulation steps, where there is one."""
        return self.declared.by_name.get(IMPLICIT)

    def concerned(self, condition: Condition) -> list[int]:
        """The variables that a validity condition depends on and that are not calculated."""
        return sorted(self.reference(str(symbol)) for symbol in free_symbols(self.declared.expand(condition.expression)))

    @cached_property
    def residuals(self) -> list[Variable]:
        """The residual of each algebraic variable, in their order."""
        return [self.declared[v.partner] for v in self.with_role(Role.ALGEBRAIC) if v.partner is not None]

    @cached_property
    def chained(self) -> bool:
        """True of a large component: its FMU computes the slopes of each equation by its own symbols, and derivatives along this chain."""
        return operations_in(v.equation for v in self.declared.order if v.equation is not None) > LARGEST

    @cached_property
    def slopes(self) -> dict[tuple[int, int], sympy.Expr]:
        """The slopes that an FMU computes: the entries of the Jacobian, or the links of a chain, by unknown and known."""
        if not self.chained:
            return self.jacobian
        symbols = {v.symbol: self.reference(v) for v in self.variables}
        return {
            (symbols[variable.symbol], symbols[inner]): slope
            for variable in self.declared.order
            if variable.equation is not None
            for inner, slope in slopes_of(variable.equation).items()
        }

    @cached_property
    def jacobian(self) -> dict[tuple[int, int], sympy.Expr]:
        """The partial derivatives that are not zero, by (unknown, known); parameters count as knowns.

        By the chain rule over the equations as declared, so that their common parts stay in the names that they have.
        """
        columns = {v.symbol: self.reference(v) for v in self.with_role(*_COLUMNS)}
        gradients: dict[sympy.Symbol, dict[sympy.Symbol, sympy.Expr]] = {}
        for variable in self.declared.order:
            gradient = gradients[variable.symbol] = {}
            for inner in symbols_of(variable.equation):
                slope = slope_of(variable.equation, inner)
                if slope != 0:
                    for base, part in gradients.get(inner, {inner: sympy.Integer(1)}).items():
                        gradient[base] = gradient.get(base, sympy.Integer(0)) + slope * part
        entries = {
            (self.reference(str(unknown)), columns[known]): entry
            for unknown, gradient in gradients.items()
            for known, entry in gradient.items()
            if known in columns and entry != 0
        }
        zeros = self._zeros = self._vanishing(entries)
        never = set.intersection(*zeros.values())
        return {key: entry for key, entry in entries.items() if key not in never}

    @property
    def _positions(self) -> tuple[bool | None, ...]:
        return (False, True) if self.switch else (None,)

    def _vanishing(self, entries: dict[tuple[int, int], sympy.Expr]) -> dict[bool | None, set[tuple[int, int]]]:
        """Returns the entries whose terms cancel, by the position of the switch. An expression that is 0 at random points counts as 0.

        An expression with branches does not: it may be 0 there and not elsewhere.
        """
        evaluate = _evaluator(self, list(entries.values()))
        zeros = {}
        for position in self._positions:
            largest = {key: 0.0 for key, entry in entries.items() if not self._branches(entry, position)}
            for values in self._points(position):
                try:
                    found = evaluate(values)
                except (ArithmeticError, ValueError):  # a root or quotient has no value here: then nothing is known to vanish
                    found = [math.inf] * len(entries)
                for key, value in zip(entries, found, strict=True):
                    if key in largest:
                        largest[key] = max(largest[key], abs(value) if math.isfinite(value) else math.inf)
            zeros[position] = {key for key, value in largest.items() if value < 1e-11 and not self._switches(entries[key])}
        return zeros

    def _points(self, position: bool | None) -> list[dict[int, float | bool]]:
        """Three random points: the values of all variables that are not calculated, by reference.

        Deformations are small: at large ones terms of high powers outweigh slopes, which would then seem to be rounding.
        """
        random = Random(1)
        return [
            {
                self.reference(v): position is True
                if v is self.switch
                else random.random() < 0.5
                if v.type == "boolean"
                else v.range.nearest(random.uniform(0.3, 1.7) * (0.1 if v.elastic else 1.0))
                for v in self.variables
                if not v.role.calculated
            }
            for _ in range(3)
        ]

    def _links(self, switched: bool | None) -> list[tuple[int, dict[int, sympy.Basic]]]:
        """The links of each equation, with the switch as given, in the order of computation."""
        rows: dict[int, dict[int, sympy.Basic]] = {self.reference(v): {} for v in self.declared.order}
        for (unknown, inner), slope in self.slopes.items():
            at_position = self._at(slope, switched)
            if at_position != 0:
                rows[unknown][inner] = at_position
        return list(rows.items())

    @cache  # noqa: B019 - a table lives as long as its component
    def _chain(self, switched: bool | None) -> dict[int, dict[int, int]]:
        """The variables on which the slopes between unknowns and knowns depend, as sets of bits."""

        def mark(slope: sympy.Basic) -> int:
            return sum(1 << self.reference(v) for v in self._reaches(slope, switched)) | (_BRANCHES * self._branches(slope, switched))

        rows = [(unknown, {inner: mark(slope) for inner, slope in links.items()}) for unknown, links in self._links(switched)]
        return marked(rows, [self.reference(v) for v in self.variables if not v.role.calculated])

    @cache  # noqa: B019 - a table lives as long as its component
    def _cancelled(self, position: bool | None) -> set[tuple[int, int]]:
        """The same as ``_vanishing``, of the derivatives along the chain of a large component."""
        rows = self._links(position)
        varying = [slope for _, links in rows for slope in links.values() if not slope.is_number]
        evaluate, found, chain = _evaluator(self, varying), None, self._chain(position)
        unseen = _BRANCHES | sum(1 << reference for reference in self.references(*SWITCHING))
        for values in self._points(position):
            try:
                numbers = iter(evaluate(values))
            except (ArithmeticError, ValueError):  # a root or quotient has no value here: then nothing is known to vanish
                return set()
            there = [
                (row, {inner: float(slope) if slope.is_number else next(numbers) for inner, slope in links.items()}) for row, links in rows
            ]
            zeros = cancelled(there, [self.reference(v) for v in self.variables if not v.role.calculated])
            found = zeros if found is None else found & zeros
        return {(u, k) for u, k in found or () if not chain[u].get(k, 0) & unseen}

    def _branches(self, expression: sympy.Basic, switched: bool | None) -> bool:
        """Says whether an expression, or a variable on which it depends, is piecewise."""
        at_position = self._at(expression, switched)
        return contains(at_position, sympy.Piecewise, sympy.Max, sympy.Min, LookupBase, ArrayBase) or any(
            self._composed(self.declared.by_symbol[symbol], switched) for symbol in free_symbols(at_position)
        )

    @cache  # noqa: B019 - a table lives as long as its component
    def _composed(self, variable: Variable, switched: bool | None) -> bool:
        return variable.equation is not None and self._branches(variable.equation, switched)

    def _switches(self, entry: sympy.Expr) -> bool:
        """Says whether events change an entry: then random points do not show all its values."""
        return any(variable.role in SWITCHING for variable in self._reaches(entry, None))

    @cache  # noqa: B019 - a table lives as long as its component
    def _reaches(self, expression: sympy.Basic, switched: bool | None) -> set[Variable]:
        """The variables that are not calculated on which an expression depends, with the switch as given."""
        found: set[Variable] = set()
        for symbol in free_symbols(self._at(expression, switched)):
            variable = self.declared.by_symbol[symbol]
            found |= self._base(variable, switched) if variable.role.calculated else {variable}
        return found

    @cache  # noqa: B019 - a table lives as long as its component
    def _base(self, variable: Variable, switched: bool | None) -> frozenset[Variable]:
        assert variable.equation is not None
        return frozenset(self._reaches(variable.equation, switched))

    @cache  # noqa: B019 - a table lives as long as its component
    def _jumps(self, unknown: int, known: int, switched: bool | None) -> bool:
        """Says whether an unknown depends on a known through a condition, at which it may jump without having a slope."""
        variable = self.variable(known)
        seen: set[Variable] = set()
        waiting = [self.variable(unknown)]
        while waiting:
            equation = self._at(waiting.pop().equation, switched)
            if any(variable in self._reaches(part, switched) for part in _discontinuities(equation)):
                return True
            inner = {self.declared.by_symbol[s] for s in free_symbols(equation)} - seen
            waiting += [v for v in inner if v.role.calculated]
            seen |= inner
        return False

    @cache  # noqa: B019 - a table lives as long as its component
    def _at(self, expression: sympy.Basic, switched: bool | None) -> sympy.Basic:
        if switched is None or self.switch is None or self.switch.symbol not in free_symbols(expression):
            return expression
        return replaced(expression, {self.switch.symbol: sympy.true if switched else sympy.false}, self._replaced[switched])

    def dependencies(self, unknown: int, switched: bool | None = None, roles: Iterable[Role] = KNOWN) -> list[Dependency]:
        """The knowns that an unknown depends on, with the switch as given or, for None, in either of its positions."""
        roles = tuple(roles)
        of = self.variable(unknown)
        knowns = sorted(self.reference(v) for v in self._base(of, None) | self._base(of, switched) if v.role in roles)
        kinds = ((known, self._kind(unknown, known, switched)) for known in knowns)
        return [Dependency(known, kind) for known, kind in kinds if kind is not None]

    @cache  # noqa: B019 - a table lives as long as its component
    def _kind(self, unknown: int, known: int, switched: bool | None) -> str | None:
        variable = self.variable(known)
        positions = (None,) if variable.role is Role.SWITCH else self._positions if switched is None else (switched,)
        if all(variable not in self._base(self.variable(unknown), position) for position in positions):
            return None
        if variable.role in (Role.SWITCH, *SWITCHING) or variable.shape:
            return "dependent"
        used = self._slope_uses(unknown, known, switched)
        if used is None:
            if not self._jumps(unknown, known, switched):
                return None
            return "dependent"  # in a condition only: it has no slope, but it jumps
        if variable in used or (self.declared.switched and self._jumps(unknown, known, switched)):
            return "dependent"
        roles = {v.role for v in used}
        if roles & set(KNOWN):
            return "dependent"
        if roles & set(SWITCHING):
            return "discrete"
        if any(v.tunable for v in used):
            return "tunable"
        return "fixed" if used else "constant"

    def _slope_uses(self, unknown: int, known: int, switched: bool | None) -> set[Variable] | None:
        """The variables on which the slope of an unknown by a known depends; None for a slope that is 0 everywhere."""
        positions = [p for p in self._positions if p is None or switched in (None, p)]
        if not self.chained:
            entry = self._at(self.jacobian.get((unknown, known), sympy.Integer(0)), switched)
            vanishes = entry == 0 or all((unknown, known) in self._zeros[p] for p in positions)
            return None if vanishes else self._reaches(entry, switched)
        bits = self._chain(switched)[unknown].get(known)
        if bits is None or all((unknown, known) in self._cancelled(p) for p in positions):
            return None
        return {variable for reference, variable in self.numbered() if bits >> reference & 1}

    @cached_property
    def token(self) -> str:
        """Identifies the interface: the same declaration always gets the same one."""
        text = "\n".join(
            f"{v.name}|{v.role}|{v.type}|{v.unit}|{v.start}|{v.range}|{v.tunable}|{v.text}|{_digest(v.equation) if v.equation is not None else ''}"
            for v in self.variables
        )
        text += repr(self.declared.events) + repr(self.declared.conditions) + self.declared.name + self.declared.description
        text += repr(self.declared.switched) if self.declared.switched else ""
        text += "".join(f"{v.name}|{v.shape}" for v in self.variables if v.shape)
        text += "".join(f"{name}|{hashlib.sha256(content).hexdigest()}" for name, content in self.declared.resources)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


class _Python(PythonCodePrinter):
    """Writes expressions in Python, with variables as items of ``v``, and each part that several share once, as a line of its own."""

    def __init__(self, table: VariableTable, expressions: Iterable[sympy.Basic]) -> None:
        super().__init__({"order": "none", "fully_qualified_modules": True})
        self._table = table
        self._uses = Counter[sympy.Basic]()
        self._names: dict[sympy.Basic, str] = {}
        self.lines: list[str] = []
        waiting = list(expressions)
        while waiting:
            part = waiting.pop()
            self._uses[part] += 1
            if self._uses[part] == 1:
                waiting += part.args

    def code(self, expression: sympy.Basic) -> str:
        """Returns what ``doprint`` would, which walks over an expression as a tree."""
        return str(self._print(expression))

    def _print(self, expr: Any, **options: Any) -> str:
        if not isinstance(expr, sympy.Expr) or not expr.args or self._uses[expr] < 2:
            return super()._print(expr, **options)
        if expr not in self._names:
            code = super()._print(expr, **options)
            self._names[expr] = f"t{len(self._names)}"
            self.lines.append(f"    {self._names[expr]} = {code}")
        return self._names[expr]

    def _print_Symbol(self, expr: sympy.Symbol) -> str:
        return f"v[{self._table.reference(self._table.declared.by_symbol[expr])}]"

    def _print_LookupBase(self, expr: LookupBase) -> str:
        """Writes any smooth function of the same arguments: whether tables vanish is not asked, since they are piecewise."""
        return f"math.sin({sum(expr.orders)} + {' + '.join(map(self._print, expr.varying))})"

    def _print_ArrayBase(self, expr: ArrayBase) -> str:
        return self._print(expr.array)


def _evaluator(table: VariableTable, expressions: list[sympy.Expr]) -> Callable[[dict[int, float | bool]], list[float]]:
    """Returns a function that computes expressions from the values of all variables that are not calculated, by reference."""
    printer = _Python(table, [*(v.equation for v in table.declared.order if v.equation is not None), *expressions])
    for variable in table.declared.order:
        code = printer.code(variable.equation)
        printer.lines.append(f"    v[{table.reference(variable)}] = {code}")
    results = [printer.code(each) for each in expressions]
    scope: dict[str, Any] = {"math": math}
    exec("def evaluate(v):\n" + "\n".join([*printer.lines, f"    return [{', '.join(results)}]"]), scope)
    return scope["evaluate"]


@lru_cache(2**16)
def _digest(part: sympy.Basic) -> str:
    """Returns a text that stands for an expression; to print all of it would take longer, since it shares its parts."""
    text = f"{type(part).__name__}({','.join(map(_digest, part.args))})" if part.args else sympy.srepr(part)
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(2**12)
def _discontinuities(equation: sympy.Basic) -> list[sympy.Basic]:
    """The conditions and the functions of an equation at which its value may jump."""
    if not contains(equation, sympy.Piecewise, *_STEPPED):
        return []
    return [c for piecewise in equation.atoms(sympy.Piecewise) for _, c in piecewise.args] + list(equation.atoms(*_STEPPED))


_STEPPED = (sympy.sign, sympy.floor, sympy.ceiling, Unwrapped)


def tolerated(state: Variable) -> float:
    """The size of a state of which an error is a share: infinite for gauge states, whose errors do not count."""
    return state.nominal if state.gauge is None else math.inf


def is_diagnostic(variable: Variable, table: VariableTable) -> bool:
    """Says whether an output is computed only on demand, since nothing couples through it."""
    return variable.role in (Role.OUTPUT, Role.LOCAL) and variable.port is None and variable not in table.residuals


__all__ = ["KNOWN", "TIME", "UNKNOWN", "Dependency", "VariableTable", "is_diagnostic", "tolerated"]
