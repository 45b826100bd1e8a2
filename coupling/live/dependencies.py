"""Whether FMUs keep to what they declare: the dependencies by which their values are ordered, and the order of their states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coupling.errors import Inconsistent
from coupling.kernel.instance import WARNING
from coupling.kernel.status import Status
from coupling.live.session import Session
from coupling.outcome import Ending, Outcome
from coupling.plan.graph import Part


def check_dependencies(session: Session) -> None:
    """After an evaluation, no value that was passed on may have changed since its reader got it."""
    if not session.program.passed_on:
        return
    statuses, now = session.passed_on.read()
    then = session.kernel.slots.take(session.program.passed_on_slots)
    if now.tobytes() == then.tobytes() or (now == then).all():
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


_NUDGE = 1e-6
"""How far states are moved to see which is which, relative to their size."""


def check_states(session: Session) -> None:
    """The vectors of states and of derivatives, which are in the order of the lists, hold what the variables hold.

    States are told apart by being moved, each by another length; instances of this library are as they declare.
    """
    for index, part in enumerate(session.built.parts):
        count = len(part.states)
        if part.stepped or session.shares or part.fmu.generation_tool.startswith("Jourdain"):
            continue
        instance, derivatives = session.instances[index], part.structure.derivatives
        found = instance.state_count(count)
        if found != count:
            raise Inconsistent(
                f"'{part.name}' ({part.fmu.path.name}) has {found} states, but its ModelStructure lists {count} derivatives; export it again, or "
                "report this to the makers of its tool"
            )
        if not count:
            continue
        status, x = instance.states(count)
        names = [part.fmu.by_reference[reference].name for reference in part.states]
        if status <= WARNING:
            moved = x + _NUDGE * np.arange(1, count + 1) * np.maximum(np.abs(x), 1.0)
            asked = instance.move_states(moved), instance.get(0, part.states)
            if instance.move_states(x) <= WARNING and max(asked[0], asked[1][0]) <= WARNING:
                _compare(part, "states", names, moved, asked[1][1], 0.1 * np.abs(moved - x))
        status, vector = instance.derivatives(count)
        told, values = instance.get(0, [each.reference for each in derivatives])
        if max(status, told) <= WARNING:
            _compare(part, "derivatives", [each.name for each in derivatives], vector, values, 1e-9 * (1 + np.abs(vector)))


def _compare(part: Part, what: str, names: Sequence[str], vector: np.ndarray, values: np.ndarray, allowed: np.ndarray) -> None:
    wrong = np.flatnonzero(~(np.abs(vector - values) <= allowed) & np.isfinite(vector) & np.isfinite(values))
    if len(wrong):
        i = int(wrong[0])
        raise Inconsistent(
            f"'{part.name}' ({part.fmu.path.name}) has {vector[i]:.9g} in place {i + 1} of its vector of {what}, where its ModelStructure lists "
            f"'{names[i]}', which is {values[i]:.9g}; list the derivatives in the order of the vector"
        )


def check_end(session: Session, outcome: Outcome) -> None:
    """The same at the end of a run, of which the start may have shown nothing."""
    kernel = session.kernel
    if outcome.completed and kernel.evaluate(session.run.stop_time, kernel.slots[: session.built.states].copy()) is Status.DONE:
        try:
            check_dependencies(session)
        except Inconsistent as error:
            outcome.ending, outcome.sentence = Ending.INCONSISTENT, f"the result is not to be trusted: {error}"
