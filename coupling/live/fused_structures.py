"""Fused code as the kernel of a session takes it: made once for all runs of the session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import numpy as np

from coupling.fused.coded import Compiled
from coupling.fused.compiled import functions_in
from coupling.fused.elimination import Order
from coupling.fused.not_fused import NotFused
from coupling.fused.recorded import Recorded
from coupling.fused.stages import Region
from coupling.fused.taped import Pattern, Taped
from coupling.kernel.equations.fused import FusedRows, FusedStructure, Reading, Stage, fused_structure
from coupling.kernel.equations.record import FusedRecordRows, FusedRecordStructure, record_structure
from coupling.live.session import Session
from coupling.plan.build import Built
from coupling.plan.graph import type_code

Structures = tuple[FusedStructure, FusedRecordStructure | None]


def structures(session: Session, code: Taped | Compiled) -> Structures:
    """Returns the structures of evaluations and of the record; None for a record that stays with the instances. An OSError says why code
    cannot be loaded in the process of the kernel."""
    compiled = isinstance(code, Compiled)
    taped, functions = (code.taped, code.functions) if isinstance(code, Compiled) else (code, {})

    def made() -> Structures:
        found = session.program.compiled_record if compiled else session.program.fused_record
        rows = rows_of(session, taped, functions_in(session.kernel.library, taped.text, functions))
        record = (
            None
            if isinstance(found, NotFused) or session.program.first_reaction
            else record_structure(session.kernel, _record_rows(session, *found))
        )
        return fused_structure(session.kernel, rows), record

    return session.once(("fused", compiled, frozenset(taped.left_out)), made)


def _record_rows(session: Session, code: Recorded, functions: Mapping[Stage, int]) -> FusedRecordRows:
    built, first = session.built, code.first
    return FusedRecordRows(
        functions=functions_in(session.kernel.library, code.text, functions),
        code=code.code,
        initial=code.initial,
        x=first[Region.STATES],
        t=first[Region.TIME],
        u=first[Region.DRIVES],
        z=first[Region.UNKNOWNS],
        drives=range(len(built.drives)),
        readings=[
            *_readings(built, code.parameters, first[Region.PARAMETERS]),
            *_readings(built, code.discrete, first[Region.DISCRETE]),
        ],
        columns=code.columns,
    )


def rows_of(session: Session, tapes: Taped, functions: Mapping[Stage, int]) -> FusedRows:
    """Returns the rows of evaluations; stages without a function run tapes."""
    first, slots = tapes.first, dict(tapes.slots)
    _check_patterns(session, tapes)
    slots["leaving"], slots["fed"] = list(tapes.leaving.values()), [session.schedule.slot_of(each) for each in tapes.leaving]
    slots["arriving"] = [session.schedule.slot_of(each) for each in tapes.arriving]
    slots["called"] = [part in tapes.foreign for part in range(len(session.built.parts))] if tapes.foreign else []
    slots["switched"] = [number in tapes.switched for number in range(len(slots["pivot"]))]
    if tapes.left_out:
        slots["left_out"] = [number in tapes.left_out for number in range(len(slots["pivot"]))]
    slots["order"] = tapes.orders
    slots["mobility"] = [tapes.mobility.get(key, -1) for key in _mobile(session, tapes)]
    slots["correction"] = [tapes.corrections.get(key, -1) for key in _corrected(session, tapes)]
    return FusedRows(
        stages=[
            stage
            for stage in Stage
            if stage is not Stage.SLOPES
            and (stage is not Stage.INDICATING or slots["indicator"] or not tapes.foreign)
            and (stage is not Stage.CORRECTING or tapes.corrections)
        ],
        functions=functions,
        code=tapes.code,
        initial=tapes.initial,
        x=first[Region.STATES],
        t=first[Region.TIME],
        u=first[Region.DRIVES],
        drives=range(len(session.built.drives)),
        readings=[
            *_readings(session.built, tapes.parameters, first[Region.PARAMETERS]),
            *_readings(session.built, tapes.discrete, first[Region.DISCRETE]),
        ],
        slots=slots,
        x_read=tapes.x_read,
        violation=tapes.violation,
        calls=bool(tapes.foreign),
    )


def _readings(built: Built, variables: Sequence[tuple[int, str]], first: int) -> list[Reading]:
    """Returns the readings of variables from instances, in calls of one type of one instance."""
    found = []
    places = enumerate(variables, start=first)

    def whose(each: tuple[int, tuple[int, str]]) -> tuple[int, int]:
        part, name = each[1]
        fmu = built.parts[part].fmu
        return part, type_code(fmu.variables[name], fmu.version)

    for (part, type_), group in groupby(places, key=whose):
        items = list(group)
        references = [built.parts[part].fmu.variables[name].reference for _, (_, name) in items]
        found.append(Reading(part=part, type=type_, references=references, first=items[0][0]))
    return found


def _arrays(session: Session, row: dict[str, int], start: str, *names: str) -> Iterable[np.ndarray]:
    """Yields the compressed rows of a loop."""
    numbers, count = session.rows.numbers, row["mobile"] if start == "mobile_start" else row["unknowns"]
    starts = numbers[row[start] : row[start] + count + 1]
    yield starts
    for name in names:
        yield numbers[row[name] : row[name] + starts[-1]]


def _loops(session: Session, tapes: Taped) -> Iterable[tuple[dict[str, int], Pattern]]:
    """Returns the loops that fused code may solve: rows of the kernel, and patterns."""
    return zip(session.rows.mappings("loop"), tapes.loops, strict=True) if Order.ALONE not in tapes.orders else ()


def _check_patterns(session: Session, tapes: Taped) -> None:
    for row, loop in _loops(session, tapes):
        starts, columns = _arrays(session, row, "row_start", "column")
        assert list(starts) == list(loop.row_start) and list(columns) == list(loop.columns), "the same Jacobian"


def _corrected(session: Session, tapes: Taped) -> Iterable[tuple[int, int]]:
    """Yields loop and state of each state that a loop moves."""
    for number, (row, _) in enumerate(_loops(session, tapes)):
        if row["mobile"] > 0:
            yield from ((number, int(state)) for state in session.rows.numbers[row["mobile_state"] : row["mobile_state"] + row["mobile"]])


def _mobile(session: Session, tapes: Taped) -> Iterable[tuple[int, int]]:
    """Yields state and unknown of each entry of the mobility of all loops."""
    for row, loop in _loops(session, tapes):
        if row["mobile"] <= 0:
            continue
        starts, columns = _arrays(session, row, "mobile_start", "mobile_column")
        states = session.rows.numbers[row["mobile_state"] : row["mobile_state"] + row["mobile"]]
        for i, state in enumerate(states):
            for column in columns[starts[i] : starts[i + 1]]:
                yield int(state), loop.first + int(column)
