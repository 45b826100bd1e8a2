"""Parameters by which a system is differentiated: by its FMUs, or by differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coupling.errors import BuildError, shown
from coupling.fmus.start_values import start_items
from coupling.kernel.rows.rows import NONE
from coupling.kernel.runs.sensitivity import ByParameter
from coupling.plan.build import Built
from coupling.plan.connections import End, find_end
from coupling.plan.definition import Value
from coupling.plan.graph import Address, Part

_STRIDE = 1e-3
"""Stride of a parameter, relative to its own size: differences of the fourth order are then exact to 1e-9 or so."""


def differentiates(part: Part, reference: int) -> bool:
    """Says whether the FMU counts a parameter among the knowns of its derivatives, as FMI 3 does. Own FMUs leave out numbers of tables."""
    element = part.fmu.is_own and any(view.array and 0 <= reference - view.first < view.size for view in part.fmu.views)
    return part.interface.directional_derivatives and part.lists_everything and not element


def stencil(value: float, least: float, most: float) -> tuple[np.ndarray, np.ndarray]:
    """Distances, and weights that make a first derivative of values there: to both sides unless a bound is near."""
    stride = _STRIDE * (abs(value) or 1.0)
    steps = np.array([-2, -1, 1, 2]) if least <= value - 2 * stride and value + 2 * stride <= most else np.arange(5)
    if value + steps[-1] * stride > most:
        steps = -steps
    powers = np.vander(steps.astype(float), increasing=True).T
    return steps * stride, np.linalg.solve(powers, np.eye(len(steps))[1]) / stride


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter that a user has named."""

    name: str
    unit: str
    at: tuple[int, str]
    """The number of its instance, and its name there."""
    value: float
    by: ByParameter

    @property
    def exact(self) -> bool:
        """True if derivatives by the parameter are those of FMUs, except for what happens at events."""
        return not self.by.apart


def parameters_named(built: Built, names: Sequence[str], values: Mapping[tuple[int, str], Value], driven: Sequence[str]) -> list[Parameter]:
    """Parameters and start values by full names; refuses what a run cannot be differentiated by."""
    if not names:
        return []
    if built.switched:
        raise BuildError(
            f"sensitivities are refused with '{built.parts[built.switched[0].part].name}', whose constraints change with its modes; take "
            "differences of runs at other values with sweep"
        )
    fmus = {part.name: part.fmu for part in built.parts}
    forgets = not any(_remembers(part) for part in built.parts)
    found = [_parameter(built, find_end(name, fmus, "sensitivities: "), values, driven, forgets) for name in names]
    most = max(len(each.by.strides) for each in found)
    return [replace(each, by=_padded(each.by, most)) for each in found]


def _padded(by: ByParameter, count: int) -> ByParameter:
    """Returns the differences with as many shadows as the others have."""
    more = (0, count - len(by.strides))
    return replace(by, strides=np.pad(by.strides, more), weights=np.pad(by.weights, more))


def _remembers(part: Part) -> bool:
    """Says whether an instance keeps numbers from one event to the next, of which FMI has no derivatives."""
    return any(
        v.type == "real" and v.variability == "discrete" and v.causality not in ("parameter", "input") for v in part.fmu.variables.values()
    )


def _parameter(built: Built, end: End, values: Mapping[tuple[int, str], Value], driven: Sequence[str], forgets: bool) -> Parameter:
    index = next(i for i, part in enumerate(built.parts) if part.name == end.instance)
    part, variable = built.parts[index], end.variable
    if variable is None or variable.type != "real" or variable.dimensions or variable.causality == "structuralParameter":
        what = "a port" if end.terminal else "an array" if end.array or (variable and variable.dimensions) else "no real number"
        raise BuildError(
            f"sensitivities: '{end.text}' is {what}; name real parameters or start values, such as a mass, a length or a stiffness"
        )
    if end.text in driven or Address(index, 0, variable.reference) in built.schedule.graph.wires:
        raise BuildError(
            f"sensitivities: '{end.text}' is {'driven' if end.text in driven else 'connected'}; name a parameter of its source"
        )
    value = values.get((index, variable.name), built.start[index].get(variable.name, variable.start))
    if value is None:
        value = 0.0
    start_items(end.instance, end.fmu, variable.name, value, again=True)
    if not isinstance(value, int | float | np.number):
        raise BuildError(f"sensitivities: '{end.text}' = {shown(value)} is no number")
    strides, weights = stencil(float(value), variable.minimum, variable.maximum)
    listed = variable.causality == "input" and part.interface.directional_derivatives
    own = variable.causality == "parameter" and differentiates(part, variable.reference)
    begins = variable.reference in part.states
    by = ByParameter(
        part=index if (listed or own) and not begins else NONE,
        reference=variable.reference,
        apart=not begins and not ((listed or own) and forgets),
        strides=strides,
        weights=weights,
    )
    return Parameter(name=end.text, unit=variable.unit or "", at=(index, variable.name), value=float(value), by=by)
