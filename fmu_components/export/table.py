"""The variable table of a component: value references, dependencies and the Jacobian.

Every exporter reads this one table: C code, both model descriptions, manifest, terminals, documentation. A value reference is
the index of the variable, the same in both FMI versions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

import sympy

from fmu_components.component import TIME, Declaration, Role, Variable

KNOWN = (Role.TIME, Role.STATE, Role.INPUT, Role.ALGEBRAIC)
UNKNOWN = (Role.OUTPUT, Role.DERIVATIVE, Role.LOCAL, Role.INDICATOR)


@dataclass(frozen=True)
class Dependency:
    """One unknown's dependence on one known."""

    known: int
    kind: str
    """``constant``, ``fixed``, ``tunable``, ``discrete`` or ``dependent``, as in both FMI versions."""


class VariableTable:
    """All variables of one component, in the order of their value references."""

    def __init__(self, declared: Declaration) -> None:
        self.declared = declared
        self.variables = declared.variables
        self._reference = {variable.name: index for index, variable in enumerate(self.variables)}

    def reference(self, variable: Variable | str) -> int:
        """The value reference."""
        return self._reference[variable if isinstance(variable, str) else variable.name]

    def with_role(self, *roles: Role) -> tuple[Variable, ...]:
        return self.declared.with_role(*roles)

    def references(self, *roles: Role) -> list[int]:
        return [self.reference(variable) for variable in self.with_role(*roles)]

    @property
    def switch(self) -> Variable | None:
        """The Boolean that turns lambda into unknowns of the importer, where there is one."""
        return next((v for v in self.with_role(Role.SWITCH) if self.with_role(Role.ALGEBRAIC)), None)

    @cached_property
    def residuals(self) -> list[Variable]:
        """The residual of each algebraic variable, in their order."""
        return [self.declared[v.partner] for v in self.with_role(Role.ALGEBRAIC) if v.partner is not None]

    @cached_property
    def jacobian(self) -> dict[tuple[int, int], sympy.Expr]:
        """The partial derivatives that are not zero, by (unknown, known); parameters count as knowns.

        By the chain rule over the equations as declared, so that their common parts stay in the names that they have.
        """
        columns = {v.symbol: self.reference(v) for v in self.with_role(*KNOWN, Role.PARAMETER)}
        gradients: dict[sympy.Symbol, dict[sympy.Symbol, sympy.Expr]] = {}
        for variable in self.declared.order:
            gradient = gradients[variable.symbol] = {}
            for inner in sorted(variable.equation.free_symbols, key=str):  # type: ignore[union-attr]
                slope = _slope(variable.equation, inner)
                if slope != 0:
                    for base, part in gradients.get(inner, {inner: sympy.Integer(1)}).items():
                        gradient[base] = gradient.get(base, sympy.Integer(0)) + slope * part
        return {(self.reference(str(unknown)), columns[known]): entry
                for unknown, gradient in gradients.items() for known, entry in gradient.items() if known in columns and entry != 0}

    def _reaches(self, expression: sympy.Basic, switched: bool | None) -> set[Variable]:
        """The variables that are not calculated on which an expression depends, with the switch as given."""
        found: set[Variable] = set()
        for symbol in self._at(expression, switched).free_symbols:
            variable = self.declared.by_symbol[symbol]  # type: ignore[index]
            found |= self._base(variable, switched) if variable.role.calculated else {variable}
        return found

    @cache  # noqa: B019 - a table lives as long as its component
    def _base(self, variable: Variable, switched: bool | None) -> frozenset[Variable]:
        assert variable.equation is not None
        return frozenset(self._reaches(variable.equation, switched))

    def _at(self, expression: sympy.Basic, switched: bool | None) -> sympy.Basic:
        if switched is None or self.switch is None:
            return expression
        return expression.xreplace({self.switch.symbol: sympy.true if switched else sympy.false})

    def dependencies(self, unknown: int, switched: bool | None = None, roles: Iterable[Role] = KNOWN) -> list[Dependency]:
        """The knowns that an unknown depends on, with the switch as given or, for None, in either of its positions."""
        roles = tuple(roles)
        found = []
        for known, variable in enumerate(self.variables):
            if variable.role in roles:
                kind = self._kind(unknown, known, switched)
                if kind is not None:
                    found.append(Dependency(known, kind))
        return found

    def _kind(self, unknown: int, known: int, switched: bool | None) -> str | None:
        variable = self.variables[known]
        if variable not in self._base(self.variables[unknown], None if variable.role is Role.SWITCH else switched):
            return None
        if variable.role in (Role.SWITCH, Role.DISCRETE, Role.RELATION):
            return "dependent"
        entry = self._at(self.jacobian.get((unknown, known), sympy.Integer(0)), switched)
        if entry == 0:
            return "dependent"  # in a condition only: it has no slope, but it jumps
        used = self._reaches(entry, switched)
        roles = {v.role for v in used}
        if roles & set(KNOWN):
            return "dependent"
        if roles & {Role.DISCRETE, Role.RELATION}:
            return "discrete"
        if any(v.tunable for v in used):
            return "tunable"
        return "fixed" if used else "constant"

    @cached_property
    def token(self) -> str:
        """Identifies the interface: the same declaration always gets the same one."""
        text = "\n".join(f"{v.name}|{v.role}|{v.type}|{v.unit}|{v.start}|{v.range}|{v.tunable}|{v.text}|{v.equation}" for v in self.variables)
        text += repr(self.declared.events) + repr(self.declared.conditions) + self.declared.name + self.declared.description
        digest = hashlib.sha256(text.encode()).hexdigest()
        return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


def _slope(value: sympy.Basic, symbol: sympy.Basic) -> sympy.Expr:
    """The derivative as a C program can compute it: without impulses where a function jumps."""
    derivative = sympy.diff(value, symbol)
    if not derivative.has(sympy.DiracDelta, sympy.Heaviside):
        return derivative
    derivative = derivative.replace(sympy.DiracDelta, lambda *_: sympy.Integer(0))
    return derivative.replace(sympy.Heaviside, lambda x, *_: sympy.Piecewise((1, x > 0), (0, True)))


def is_diagnostic(variable: Variable, table: VariableTable) -> bool:
    """Whether nothing couples through this output, so that it is computed only when somebody asks for it."""
    return variable.role in (Role.OUTPUT, Role.LOCAL) and variable.port is None and variable not in table.residuals


__all__ = ["KNOWN", "TIME", "UNKNOWN", "Dependency", "VariableTable", "is_diagnostic"]
