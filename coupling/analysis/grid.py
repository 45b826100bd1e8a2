"""Linear models over a grid of several parameters, whose equilibria are followed from each node to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from coupling.analysis.continuation import sharpened
from coupling.analysis.linear_model import LinearModel
from coupling.analysis.pose import Pose
from coupling.analysis.responses import map_of, root_locus
from coupling.analysis.varied import Asked, Varied
from coupling.errors import AnalysisError, shown

_HALVINGS = 20
"""Halvings of an interval between nodes in which stability changes: to a millionth of it."""


@dataclass(frozen=True)
class LinearGrid(Varied):
    """One linear model for each combination of values of the parameters, each at its own equilibrium: ``grid[i, j]``.

    Values and options that are refused raise AnalysisError, unknown names KeyError, and other places IndexError.
    """

    parameters: Mapping[str, np.ndarray]
    """Values of each parameter, by its full name, in its unit."""
    found: tuple[tuple[Pose, LinearModel], ...] = field(repr=False)
    """Equilibrium and model of each node, the last parameter varying first."""
    branch_points: tuple[Mapping[str, float], ...]
    """Values of the parameters, in their units, at which stability is lost or gained, sought along the last parameter."""
    asked: Asked = field(repr=False)
    """Request that made the models, for further ones."""

    @property
    def axes(self) -> Mapping[str, np.ndarray]:
        return self.parameters

    @property
    def nodes(self) -> Sequence[tuple[Pose, LinearModel]]:
        return self.found

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each parameter."""
        return tuple(len(values) for values in self.parameters.values())

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[LinearModel]:
        return (model for _, model in self.found)

    def __getitem__(self, place: tuple[int, ...]) -> LinearModel:
        return self.found[self._number(place)][1]

    def pose(self, *place: int) -> Pose:
        """Returns the equilibrium at a node. ``place`` is its index for each parameter: ``grid.pose(0, 2)``."""
        return self.found[self._number(place)][0]

    def of(self, name: str) -> np.ndarray:
        """Returns a state or a free input at the equilibrium of each node; ``name`` is its full name. The array has the shape of the grid."""
        return np.array([pose[name] for pose, _ in self.found]).reshape(self.shape)

    @property
    def growth(self) -> np.ndarray:
        """Largest real part of an eigenvalue of each model, in 1/s: negative, or zero to rounding, where a model is stable."""
        return np.array([model.eigenvalues.real.max(initial=-np.inf) for model in self]).reshape(self.shape)

    def plot(self, path: str | Path | None = None) -> Any:
        """Returns a figure, or writes it to ``path``: over two parameters a map of the growth, else eigenvalues in the complex plane."""
        (first, *rest) = self.parameters.items()
        if len(rest) == 1:
            return map_of(first, rest[0], self.growth, "largest real part of an eigenvalue, 1/s", self.branch_points, path)
        colours = np.array([values[first[0]] for values in self.points])
        return root_locus([model.eigenvalues for model in self], colours, first[0], path)

    def _number(self, place: int | tuple[int, ...]) -> int:
        try:
            return int(np.ravel_multi_index(tuple(np.where(np.less(place, 0), np.add(place, self.shape), place)), self.shape))
        except (ValueError, TypeError):
            raise IndexError(
                f"{shown(place)} is no node of the grid of {self.shape}; give one index for each of {', '.join(self.parameters)}"
            ) from None


def grid_of(along: Any) -> dict[str, np.ndarray]:
    """Returns the values of each parameter along which linear models are requested."""
    remedy = "give parameters and their values, such as {'spring.k': np.linspace(50, 5, 20)}"
    if not isinstance(along, Mapping) or not along or not all(isinstance(name, str) for name in along):
        raise AnalysisError(f"along = {shown(along)} is refused: {remedy}")
    axes = {}
    for name, values in along.items():
        try:
            given = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            given = np.zeros((0, 0))
        if given.ndim != 1 or not len(given) or not np.all(np.isfinite(given)):
            raise AnalysisError(
                f"along: the values of '{name}', {shown(values)}, are refused: give a list of numbers, such as np.linspace(50, 5, 20)"
            )
        axes[name] = given
    return axes


def linear_grid(axes: Mapping[str, np.ndarray], asked: Asked) -> LinearGrid:
    """Returns a linear model for each node of the grid. See ``System.linearise``."""
    shape = tuple(map(len, axes.values()))
    found: dict[tuple[int, ...], tuple[Pose, LinearModel]] = {}
    points = []
    names: Sequence[str] = asked.coordinates
    for place in np.ndindex(*shape):
        values = {name: float(axis[i]) for (name, axis), i in zip(axes.items(), place, strict=True)}
        before = _before(place)
        near: Mapping[str, Any] = found[before][0] if before else asked.start
        pose = asked.equilibrium(values, near)
        model = asked.linear(values, pose, names)
        names = model.states
        if before and place[-1] and pose.stable != found[before][0].stable:
            points.append(_between(axes, before, values, found[before][0], asked))
        found[place] = pose, model
    return LinearGrid(dict(axes), tuple(found.values()), tuple(points), asked)


def _before(place: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns the neighbour from which a node is sought: one step back along the last parameter that has moved."""
    moved = [i for i, index in enumerate(place) if index]
    return tuple(index - (i == moved[-1]) for i, index in enumerate(place)) if moved else None


def _between(
    axes: Mapping[str, np.ndarray], before: tuple[int, ...], values: Mapping[str, float], pose: Pose, asked: Asked
) -> dict[str, float]:
    """Returns the values between two nodes, along the last parameter, at which stability changes."""
    *_, name = axes
    low, high, stable = float(axes[name][before[-1]]), values[name], pose.stable
    stride = (high - low) / 1e4 if stable else (low - high) / 1e4

    def at(value: float, near: Mapping[str, Any], alternatives: bool = False) -> Pose:
        return asked.equilibrium({**values, name: value}, near, alternatives)

    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        there = at(middle, pose)
        if there.stable == stable:
            low, pose = middle, there
        else:
            high = middle
    return {**values, name: sharpened((low + high) / 2, stride, pose, at)}
