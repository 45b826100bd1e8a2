"""What a run has left, taken out of the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from coupling.live.enforcement import changes_of, off_rows
from coupling.live.session import Session
from coupling.live.switching import not_held, switches_of
from coupling.options import Run
from coupling.record import ByParameter, Record, Statistics

_NAMES = {each.name for each in fields(Run)}


def recorded(session: Session, preparing: float, running: float) -> Record:
    """Everything so far, with the seconds that it took to prepare the run and to make it."""
    rows, columns, parts = session.kernel.take_record(), session.program.columns, session.built.parts
    width, posing = 1 + len(columns), session.program.drawn
    energy = {port: rows[:, width + len(posing) + i].copy() for i, port in enumerate(session.built.watched)}
    return Record(
        system=session.built.name,
        columns=columns,
        rows=rows[:, :width],
        statistics=_statistics(session, preparing, running),
        created_energy=energy,
        variables=session.program.recordable,
        constants=session.program.constants,
        start_values={f"{parts[i].name}.{name}": value for (i, name), value in session.values.items()},
        options=_options(session.run),
        changes=tuple(sorted([*changes_of(session), *switches_of(session)], key=lambda change: change.time)),
        off={**off_rows(session, len(rows)), **not_held(session, len(rows))},
        parameters=tuple(ByParameter(each.name, each.unit, each.exact) for each in session.parameters),
        derivatives=_derivatives(rows[:, width + len(posing) + len(energy) :], len(session.parameters), len(columns)),
        scene=session.program.scene,
        drawn={name: rows[:, width + i].copy() for i, name in enumerate(posing)},
    )


def _derivatives(recorded: np.ndarray, parameters: int, columns: int) -> np.ndarray:
    """Those of the columns by each parameter, of all that was recorded by each parameter."""
    if not parameters:
        return np.zeros((len(recorded), 0))
    return np.ascontiguousarray(recorded.reshape(len(recorded), parameters, -1)[:, :, :columns]).reshape(
        len(recorded), parameters * columns
    )


def _options(run: Run) -> dict[str, Any]:
    """Those that are numbers and words, or mappings of them."""
    return {name: value for name, value in vars(run).items() if name in _NAMES and isinstance(value, int | float | str | Mapping)}


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
