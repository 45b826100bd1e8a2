"""Fused code in a session: what it takes from instances and loops, and what a run says of it."""

from __future__ import annotations

import math

from coupling.fused.coded import Compiled, compiled, tapes_of
from coupling.fused.compiled import NotCompiled
from coupling.fused.not_fused import NotFused
from coupling.fused.taped import Taped
from coupling.kernel.equations.fused import FusedReport, fuse, report
from coupling.kernel.equations.record import fuse_record
from coupling.live.checkpoints import Way
from coupling.live.fused_structures import structures
from coupling.live.session import Session
from coupling.options import Run
from coupling.plan.build import Built

BY_INSTANCES = "by the FMUs"
BY_TAPE = "by a tape of their equations"
BY_CODE = "by compiled code of their equations"


def begin_fused(session: Session) -> None:
    """Puts fused code in the place of the instances where it can and may; to be called at the start of a run. A run that resumes from a
    checkpoint keeps the way in which it began."""
    session.begin_integration(_fused(session))


def _fused(session: Session) -> Way:
    run, checkpoints = session.run, session.running.checkpoints
    way, why = checkpoints.way if checkpoints else Way()
    if way == BY_INSTANCES or (not way and (run.evaluation == "fmus" or (run.evaluation == "auto" and not _by_default(session)))):
        return Way(BY_INSTANCES, why)
    more = _asks_for_more(run)
    if more:
        return Way(BY_INSTANCES, more)
    if run.evaluation == "compiled" and way != BY_TAPE:
        try:
            _fuse_compiled(session, session.repeated)  # before the tape is asked for, since both are lowered together
            return Way(BY_CODE, why)
        except NotCompiled as error:
            why = str(error)
    tapes = session.program.tapes(session.repeated)
    if not isinstance(tapes, Taped):
        return Way(BY_INSTANCES, str(tapes))
    _fuse(session, tapes)
    return Way(BY_TAPE, why)


def decided(built: Built, run: Run) -> tuple[str, str]:
    """Returns the way that a run takes, as ``evaluation`` has it, and the warning that it would have. It is decided before many runs that
    all take the same way."""
    if run.evaluation in ("auto", "fmus"):
        return run.evaluation, ""
    why = _asks_for_more(run)
    if why:
        return "fmus", _warning(run, why, BY_INSTANCES)
    try:
        if run.evaluation == "compiled":
            if run.isolation.sandbox:
                raise NotCompiled(_SANDBOXED)
            compiled(built)
            return "compiled", ""
    except NotCompiled as error:
        why = str(error)
    except NotFused:
        pass  # which is so of tapes as well
    try:
        tapes_of(built)
    except NotFused as error:
        return "fmus", _warning(run, str(error), BY_INSTANCES)
    return "tape", _warning(run, why, BY_TAPE) if why else ""


def _by_default(session: Session) -> bool:
    """Says whether a run with the default evaluation takes the tape. Its components are then all of this library, so that no FMU of another
    tool is called in another order. Their number is limited, so that the run starts without a long delay."""
    few = len(session.built.parts) <= _MOST_BY_DEFAULT
    return few and session.run.stop_time != session.run.start_time and session.program.all_known


_MOST_BY_DEFAULT = 2500
"""Number of instances, which take some ten seconds to lower."""


_SANDBOXED = "a sandbox opens no files but those of FMUs; leave sandbox out for compiled code"


def _fuse_compiled(session: Session, repeated: tuple[int, ...]) -> None:
    found = session.program.compiled(repeated)
    if not isinstance(found, Compiled):
        raise NotCompiled(str(found))
    try:
        _fuse(session, found)
    except OSError as error:
        if session.run.isolation.sandbox:
            raise NotCompiled(_SANDBOXED) from None
        raise NotCompiled(f"compiled code cannot be loaded in the process of the run ({error})") from None


def _fuse(session: Session, code: Taped | Compiled) -> None:
    evaluation, record = structures(session, code)
    fuse(session.kernel, evaluation)
    fuse_record(session.kernel, record)


def _asks_for_more(run: Run) -> str:
    """Returns what a run asks of the instances between its events, other than derivatives."""
    if run.communication_step is not None:
        return "with a communication_step FMUs integrate by themselves"
    if run.sensitivities:
        return "sensitivities are integrated with the directional derivatives of the FMUs"
    return ""


def not_compiled(session: Session) -> str:
    """Returns the warning of a run that was to be evaluated by its equations and is not, or not as it was asked."""
    way, run = session.running.way, session.run
    return _warning(run, way.not_compiled, way.evaluated) if way.not_compiled and run.evaluation != "auto" else ""


def _warning(run: Run, why: str, way: str) -> str:
    return f"evaluation = {run.evaluation!r}: {why}; derivatives were found {way}"


def given_up(session: Session) -> str:
    """Returns the warning of a run whose fast evaluation was switched off on the way."""
    found = report(session.kernel)
    if math.isnan(found.given_up):
        return ""
    where = f" in '{session.program.label(found.slot)}'" if found.slot in session.program.labels else ""
    return (
        f"fast evaluation ({session.running.way.evaluated}) was switched off at t = {found.given_up:.6g} s: it differed from the FMUs by "
        f"{found.off:.2g}{where}, where terms are {found.size:.2g}; the rest of the run called the FMUs, which takes longer"
    )


def told(session: Session, found: FusedReport) -> str:
    """Returns the way in which the derivatives of a run were found."""
    way = session.running.way.evaluated
    if not math.isnan(found.given_up):
        return f"{way} until t = {found.given_up:.6g} s, where they differed from the FMUs, and from calls of the FMUs after that"
    return way
