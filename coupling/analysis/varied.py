"""Linear models that vary with parameters: common parts of families along one parameter and grids over several."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coupling.analysis.fractional import FractionalModel, fractional
from coupling.analysis.interpolated import InterpolatedModel, interpolated
from coupling.analysis.linear_model import LinearModel
from coupling.analysis.pose import Pose
from coupling.analysis.sampled import Samples, Values, checked
from coupling.errors import AnalysisError, shown


@dataclass(frozen=True)
class Asked:
    """Request for a linear model at each value of parameters."""

    pose: Callable[[Mapping[str, Any], bool], Pose]
    """Function that finds an equilibrium from values, of which those of the parameters count; with or without alternatives."""
    model: Callable[[Pose, Sequence[str]], LinearModel]
    """Function that gives the model at a pose, in preferred coordinates."""
    start: Mapping[str, Any]
    coordinates: tuple[str, ...]

    def equilibrium(self, values: Values, near: Mapping[str, Any], alternatives: bool = False) -> Pose:
        try:
            return self.pose({**self.start, **near, **values}, alternatives)
        except AnalysisError as error:
            raise AnalysisError(f"{_at(values)}: {error}") from None

    def linear(self, values: Values, pose: Pose, coordinates: Sequence[str]) -> LinearModel:
        try:
            return self.model(pose.beside({**self.start, **values}), coordinates)
        except AnalysisError as error:
            raise AnalysisError(f"{_at(values)}: {error}") from None


class Varied(ABC):
    """Linear models at the nodes of a grid of parameters, all with the same states, inputs and outputs."""

    asked: Asked

    @property
    @abstractmethod
    def axes(self) -> Mapping[str, np.ndarray]:
        """Values of each parameter."""

    @property
    @abstractmethod
    def nodes(self) -> Sequence[tuple[Pose, LinearModel]]:
        """Poses and models, the last parameter counting fastest."""

    @property
    def points(self) -> list[dict[str, float]]:
        """Values of the parameters at each node."""
        grids = np.meshgrid(*self.axes.values(), indexing="ij")
        return [dict(zip(self.axes, map(float, values), strict=True)) for values in zip(*(grid.ravel() for grid in grids), strict=True)]

    def matrices(self, name: str) -> np.ndarray:
        """Returns a matrix of all models: ``name`` is "A", "B", "C" or "D", or that of a rate, such as "B1". The first indices count values of
        the parameters."""
        if name not in ("A", "B", "B1", "B2", "C", "D", "D1", "D2"):
            raise AnalysisError(
                f"name = {shown(name)} is refused: choose 'A', 'B', 'C' or 'D', or that of a rate: 'B1', 'B2', 'D1' or 'D2'"
            )
        shape = [len(values) for values in self.axes.values()]
        found = np.array([getattr(model, name) for _, model in self.nodes])
        return found.reshape(*shape, *found.shape[1:])

    def model_at(self, values: Values) -> LinearModel:
        """Returns the exact model at any ``values`` of the parameters, by name. Its equilibrium is sought from the nearest node."""
        checked(values, self.axes)
        widths = {name: np.ptp(axis) or 1.0 for name, axis in self.axes.items()}
        nodes = zip(self.points, self.nodes, strict=True)
        _, (pose, model) = min(nodes, key=lambda node: sum(((node[0][n] - values[n]) / widths[n]) ** 2 for n in widths))
        return self.asked.linear(values, self.asked.equilibrium(values, pose), model.states)

    def between(self, count: int, seed: int) -> list[tuple[dict[str, float], LinearModel]]:
        """Returns exact models at ``count`` random values within the ranges, with these values by name. The same ``seed`` gives the same
        values."""
        random = np.random.default_rng(seed)
        ranges = {name: (float(np.min(axis)), float(np.max(axis))) for name, axis in self.axes.items()}
        drawn = [{name: float(random.uniform(*ends)) for name, ends in ranges.items()} for _ in range(count)]
        return [(values, self.model_at(values)) for values in drawn]

    def to_lpv(self, kind: str = "cubic", checks: int = 10) -> InterpolatedModel:
        """Returns a state-space model whose matrices are interpolated between the nodes; ``kind`` is "linear" or "cubic".

        Its ``error`` is that of the frequency response at ``checks`` random points, as a share of the response.
        """
        return interpolated(self._samples, kind, checks)

    def to_lfr(self, degree: int | None = None, tolerance: float = 1e-6, checks: int = 10) -> FractionalModel:
        """Returns a linear fractional representation (LFR): a constant matrix M with the parameters in feedback.

        Tools for robust control read this form. The matrices are fitted by least squares as E(p) x' = F(p) x with polynomials of ``degree``
        in the parameters. By default it is the least degree up to 3 whose relative error of frequency responses at the nodes is at most
        ``tolerance``. ``checks`` random points in between give the error there. Options that are refused raise AnalysisError.
        """
        return fractional(self._samples, degree, tolerance, checks)

    @property
    def _samples(self) -> Samples:
        return Samples(self.axes, self.points, [model for _, model in self.nodes], self.between)


def _at(values: Values) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in values.items())
