"""A check that FMUs keep to their declarations: the dependencies by which their values are ordered, and the order of their states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coupling.errors import Inconsistent
from coupling.kernel.fmi.instance import ERROR, WARNING
from coupling.kernel.system.status import Status
from coupling.live.session import Session
from coupling.outcome import Ending, Outcome
from coupling.plan.graph import Part


def check_dependencies(session: Session) -> None:
    """Checks after an evaluation that no value which was passed on has changed since its reader got it."""
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
"""Distance by which states are moved to tell them apart, relative to their size."""


def check_states(session: Session) -> bool:
    """Checks that the vectors of states and of derivatives, which are in the order of the lists, hold the values of the variables.

    To tell the states apart, the check moves each by another length; instances of this library are as they declare. Returns whether
    variables that are passed on or recorded were out of date: until the derivatives were asked for, which then come first, or after that.
    """
    late = False
    for index, part in enumerate(session.built.parts):
        count = len(part.states)
        if part.stepped or session.shares or part.fmu.is_own:
            continue
        instance, derivatives = session.instances[index], part.structure.derivatives
        named = part.fmu.version > 1  # FMI 1 has no variables that are known as states
        found = instance.state_count(count)
        if found == count and any(v.derivative is not None for v in part.fmu.variables.values()):
            found = instance.writes_states(count)
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
            set_, before = instance.move_states(moved), _passed_on(session, index)
            told, vector = instance.derivatives(count)
            asked, values = instance.variables(part.states) if named else (ERROR, x)
            after = _passed_on(session, index)
            if instance.move_states(x) <= WARNING and max(set_, asked) <= WARNING:
                _compare(part, "states", names, moved, values, 0.1 * np.abs(moved - x))
            if told <= WARNING and not np.array_equal(before, after, equal_nan=True):
                instance.read_late()
                late = True
            elif _is_stale(session, index, x):
                instance.read_anew()
                late = True
        status, vector = instance.derivatives(count)
        told, values = instance.variables([each.reference for each in derivatives]) if named else (ERROR, vector)
        if max(status, told) <= WARNING:
            _compare(part, "derivatives", [each.name for each in derivatives], vector, values, 1e-9 * (1 + np.abs(vector)))
    return late


def _is_stale(session: Session, index: int, x: np.ndarray) -> bool:
    """Says whether variables keep old values once the derivatives are asked for, until states or time are set again."""
    instance = session.instances[index]
    told, found = instance.derivatives(len(x))[0], _passed_on(session, index)
    again, fresh = instance.move_states(x), _passed_on(session, index)
    return max(told, again) <= WARNING and not np.array_equal(found, fresh, equal_nan=True)


def _passed_on(session: Session, index: int) -> np.ndarray:
    """Returns real values of an instance that are passed on or recorded, and that no vector gives."""
    given = {each.reference for each in session.built.parts[index].elements}
    asked = [r for each, references, _ in session.program.passed_on if each == index for r in references.tolist() if r not in given]
    asked += [a.reference for a in session.program.recorded_apart if a.part == index and a.type == 0 and a.reference not in given]
    return session.instances[index].variables(asked)[1]


def _compare(part: Part, what: str, names: Sequence[str], vector: np.ndarray, values: np.ndarray, allowed: np.ndarray) -> None:
    """Refuses a vector in another order than the lists. Variables that hold something else are out of date, and the vector counts."""
    wrong = np.flatnonzero(~(np.abs(vector - values) <= allowed) & np.isfinite(vector) & np.isfinite(values))
    if len(wrong) and (np.abs(np.sort(vector) - np.sort(values)) <= allowed[np.argsort(vector)]).all():
        i = int(wrong[0])
        raise Inconsistent(
            f"'{part.name}' ({part.fmu.path.name}) has {vector[i]:.9g} in place {i + 1} of its vector of {what}, where its ModelStructure lists "
            f"'{names[i]}', which is {values[i]:.9g}; list the derivatives in the order of the vector"
        )


def check_end(session: Session, outcome: Outcome) -> None:
    """Repeats the check of dependencies at the end of a run, since the start may have shown nothing."""
    kernel = session.kernel
    if outcome.completed and kernel.evaluate(session.run.stop_time, kernel.slots[: session.built.states].copy()) is Status.DONE:
        try:
            check_dependencies(session)
        except Inconsistent as error:
            outcome.ending, outcome.sentence = Ending.INCONSISTENT, f"the result is not to be trusted: {error}"
