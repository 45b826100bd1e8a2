"""Accelerations of what has no inertia: unknowns, for which the efforts balance."""

from __future__ import annotations

import sympy

from fmu_components.declare.component import Component
from fmu_components.declare.declaration import Role, Variable


def solved_from_outside(part: Component, accelerations: dict[str, tuple[sympy.Symbol, str, sympy.Expr]]) -> None:
    """Accelerations that nothing but the balance of efforts determines: unknowns by name, each with its velocity, what it is, and the sum of
    efforts, its residual. There is no other mode: the switch says that the importer solves."""
    ideal = part.switch("ideal", False, "ideal mode: the importer sets the accelerations such that the residuals vanish")
    for k, (name, (velocity, text, _)) in enumerate(accelerations.items(), start=1):
        unit = "rad/s2" if name == "alpha" else "m/s2"
        part.rate(velocity, part._add(Variable(name, Role.ALGEBRAIC, unit, text, 0.0, order=3, partner=f"residual[{k}]")))
    for k, (name, (_, text, effort)) in enumerate(accelerations.items(), start=1):
        part.output(
            f"residual[{k}]", effort, "N.m" if name == "alpha" else "N", f"sum of the loads along the {text}: zero for the right {name}"
        )
    part.expect(
        sympy.Piecewise((1, ideal), (-1, True)),
        "ideal is true and the importer sets the accelerations such that the residuals vanish, since nothing else determines them",
    )
