"""Drive trains with friction and freewheels by SciPy: at each event all modes are tried, and the one that contradicts nothing is taken."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp

Modes = tuple[int, ...]
NEAR = 1e-9


@dataclass(frozen=True, kw_only=True)
class Rub:
    """Friction by the slip of some coordinates, or a freewheel, whose limit is None."""

    row: Sequence[float]
    limit: Callable[[float, float], float] | None = None
    """Limit of the force by time and speed."""
    peak: float = 1.0

    def modes(self) -> Modes:
        return (0, -1, 1) if self.limit else (1, 0)

    def open(self, t: float) -> bool:
        """Says whether the item has no force at all."""
        return self.limit is not None and self.limit(t, 0.0) == 0

    def held(self, mode: int) -> bool:
        return mode == 0 if self.limit else mode == 1


@dataclass(frozen=True, kw_only=True)
class Train:
    masses: Sequence[float]
    force: Callable[[float, np.ndarray, np.ndarray], Sequence[float]]
    rubs: Sequence[Rub] = ()
    links: Sequence[Sequence[float]] = ()
    """Rows by which velocities are coupled."""
    breaks: Sequence[float] = ()
    """Times at which loads jump."""
    times: list[float] = field(default_factory=list)
    """Times at which modes have changed."""

    def solved(self, t: float, y: np.ndarray, modes: Modes) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, and the multiplier of each rub."""
        n = len(self.masses)
        v = y[n : 2 * n]
        W = np.diag(1 / np.array(self.masses))
        rows = np.array([rub.row for rub in self.rubs]).reshape(-1, n)
        slip = rows @ v
        given = np.array(
            [
                0.0 if rub.limit is None or rub.held(mode) else -mode * rub.limit(t, abs(s))
                for rub, mode, s in zip(self.rubs, modes, slip, strict=True)
            ]
        )
        free = W @ (np.array(self.force(t, y[:n], v)) + rows.T @ given)
        held = [i for i, mode in enumerate(modes) if self.rubs[i].held(mode)]
        active = np.vstack([np.array(self.links).reshape(-1, n), rows[held]])
        found = np.linalg.lstsq(active @ W @ active.T, -active @ free)[0] if len(active) else np.zeros(0)
        given[held] = found[len(self.links) :]
        return free + W @ active.T @ found, given

    def contradicts(self, t: float, y: np.ndarray, modes: Modes, rows: np.ndarray) -> bool:
        a, multiplier = self.solved(t, y, modes)
        wrong = False
        for rub, mode, x, row in zip(self.rubs, modes, multiplier, rows, strict=True):
            if rub.open(t) or abs(row @ y[len(a) : 2 * len(a)]) > NEAR:
                continue
            if rub.limit:
                wrong |= abs(x) > rub.limit(t, 0.0) * rub.peak + NEAR if mode == 0 else mode * (row @ a) < -NEAR
            else:
                wrong |= x < -NEAR if mode else row @ a < -NEAR
        return wrong

    def choose(self, t: float, y: np.ndarray, due: int | None, before: Modes) -> Modes:
        n = len(self.masses)
        rows = np.array([rub.row for rub in self.rubs]).reshape(-1, n)
        slip = rows @ y[n : 2 * n]
        moving = [
            (1,) if rub.open(t) else rub.modes() if abs(s) <= NEAR else (int(np.sign(s)) if rub.limit else 0,)
            for rub, s in zip(self.rubs, slip, strict=True)
        ]
        fitting = [modes for modes in itertools.product(*moving) if not self.contradicts(t, y, modes, rows)]
        return next((modes for modes in fitting if due is None or modes[due] != before[due]), fitting[0])

    def indicators(self, modes: Modes) -> Iterator[Callable[[float, np.ndarray], float]]:
        n = len(self.masses)
        for i, (rub, mode) in enumerate(zip(self.rubs, modes, strict=True)):

            def falls(t: float, y: np.ndarray, i: int = i, rub: Rub = rub, mode: int = mode) -> float:
                if rub.open(t):
                    return 1.0
                if not rub.held(mode):
                    return float((mode if rub.limit else 1) * (np.array(rub.row) @ y[n : 2 * n]))
                x = self.solved(t, y, modes)[1][i]
                return float(rub.limit(t, 0.0) * rub.peak - abs(x) if rub.limit else x)

            falls.terminal, falls.direction = True, -1  # type: ignore[attr-defined]  # the attributes by which SciPy knows events
            yield falls

    def run(self, q: Sequence[float], v: Sequence[float], stop: float) -> np.ndarray:
        """Positions, velocities, and the heat of all friction."""
        n, t, due = len(self.masses), 0.0, None
        y = np.array([*q, *v, 0.0])
        modes = self.choose(t, y, None, ())
        rows = np.array([rub.row for rub in self.rubs]).reshape(-1, n)
        while t < stop:

            def rates(t: float, y: np.ndarray, modes: Modes = modes) -> np.ndarray:
                a, multiplier = self.solved(t, y, modes)
                return np.array([*y[n : 2 * n], *a, -multiplier @ (rows @ y[n : 2 * n])])

            end = min([each for each in self.breaks if each > t] + [stop])
            part = solve_ivp(rates, (t, end), y, "DOP853", rtol=1e-12, atol=1e-13, events=list(self.indicators(modes)), max_step=0.02)
            t, y = part.t[-1], part.y[:, -1]
            due = next((i for i, found in enumerate(part.t_events or ()) if len(found)), None)
            if t >= stop:
                break
            before, t_after = modes, np.nextafter(t, np.inf)
            modes, just_before = self.choose(t_after, y, due, before), np.nextafter(t, -np.inf)
            if any(m != b and not rub.open(just_before) for rub, m, b in zip(self.rubs, modes, before, strict=True)):
                self.times.append(t)
            t = t_after
        return y
