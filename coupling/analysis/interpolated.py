"""Linear models whose matrices are interpolated over parameters (LPV)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coupling.analysis.linear_model import LinearModel
from coupling.analysis.sampled import Samples, Values, checked, like, response_error, state_space
from coupling.errors import AnalysisError, shown

LEAST = {"linear": 2, "cubic": 4}
"""Kinds of interpolation, and the values of a parameter that each needs at least."""


@dataclass(frozen=True)
class InterpolatedModel:
    """x' = A(p) x + B(p) u, y = C(p) x + D(p) u with matrices that are interpolated over the parameters p.

    Values outside of the grid raise AnalysisError.
    """

    axes: Mapping[str, np.ndarray]
    """Values of each parameter at the nodes, in its unit."""
    kind: str
    """Interpolation, linear or cubic."""
    first: LinearModel = field(repr=False)
    """The model of the first node, for names and units."""
    table: np.ndarray = field(repr=False)
    """All entries of A, B, C and D at each node, then the values at the point, in the units of ``first``."""
    error: float = float("nan")
    """Relative error of the frequency response at random points; not a number if none was checked."""

    def at(self, values: Values) -> LinearModel:
        """Returns the model at values of the parameters, such as ``{"spring.k": 60.0}``."""
        checked(values, self.axes)
        entries = self._interpolated(values)
        n, inputs, outputs = len(self.first.states), len(self.first.inputs), len(self.first.outputs)
        shapes = [(n, n), (n, inputs), (outputs, n), (outputs, inputs)]
        ends = np.cumsum([rows * columns for rows, columns in shapes])
        *matrices, point = np.split(entries, ends)
        shaped = tuple(matrix.reshape(shape) for matrix, shape in zip(matrices, shapes, strict=True))
        return like(self.first, shaped, dict(zip(self.first.point, map(float, point), strict=True)))

    def to_scipy(self, values: Values) -> Any:
        """Returns a ``scipy.signal.StateSpace`` at values of the parameters."""
        return self.at(values).to_scipy()

    def _interpolated(self, values: Values) -> np.ndarray:
        """Interpolates along one parameter after the other."""
        from scipy.interpolate import make_interp_spline

        table = self.table
        for name, axis in self.axes.items():
            order = np.argsort(axis)
            table = make_interp_spline(axis[order], table[order], LEAST[self.kind] - 1)(values[name])
        return table


def interpolated(samples: Samples, kind: str, checks: int) -> InterpolatedModel:
    """Returns the interpolated model of samples. See ``LinearGrid.to_lpv``."""
    if kind not in LEAST:
        raise AnalysisError(f"kind = {shown(kind)} is refused: it must be 'linear' or 'cubic'")
    for name, axis in samples.axes.items():
        if len(axis) < LEAST[kind]:
            raise AnalysisError(f"a {kind} interpolation needs at least {LEAST[kind]} values of each parameter; {name} has {len(axis)}")
        if len(np.unique(axis)) < len(axis):
            raise AnalysisError(f"a value of {name} is given twice; an interpolation needs each value once")
    first = samples.models[0]
    rows = [np.concatenate([*(m.ravel() for m in state_space(model)), list(model.point.values())]) for model in samples.models]
    table = np.array(rows).reshape(*(len(axis) for axis in samples.axes.values()), -1)
    found = InterpolatedModel(samples.axes, kind, first, table)
    errors = [response_error(found.at(values), model) for values, model in samples.between(checks, 1)]
    return InterpolatedModel(samples.axes, kind, first, table, max(errors, default=float("nan")))
