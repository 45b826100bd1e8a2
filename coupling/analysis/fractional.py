"""Linear fractional representations: a constant system with parameters in feedback (LFR)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from coupling.analysis.linear_model import LinearModel
from coupling.analysis.sampled import Samples, Values, checked, like, response_error, state_space
from coupling.errors import AnalysisError, shown
from coupling.files import written

_DEGREES = (1, 2, 3)
_RANK = 1e-11
"""Singular values below this share of the largest are zero in the least-squares problem."""
_SHARES = tuple(10.0**-k for k in range(3, 13))
"""Shares of the largest singular value below which directions of a term are left out, tried from the largest on."""
_CHECKED = 40
"""Frequencies at which a fit is compared at each node."""


@dataclass(frozen=True)
class FractionalModel:
    """[z; x'; y] = M [w; x; u] with w = Delta(p) z: a constant matrix M, and the parameters p on the diagonal of Delta.

    An entry of Delta is (p - centre) / half of its parameter, from -1 to 1 over the grid. Values outside of
    it raise AnalysisError.
    """

    M: np.ndarray = field(repr=False)
    """The constant matrix, in the units of states, inputs and outputs of ``first``."""
    blocks: Mapping[str, int]
    """Number of entries of Delta of each parameter."""
    centre: Mapping[str, float]
    """Middle of the range of each parameter, in its unit."""
    half: Mapping[str, float]
    """Half the range of each parameter, in its unit."""
    degree: int
    """Degree of the fitted polynomials."""
    axes: Mapping[str, np.ndarray] = field(repr=False)
    """Values of each parameter at the nodes, in its unit."""
    first: LinearModel = field(repr=False)
    """The model of the first node, for names and units."""
    error_on_grid: float = float("nan")
    """Largest error of the frequency response at the nodes, as a share."""
    error_between: float = float("nan")
    """Largest error of the frequency response at random points, as a share; not a number where none was checked."""

    @property
    def order(self) -> int:
        """Size of Delta."""
        return sum(self.blocks.values())

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {count} times" for name, count in self.blocks.items())
        return (
            f"linear fractional representation: {len(self.first.states)} states, Delta of order {self.order} ({counts}), "
            f"error of the response {self.error_on_grid:.1e} on the grid, {self.error_between:.1e} between"
        )

    def delta(self, values: Values) -> np.ndarray:
        """Returns the diagonal of Delta at values of the parameters."""
        checked(values, self.axes)
        return np.concatenate([np.full(count, (values[n] - self.centre[n]) / self.half[n]) for n, count in self.blocks.items()])

    def at(self, values: Values) -> LinearModel:
        """Returns the model at values of the parameters, such as ``{"spring.k": 60.0}``; the point is that of the first node."""
        r, n, m = self.order, len(self.first.states), len(self.first.inputs)
        delta = self.delta(values)
        try:
            fed = np.linalg.solve(np.eye(r) - self.M[:r, :r] * delta, self.M[:r, r:])
        except np.linalg.LinAlgError:
            raise AnalysisError(
                f"the fit is singular at {', '.join(f'{name} = {value:g}' for name, value in values.items())}: its divisor vanishes there; give a grid "
                "with more values, or another degree"
            ) from None
        whole = self.M[r:, r:] + self.M[r:, :r] * delta @ fed
        return like(self.first, (whole[:n, :n], whole[:n, n : n + m], whole[n:, :n], whole[n:, n : n + m]), self.first.point)

    def save(self, path: str | Path) -> Path:
        """Writes arrays with names to ``path``, an ``.npz`` file: M, and for each entry of Delta its parameter, centre and half
        range. Returns the path."""
        path = Path(path)
        parameters = [name for name, count in self.blocks.items() for _ in range(count)]
        arrays: dict[str, Any] = {
            "M": self.M,
            "delta": np.array(parameters, dtype=str),
            "centre": np.array([self.centre[name] for name in parameters]),
            "half": np.array([self.half[name] for name in parameters]),
            **{kind: np.array(getattr(self.first, kind), dtype=str) for kind in ("states", "inputs", "outputs")},
        }
        with written(path, "model"), path.open("wb") as file:
            np.savez(file, **arrays)
        return path


@dataclass(frozen=True)
class _Terms:
    """E(d) [x'; y] = F(d) [x; u]: E is one plus a sum of monomials of the scaled parameters d, and so is F."""

    powers: list[tuple[int, ...]]
    E: list[np.ndarray]
    """The first one is the unit matrix."""
    F: list[np.ndarray]


def fractional(samples: Samples, degree: int | None, tolerance: float, checks: int) -> FractionalModel:
    """Returns the fractional model of samples. See ``LinearGrid.to_lfr``."""
    if degree is not None and degree not in _DEGREES:
        raise AnalysisError(f"degree = {shown(degree)} is refused: it must be 1, 2 or 3, or None for the least one that fits")
    if not tolerance > 0:
        raise AnalysisError(f"tolerance = {shown(tolerance)} is refused: it must be greater than 0")
    best: FractionalModel | None = None
    for each in _DEGREES if degree is None else (degree,):
        if not _determined(samples, each):
            continue
        for found in _fits(samples, each):
            if best is None or found.error_on_grid < best.error_on_grid:
                best = found
            if found.error_on_grid <= tolerance:
                errors = [response_error(found.at(values), model) for values, model in samples.between(checks, 1)]
                return replace(found, error_between=max(errors, default=float("nan")))
    names = ", ".join(samples.axes)
    if best is None:
        raise AnalysisError(
            f"the grid over {names} has too few values for a fit of degree {degree or 1}: give at least {(degree or 1) + 2} of each parameter"
        )
    raise AnalysisError(
        f"the models over {names} are no quotient of polynomials of degree {best.degree}: the best fit is off by {best.error_on_grid:.1e} of the "
        f"response (tolerance {tolerance:g}); give narrower ranges, or a larger tolerance=..."
    )


def _determined(samples: Samples, degree: int) -> bool:
    return all(len(np.unique(axis)) >= degree + 2 for axis in samples.axes.values())


def _fits(samples: Samples, degree: int) -> Iterator[FractionalModel]:
    """Yields representations from the smallest on, each with its error at the nodes."""
    names = list(samples.axes)
    ends = {name: (float(np.min(axis)), float(np.max(axis))) for name, axis in samples.axes.items()}
    centre = {name: (low + high) / 2 for name, (low, high) in ends.items()}
    half = {name: (high - low) / 2 for name, (low, high) in ends.items()}
    scaled = np.array([[(values[n] - centre[n]) / half[n] for n in names] for values in samples.points])
    first = samples.models[0]
    terms = _fitted(scaled, [_whole(model) for model in samples.models], degree)
    last = -1
    for share in _SHARES:
        M, owners = _realised(terms, share)
        if len(owners) == last:
            continue
        last = len(owners)
        blocks = {name: owners.count(i) for i, name in enumerate(names)}
        found = FractionalModel(M, blocks, centre, half, degree, samples.axes, first)
        try:
            errors = [
                response_error(found.at(values), model, _CHECKED) for values, model in zip(samples.points, samples.models, strict=True)
            ]
        except AnalysisError:  # a quotient whose divisor vanishes at a node
            continue
        yield replace(found, error_on_grid=max(errors))


def _whole(model: LinearModel) -> np.ndarray:
    A, B, C, D = state_space(model)
    return np.block([[A, B], [C, D]])


def _fitted(scaled: np.ndarray, wholes: Sequence[np.ndarray], degree: int) -> _Terms:
    """Solves E(d) S = F(d) for the coefficients of E and F, all rows at once; of several solutions it takes the least one."""
    powers = sorted((p for p in product(range(degree + 1), repeat=scaled.shape[1]) if sum(p) <= degree), key=lambda p: (sum(p), p))
    rows, columns = wholes[0].shape
    monomials = np.array([[np.prod(point ** np.array(power)) for power in powers] for point in scaled])
    blocks = [
        np.hstack([*(value * S.T for value in values[1:]), *(-value * np.eye(columns) for value in values)])
        for values, S in zip(monomials, wholes, strict=True)
    ]
    left, right = np.vstack(blocks), -np.vstack([S.T for S in wholes])
    sizes = np.linalg.norm(left, axis=0)
    sizes[sizes == 0] = 1.0
    solution = (np.linalg.lstsq(left / sizes, right, rcond=_RANK)[0] / sizes[:, None]).T
    ends = np.cumsum([rows] * (len(powers) - 1) + [columns] * len(powers))[:-1]
    parts = np.split(solution, ends, axis=1)
    return _Terms(powers, [np.eye(rows), *parts[: len(powers) - 1]], parts[len(powers) - 1 :])


def _realised(terms: _Terms, share: float) -> tuple[np.ndarray, list[int]]:
    """Returns M, and the parameter of each entry of Delta.

    A term d^p (E_p [x'; y] - F_p [x; u]) is L R [x'; y; x; u] by singular values; a chain of entries of Delta multiplies R [...] by d^p.
    """
    rows, columns = terms.F[0].shape
    factors = [np.linalg.svd(np.hstack([E, -F]), full_matrices=False) for E, F in zip(terms.E[1:], terms.F[1:], strict=True)]
    largest = max((values[0] for _, values, _ in factors if len(values)), default=0.0)
    owners: list[int] = []
    starts: list[tuple[int, np.ndarray]] = []
    """First entry of each chain, with its row that multiplies [x'; y; x; u]."""
    links: list[tuple[int, int, int]] = []
    gives = []
    for power, (left, values, right) in zip(terms.powers[1:], factors, strict=True):
        rank = int((values > share * largest).sum())
        if not rank:
            continue
        chain = [parameter for parameter, exponent in enumerate(power) for _ in range(exponent)]
        for position, parameter in enumerate(chain):
            if position == 0:
                starts.append((len(owners), values[:rank, None] * right[:rank]))
            else:
                links.append((len(owners), len(owners) - rank, rank))
            owners += [parameter] * rank
        gives.append((len(owners) - rank, left[:, :rank]))
    r = len(owners)
    out, into = np.zeros((rows, r)), np.zeros((r, rows + columns))
    for place, taken in starts:
        into[place : place + len(taken)] = taken
    for place, given in gives:
        out[:, place : place + given.shape[1]] -= given
    fed = np.zeros((r, r))
    for place, before, rank in links:
        fed[place : place + rank, before : before + rank] = np.eye(rank)
    M = np.block([[fed + into[:, :rows] @ out, into[:, :rows] @ terms.F[0] + into[:, rows:]], [out, terms.F[0]]])
    order = np.argsort(owners, kind="stable").astype(int)
    whole = np.concatenate([order, np.arange(r, r + columns)])
    lines = np.concatenate([order, np.arange(r, r + rows)])
    return M[np.ix_(lines, whole)], [owners[i] for i in order]
