"""Values of states beyond any physical scale, which end a run."""

from __future__ import annotations

import numpy as np

from coupling.live.session import Session
from coupling.live.tolerances import nominals


def limit_values(session: Session, start: np.ndarray) -> None:
    """Gives the kernel the largest absolute value of each state; ``start`` has the states at the start of the run."""
    factor = session.run.value_limit
    sizes = np.maximum(nominals(session), np.maximum(np.abs(start), 1.0)) if factor else None
    session.kernel.limit_values(None if sizes is None else factor * sizes)
