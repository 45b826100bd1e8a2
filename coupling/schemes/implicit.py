"""Implicit coupling with constraints at both levels: the multipliers at the beginning and at the end of a step are free."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from coupling.errors import BuildError
from coupling.live.session import Session
from coupling.plan.capabilities import degree
from coupling.schemes.base import failures
from coupling.schemes.base.constraint_level import ConstraintLevel
from coupling.schemes.base.implicit_step import ImplicitScheme
from coupling.schemes.base.prediction import Point, extrapolate
from coupling.schemes.base.scheme import SCHEMES


class BothLevels(ConstraintLevel):
    """Forces are linear over a step, and may jump between steps."""

    unknowns = 2
    refused_controls = {"power": failures.nothing_extrapolated}

    def refusal(self, session: Session) -> BuildError | None:
        graph, parts = session.schedule.graph, session.built.parts
        multipliers = set(graph.algebraic)
        for address in session.schedule.arriving:
            part = parts[address.part]
            sources = [graph.node[source] for source in graph.wires.get(address, ())]
            if degree(part) == 0 and any(known in multipliers for source in sources for known in graph.before[source]):
                return failures.inputs_held(instance=part.name, by_user=not part.most)
        return None

    def enforced(self, holonomic: np.ndarray) -> np.ndarray:
        return np.array([holonomic, np.ones_like(holonomic)])

    def at_beginning(self, t: float, points: Sequence[Point], at_end: np.ndarray, holonomic: np.ndarray) -> np.ndarray:
        known = [(point.time, point.before) for point in points if point.before is not None]
        return np.where(holonomic, extrapolate(t, known)[-1] if known else points[0].multipliers, at_end)

    def newton(self, solve: Callable[[np.ndarray], np.ndarray], violations: np.ndarray, holonomic: np.ndarray, h: float) -> np.ndarray:
        # A force from A to B moves a point by h^2 (A/3 + B/6) and its velocity by h (A + B)/2.
        position, velocity = violations
        mean = -solve(velocity / h)
        half = solve(np.where(holonomic, 6 * position / h**2 - 3 * velocity / h, 0.0))
        if not holonomic.all():  # what a velocity tells is one value, the same from A to B
            columns = np.column_stack([solve(unit) for unit in np.eye(len(holonomic))[~holonomic]])
            half -= columns @ np.linalg.lstsq(columns[~holonomic], half[~holonomic], rcond=None)[0]
        return np.array([mean - half, mean + half])


SCHEMES.register("implicit", ImplicitScheme(BothLevels()))
