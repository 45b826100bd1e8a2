"""The results of a run, taken out of the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coupling.checks import EXACT
from coupling.exact import key_of, values_of
from coupling.kernel.equations.fused import report
from coupling.kernel.fmi.texts import contents_of
from coupling.kernel.platform.own import Library
from coupling.live.enforcement import changes_of, off_rows
from coupling.live.fused import told
from coupling.live.session import Session
from coupling.live.switching import not_held, switches_of
from coupling.live.unwritten import attempted
from coupling.outcome import Counts
from coupling.plan.definition import Value
from coupling.record import ByParameter, Change, Column, Numbers, Record, Statistics
from coupling.texts_file import texts_beside


def taken(session: Session) -> Numbers:
    """Returns all rows of the kernel, which has none after that."""
    return _numbers(session, session.kernel.take_record())


def no_rows(session: Session) -> Numbers:
    """Returns the same of a run whose rows cannot be read."""
    return _numbers(session, np.zeros((0, session.kernel.width)))


def _numbers(session: Session, rows: np.ndarray) -> Numbers:
    program, watched = session.program, session.built.watched
    width, posing = 1 + len(program.columns), program.drawn
    first = width + len(posing)
    return Numbers(
        rows=rows[:, :width],
        created_energy={port: rows[:, first + i].copy() for i, port in enumerate(watched)},
        derivatives=_derivatives(rows[:, first + len(watched) :], len(session.running.parameters), len(program.columns)),
        drawn={name: rows[:, width + i].copy() for i, name in enumerate(posing)},
    )


def copied(session: Session, first: int = 0) -> Numbers:
    """Returns the rows of the kernel so far, from a number on; the kernel keeps them."""
    return _numbers(session, session.kernel.rows_from(first))


def recorded(session: Session, numbers: Numbers, preparing: float, running: float, said: list[str], counts: Counts) -> Record:
    """Returns everything so far, with the seconds that it took to prepare the run and to make it, and what its solver has counted.

    ``said`` gets a sentence for each description that cannot be made; the rows stay.
    """
    parts, count, lost = session.built.parts, len(numbers.rows), session.kernel.library.is_lost
    changes: list[Change] = []
    off: dict[str, tuple[tuple[int, int], ...]] = {}
    for changed in () if lost else (changes_of, switches_of):
        changes += attempted(said, (), changed, session)
    for idle in () if lost else (off_rows, not_held):
        off |= attempted(said, off, idle, session, count)
    return Record(
        system=session.built.name,
        columns=session.program.columns,
        **numbers._asdict(),
        statistics=_statistics(session, preparing, running, said, counts),
        variables=session.program.recordable,
        constants=session.program.constants,
        start_values={
            f"{parts[i].name}.{name}": value if type(value) is float else _written(value)
            for (i, name), value in session.running.values.items()
        },
        options={**session.run.told, **({"stop_time": _reached(session, numbers)} if session.run.is_open else {})},
        changes=tuple(sorted(changes, key=lambda change: change.time)),
        off=off,
        parameters=tuple(ByParameter(each.name, each.unit, each.exact) for each in session.running.parameters),
        scene=session.program.scene,
        printed=session.printed,
        texts=_lost_texts(session)
        if lost
        else attempted(said, {}, texts_of, session.program.exact_columns, numbers.rows, session.kernel.library),
    )


def _lost_texts(session: Session) -> dict[float, bytes]:
    """Returns the texts of a run whose kernel was lost with its process: those that it has written beside its rows."""
    rows = session.running.rows_file
    return texts_beside(rows) if rows and session.program.exact_columns else {}


def texts_of(columns: Sequence[tuple[int, Column]], rows: np.ndarray, library: Library) -> dict[float, bytes]:
    """Returns the bytes of the texts, and the digits of the large whole numbers, that rows refer to by numbers."""
    found: set[float] = set()
    for place, column in columns:
        if column.type in ("String", "Binary"):
            found |= set(np.unique(rows[:, place]).tolist())
        else:
            values = np.unique(rows[:, place])
            found |= set(key_of(values[np.abs(values) > EXACT]).tolist())
    return contents_of(found, library)


def typed_value(session: Session, place: int, row: np.ndarray) -> Any:
    """Returns a text, binary data or a whole number at a place of a row."""
    column = session.program.columns[place - 1]
    return values_of(column, row[[place]], texts_of([(place, column)], row[np.newaxis], session.kernel.library))[0]


def _written(value: Value) -> float | str:
    """Returns a start value as files hold it: binary data as hexadecimal digits, and large whole numbers as decimal ones."""
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, int) and abs(value) > EXACT else value


def _derivatives(recorded: np.ndarray, parameters: int, columns: int) -> np.ndarray:
    """Returns the derivatives of the columns by each parameter, out of all that was recorded by each parameter."""
    if not parameters or not len(recorded):
        return np.zeros((len(recorded), parameters * columns))
    return np.ascontiguousarray(recorded.reshape(len(recorded), parameters, -1)[:, :, :columns]).reshape(
        len(recorded), parameters * columns
    )


def _statistics(session: Session, preparing: float, running: float, said: list[str], counts: Counts) -> Statistics:
    s = session.kernel.statistics
    in_fmus = sum(way.each * (way.made - before) for way, before in zip(s.ways, session.running.evaluated_before, strict=True))
    calls = session.kernel.counts if session.steppers and not session.kernel.library.is_lost else None
    fused = report(session.kernel)
    clock = session.running.pause.clock
    counted: Counts = {"steps": 0, "rejected": 0, "newton_iterations": s.newton_iterations, "factorisations": s.factorisations, **counts}
    return Statistics(
        evaluated=attempted(said, "", told, session, fused),
        handed_over=fused.handed,
        by_fmus=fused.by_rows,
        evaluations=s.evaluations,
        events=s.events,
        state_events=s.state_events,
        time_events=s.time_events,
        step_events=s.step_events,
        passes=calls.passes if calls else 0,
        late=clock.lateness if clock else None,
        seconds_preparing=preparing,
        seconds_running=running,
        seconds_in_fmus=min(in_fmus + (calls.seconds if calls else 0.0), running),
        **counted,
    )


def _reached(session: Session, numbers: Numbers) -> float:
    """Returns the time in s that a run without a known end has reached."""
    return float(numbers.rows[-1, 0]) if len(numbers.rows) else session.run.start_time
