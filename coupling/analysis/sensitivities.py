"""Derivatives by parameters of an equilibrium and of the eigenvalues of small motions about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from coupling.analysis.coordinates import chart, constraint_rows, state_addresses
from coupling.analysis.equilibrium import Search
from coupling.analysis.linear import names_given, outputs_named, variable_named
from coupling.analysis.linear_model import LinearModel, in_order
from coupling.analysis.pose import Pose
from coupling.errors import AnalysisError, BuildError, listed, shown
from coupling.live.derivatives.parameters import differentiates, stencil
from coupling.live.session import Session
from coupling.names import nearest
from coupling.plan.graph import Address
from coupling.record import quotient

_RANK, _LEFT, _SIMPLE = 1e-11, 1e-8, 1e-5


@dataclass(frozen=True)
class Sensitivities:
    """Derivatives by parameters, by a pair of names: ``found["rod.theta", "spring.k"]``."""

    pose: Pose
    """The equilibrium."""
    parameters: tuple[str, ...]
    exact: tuple[str, ...]
    """The parameters by which the FMUs give derivatives; all others are differences of equilibria."""
    derivatives: Mapping[tuple[str, str], float] = field(repr=False)
    """Derivatives of states, free inputs and outputs by their names and the parameter, in the unit of each per unit of the parameter."""
    eigenvalues: np.ndarray
    """Eigenvalues of small motions, in 1/s, in the order of the linear model's."""
    eigenvalue_derivatives: Mapping[str, np.ndarray] = field(repr=False)
    """Derivatives of eigenvalues by parameter, in 1/s per its unit, in the order of the eigenvalues; not a number for multiple ones."""
    units: Mapping[str, str] = field(repr=False)
    """Units of states, free inputs, outputs and parameters by full name."""

    def __getitem__(self, pair: tuple[str, str]) -> float:
        if pair not in self.derivatives:
            known = list(dict.fromkeys(name for pair in self.derivatives for name in pair))
            hint = next((found for name in pair if name not in known and (found := nearest(str(name), known))), None)
            raise AnalysisError(
                f"{shown(pair)} is no pair of a variable and a parameter; {hint or 'name outputs=[...] to have more variables'}"
            )
        return self.derivatives[pair]

    def of_eigenvalue(self, number: int, parameter: str) -> complex:
        """Returns the derivative of a simple eigenvalue by a ``parameter``, in 1/s per its unit. ``number`` counts ``eigenvalues``. A
        multiple eigenvalue or another number raises AnalysisError."""
        if parameter not in self.parameters or not -len(self.eigenvalues) <= number < len(self.eigenvalues):
            raise AnalysisError(
                f"eigenvalue {shown(number)} by {shown(parameter)} is none of these: there are {len(self.eigenvalues)} eigenvalues, and "
                f"the parameters are {', '.join(self.parameters)}"
            )
        found = complex(self.eigenvalue_derivatives[parameter][number])
        if np.isnan(found):
            value = complex(self.eigenvalues[number])
            others = int(_near(self.eigenvalues)[number].sum())
            raise AnalysisError(
                f"eigenvalue {number}, {value:.6g} 1/s, occurs {others} times, and has no derivative: along '{parameter}' it may split like "
                f"a root; follow linearise(along={{'{parameter}': [...]}}) instead"
            )
        return found

    def __str__(self) -> str:
        lines = [f"sensitivities of {'a stable' if self.pose.stable else 'an unstable'} equilibrium"]
        for parameter in self.parameters:
            lines.append(f"  by {parameter}" + ("" if parameter in self.exact else " (differences)"))
            for (name, by), value in self.derivatives.items():
                if by == parameter:
                    lines.append(f"    {name:32}{value:14.6g} {quotient(self.units.get(name, ''), self.units.get(by, ''))}".rstrip())
        return "\n".join(lines)


@dataclass(frozen=True)
class ImplicitDerivatives:
    """Results of one session: the equilibrium, and its derivatives by those parameters by which the FMUs give derivatives."""

    pose: Pose
    outputs: tuple[str, ...]
    values: Mapping[str, float]
    """Values of all parameters."""
    ranges: Mapping[str, tuple[float, float]]
    derivatives: Mapping[tuple[str, str], float]
    exact: tuple[str, ...]
    units: Mapping[str, str]
    reached: Mapping[str, float]
    """The outputs at the equilibrium."""


def implicit_derivatives(
    session: Session, parameters: Sequence[str], outputs: Sequence[str] | None, hold: Sequence[str], free: Sequence[str]
) -> ImplicitDerivatives:
    """Returns derivatives by the implicit function theorem: constraints, and rates that vanish, do so for all values of parameters."""
    given = names_given("parameters", parameters)
    if not given:
        raise BuildError("sensitivities: no parameter is given; name one, such as 'spring.k'")
    named = {name: _parameter_named(session, name) for name in given}
    known = {name: a for name, a in named.items() if differentiates(session.built.parts[a.part], a.reference)}
    seen = {a: session.named(a.part, a.reference) for a in outputs_named(session, outputs, "sensitivities")}
    search = Search(session, hold, free, known.values(), seen)
    pose = search.found()
    of_states, of_inputs, of_outputs = _derived(search, list(known.values()), list(known), list(seen))
    gauge = session.built.gauge
    rows = {name: row for i, (name, row) in enumerate(zip(pose.states, of_states, strict=True)) if i not in gauge}
    rows |= dict(zip(pose.inputs, of_inputs, strict=True)) | dict(zip(seen.values(), of_outputs, strict=True))
    derivatives = {(name, by): float(rows[name][i]) for (i, by), name in product(enumerate(known), rows)}
    variables = {name: session.built.parts[a.part].fmu.by_reference[a.reference] for name, a in named.items()}
    standing = search.standing
    return ImplicitDerivatives(
        pose,
        tuple(name for name in rows if name not in pose.inputs),
        dict(zip(named, map(float, standing.physical(list(named.values()))), strict=True)),
        {name: (v.minimum, v.maximum) for name, v in variables.items()},
        derivatives,
        tuple(known),
        {**pose.units, **{name: standing.unit(a) for a, name in seen.items()}, **{name: standing.unit(a) for name, a in named.items()}},
        dict(zip(seen.values(), map(float, standing.physical(list(seen))), strict=True)),
    )


