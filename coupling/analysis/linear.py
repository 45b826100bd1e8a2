"""The linear model of a system about a point, in minimal coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coupling.analysis.coordinates import Chart, Coordinates, chart, constraint_rows, state_addresses
from coupling.analysis.linear_model import LinearModel
from coupling.analysis.standing import Standing
from coupling.checks import names_in
from coupling.errors import AnalysisError, BuildError, shown
from coupling.fmus import FmuVariable
from coupling.kernel.system.status import Status
from coupling.live.session import Session
from coupling.plan.connections import End, find_end, prescribed
from coupling.plan.graph import Address
from coupling.plan.outputs import chosen, names_of
from coupling.plan.rates import original_of, rates_of

_AT_REST, _STEADY, _CONSISTENT, _RANK, _FOLLOWED = 1e-6, 1e-5, 1e-6, 1e-11, 1e-8
_ROUNDING = 1e-13
"""The share of the terms of a sum below which the sum is 0. Rounding must not make a strictly proper response improper."""
_CANCELLED = 1e-12
"""The share of the largest derivative that may be left where derivatives cancel."""
_SPAN, _WAY, _STEPS = 1.0, 0.1, 50
"""Limits of the test motion, along which the linear model must not change: seconds, nominal sizes, and number of steps."""


def linear_model(
    session: Session, inputs: Sequence[str] = (), outputs: Sequence[str] | None = None, coordinates: Sequence[str] = ()
) -> LinearModel:
    """Returns the linear model about the point where the session stands. See ``System.linearise``."""
    given, asked = inputs_named(session, inputs, "linearise"), outputs_named(session, outputs, "linearise")
    wanted = Coordinates(session, _coordinates_named(session, names_given("coordinates", coordinates)))
    orders = _orders(session, given)
    standing = Standing(session, [*wanted.wanted, *asked], [*given, *(a for order in orders[1:] for a in order if a)])
    here = chart(standing, wanted)
    at_rest = _is_at_rest(standing, here)
    seeds = np.array([[float(a == each) for order in orders for each in order] for a in standing.inputs])
    seeds = seeds.reshape(len(standing.inputs), len(orders) * len(given))
    follow = follow_of(standing, here, seeds)
    A, B, C, D = matrices = _matrices(standing, here, asked, follow, seeds)
    if at_rest:
        _check_consistent(standing, here, A)
        _check_rates(standing, here, B, follow, seeds)
    else:
        _check_steady(standing, here, A)
    states = [each.variable for each in here.coordinates]
    A, B, C, D = _in_units(standing, here, asked, matrices, seeds)
    if outputs is None:
        asked, C, D = states, np.eye(len(states)), np.zeros((len(states), seeds.shape[1]))
    every = list(dict.fromkeys([*states, *given, *asked]))
    names = {a: standing.label(a) for a in every}
    groups = [tuple(names[a] for a in group) for group in (states, given, asked)]
    units = {names[a]: standing.unit(a) for a in every}
    point = dict(zip(names.values(), map(float, standing.physical(every)), strict=True))
    (B0, B1, B2), (D0, D1, D2) = (np.split(each, len(orders), axis=1) for each in (B, D))
    return LinearModel(A, B0, C, D0, groups[0], groups[1], groups[2], units, point, B1, B2, D1, D2)


def _orders(session: Session, given: Sequence[Address]) -> list[list[Address | None]]:
    """Returns the inputs, their rates and their second rates. The rates that the system itself gives do not follow from the input."""
    orders: list[list[Address | None]] = [list(given)]
    fmus = [session.built.parts[a.part].fmu for a in given]
    rates = [rates_of(fmu, fmu.by_reference[a.reference].name) for fmu, a in zip(fmus, given, strict=True)]
    for order in range(2):
        found = [
            Address(a.part, 0, fmu.variables[names[order]].reference) if order < len(names) else None
            for fmu, a, names in zip(fmus, given, rates, strict=True)
        ]
        orders.append([None if a in session.schedule.graph.wires else a for a in found])
    return orders


def follow_of(standing: Standing, here: Chart, seeds: np.ndarray) -> np.ndarray:
    """Returns the change of all states with the inputs and their rates, at fixed coordinates. Constraints of prescribed motion cause it."""
    gradients, n = standing.gradients(), standing.states
    place = {a: i for i, a in enumerate(state_addresses(standing.session))}
    whole = np.eye(n, n + len(standing.inputs))
    coordinates = [whole[place[c.variable]] if c.variable in place else gradients[c.variable] for c in here.coordinates]
    rows = np.vstack([constraint_rows(standing, gradients), np.array(coordinates).reshape(-1, n + len(standing.inputs))[:, :n]])
    moved = np.zeros((len(rows), len(seeds)))
    for i, a in enumerate(standing.constraints):
        moved[i] = gradients[a][n:]
    for i, each in enumerate(coordinates, len(rows) - len(coordinates)):
        moved[i] = each[n:]
    right = -moved @ seeds
    if not right.any():
        return np.zeros((n, seeds.shape[1]))
    lengths = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None]
    follow = np.linalg.lstsq(rows / lengths, right / lengths, rcond=_RANK)[0]
    off = np.abs(rows @ follow - right).max(axis=0)
    held = np.flatnonzero(off > _FOLLOWED * np.abs(right).max(initial=0.0))
    if len(held):
        name = standing.label(standing.inputs[int(seeds[:, held[0]].argmax())])
        raise AnalysisError(f"the constraints leave no motion in which '{name}' changes; leave this input out, or free the other side")
    follow[np.abs(follow) <= _ROUNDING * np.abs(follow).max(axis=0)] = 0
    return follow


def _matrices(
    standing: Standing, here: Chart, asked: Sequence[Address], follow: np.ndarray, seeds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns the derivatives of rates and outputs by coordinates, and by the inputs with their rates."""
    gradients, n = standing.gradients(), standing.states

    def both(addresses: Sequence[Address]) -> tuple[np.ndarray, np.ndarray]:
        rows = np.array([gradients[a] for a in addresses]).reshape(-1, n + len(standing.inputs))
        by_inputs = rows[:, :n] @ follow + rows[:, n:] @ seeds
        by_inputs[np.abs(by_inputs) <= _ROUNDING * (np.abs(rows[:, :n]) @ np.abs(follow) + np.abs(rows[:, n:]) @ seeds)] = 0
        return rows[:, :n] @ here.tangent, by_inputs

    return *both([each.rate for each in here.coordinates]), *both(asked)


