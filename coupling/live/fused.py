"""Fused code in a session: what it takes from instances and loops, and what a run says of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import numpy as np

from coupling.fused.coded import Compiled
from coupling.fused.lowering import NotFused
from coupling.fused.roots import Region
from coupling.fused.taped import EVALUATION, Taped
from coupling.kernel import library
from coupling.kernel.fused import FusedRows, Reading, Stage, fuse, report
from coupling.live.session import Session
from coupling.options import Run
from coupling.plan.build import Built
from coupling.plan.graph import type_code

BY_INSTANCES = "by the FMUs"
BY_TAPE = "by a tape of their equations"
BY_CODE = "by compiled code of their equations"


def begin_fused(session: Session) -> None:
    """Fused code takes the place of the instances where it can and may; to be called at the start of a run."""
    session.evaluated, session.not_compiled = BY_INSTANCES, ""
    if not session.run.compiled:
        return
    tapes = _tapes(session)
    if not isinstance(tapes, Taped):
        session.not_compiled = str(tapes)
        return
    code = session.program.compiled if session.run.compiled is True else None
    if isinstance(code, Compiled):
        fuse(session.kernel, _rows(session, code.taped, code.functions))
        session.evaluated = BY_CODE
    else:
        fuse(session.kernel, _rows(session, tapes, {}))
        session.evaluated, session.not_compiled = BY_TAPE, "" if code is None else str(code)


def _tapes(session: Session) -> Taped | NotFused | str:
    """The equations of the run, or why it has none."""
    if session.kernel.library is not library:
        return "the equations are for runs with isolate='none'"
    if not _may(session.run, session.built):
        return "the run asks the FMUs for more than derivatives between its events"
    return session.program.fused


def _may(run: Run, built: Built) -> bool:
    """Whether a run asks instances for nothing else between its events."""
    plain = run.communication_step is None and not run.sensitivities and run.multipliers == "simultaneous"
    return plain and not built.enforced and not built.switched


def not_compiled(session: Session) -> str:
    """What a run says that was to be evaluated by its equations and is not, or not as it was asked."""
    return (
        f"compiled = {session.run.compiled!r}: {session.not_compiled}; derivatives were found {session.evaluated}"
        if session.not_compiled
        else ""
    )


def told(session: Session) -> str:
    """How the derivatives of a run were found."""
    if session.kernel.fused is None:
        return session.evaluated
    found = report(session.kernel)
    if not math.isnan(found.given_up):
        return f"{session.evaluated} up to t = {found.given_up:.6g} s, where the FMUs said otherwise, and by these after that"
    return session.evaluated


def _rows(session: Session, tapes: Taped, functions: Mapping[Stage, int]) -> FusedRows:
    first, slots = tapes.first, dict[str, Sequence[int]]()
    _check_patterns(session, tapes)
    slots["entry"], slots["right"] = tapes.entries, tapes.right
    slots["unknown"] = range(first[Region.UNKNOWNS], first[Region.UNKNOWNS] + len(tapes.pivots))
    slots["position"], slots["velocity"] = tapes.positions, tapes.velocities
    slots["pivot"], slots["diagonal"], slots["derivative"] = tapes.pivots, tapes.diagonals, tapes.derivatives
    slots["mobility"] = [tapes.mobility.get(key, -1) for key in _mobile(session, tapes)]
    return FusedRows(
        stages=(*EVALUATION, Stage.READING),
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
        solves=tapes.symmetric,
        slots=slots,
        x_read=tapes.x_read,
    )


def _readings(built: Built, variables: Sequence[tuple[int, str]], first: int) -> list[Reading]:
    """What to get from instances, in calls of one type of one instance."""
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
    """Compressed rows of a loop."""
    numbers, count = session.rows.numbers, row["mobile"] if start == "mobile_start" else row["unknowns"]
    starts = numbers[row[start] : row[start] + count + 1]
    yield starts
    for name in names:
        yield numbers[row[name] : row[name] + starts[-1]]


def _check_patterns(session: Session, tapes: Taped) -> None:
    for row, loop in zip(session.rows.mappings("loop"), tapes.loops, strict=True):
        starts, columns = _arrays(session, row, "row_start", "column")
        assert list(starts) == list(loop.row_start) and list(columns) == list(loop.columns), "the same Jacobian"


def _mobile(session: Session, tapes: Taped) -> Iterable[tuple[int, int]]:
    """State and unknown of each entry of the mobility of all loops."""
    for row, loop in zip(session.rows.mappings("loop"), tapes.loops, strict=True):
        if row["mobile"] <= 0:
            continue
        starts, columns = _arrays(session, row, "mobile_start", "mobile_column")
        states = session.rows.numbers[row["mobile_state"] : row["mobile_state"] + row["mobile"]]
        for i, state in enumerate(states):
            for column in columns[starts[i] : starts[i + 1]]:
                yield int(state), loop.first + int(column)
