"""The bordered equations of implicit steps from the graph of a system, where a run is evaluated by the graph instead of the FMUs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from coupling.kernel.equations.open import OpenStructure, open_structure, set_fused_open
from coupling.kernel.rows.rows import Rows
from coupling.live.derivatives.bordered import bordered_rows
from coupling.live.derivatives.slopes import by_graph
from coupling.live.session import Session
from coupling.plan.kept import OF_POSITION, OF_RESIDUAL, Kept
from coupling.plan.projection import Held


def begin_open(session: Session, kept: Sequence[Kept]) -> None:
    """Gives the kernel the bordered equations from the graph where possible; to be called after fused code was set."""
    reading = session.built.reading
    known = reading is not None or all(each.level == OF_RESIDUAL for each in kept)
    if known and by_graph(session):
        read = reading.constraints if reading else ()
        set_fused_open(session.kernel, session.once("open equations", lambda: _structure(session, bordered_rows(session), kept, read)))


def _structure(session: Session, rows: Rows, kept: Sequence[Kept], read: Sequence[Held]) -> OpenStructure:
    found, states, unknowns = session.program.open_equations, session.built.states, len(kept)
    positions, velocities = _levels(session, read, states + unknowns)
    rows_of_kept = [
        states + i if each.level == OF_RESIDUAL else (positions if each.level == OF_POSITION else velocities)[i]
        for i, each in enumerate(kept)
    ]
    rows_of_kept += [velocities[i] for i, each in enumerate(kept) if each.position and each.velocity]
    places = [*range(states), *rows_of_kept]
    return open_structure(
        session.kernel,
        found.values_code,
        found.slopes_code,
        found.initial,
        given=found.given,
        derivative=found.values[:states],
        violation=[found.values[row] for row in rows_of_kept],
        entry=[found.slopes.get((places[row], column), -1) for row, column in _pattern(rows, len(places))],
    )


def _levels(session: Session, read: Sequence[Held], first: int) -> tuple[dict[int, int], dict[int, int]]:
    """Returns, by number of an unknown, the rows of its position and velocity among those of the graph."""
    firsts, count = [], 0
    for loop in session.schedule.loops:
        firsts.append(count)
        count += len(loop.unknowns)
    numbers = [firsts[each.loop] + each.unknown for each in read]
    positions = {number: first + i for i, number in enumerate(numbers)}
    return positions, {number: row + len(numbers) for number, row in positions.items()}


def _pattern(rows: Rows, count: int) -> Iterator[tuple[int, int]]:
    """Yields row and column of each entry of the bordered equations' Jacobian, in its order."""
    (row,) = rows.mappings("bordered")
    starts = rows.numbers[row["row_start"] : row["row_start"] + count + 1].tolist()
    columns: Iterable[int] = rows.numbers[row["column"] : row["column"] + starts[-1]].tolist()
    numbers = (number for number, (a, b) in enumerate(pairwise(starts)) for _ in range(a, b))
    return zip(numbers, columns, strict=True)
