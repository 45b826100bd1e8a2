"""Whether FMUs keep to the dependencies that they declare, by which their values are ordered."""

from __future__ import annotations

import numpy as np

from coupling.errors import Inconsistent
from coupling.kernel.instance import WARNING
from coupling.kernel.status import Status
from coupling.live.session import Session
from coupling.outcome import Ending, Outcome


def check_dependencies(session: Session) -> None:
    """After an evaluation, no value that was passed on may have changed since its reader got it."""
    if not session.program.passed_on:
        return
    statuses, now = session.passed_on.read()
    then = session.kernel.slots[session.program.passed_on_slots]
    if (now == then).all():
        return
    excess = np.abs(now - then) - 1e-12 * (np.abs(then) + np.abs(now))
    first = 0
    for status, (index, references, _) in zip(statuses, session.program.passed_on, strict=True):
        i = first + int(np.argmax(excess[first : first + len(references)]))
        if status <= WARNING and excess[i] > 0:
            part = session.built.parts[index]
            name = part.fmu.by_reference[int(references[i - first])].name
            raise Inconsistent(
                f"'{part.name}.{name}' ({part.fmu.path.name}) changed from {then[i]:g} to {now[i]:g} when inputs were set on which, by the FMU's "
                "own model structure, it does not depend; correct the dependencies in its modelDescription.xml, or leave them out"
            )
        first += len(references)


def check_end(session: Session, outcome: Outcome) -> None:
    """The same at the end of a run, of which the start may have shown nothing."""
    kernel = session.kernel
    if outcome.completed and kernel.evaluate(session.run.stop_time, kernel.slots[: session.built.states].copy()) is Status.DONE:
        try:
            check_dependencies(session)
        except Inconsistent as error:
            outcome.ending, outcome.sentence = Ending.INCONSISTENT, f"the result is not to be trusted: {error}"
