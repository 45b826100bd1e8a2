"""Exact derivatives from the graph of a system, where a run is evaluated by it."""

from __future__ import annotations

from coupling.kernel.slopes import KernelSlopes
from coupling.live.session import Session


def begin_slopes(session: Session) -> KernelSlopes | None:
    """None where the FMUs are asked for derivatives; to be called after fused code was set."""
    if session.kernel.fused is None:
        return None
    found = session.program.slopes
    return KernelSlopes(
        session.kernel,
        found.code,
        found.initial,
        given=found.given,
        unknowns=found.unknowns,
        rows=found.rows,
        columns=found.columns,
        slots=found.slots,
    )