def _parameter_named(session: Session, name: str) -> Address:
    end, address = variable_named(session, name, "sensitivities: parameters: ")
    if end.variable is None or end.variable.causality != "parameter" or end.variable.type != "real":
        raise BuildError(f"sensitivities: parameters: '{name}' is no real parameter; name one, such as a mass, a length or a stiffness")
    return address


def _derived(
    search: Search, parameters: list[Address], names: list[str], outputs: list[Address]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the derivatives of states, free inputs and outputs by parameters. Motion along neutral directions is the least possible."""
    standing = search.standing
    here, n, m = chart(standing, search.coordinates), standing.states, len(search.inputs)
    gradients = standing.gradients()
    equations = [here.coordinates[i].rate for i in search.equations(here)]
    fixed = constraint_rows(standing, gradients)
    by_parameters = np.zeros((len(fixed), m + len(parameters)))
    by_parameters[: len(standing.constraints)] = np.array([gradients[a][n:] for a in standing.constraints]).reshape(
        len(standing.constraints), m + len(parameters)
    )
    place = {a: i for i, a in enumerate(state_addresses(standing.session))}
    held = [np.eye(n + m + len(parameters))[place[a]] if a in place else gradients[a] for a in search.held]
    whole = np.vstack(
        [
            np.hstack([fixed, by_parameters]),
            search.unsteady(gradients)[0],
            *(gradients[a][None] for a in equations),
            *(row[None] for row in held),
        ]
    )
    scale = np.concatenate([np.ones(n), np.maximum(np.abs(search.trims), 1.0)])
    for each, size in zip(here.coordinates, search.scales(here), strict=True):
        if each.variable in place:
            scale[place[each.variable]] = size
    left, right = whole[:, : n + m] * scale, -whole[:, n + m :]
    lengths = np.linalg.norm(left, axis=1)
    moved = np.linalg.lstsq(left / np.maximum(lengths, 1e-300)[:, None], right / np.maximum(lengths, 1e-300)[:, None], rcond=_RANK)[0]
    off = np.abs(left @ moved - right)
    allowed = _LEFT * (np.abs(left) @ np.abs(moved) + np.abs(right)).max(initial=0.0, axis=0)
    lost = [name for name, each in zip(names, (off > allowed + 1e-300).any(axis=0), strict=True) if each]
    if lost:
        raise AnalysisError(
            f"the equilibrium does not last where {listed(lost)} changes, because nothing balances the change; name an input "
            "that does in free=[...], or fewer values in hold=[...]"
        )
    moved *= scale[:, None]
    by_all = np.array([gradients[a] for a in outputs]).reshape(len(outputs), n + m + len(parameters))
    inputs = standing.sizes_of(standing.inputs)
    of, by = np.concatenate([standing.sizes, inputs[:m], standing.sizes_of(outputs)])[:, None], inputs[m:]
    found = np.vstack([moved, by_all[:, : n + m] @ moved + by_all[:, n + m :]]) * of / by
    return found[:n], found[n : n + m], found[n + m :]


Anew = Callable[[str, float], tuple[Pose, LinearModel]]
"""Function that returns the equilibrium for another value of a parameter, and its linear model."""


def sensitivities(found: ImplicitDerivatives, model: LinearModel, anew: Anew) -> Sensitivities:
    """Completes the derivatives by differences of equilibria that are solved anew. See ``System.sensitivities``."""
    values, left, right = _eigenvectors(model.A)
    simple = _near(values).sum(axis=1) == 1
    derivatives, of_eigenvalues = dict(found.derivatives), {}
    for parameter, value in found.values.items():
        strides, weights = stencil(value, *found.ranges[parameter])
        try:
            solved = [anew(parameter, value + each) for each in strides]
        except AnalysisError as error:
            raise AnalysisError(f"near {parameter} = {value:g}: {error}") from None
        slope = np.tensordot(weights, [other.A for _, other in solved], axes=1)
        rates = np.einsum("ji,jk,ki->i", left.conj(), slope, right)
        of_eigenvalues[parameter] = np.where(simple, rates, complex(np.nan, np.nan))
        if parameter not in found.exact:
            derivatives |= {
                (name, parameter): float(np.dot(weights, [{**other.point, **pose}[name] for pose, other in solved]))
                for name in found.outputs
            }
    return Sensitivities(found.pose, tuple(found.values), found.exact, derivatives, values, of_eigenvalues, found.units)


def _eigenvectors(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns eigenvalues, and vectors on both sides whose products are 1."""
    from scipy.linalg import eig

    values, left, right = eig(A, left=True)
    order = in_order(values)
    values, left, right = values[order], left[:, order], right[:, order]
    products = np.einsum("ji,ji->i", left.conj(), right)
    with np.errstate(all="ignore"):
        return values, left / products.conj(), right


def _near(values: np.ndarray) -> np.ndarray:
    """Says for each pair of eigenvalues whether they count as the same; rounding scatters multiple ones by its square root."""
    return np.abs(values[:, None] - values) <= _SIMPLE * max(1.0, float(np.abs(values).max(initial=0.0)))
