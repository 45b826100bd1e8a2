"""Linear models at the nodes of a grid of parameters, and the differences of other models from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coupling.analysis.linear_model import LinearModel
from coupling.errors import AnalysisError, shown

Values = Mapping[str, float]


@dataclass(frozen=True)
class Samples:
    """Exact models at nodes, the last parameter counting fastest, and at random points between them."""

    axes: Mapping[str, np.ndarray]
    points: Sequence[Values]
    models: Sequence[LinearModel]
    between: Callable[[int, int], Sequence[tuple[Values, LinearModel]]]
    """Function that gives a number of models, by a seed."""


def checked(values: Values, axes: Mapping[str, np.ndarray]) -> None:
    """Refuses values that name other parameters, or lie outside of the grid."""
    if set(values) != set(axes):
        raise AnalysisError(f"values = {shown(dict(values))} is refused: give one value for each of {', '.join(axes)}")
    for name, axis in axes.items():
        low, high = float(np.min(axis)), float(np.max(axis))
        if not low <= values[name] <= high:
            raise AnalysisError(
                f"{name} = {values[name]:g} is outside of the grid, which reaches from {low:g} to {high:g}; give a value within"
            )


def response_error(found: LinearModel, expected: LinearModel, count: int = 200) -> float:
    """Returns by how much two frequency responses differ: the largest singular value of the difference as a share of that of the response.

    The frequencies reach from 0.01 to 10 times the highest eigenvalue of the model that is expected; none is an eigenvalue itself, at which a
    motion without damping has no response.
    """
    highest = np.abs(np.linalg.eigvals(expected.A)).max(initial=1.0)
    s = 1j * highest * np.geomspace(0.01, 9.97, count)
    ours, theirs = responses(found, s), responses(expected, s)
    sizes = np.linalg.norm(theirs, 2, axis=(1, 2))
    return float(np.max(np.linalg.norm(ours - theirs, 2, axis=(1, 2)) / np.where(sizes > 0, sizes, 1.0)))


def responses(model: LinearModel, s: np.ndarray) -> np.ndarray:
    """Returns the matrices of transfer functions at points of the complex plane, one after the other."""
    A, B, C, D = state_space(model)
    moved = np.linalg.solve(s[:, None, None] * np.eye(len(A)) - A, np.broadcast_to(B.astype(complex), (len(s), *B.shape)))
    return C @ moved + D


def state_space(model: LinearModel) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns A, B, C and D; rates of inputs are folded into the states."""
    whole = model.to_scipy()
    return whole.A, whole.B, whole.C, whole.D


def like(model: LinearModel, matrices: tuple[np.ndarray, ...], point: Mapping[str, float]) -> LinearModel:
    """Returns a model with the names of another, and with other matrices."""
    A, B, C, D = matrices
    none = {f"{letter}{order}": np.zeros_like(matrix) for letter, matrix in (("B", B), ("D", D)) for order in (1, 2)}
    names = {"states": model.states, "inputs": model.inputs, "outputs": model.outputs, "units": model.units}
    return LinearModel(A=A, B=B, C=C, D=D, **names, point=point, **none)  # type: ignore[arg-type]
