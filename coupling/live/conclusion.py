"""Warnings and notes on a run that has ended, in addition to its ending.

``conclude`` adds sentences that follow from the session, ``judge`` adds warnings that follow from the recorded rows. ``simulate.py`` calls
both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from coupling.errors import listed
from coupling.kernel.hosts.hosted import HostDied, HostedLibrary
from coupling.live.bounds import out_of_bounds
from coupling.live.dependencies import check_end
from coupling.live.enforcement import jumps, takeovers
from coupling.live.failures import out_of_memory
from coupling.live.isolation.lost_processes import lost, lost_after_run, lost_afterwards
from coupling.live.recording import no_rows
from coupling.live.session import Session
from coupling.live.successive import idle
from coupling.live.switching import impacts_warned
from coupling.live.until import never_met
from coupling.live.unwritten import attempted, sentences
from coupling.live.violations import violated
from coupling.live.warnings import coarse, not_finite, warnings
from coupling.outcome import Outcome
from coupling.plan.cosimulation.capabilities import unable
from coupling.plan.degrees import in_degrees
from coupling.record import Numbers, Record


def broken_off(session: Session, error: Exception) -> Outcome:
    """Returns the outcome of a run that an error has ended; raises one that is not of the process in which the run was, nor of memory.

    An answer of that process that makes no sense is an error of any type in the code that reads it.
    """
    library = session.kernel.library
    if isinstance(error, HostDied):
        return lost(library, error.death, session.kernel.time)
    if isinstance(error, MemoryError):
        return out_of_memory(session.kernel.time)
    ours = type(error).__module__.startswith(("coupling", "fmu_components"))
    if not isinstance(library, HostedLibrary) or error is session.running.raised or ours or isinstance(error, OSError):
        raise error
    return lost(library, library.give_up(), session.kernel.time)


def rows_of(session: Session, outcome: Outcome, read: Callable[[], Numbers]) -> tuple[Outcome, Numbers]:
    """Returns an outcome and the rows of its run. If the process of the run has damaged its rows, there are none, and the outcome says so."""
    try:
        return outcome, read()
    except HostDied as error:
        if outcome.completed:
            outcome = replace(lost(session.kernel.library, error.death, session.kernel.time), warnings=outcome.warnings)
        outcome.warnings.append("an FMU has overwritten the rows of this run, so the result has none; record_to keeps them in a file")
        return outcome, no_rows(session)


def lost_when_freed(session: Session) -> list[str]:
    """Returns a warning where instances have not survived being freed."""
    library = session.kernel.library
    if library.is_lost:
        return [lost_afterwards(library)]
    return [lost_after_run(*session.lost_when_freed)] if session.lost_when_freed else []


def conclude(session: Session, outcome: Outcome, warned: Sequence[str], given: Sequence[tuple[int, str]]) -> None:
    """Adds the sentences of instances and kernel to an outcome; ``given`` are the start values of this run alone."""
    built = session.built
    outcome.warnings += warned
    if session.kernel.library.is_lost:
        return
    try:
        attempted(outcome.warnings, None, check_end, session, outcome)
        for make in (warnings, jumps, idle, impacts_warned):
            outcome.warnings += sentences(make, session)
        outcome.notes += [*built.notes, *sentences(_degrees, session, given), *sentences(built.overruled, given)]
        outcome.notes += sentences(never_met, session, outcome)
        for make in (takeovers, _shared, _left, _events_alone, _compiled, _effects):
            outcome.notes += sentences(make, session)
    except HostDied:
        outcome.warnings.append(lost_afterwards(session.kernel.library))


def _degrees(session: Session, given: Sequence[tuple[int, str]]) -> Sequence[str]:
    """Returns a note on start values of this run that look like degrees."""
    parts, values = session.built.parts, session.running.values
    fmus = {parts[part].name: parts[part].fmu for part, _ in given}
    return in_degrees(fmus, [(parts[part].name, name, values.get((part, name))) for part, name in given])


def _shared(session: Session) -> list[str]:
    """Returns a note on instances that were to have processes of their own."""
    names = [part.name for part in session.built.parts if part.process and session.kernel.library.is_elsewhere]
    return (
        [f"{listed(names)} ran in the process of the whole run (isolate = '{session.run.isolation.which}'), where process changes nothing"]
        if names
        else []
    )


def _left(session: Session) -> list[str]:
    """Returns a note on a memory limit that applied to no FMU."""
    run = session.run
    if run.isolation.memory is None or session.kernel.library.is_elsewhere or any(part.process for part in session.built.parts):
        return []
    return [
        f"memory = {run.isolation.memory:g} had no effect: all FMUs are of this library, and isolate = '{run.isolation.which}' runs them in this process"
    ]


def _events_alone(session: Session) -> list[str]:
    """Returns a note on instances that handled events while the others stepped on, and the reason."""
    counts = {session.built.parts[index].name: session.kernel.events_alone(number) for number, index in enumerate(session.steppers)}
    found = [f"'{name}' ({count})" for name, count in counts.items() if count]
    if not found or len(session.built.parts) == 1:
        return []
    stay, rigid = unable(session.built, "save_state"), unable(session.built, "variable_step")
    why = [f"the state of {listed(stay)} cannot be saved"] if stay else []
    why += [f"steps of {listed(rigid)} have one size"] if rigid else []
    return [
        f"events within steps were handled by {', '.join(found)} alone, and the others learned of them at the next point, because "
        f"{' and '.join(why) or 'the scheme does not go back'}; a smaller communication_step reduces the delay"
    ]


def _compiled(session: Session) -> list[str]:
    """Returns notes on FMUs that were compiled from their sources."""
    parts = (session.built.parts[i] for i in session.built.foreign)
    notes = (part.fmu.compiled.get(part.interface.identifier) for part in parts)
    return list(dict.fromkeys(note for note in notes if note))


_EFFECTS = ("the floating-point mode", "the locale", "the working folder", "the mask of signals")
"""Settings of a process, by the bits of ``effects.h``."""


def _effects(session: Session) -> list[str]:
    """Returns a note on each instance that has changed settings of its process."""
    notes = []
    for index in session.built.foreign:
        part, bits = session.built.parts[index], session.instances[index].effects
        if changed := [name for bit, name in enumerate(_EFFECTS) if bits >> bit & 1]:
            notes.append(f"'{part.name}' ({part.fmu.path.name}) changed {' and '.join(changed)} of its process, restored after each call")
    return notes


def judge(session: Session, outcome: Outcome, record: Record, loose: Collection[str]) -> None:
    """Adds the warnings that follow from the rows to an outcome."""
    if not session.kernel.library.is_lost:
        outcome.warnings += [*sentences(out_of_bounds, session, record), *sentences(not_finite, session, record)]
        outcome.warnings += [*sentences(coarse, session, record), *sentences(violated, session, record, loose)]
