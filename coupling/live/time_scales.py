"""Time scales of events that error control does not see: periods of drives, and angles that turn far within one step."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from coupling.plan import formulas
from coupling.plan.drives import Drive, FormulaDrive, PiecesDrive

if TYPE_CHECKING:
    from coupling.live.session import Session
    from coupling.options import Run

_PER_PERIOD = 8
"""Steps in a period of a drive."""
_ANGLE = "rad"


def paced(session: Session, run: Run) -> Run:
    """Returns a run whose steps see the periods of drives, if there are event indicators."""
    if not any(part.structure.indicators for part in session.built.parts):
        return run
    shortest = min((period(drive) for _, drive in session.built.drives), default=math.inf)
    return replace(run, max_step=min(run.max_step, shortest / _PER_PERIOD))


def period(drive: Drive) -> float:
    """Returns the shortest period of a drive, in seconds; infinite where it is not known."""
    if isinstance(drive, FormulaDrive):
        return min((2 * math.pi / fast for fast in _frequencies(drive.tree, "") if fast > 0), default=math.inf)
    if isinstance(drive, PiecesDrive):
        values = np.append(drive.coefficients[:, 0], drive.outside[1])
        turns = drive.times[1:-1][np.diff(np.sign(np.diff(values))) != 0]
        return 2 * float(np.diff(turns).min()) if len(turns) > 1 else math.inf
    return math.inf


def _frequencies(tree: Any, name: str) -> Iterator[float]:
    """Yields the angular frequencies of sines and cosines whose argument is linear in time."""
    if not isinstance(tree, tuple):
        return
    if tree[0] in ("sin", "cos"):
        speed = formulas.rate(tree[1], name)
        if isinstance(speed, float):
            yield abs(speed)
    for each in tree[1:]:
        yield from _frequencies(each, name)


def watch_angles(session: Session) -> None:
    """Tells the kernel which angles events may depend on: states and drives of instances that have indicators, and of those that feed them."""
    built = session.built
    parts = [i for i, part in enumerate(built.parts) if part.structure.indicators]
    if not parts:
        return
    near = {source.part for target, sources in built.schedule.graph.wires.items() if target.part in parts for source in sources} | set(
        parts
    )
    found = [
        part.first_state + k
        for i, part in enumerate(built.parts)
        if i in near
        for k, reference in enumerate(part.states)
        if part.fmu.by_reference[reference].unit == _ANGLE
    ]
    found += [
        -1 - number
        for number, (target, _) in enumerate(built.drives)
        if target.part in near and built.parts[target.part].fmu.by_reference[target.reference].unit == _ANGLE
    ]
    session.kernel.watch_angles(np.array(found, dtype=np.int32))
