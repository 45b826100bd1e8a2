"""What a run has left, taken out of the kernel."""

from __future__ import annotations

from coupling.live.enforcement import changes_of, off_rows
from coupling.live.session import Session
from coupling.record import Record, Statistics


def recorded(session: Session, preparing: float, running: float) -> Record:
    """Everything so far, with the seconds that it took to prepare the run and to make it."""
    rows, columns = session.kernel.take_record(), session.program.columns
    width = 1 + len(columns)
    energy = {port: rows[:, width + i].copy() for i, port in enumerate(session.built.watched)}
    return Record(
        session.built.name,
        columns,
        rows[:, :width],
        _statistics(session, preparing, running),
        energy,
        session.program.recordable,
        changes_of(session),
        off_rows(session, len(rows)),
    )


def _statistics(session: Session, preparing: float, running: float) -> Statistics:
    s = session.kernel.statistics
    each = s.fmu_seconds / s.sampled if s.sampled > 0 else 0.0
    counts = session.kernel.counts if session.steppers else None
    return Statistics(
        evaluations=s.evaluations,
        newton_iterations=session.solver_statistics.get("newton_iterations", s.newton_iterations),
        factorisations=session.solver_statistics.get("factorisations", s.factorisations),
        most_newton_iterations=session.solver_statistics.get("most_newton_iterations", 0),
        projected=dict(session.projected),
        events=s.events,
        state_events=s.state_events,
        time_events=s.time_events,
        step_events=s.step_events,
        steps=session.solver_statistics.get("steps", 0),
        rejected=session.solver_statistics.get("rejected", 0),
        passes=counts.passes if counts else 0,
        seconds_preparing=preparing,
        seconds_running=running,
        seconds_in_fmus=min(max(0.0, each * s.evaluations) + (counts.seconds if counts else 0.0), running),
    )
