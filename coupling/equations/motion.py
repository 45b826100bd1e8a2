"""Jourdain's principle for a system: the virtual power of inertia equals that of all efforts, for each velocity by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import sympy

from coupling.equations.composed import ENERGY, Composed, ComposedPart
from coupling.equations.short import terms
from coupling.errors import AnalysisError
from coupling.plan.build import Built
from fmu_components.declare.declaration import Role
from fmu_components.declare.expressions import derivative, replaced
from fmu_components.declare.ports import Side

_POTENTIAL = "energy.potential"
_SPEEDS = ("m/s", "rad/s")
_READABLE = 2000
"""Number of terms up to which products of sums are expanded."""


@dataclass(frozen=True, kw_only=True)
class Motion:
    """Equations M a = h + G' lambda and G a = gamma, without stabilisation of constraints."""

    name: str
    velocities: tuple[sympy.Symbol, ...]
    accelerations: tuple[sympy.Symbol, ...]
    multipliers: tuple[sympy.Symbol, ...]
    M: sympy.Matrix = field(repr=False)
    h: sympy.Matrix = field(repr=False)
    G: sympy.Matrix = field(repr=False)
    gamma: sympy.Matrix = field(repr=False)
    given: sympy.Matrix = field(repr=False)
    """Generalised forces by multipliers as the joints give them; those of ideal joints are G'."""
    values: Mapping[sympy.Symbol, float] = field(repr=False)
    """Values of parameters, start values of states."""
    arrays: Mapping[sympy.Symbol, np.ndarray] = field(repr=False)
    """Numbers of tables."""
    inputs: tuple[sympy.Symbol, ...]
    definitions: Mapping[sympy.Symbol, sympy.Expr] = field(repr=False)


def motion_of(built: Built) -> Motion:
    """Returns the equations of a built system; refuses, by name, systems that have others."""
    system = Composed(built)
    moved = {number: _velocities(part) for number, part in enumerate(system.parts)}
    velocities, accelerations, rows = [], [], []
    for number, part in enumerate(system.parts):
        for velocity, acceleration in moved[number].items():
            velocities.append(part.symbol(velocity))
            accelerations.append(part.symbol(acceleration))
    for number, part in enumerate(system.parts):
        rows += [_tidy(system.expression(number, row)) for row in _rows(part, moved[number])]
    constraints = list(_constraints(system))
    multipliers = [symbol for symbol, _ in constraints]
    levels = [_tidy(expression) for _, expression in constraints]
    still = {symbol: sympy.Integer(0) for symbol in (*accelerations, *multipliers)}
    size, count = len(accelerations), len(multipliers)
    motion = Motion(
        name=built.name,
        velocities=tuple(velocities),
        accelerations=tuple(accelerations),
        multipliers=tuple(multipliers),
        M=sympy.Matrix(size, size, lambda i, j: derivative(rows[i], accelerations[j])),
        h=sympy.Matrix(size, 1, lambda i, _: -replaced(rows[i], still)),
        G=sympy.Matrix(count, size, lambda k, j: derivative(levels[k], accelerations[j])),
        gamma=sympy.Matrix(count, 1, lambda k, _: -replaced(levels[k], still)),
        given=sympy.Matrix(size, count, lambda i, k: -derivative(rows[i], multipliers[k])),
        values={**system.constants, **_starts(system)},
        arrays=dict(system.arrays),
        inputs=tuple(system.inputs),
        definitions=dict(system.definitions),
    )
    if not accelerations:
        raise AnalysisError(f"equations: '{built.name}' has no body whose inertia is known; add a body, such as planar.Body1")
    odd = next((e for e in (*rows, *levels) if not _affine(e, still)), None)
    if odd is not None:
        raise AnalysisError(f"equations: a force of '{built.name}' is not linear in accelerations and multipliers: {odd}")
    return motion


def _velocities(part: ComposedPart) -> dict[str, str]:
    """Returns velocities with the unknowns that are their derivatives; those of bodies count from now on as unknowns."""
    found = {velocity: unknown for unknown, velocity in part.unknowns.items()}
    energy = part.declared.by_name.get(ENERGY)
    if energy is not None:
        for state in part.declared.with_role(Role.STATE):
            moves = state.unit in _SPEEDS and part.component.partial(energy.symbol, state.symbol) != 0
            if moves and state.name not in found:
                found[state.name] = f"der({state.name})"
                part.accelerated.add(state.name)
    return {state: found[state] for state in part.states if state in found}


def _rows(part: ComposedPart, moved: Mapping[str, str]) -> Iterator[sympy.Expr]:
    """Yields, for each velocity, inertia less forces, in variables of the instance."""
    residual = {variable.name: variable.partner for variable in part.declared.with_role(Role.ALGEBRAIC)}
    for velocity, unknown in moved.items():
        if velocity in part.accelerated:
            yield sympy.expand(_of_body(part, velocity))
        else:
            yield -sympy.Symbol(str(residual[unknown]), real=True)


def _of_body(part: ComposedPart, velocity: str) -> sympy.Expr:
    """Returns the change of momentum, less the efforts at the ports by the velocities on which they develop power (Part I, equations 3
    and 9), less the weight."""
    component, declared = part.component, part.declared
    v = declared[velocity].symbol
    row = component.D(component.partial(declared[ENERGY].symbol, v))
    for port in declared.ports:
        if port.side is Side.MOTION:
            for effort, rate in port.kind.power:
                row -= component.partial(port[rate], v) * port[effort]
    position = next((each.partner for each in declared.with_role(Role.DERIVATIVE) if each.equation == v), None)
    if position is not None and _POTENTIAL in declared.by_name:
        row += component.partial(declared[_POTENTIAL].symbol, declared[position].symbol)
    return row


def _constraints(system: Composed) -> Iterator[tuple[sympy.Symbol, sympy.Expr]]:
    """Yields each multiplier and its constraint at acceleration level."""
    for number, part in enumerate(system.parts):
        dae = system.built.parts[number].dae
        for constraint in dae.constraints if dae else ():
            names = system.built.parts[number].fmu.by_reference
            multiplier = names[constraint.multiplier].name
            if multiplier in part.unknowns:
                continue
            if constraint.acceleration is None:
                raise AnalysisError(f"equations: '{part.name}.{multiplier}' has no constraint at acceleration level")
            yield part.symbol(multiplier), system.value(number, names[constraint.acceleration].name)


def _starts(system: Composed) -> dict[sympy.Symbol, float]:
    return {
        part.symbol(name): float(part.start.get(name, part.declared[name].start or 0.0)) for part in system.parts for name in part.states
    }


def _tidy(expression: sympy.Expr) -> sympy.Expr:
    return sympy.expand(expression) if terms(expression) <= _READABLE else expression


def _affine(expression: sympy.Expr, unknowns: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
    """Says whether the derivatives by unknowns do not contain unknowns."""
    return all(unknowns.keys().isdisjoint(derivative(expression, symbol).free_symbols) for symbol in unknowns)
