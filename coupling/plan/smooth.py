"""Smooth curves through the rows of a table, with their time derivatives: monotone from row to row, or splines."""

from __future__ import annotations

import numpy as np

from coupling.errors import BuildError
from coupling.plan.drives import MONOTONE, PiecesDrive, SplineDrive

_NEIGHBOURS = 5
"""Rows through which a polynomial gives the slope and the curvature at the middle one."""


def pieces(drive: SplineDrive, rates: int, name: str) -> list[PiecesDrive]:
    """Returns a curve as polynomials, and those of as many of its rates."""
    times, coefficients = _monotone(drive) if drive.kind == MONOTONE else _spline(drive, rates, name)
    values = drive.values
    within = None if drive.kind == MONOTONE else (float(values.min()), float(values.max()))
    found = [PiecesDrive(times, coefficients, (float(values[0]), float(values[-1])), within)]
    for _ in range(rates):
        coefficients = np.ascontiguousarray(coefficients[:, 1:] * np.arange(1, coefficients.shape[1]))
        found.append(PiecesDrive(times, coefficients, (0.0, 0.0)))
    return found


def _spline(drive: SplineDrive, rates: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Returns a spline whose highest rate has a continuous derivative: cubic for one rate, quintic for two."""
    from scipy.interpolate import PPoly, make_interp_spline

    degree, free = 5 if rates > 1 else 3, drive.kind == "free"
    if free and len(drive.times) <= degree:
        raise BuildError(
            f"the table of '{name}' has {len(drive.times)} rows, and a smooth one with free ends needs {degree + 1}; give more, or smooth=True"
        )
    ends = [(order, 0.0) for order in range(1, (degree + 1) // 2)]
    curve = PPoly.from_spline(make_interp_spline(drive.times, drive.values, k=degree, bc_type=None if free else (ends, ends)))
    real = np.flatnonzero(np.diff(curve.x) > 0)
    return np.append(curve.x[real], curve.x[-1]), np.ascontiguousarray(curve.c[::-1, real].T)


def _monotone(drive: SplineDrive) -> tuple[np.ndarray, np.ndarray]:
    """Returns quintic Hermite pieces with continuous first and second derivatives, monotone from row to row and at rest at the ends.

    The derivative of a piece is a polynomial of fourth degree. Where all five of its Bernstein coefficients have the sign of the rise, so
    has the derivative. These are d0, d0 + h c0/4, (5 - sum of the others), d1 - h c1/4 and d1. Slopes d and curvatures c are those at both
    ends. The coefficients are linear in d and c, and have this sign where all d and c vanish. So d and c, first estimated, are clipped and
    then scaled by the least amount that achieves it.
    """
    times, values = drive.times, drive.values
    h = np.diff(times)
    rise = np.diff(values) / h
    d, c = _estimated(times, values)
    before, after = np.append(0.0, rise), np.append(rise, 0.0)
    sign = np.where(before * after > 0, np.sign(after), 0.0)
    least = np.minimum(np.abs(before), np.abs(after))
    d = sign * np.clip(sign * d, 0.5 * least, 5.0 * least)  # an estimate across a jump may point backwards, and would stop the motion
    long_before, long_after = np.append(h[0], h), np.append(h, h[-1])
    up_before, up_after = np.sign(before), np.sign(after)
    c = np.where(up_before > 0, np.minimum(c, 4 * d / long_before), np.where(up_before < 0, np.maximum(c, 4 * d / long_before), 0.0))
    c = np.where(up_after > 0, np.maximum(c, -4 * d / long_after), np.where(up_after < 0, np.minimum(c, -4 * d / long_after), 0.0))
    d[[0, -1]] = c[[0, -1]] = 0.0
    up = np.sign(rise)
    taken = up * (2 * (d[:-1] + d[1:]) + h * (c[:-1] - c[1:]) / 4)
    share = np.where(taken > 5 * np.abs(rise), 5 * np.abs(rise) / np.where(taken > 0, taken, 1.0), 1.0)
    scale = np.minimum(np.append(1.0, share), np.append(share, 1.0))
    return times, _hermite(h, values, scale * d, scale * c)


def _estimated(times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns slopes and curvatures at the rows, by Newton's divided differences from a row on, then from the nearest of its neighbours."""
    n = len(times)
    count = min(_NEIGHBOURS, n)
    first = np.clip(np.arange(n) - count // 2, 0, n - count)
    rows = first[:, None] + np.arange(count)
    rows = np.take_along_axis(rows, np.argsort(np.abs(rows - np.arange(n)[:, None]), axis=1, kind="stable"), axis=1)
    x, differences = times[rows], values[rows]
    apart = x[:, :1] - x
    d, c, once, twice = np.zeros(n), np.zeros(n), np.ones(n), np.zeros(n)
    # once and twice are the first derivative and half of the second derivative of (x - x0) (x - x1) ... at the row
    for order in range(1, count):
        differences = np.diff(differences, axis=1) / (x[:, order:] - x[:, :-order])
        d += once * differences[:, 0]
        c += 2 * twice * differences[:, 0]
        once, twice = once * apart[:, order], twice * apart[:, order] + once
    return np.nan_to_num(d), np.nan_to_num(c)


def _hermite(h: np.ndarray, y: np.ndarray, d: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Returns the pieces by values, slopes and curvatures at their ends, as rows of rising powers of the time since each began."""
    rise, d0, d1, c0, c1 = np.diff(y), d[:-1] * h, d[1:] * h, c[:-1] * h**2, c[1:] * h**2
    by_share = [
        *(y[:-1], d0, c0 / 2),
        10 * rise - 6 * d0 - 4 * d1 - 1.5 * c0 + 0.5 * c1,
        -15 * rise + 8 * d0 + 7 * d1 + 1.5 * c0 - c1,
        6 * rise - 3 * (d0 + d1) - 0.5 * (c0 - c1),
    ]
    return np.ascontiguousarray(np.stack([each / h**power for power, each in enumerate(by_share)], axis=1))


_LEAVES = 0.01
"""The share of a table's range by which a curve may leave it without a warning."""


def leaves(drive: PiecesDrive) -> tuple[float, float] | None:
    """Returns the least and the greatest value of a curve that leaves the range of its table by more than a hundredth of it."""
    if drive.within is None:
        return None
    low, high = drive.within
    share = np.linspace(0, 1, 65)
    at = np.diff(drive.times)[:, None] * share
    powers = at[:, :, None] ** np.arange(drive.coefficients.shape[1])
    found = np.einsum("ijk,ik->ij", powers, drive.coefficients)
    least, greatest = float(found.min()), float(found.max())
    return (least, greatest) if max(low - least, greatest - high) > _LEAVES * (high - low) else None
