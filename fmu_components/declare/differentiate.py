"""The time derivative operator, and what follows from it for a constraint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy

from fmu_components.declare.expressions import derivative, symbols_of
from fmu_components.declare.ports import Port

Operator = Callable[[sympy.Expr], sympy.Expr]


@dataclass(frozen=True)
class TimeDerivative:
    """D: the total time derivative by the chain rule, for given rates of the symbols (D x = vx, D vx = ax, ...)."""

    rates: Mapping[sympy.Symbol, sympy.Expr]

    def __call__(self, expression: sympy.Expr) -> sympy.Expr:
        return sympy.Add(
            *(derivative(expression, symbol) * self.rates[symbol] for symbol in symbols_of(expression) if symbol in self.rates)
        )


@dataclass(frozen=True)
class ConstraintLevels:
    """One scalar constraint at all its levels.

    ``position`` is None for a constraint that exists at velocity level only.
    """

    position: sympy.Expr | None
    velocity: sympy.Expr
    acceleration: sympy.Expr

    @staticmethod
    def of_position(f: sympy.Expr, D: Operator) -> ConstraintLevels:
        velocity = D(f)
        return ConstraintLevels(f, velocity, D(velocity))

    @staticmethod
    def of_velocity(g: sympy.Expr, D: Operator) -> ConstraintLevels:
        return ConstraintLevels(None, g, D(g))

    def residual(self, alpha: sympy.Expr, beta: sympy.Expr, gamma: sympy.Expr) -> sympy.Expr:
        """Baumgarte: DDf + 2 alpha Df + beta^2 f; at velocity level Dg + gamma g."""
        if self.position is None:
            return self.acceleration + gamma * self.velocity
        return self.acceleration + 2 * alpha * self.velocity + beta**2 * self.position


def efforts_of(
    velocity_forms: Sequence[sympy.Expr],
    multipliers: Sequence[sympy.Expr],
    port: Port,
    partial: Callable[[sympy.Expr, sympy.Symbol], sympy.Expr] = derivative,
) -> list[sympy.Expr]:
    """The efforts on a port: the transpose of d(velocity forms)/d(port velocities), times the multipliers.

    So the efforts develop, on any velocity, the power that the multipliers develop on the forms.
    """
    return [
        sympy.Add(*(partial(form, velocity) * multiplier for form, multiplier in zip(velocity_forms, multipliers, strict=True)))
        for velocity in port.velocities
    ]
