"""The course of a co-simulation from one communication point to the next, for every scheme and every step control."""

from __future__ import annotations

from collections.abc import Sequence

from coupling.kernel.system.status import Status
from coupling.live.checkpoints import Kept, begun, kept, looked
from coupling.live.failures import interrupted
from coupling.live.interval import Interval
from coupling.live.pausing import Integration
from coupling.live.session import Session
from coupling.options import Run
from coupling.progress import watched
from coupling.schemes.base import failures
from coupling.schemes.base.divergence import ended
from coupling.schemes.base.points import PausedPoints, Points
from coupling.schemes.base.requests import request_returns
from coupling.schemes.base.scheme import CouplingScheme
from coupling.schemes.base.step_control import StepControl, control_of
from coupling.schemes.base.stepper import CommunicationStepper, CouplingStopped


def run_communication_steps(
    stepper: CommunicationStepper, *, scheme: CouplingScheme, session: Session, run: Run, interval: Interval | None
) -> Integration:
    """Runs the system by steps of a stepper."""
    points = Points(stepper, session, run, interval)
    control = control_of(run.coupling.step_control)(points)
    control.refuse(scheme)
    outcome = yield from _walked(points, control, session, run, (points, control, *stepper.beside, *([interval] if interval else [])))
    outcome.counts = {"steps": points.steps, "rejected": points.rejected}
    return outcome


def _walked(points: Points, control: StepControl, session: Session, run: Run, beside: Sequence[Kept]) -> Integration:
    pause = session.running.pause
    try:
        points.start(control.first_size)
        begun(session, Status.DONE, *beside)
        with watched(run) as show:
            request_returns(session, show)
            try:
                while points.t < run.stop_time and points.steps < run.max_steps:
                    points.look()
                    if points.t >= pause.time:
                        if (yield PausedPoints(points, beside)) is Status.DONE:
                            break
                        continue
                    control.advance()
                    pause.time = points.t if pause.stepwise else pause.time
                    show(points.t, points.steps)
                    looked(session, Status.PAUSED, *beside)
                points.look()
            except KeyboardInterrupt as interrupt:
                kept(session, Status.PAUSED, *beside)
                points.record_last()
                return interrupted(session, points.t, interrupt)
        status = Status.PAUSED if points.t < run.stop_time and points.steps >= run.max_steps else Status.DONE
        kept(session, status, *beside)
        if status is Status.PAUSED:
            points.record_last()
    except CouplingStopped as stopped:
        if stopped.status is Status.UNTIL:
            kept(session, Status.DONE, *beside)
        which = stopped.session or session
        status = Status(which.kernel.failure.kind) if stopped.status is Status.RETRY else stopped.status
        return ended(which, status, points.t)
    except failures.StepUnsolved as unsolved:
        return failures.not_solved(unsolved)
    return ended(session, status, points.t)
