"""A motion by cases with SciPy: in each mode its own rates, which end at events."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

State = NDArray[np.float64]
Leave = tuple[Callable[[float, State], float], Callable[[float, State], Any]]
"""A function that falls to 0 where a mode ends, and one that returns the next mode there."""


def by_pieces(
    rates: Callable[[Any], Callable[[float, State], Sequence[float]]],
    leaves: Callable[[Any], Sequence[Leave]],
    mode: Hashable,
    start: Sequence[float],
    times: Sequence[float],
    max_step: float,
) -> tuple[list[tuple[float, Any]], State]:
    """Returns times and modes of all changes, and the states at ``times``, of which the first one is the start."""
    y, t, changes, rows = np.array(start, dtype=float), times[0], [], [np.array(start, dtype=float)]
    for stop in times[1:]:
        while t < stop:
            ends = []
            for function, _ in leaves(mode):
                event = lambda t, y, function=function: function(t, y)  # noqa: E731  # an object of its own, with attributes
                event.terminal, event.direction = True, -1
                ends.append(event)
            part = solve_ivp(rates(mode), (t, stop), y, "DOP853", rtol=1e-12, atol=1e-13, max_step=max_step, events=ends)
            t, y = float(part.t[-1]), part.y[:, -1]
            if part.status != 1:
                break
            which = next(k for k, each in enumerate(part.t_events) if len(each))
            mode = leaves(mode)[which][1](t, y)
            changes.append((t, mode))
        rows.append(y)
    return changes, np.array(rows)
