"""Common parts of the tests of printed equations: the port symbols of a joint and the comparison of expressions."""

from __future__ import annotations

import sympy

from fmu_components.declare.component import Component, declaration
from fmu_components.declare.ports import PlanarFrame, Side

M = PlanarFrame("M", Side.EFFORT, "")
N = PlanarFrame("N", Side.EFFORT, "")
q = sympy.Symbol("q", real=True)
lambda1, lambda2, lambda3 = (sympy.Symbol(f"lambda[{k}]", real=True) for k in (1, 2, 3))
# The relative motion as the papers write it.
dx, dy = N.x - M.x, N.y - M.y
dvx, dvy = N.vx - M.vx, N.vy - M.vy
dax, day = N.ax - M.ax, N.ay - M.ay


def derived(component: type[Component], name: str, ideal: bool = True) -> sympy.Expr:
    """The equation of a variable in terms of ports and multipliers, without spring and damper."""
    declared = declaration(component)
    expression = declared.expand(declared[name].symbol)
    off = {
        v.symbol: 0 for v in declared.variables if v.name.endswith((".k", ".b")) and v.name.split(".")[0] not in ("compliant", "baumgarte")
    }
    return expression.xreplace({sympy.Symbol("ideal"): sympy.true if ideal else sympy.false}).subs(off)


def same(first: sympy.Expr, second: sympy.Expr) -> bool:
    """Says whether two expressions are identical."""
    return sympy.simplify(sympy.expand(sympy.expand_trig(first - second))) == 0


def same_where(solution: dict[sympy.Symbol, sympy.Expr], first: sympy.Expr, second: sympy.Expr) -> bool:
    """Says whether two expressions are identical where f = 0, given as a parametrised solution of this equation."""
    return same((first - second).subs(solution, simultaneous=True), sympy.Integer(0))


def on_axis_of(frame: PlanarFrame) -> dict[sympy.Symbol, sympy.Expr]:
    """All positions with MN along the axis x of a frame: MN.y = 0."""
    return {N.x: M.x + q * frame.x_axis[0], N.y: M.y + q * frame.x_axis[1]}
