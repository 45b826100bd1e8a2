"""Detection of a co-simulation that ended because its coupling is unstable, and not because of the FMU that failed first."""

from __future__ import annotations

import numpy as np

from coupling.kernel.system.status import Status
from coupling.live.failures import outcome
from coupling.live.session import Session
from coupling.live.unwritten import total
from coupling.outcome import Ending, Outcome
from coupling.schemes.base import failures

_BEYOND = 1e30
"""Bound that no quantity of a machine reaches, in any unit. Values that grow from step to step pass it on their way to infinity."""


def ended(session: Session, status: Status, t: float) -> Outcome:
    """Returns the outcome of a run that ended at a time. Divergence of the coupling replaces the error that it caused in an FMU."""
    found = outcome(session, status, float(np.fmax(t, session.kernel.recorded_until)))
    return found if found.ending not in (Ending.FMU_FAILED, Ending.NOT_FINITE) else _diverged(session, t, found)


@total
def _diverged(session: Session, t: float, found: Outcome) -> Outcome:
    """Returns the outcome that was found, or divergence if values have grown without bound before."""
    values, run = session.kernel.slots, session.run
    shown = {name: abs(values[slot]) for slot, name in session.program.labels.items() if slot < len(values)}
    greatest = max(shown, key=lambda name: np.nan_to_num(shown[name], nan=0, posinf=_BEYOND), default="")
    if run.communication_step is None or not greatest or not shown[greatest] > _BEYOND:
        return found
    return failures.diverged(t=t, name=greatest, value=shown[greatest], scheme=run.coupling.name, step=run.communication_step)
