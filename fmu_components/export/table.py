"""The variable table of a component: value references, dependencies and the Jacobian.

Every exporter reads this one table: C code, both model descriptions, manifest, terminals, documentation. A value reference is
the index of the variable, the same in both FMI versions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

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
    def values(self) -> dict[int, sympy.Basic]:
        """What each calculated variable is, in terms of time, parameters, states, discrete states and inputs."""
        return {self.reference(v): self.declared.expand(v.symbol) for v in self.variables if v.role.calculated}

    @cached_property
    def jacobian(self) -> dict[tuple[int, int], sympy.Expr]:
        """The partial derivatives that are not zero, by (unknown, known); parameters count as knowns."""
        columns = {v.symbol: self.reference(v) for v in self.with_role(*KNOWN, Role.PARAMETER)}
        entries = {}
        for row, value in self.values.items():
            for symbol in sorted(value.free_symbols & columns.keys(), key=str):  # type: ignore[type-var]
                derivative = sympy.diff(value, symbol)
                if derivative != 0:
                    entries[row, columns[symbol]] = derivative
        return entries

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
        if variable.role in (Role.SWITCH, Role.DISCRETE, Role.RELATION):
            return "dependent" if variable.symbol in self.values[unknown].free_symbols else None
        entry = self.jacobian.get((unknown, known))
        if entry is None:
            return None
        if switched is not None and self.switch is not None:
            entry = entry.xreplace({self.switch.symbol: sympy.true if switched else sympy.false})
            if entry == 0:
                return None
        used = {self.declared.by_symbol[symbol] for symbol in entry.free_symbols}  # type: ignore[index]
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


def is_diagnostic(variable: Variable, table: VariableTable) -> bool:
    """Whether nothing couples through this output, so that it is computed only when somebody asks for it."""
    return variable.role in (Role.OUTPUT, Role.LOCAL) and variable.port is None and variable not in table.residuals


__all__ = ["KNOWN", "TIME", "UNKNOWN", "Dependency", "VariableTable", "is_diagnostic"]