def _in_units(
    standing: Standing, here: Chart, asked: Sequence[Address], matrices: Sequence[np.ndarray], seeds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns matrices in units in place of sizes. Rates of an input have its size."""
    states, outputs = standing.sizes_of([each.variable for each in here.coordinates])[:, None], standing.sizes_of(asked)[:, None]
    given = np.where(seeds.any(axis=0), standing.sizes_of(standing.inputs) @ seeds, 1.0)
    A, B, C, D = matrices
    return A * states / states.T, B * states / given, C * outputs / states.T, D * outputs / given


def _is_at_rest(standing: Standing, here: Chart) -> bool:
    """Says whether all rates vanish within the tolerances."""
    rates = standing.values([each.rate for each in here.coordinates])
    return bool(np.all(np.abs(rates) <= _AT_REST * _sizes(standing, here)))


def _sizes(standing: Standing, here: Chart) -> np.ndarray:
    addresses = [each.variable for each in here.coordinates]
    variables = [standing.session.built.parts[a.part].fmu.by_reference[a.reference] for a in addresses]
    return np.array([max(nominal_of(v, size), 1e-3) for v, size in zip(variables, standing.sizes_of(addresses), strict=True)])


def nominal_of(variable: FmuVariable, size: float) -> float:
    """Returns the nominal value of a variable in its size. Variables without a nominal value of their own have 1."""
    return abs(variable.nominal) / (size if variable.nominal != 1 else 1.0)


def _check_consistent(standing: Standing, here: Chart, A: np.ndarray) -> None:
    """Raises AnalysisError if the derivatives of the FMUs do not keep the constraints: at rest a tangent direction stays tangent."""
    gradients, n = standing.gradients(), standing.states
    rates = np.array([gradients[a][:n] for a in standing.rates]).reshape(n, n)
    off = np.abs(rates @ here.tangent - here.tangent @ A)
    moving = [i for i in range(n) if i not in standing.session.built.gauge]
    off -= _CANCELLED * np.abs(rates).max(initial=0.0)  # a stiff part leaves its rounding in the rates of all others
    worst = float((off[moving] / (1 + np.abs(rates[moving]).max(axis=1, initial=0.0))[:, None]).max(initial=0.0)) if moving else 0.0
    if worst > _CONSISTENT:
        raise AnalysisError(
            f"the derivatives that the FMUs give do not keep the constraints at this point: they are off by {worst:.2g} of their size; "
            "start nearer to an equilibrium, such as initial=system.equilibrium()"
        )


def _check_rates(standing: Standing, here: Chart, B: np.ndarray, follow: np.ndarray, seeds: np.ndarray) -> None:
    """Refuses rates of an input that are not its derivatives: the states that follow it then leave the constraints."""
    if not follow.any():
        return
    gradients, n, count = standing.gradients(), standing.states, seeds.shape[1] // 3
    rows = np.array([gradients[a] for a in standing.rates]).reshape(n, -1)
    before = np.hstack([np.zeros((n, count)), follow[:, : 2 * count]])
    off = np.abs(rows[:, :n] @ follow + rows[:, n:] @ seeds - here.tangent @ B - before)
    off[list(standing.session.built.gauge)] = 0
    scale = 1 + np.abs(rows).max(axis=1, initial=0.0)[:, None]
    for i, worst in enumerate((off / scale).max(axis=0, initial=0.0).reshape(3, count).max(axis=0)):
        if worst > _CONSISTENT and seeds[:, count + i].any():
            name = standing.label(standing.inputs[i])
            raise AnalysisError(
                f"the motion that '{name}' prescribes does not follow its rates: the constraints are left by {worst:.2g} of their size; "
                f"correct the derivatives of the FMU that takes '{name}'"
            )


def _check_steady(standing: Standing, here: Chart, A: np.ndarray) -> None:
    """Raises AnalysisError if the linear model changes along the motion."""
    start, rates = standing.x.copy(), standing.values([each.rate for each in here.coordinates])
    sizes = np.maximum(np.abs(standing.values([each.variable for each in here.coordinates])), _sizes(standing, here))
    span = min(_SPAN, _WAY / float((np.abs(rates) / sizes).max()), _STEPS / 2 / max(float(np.abs(np.linalg.eigvals(A)).max()), 1e-3))
    standing.move(_followed(standing, start, span))
    try:
        there = chart(standing, Coordinates(standing.session, [each.variable for each in here.coordinates]))
        gradients = standing.gradients()
        later = np.array([gradients[each.rate][: standing.states] for each in there.coordinates]) @ there.tangent
    finally:
        standing.move(start)
    order = [[each.variable for each in there.coordinates].index(each.variable) for each in here.coordinates]
    change = float(np.abs(later[np.ix_(order, order)] - A).max(initial=0.0))
    if change > _STEADY * max(1.0, float(np.abs(A).max(initial=0.0))):
        worst = here.coordinates[int(np.abs(rates).argmax())]
        raise AnalysisError(
            f"the system does not stand still here, nor move steadily: '{standing.label(worst.variable)}' changes by {abs(standing.physical([worst.rate])[0]):.3g} "
            f"{standing.unit(worst.rate)}, and in {span:.2g} s entries of A change by {change:.2g}; linearise with initial=system.equilibrium(), or name "
            "coordinates=[...] in which the motion is steady"
        )


def _followed(standing: Standing, x: np.ndarray, span: float) -> np.ndarray:
    """Returns the states a little later, by the classical Runge-Kutta method of order 4."""
    kernel, h, t = standing.session.kernel, span / _STEPS, standing.session.run.start_time
    x = x * standing.sizes

    def slope(x: np.ndarray) -> np.ndarray:
        dx = np.zeros(len(x))
        if kernel.derivatives(t, x, dx) is not Status.DONE:
            raise AnalysisError("the motion cannot be followed from this point; linearise with initial=system.equilibrium()")
        return dx

    for _ in range(_STEPS):
        k1 = slope(x)
        k2 = slope(x + h / 2 * k1)
        k3 = slope(x + h / 2 * k2)
        k4 = slope(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x / standing.sizes


# -- names -------------------------------------------------------------------------------------------------------------------------


def inputs_named(session: Session, names: Sequence[str], verb: str) -> list[Address]:
    """Returns the inputs that nothing in the system gives; driven inputs are among them."""
    found = []
    for name in names_given("inputs", names):
        end, address = variable_named(session, name, f"{verb}: inputs: ", inputs=True)
        solved_for = end.variable is not None and prescribed(end.fmu, end.variable)
        if solved_for and address not in session.schedule.graph.drives:
            raise BuildError(
                f"{verb}: inputs: '{name}' is an unknown of the system; drive it to make it an input: system.drive('{name}', 0.0)"
            )
        if end.variable is None or (end.variable.causality != "input" and not solved_for) or end.variable.type != "real":
            raise BuildError(
                f"{verb}: inputs: '{name}' is no real input; name one, such as a torque or a voltage that is driven or left open"
            )
        if address in session.schedule.graph.wires:
            raise BuildError(
                f"{verb}: inputs: '{name}' is connected, and the system gives its value; name an input that is driven or left open"
            )
        original = original_of(session.built.parts[address.part].fmu, end.variable.name)
        if original and variable_named(session, f"{end.instance}.{original}", "")[1] not in session.schedule.graph.wires:
            raise BuildError(f"{verb}: inputs: '{name}' follows from '{end.instance}.{original}', whose rate it is; name that one instead")
        found.append(address)
    return found


def outputs_named(session: Session, outputs: Sequence[str] | None, verb: str) -> list[Address]:
    found = []
    for part, name in chosen(session.built, outputs) if outputs is not None else ():
        variable = session.built.parts[part].fmu.variables[name]
        if variable.type != "real" or variable.variability != "continuous":
            if any("*" in each for each in names_of(outputs) or ()):
                continue
            raise BuildError(f"{verb}: outputs: '{session.built.parts[part].name}.{name}' does not vary continuously; leave it out")
        found.append(Address(part, 0, variable.reference))
    return found


def _coordinates_named(session: Session, names: Sequence[str]) -> list[Address]:
    """Returns states and coordinates of joints by their names."""
    found = {name: variable_named(session, name, "linearise: coordinates: ")[1] for name in names}
    known = {*state_addresses(session), *(a for three in Coordinates(session).freedoms for a in three[:2])} if names else set()
    for name, address in found.items():
        if address not in known:
            raise BuildError(
                f"linearise: coordinates: '{name}' is neither a state nor the coordinate of a joint's freedom; name one such as 'pin.rotation.q'"
            )
    return list(found.values())


def variable_named(session: Session, name: str, purpose: str, inputs: bool = False) -> tuple[End, Address]:
    parts = session.built.parts
    fmus = {part.name: part.fmu for part in parts}
    end = find_end(name, fmus, purpose, inputs)
    reference = end.variable.reference if end.variable else -1
    return end, Address(next(i for i, part in enumerate(parts) if part.name == end.instance), 0, reference)


def names_given(what: str, names: Sequence[str]) -> tuple[str, ...]:
    found = names_in(names)
    if found is None:
        raise BuildError(f"{what} = {shown(names)} is refused: give a list of names")
    return tuple(dict.fromkeys(found))
