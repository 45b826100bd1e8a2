"""Comparison of a system's tape and compiled equations in the kernel with its instances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from coupling.fused.lowering import lower
from coupling.kernel.equations.fused import fuse, report
from coupling.kernel.system.status import Status
from coupling.live.fused import BY_CODE, BY_TAPE, begin_fused
from coupling.live.session import Session
from coupling.plan.build import Built
from tests.support.fused.agreement import by_instance, relative, steady_points

WAYS = {"tape": BY_TAPE, "compiled": BY_CODE}
"""Names of the ways: the option of a run, and the word in its report."""


def ways_disagreement(built: Built, points: int = 20, seed: int = 1) -> float:
    """The greatest difference at random states, parameters and modes: of derivatives relative to the greatest of the same instance, of event indicators
    to the greatest of all. Each evaluation begins with a workspace that is full of NaN, and none is left to the instances."""
    lowered, random = lower(built), np.random.default_rng(seed)
    found = list[float]()
    for session, t, x, expected in steady_points(built, lowered, random, points):
        assert session.kernel.evaluate(t, x) is Status.DONE
        indicators = _indicators(session)
        for way in WAYS:
            found.append(by_instance(built, _by_way(session, way, t, x), expected))
            found.append(relative(_indicators(session), indicators))
        fuse(session.kernel, None)
    return max(found)


def _by_way(session: Session, way: str, t: float, x: np.ndarray) -> np.ndarray:
    session.running.run = replace(session.run, evaluation=way)
    begin_fused(session)
    assert session.running.way.evaluated == WAYS[way], session.running.way.not_compiled
    found = np.full(len(x), np.nan)
    assert session.kernel.derivatives(t, x, found) is Status.DONE
    assert not report(session.kernel).by_rows
    return found


def _indicators(session: Session) -> np.ndarray:
    """Returns the indicators at the point of the last evaluation."""
    found = np.full(sum(len(part.structure.indicators) for part in session.built.parts), np.nan)
    assert session.kernel.indicators(found) is Status.DONE
    return found
