"""Forward sensitivities of a run: shadows of a session, and what derivatives begin with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from coupling.errors import StartError
from coupling.kernel.runs.sensitivity import grazing, set_sensitivities
from coupling.kernel.system.status import Status
from coupling.live.failures import describe
from coupling.live.running import Running
from coupling.live.session import Session, alive
from coupling.live.start import StartValues, start, start_again
from coupling.plan.graph import Part


def begin_sensitivities(session: Session) -> None:
    """Begins sensitivities at the start of a session, from which its run will be differentiated."""
    projects = session.run.stabilisation == "projection"
    for each in (session, *session.shadows):
        each.kernel.set_fast(False)
    for each in session.shadows:
        each.kernel.set_projection(each.rows, projects)
    moved = np.array([each.x - session.x for each in session.shadows]).reshape(len(session.running.parameters), -1, len(session.x))
    parts = session.built.parts
    status = set_sensitivities(
        session.kernel,
        [each.by for each in session.running.parameters],
        [each.kernel for each in session.shadows],
        [reference for part in parts for reference in part.states],
        [_differentiated(part) for part in parts],
        np.array([each.by.weights @ of for each, of in zip(session.running.parameters, moved, strict=True)]),
        session.run.start_time,
        session.x,
    )
    if status is not Status.DONE:
        raise StartError(f"the start cannot be differentiated: {describe(session)}; leave sensitivities out, or correct the cause")


def lost_sensitivities(session: Session) -> list[str]:
    """Returns a warning on the time at which derivatives end."""
    time = grazing(session.kernel)
    if np.isnan(time):
        return []
    return [
        f"at t = {time:.6g} s an event indicator hardly crosses 0, and the derivative of the time of "
        "this event is unreliable; treat sensitivities after it with caution"
    ]


def _differentiated(part: Part) -> list[int]:
    """Returns the variables of which an instance gives derivatives."""
    if not part.interface.directional_derivatives:
        return []
    own = {u.reference for u in (*part.structure.outputs, *part.structure.derivatives, *part.structure.residuals)}
    return [v.reference for v in part.fmu.variables.values() if v.type == "real" and part.fmu.own(v.reference) in own]


Moved = Callable[[tuple[int, str], float], StartValues]
"""The start values of a run with another value of a parameter."""


def shadows_of(session: Session, moved: Moved) -> list[Session]:
    """Returns all of them, made of those that the session has from an earlier run as far as possible; none where one cannot be started."""
    found: list[Session] = []
    waiting = [each for each in session.shadows if alive(each)]
    try:
        for each in session.running.parameters:
            for stride in each.by.strides:
                running = Running(run=session.run, values=moved(each.at, each.value + float(stride)))
                if waiting:
                    found.append(waiting.pop())
                    start_again(found[-1], running)
                else:
                    found.append(start(session.program, running, session.kernel.library))
    except BaseException:
        for shadow in found:
            shadow.free()
        raise
    return found
