"""Checks of a declaration that is complete: names, dimensions, circles."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy.logic.boolalg import Boolean

from fmu_components.declare import units
from fmu_components.declare.declaration import IMPLICIT, Declaration, DeclarationError, Role
from fmu_components.declare.expressions import contains, free_symbols, symbols_of

_MOST = 2**16 - 2
"""Largest number of values of a component, which tables in C count by 16 bits."""


def check(declared: Declaration) -> None:
    """Refuses unknown names, equations of two dimensions, and variables whose equation has another dimension than their unit."""
    known = {v.symbol: units.dimension_of_unit(v.unit) for v in declared.variables}
    equations: Sequence[tuple[str, str | None, sympy.Basic]] = [
        *((v.name, v.unit, v.equation) for v in declared.variables if v.equation is not None),
        *((f"event '{e.text}', {n}", declared[n].unit, u) for e in declared.events for n, u in e.updates.items()),
        *((f"condition '{c.text}'", None, c.expression) for c in declared.conditions),
        *((f"event '{e.text}'", None, e.trigger.expression) for e in declared.events),
    ]
    for where, unit, equation in equations:
        for symbol in symbols_of(equation):
            if symbol not in declared.by_symbol:
                raise DeclarationError(f"{declared.name}: the equation of {where} uses '{symbol}', which is not declared")
        if isinstance(equation, Boolean) and not (isinstance(equation, sympy.Symbol) and declared.by_symbol[equation].type != "boolean"):
            continue  # SymPy counts every symbol as a Boolean
        try:
            found = units.dimension(equation, known)
        except units.UnitError as error:
            raise DeclarationError(f"{declared.name}: {where}: {error}") from None
        if unit is not None and found is not None and found != units.dimension_of_unit(unit):
            raise DeclarationError(f"{declared.name}: {where} has the unit '{unit or '1'}', but its equation has the dimension {found}")
    count = sum(variable.size for variable in declared.variables)
    if count > _MOST:
        raise DeclarationError(f"{declared.name} has {count} values, and an FMU at most {_MOST}; give its tables fewer points")
    solver = declared.by_name.get(IMPLICIT)
    if solver is not None and (solver.role is not Role.PARAMETER or solver.type != "boolean"):
        raise DeclarationError(
            f"{declared.name}: '{IMPLICIT}' chooses the method of integration, but is a {solver.type} {solver.role.value} here; "
            f"declare it with option(), or rename it"
        )
    assert declared.order is not None  # which finds circles
    for where, _, equation in equations:
        for piecewise in equation.atoms(sympy.Piecewise) if contains(equation, sympy.Piecewise) else ():
            # SymPy folds such conditions wrongly.
            for _, condition in piecewise.args:
                if any(contains(declared.expand(symbol), sympy.Piecewise) for symbol in free_symbols(condition)):
                    raise DeclarationError(
                        f"{declared.name}: {where}: the condition '{condition}' depends on a quantity that is piecewise itself; "
                        f"name the condition with relation() or state it in other terms"
                    )
