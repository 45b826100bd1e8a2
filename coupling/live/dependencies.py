"""Whether FMUs keep to the dependencies that they declare, by which their values are ordered."""

from __future__ import annotations

import numpy as np

from coupling.errors import Inconsistent
from coupling.kernel.instance import WARNING
from coupling.kernel.status import Status
from coupling.live.session import Session
from coupling.outcome import Ending, Outcome
from coupling.plan.schedule import Kind


def check_dependencies(session: Session) -> None:
    """After an evaluation, no value that was passed on may have changed since its reader got it."""
    built = session.built
    for operation in (o for part in (session.schedule.operations, *(x.operations for x in session.schedule.loops)) for o in part):
        if operation.kind is not Kind.GET or operation.type != 0 or built.parts[operation.index].stepped:
            continue
        status, now = session.instances[operation.index].get(0, operation.references)
        where = operation.places or range(operation.first, operation.first + len(now))
        then = session.kernel.slots[list(where)]
        scale = 1e-12 * (np.abs(then) + np.abs(now))
        if status <= WARNING and (np.abs(now - then) > scale).any():
            i = int(np.argmax(np.abs(now - then) - scale))
            part = built.parts[operation.index]
            name = part.fmu.by_reference[operation.references[i]].name
            raise Inconsistent(
                f"'{part.name}.{name}' ({part.fmu.path.name}) changed from {then[i]:g} to {now[i]:g} when inputs were set on which, by the FMU's "
                "own model structure, it does not depend; correct the dependencies in its modelDescription.xml, or leave them out"
            )


def check_end(session: Session, outcome: Outcome) -> None:
    """The same at the end of a run, of which the start may have shown nothing."""
    kernel = session.kernel
    if outcome.completed and kernel.evaluate(session.run.stop_time, kernel.slots[: session.built.states].copy()) is Status.DONE:
        try:
            check_dependencies(session)
        except Inconsistent as error:
            outcome.ending, outcome.sentence = Ending.INCONSISTENT, f"the result is not to be trusted: {error}"
