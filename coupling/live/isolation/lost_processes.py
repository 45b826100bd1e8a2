"""The ending of a run that has lost the process of an FMU, in a sentence that names FMU, call and cause."""

from __future__ import annotations

import signal

from coupling.errors import StartError
from coupling.kernel.hosts.host import Death, DeathKind
from coupling.kernel.platform.own import Library
from coupling.live.unwritten import total
from coupling.outcome import KEPT, Ending, Outcome
from coupling.plan.graph import Part

_CRASHES = {
    signal.SIGSEGV: "segmentation fault",
    signal.SIGBUS: "bus error",
    signal.SIGFPE: "arithmetic exception",
    signal.SIGILL: "illegal instruction",
    signal.SIGABRT: "abort",
    signal.SIGSYS: "a system call that is not allowed",
}

_MOST_PRINTED = 400
"""Letters of what a process has printed that a sentence repeats, the last ones."""


def ending_of(death: Death) -> Ending:
    """Returns the ending of a run whose process ended like this."""
    if death.kind is DeathKind.INTERRUPTED:
        return Ending.INTERRUPTED
    return Ending.TIMED_OUT if death.kind is DeathKind.TIMED_OUT else Ending.PROCESS_DIED


def cause_of(death: Death) -> str:
    """Returns what happened to a process, or to the call that it was in."""
    match death.kind:
        case DeathKind.SIGNALLED if death.signal in _CRASHES:
            return f"crashed ({_CRASHES[signal.Signals(death.signal)]})"
        case DeathKind.SIGNALLED:
            return f"was ended by signal {death.signal}{' (killed, as where memory runs out)' if death.signal == signal.SIGKILL else ''}"
        case DeathKind.EXITED:
            return f"ended its process by exit({death.code})"
        case DeathKind.LEFT:
            return f"ended its process by _exit({death.code})"
        case DeathKind.TIMED_OUT:
            return f"did not return within {death.seconds:.3g} s"
        case DeathKind.INTERRUPTED:
            return f"was interrupted after {death.seconds:.3g} s"
        case DeathKind.DAMAGED:
            return "has overwritten memory that its process shares with this one, and was ended"
    return "has lost its process"


def described(part: Part | None, death: Death, printed: str = "", when: str = "") -> str:
    """Returns the FMU, its call, and the cause as a sentence. ``printed`` is what its process has printed, ``when`` the time that the call
    was for."""
    said = " ".join(printed[-_MOST_PRINTED:].split())
    told = f"; it printed: {said}" if said else ""
    if not death.function and part and part.process:
        return f"the process of '{part.name}' {cause_of(death)} between two calls{told}"
    if not death.function:
        return f"the process of the run {cause_of(death)} outside of calls of FMUs, one of which may have damaged its memory{told}"
    tool = f" of '{part.fmu.generation_tool}'" if part and part.fmu.generation_tool else ""
    name = f"'{part.name}' ({part.fmu.path.name}{tool})" if part else "an FMU"
    return f"{name} {cause_of(death)} in {death.function}{when}{told}"


def remedy_of(part: Part | None, death: Death) -> str:
    """Returns the remedy for the loss of a process."""
    if death.kind is DeathKind.INTERRUPTED:
        return ""
    if death.kind is DeathKind.TIMED_OUT:
        return "raise call_timeout where it needs more"
    other = "cs" if part and not part.stepped else "me"
    can = part and (part.fmu.co_simulation if other == "cs" else part.fmu.model_exchange)
    return f"report it to the makers{f', or try kind={other!r}' if can else ''}"


@total
def died(t: float, part: Part | None, death: Death, printed: str) -> Outcome:
    """Returns the outcome of a run whose process has ended."""
    ending, told = ending_of(death), described(part, death, printed, f" at t = {death.time:.9g} s")
    if ending is Ending.INTERRUPTED:
        return Outcome(ending, f"interrupted at t = {t:.9g} s: {told}. {KEPT}")
    return Outcome(ending, f"stopped at t = {t:.9g} s: {told}; {remedy_of(part, death)}. {KEPT}")


def died_at_start(part: Part | None, death: Death, printed: str) -> BaseException:
    """Returns the exception of a start that has lost its process."""
    if death.kind is DeathKind.INTERRUPTED:
        return KeyboardInterrupt()
    error = StartError(f"the start fails: {described(part, death, printed)}; {remedy_of(part, death)}")
    error.ending = ending_of(death)
    return error


def lost_after_run(part: Part | None, death: Death, printed: str) -> str:
    """Returns a warning on a run that has all its rows."""
    return f"after the run {described(part, death, printed)}; the result is complete"


# -- of a run that is in a host as a whole -------------------------------------------------------------------------------------------


def lost(library: Library, death: Death, t: float) -> Outcome:
    """Returns the outcome of a run that was in the lost process as a whole."""
    return died(t, library.instances.get(death.instance), death, library.printed)


def lost_at_start(library: Library, death: Death, part: Part | None = None) -> BaseException:
    """Returns the exception of the start of a run in the lost process; ``part``: the instance that was being made."""
    return died_at_start(part or library.instances.get(death.instance), death, library.printed)


def lost_afterwards(library: Library) -> str:
    """Returns a warning on a run in the lost process that has all its rows."""
    death = library.death
    return lost_after_run(library.instances.get(death.instance), death, library.printed)
