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
    slots = session.kernel.slots
    for index, references, where in session.program.passed_on:
        status, now = session.instances[index].get(0, references)
        then = slots[where]
        if status > WARNING or (now == then).all():
            continue
        excess = np.abs(now - then) - 1e-12 * (np.abs(then) + np.abs(now))
        if (excess > 0).any():
            i = int(np.argmax(excess))
            part = session.built.parts[index]
            name = part.fmu.by_reference[int(references[i])].name
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
