"""Equilibria along a parameter, where they change from stable to unstable, and their linear models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from coupling.analysis.linear_model import LinearModel
from coupling.analysis.pose import Pose
from coupling.analysis.responses import root_locus
from coupling.analysis.varied import Asked, Varied
from coupling.errors import AnalysisError, shown

_HALVINGS = 60


@dataclass(frozen=True)
class Equilibria(Sequence[Pose]):
    """Equilibria along a parameter: one pose for each of its ``values``."""

    parameter: str
    """Full name of the parameter."""
    values: np.ndarray
    """Values of the parameter, in its unit."""
    poses: tuple[Pose, ...]
    """Poses in the order of the values."""
    branch_points: tuple[float, ...]
    """Values of the parameter, in its unit, at which stability is lost or gained."""

    def __getitem__(self, i: Any) -> Any:
        return self.poses[i]

    def __iter__(self) -> Iterator[Pose]:
        return iter(self.poses)

    def __len__(self) -> int:
        return len(self.poses)

    def of(self, name: str) -> np.ndarray:
        """Returns the values of a state, or of a free input, along the parameter; ``name`` is its full name. An unknown one raises
        KeyError."""
        return np.array([pose[name] for pose in self.poses])


@dataclass(frozen=True)
class LinearFamily(Varied, Sequence[LinearModel]):
    """One linear model for each value of the parameter, each at its own equilibrium.

    Values and options that are refused raise AnalysisError.
    """

    equilibria: Equilibria
    """Equilibria of the models, with the values of the parameter."""
    models: tuple[LinearModel, ...]
    """Models in the order of the values."""
    asked: Asked = field(repr=False)
    """Request that made the models, for further ones."""

    @property
    def axes(self) -> Mapping[str, np.ndarray]:
        return {self.parameter: self.values}

    @property
    def nodes(self) -> Sequence[tuple[Pose, LinearModel]]:
        return tuple(zip(self.equilibria, self.models, strict=True))

    @property
    def parameter(self) -> str:
        return self.equilibria.parameter

    @property
    def values(self) -> np.ndarray:
        """Values of the parameter."""
        return self.equilibria.values

    def __getitem__(self, i: Any) -> Any:
        return self.models[i]

    def __iter__(self) -> Iterator[LinearModel]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def plot(self, path: str | Path | None = None) -> Any:
        """Plots the root locus: eigenvalues in the complex plane, coloured by the parameter. Writes it to ``path``, or returns the
        figure of Matplotlib."""
        return root_locus([model.eigenvalues for model in self.models], self.values, self.parameter, path)


def linear_family(along: Equilibria, asked: Asked) -> LinearFamily:
    """Returns a linear model for each equilibrium along a parameter. See ``System.linearise``."""
    models: list[LinearModel] = []
    for pose, value in zip(along, map(float, along.values), strict=True):
        models.append(asked.linear({along.parameter: value}, pose, models[0].states if models else asked.coordinates))
    return LinearFamily(along, tuple(models), asked)


At = Callable[[float, Mapping[str, Any], bool], Pose]
"""Function that finds the equilibrium at a value of the parameter from another pose; with or without alternatives."""


def equilibria(parameter: str, values: Sequence[float] | np.ndarray, start: Mapping[str, Any], at: At) -> Equilibria:
    """Finds equilibria along a parameter. See ``System.equilibria``."""
    try:
        given = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros((0, 0))
    if given.ndim != 1 or not len(given) or not np.all(np.isfinite(given)):
        raise AnalysisError(f"values = {shown(values)} is refused: give a list of numbers, such as np.linspace(50, 5, 20)")
    poses: list[Pose] = []
    points: list[float] = []
    for value in map(float, given):
        near: Mapping[str, Any] = poses[-1] if poses else start
        try:
            pose = at(value, near, True)
        except AnalysisError as error:
            raise AnalysisError(f"{parameter} = {value:g}: {error}") from None
        if poses and pose.stable != poses[-1].stable:
            points.append(_between(float(given[len(poses) - 1]), value, poses[-1], at))
        poses.append(pose)
    return Equilibria(parameter, given, tuple(poses), tuple(points))


def _between(before: float, after: float, pose: Pose, at: At) -> float:
    """Returns the value between two others at which stability changes."""
    stable, width = pose.stable, after - before
    for _ in range(_HALVINGS):
        middle = (before + after) / 2
        if middle in (before, after) or abs(after - before) <= 1e-12 * abs(middle):
            break
        there = at(middle, pose, False)
        if there.stable == stable:
            before, pose = middle, there
        else:
            after = middle
    return sharpened((before + after) / 2, width / 1e4 if stable else -width / 1e4, pose, at)


def sharpened(value: float, stride: float, pose: Pose, at: At) -> float:
    """Returns the parameter at which growth vanishes, extrapolated from growths beyond ``value``.

    ``grows`` ignores growth within the scatter of zero eigenvalues, so bisection alone ends slightly too late.
    """
    values = [value + stride * i**2 for i in range(1, 5)]
    try:
        there = [at(each, pose, False) for each in values]
    except AnalysisError:
        return value
    growth = np.array([each.eigenvalues.real.max(initial=0.0) for each in there])
    if any(each.stable for each in there) or not np.all(np.diff(growth) > 0):
        return value
    weights = [np.prod([other / (other - own) for other in growth if other != own]) for own in growth]
    return value + float(np.dot(weights, np.subtract(values, value)))
