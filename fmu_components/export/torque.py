"""Detection of ports that give no torque. They may be connected with a point, which has no rotation."""

from __future__ import annotations

from collections.abc import Set

import sympy

from fmu_components.declare.declaration import Declaration, Role
from fmu_components.declare.expressions import free_symbols, replaced
from fmu_components.declare.ports import Port, Side


def torque_free(declared: Declaration, port: Port) -> tuple[str, ...] | None:
    """The names of what has to be 0 for a port to give no torque, nothing if it never does; None if it does in any case.

    Of a port that gives motion: nothing if it takes no torque, else None.
    """
    names = [f"{port.name}.{quantity.name}" for quantity in port.kind.torques]
    if port.torque_free is not None or port.side is Side.MOTION or not names or any(declared[n].equation is None for n in names):
        return port.torque_free
    torques = frozenset(declared[name].symbol for name in names)
    found = frozenset(_settable(declared, torques))
    if not _vanish(declared, torques, found):
        return None
    return tuple(sorted(str(each) for each in found if not _vanish(declared, torques, found - {each})))


def _settable(declared: Declaration, torques: Set[sympy.Symbol]) -> list[sympy.Symbol]:
    """The parameters and signals on which torques depend and that may be 0."""
    reached: set[sympy.Symbol] = set()
    waiting = list(torques)
    while waiting:
        symbol = waiting.pop()
        if symbol not in reached:
            reached.add(symbol)
            equation = declared.by_symbol[symbol].equation
            waiting += free_symbols(equation) if equation is not None else ()
    variables = [declared.by_symbol[symbol] for symbol in reached]
    return [
        v.symbol
        for v in variables
        if v.type == "real" and ((v.role is Role.PARAMETER and 0.0 in v.range) or (v.role is Role.INPUT and v.port is None))
    ]


def _vanish(declared: Declaration, torques: Set[sympy.Symbol], zeros: Set[sympy.Symbol]) -> bool:
    """Says whether torques are 0 where some variables are."""
    known: dict[sympy.Symbol, sympy.Basic] = dict.fromkeys(zeros, sympy.Integer(0))

    def value(symbol: sympy.Symbol) -> sympy.Basic:
        """0, or the symbol itself."""
        if symbol not in known:
            equation = declared.by_symbol[symbol].equation
            known[symbol] = symbol
            if equation is not None and replaced(equation, {inner: value(inner) for inner in free_symbols(equation)}) == 0:
                known[symbol] = sympy.Integer(0)
        return known[symbol]

    return all(value(torque) == 0 for torque in torques)
