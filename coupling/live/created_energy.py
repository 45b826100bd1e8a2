"""Energy that the coupling of a co-simulation creates or loses at its ports: a measure of how far the run can be trusted."""

from __future__ import annotations

import math

from coupling.live.session import Session

MANY = 10
"""Communication steps before which nothing can be said of energy."""
TOLERABLE = 0.05
"""The share of the energy passed at a port that coupling may create there without a word."""


def created_energy(session: Session) -> tuple[str, float]:
    """Returns the port at which the coupling has created or lost the greatest share of the passed energy, and this share. The share is
    infinite if energy has no bound; the port is empty if there are too few steps to judge by, or no ports."""
    run = session.run
    if run.communication_step is None or session.kernel.time < min(run.stop_time, run.start_time + MANY * run.communication_step):
        return "", 0.0
    ports, kernel = session.built.watched, session.kernel
    passed = dict.fromkeys(ports, 0.0)
    for i, bond in enumerate(session.built.bonds):
        passed[bond.port] += kernel.passed(i)
    most = max(passed.values(), default=0.0)
    first = session.program.first_watched
    unbounded = [p for i, p in enumerate(ports) if not math.isfinite(passed[p] + kernel.slots[first + i])]
    if unbounded:
        return unbounded[0], math.inf
    shares = {p: abs(kernel.slots[first + i]) / passed[p] for i, p in enumerate(ports) if passed[p] > 0.01 * most >= 0}
    worst = max(shares, key=lambda p: shares[p], default="")
    return worst, shares.get(worst, 0.0)
