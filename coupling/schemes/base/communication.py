"""From one communication point to the next until the end, whatever makes a step and whatever chooses its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coupling.kernel.kernel import Status
from coupling.outcome import Outcome
from coupling.progress import watched
from coupling.schemes.base import failures
from coupling.schemes.base.points import Points
from coupling.schemes.base.step_control import control_of
from coupling.schemes.base.stepper import CommunicationStepper, CouplingStopped

if TYPE_CHECKING:
    from coupling.live.master import Master
    from coupling.options import Run
    from coupling.schemes.base.scheme import Scheme


def run_communication_steps(stepper: CommunicationStepper, scheme: Scheme, master: Master, run: Run) -> Outcome:
    """Runs the system by steps of a stepper."""
    points = Points(stepper, master, run)
    control = control_of(run.step_control)(points)
    control.refuse(scheme)
    try:
        points.start(control.first_size)
        with watched(run) as show:
            try:
                while points.t < run.stop_time and points.steps < run.max_steps:
                    control.advance()
                    show(points.t, points.steps)
            except KeyboardInterrupt:
                points.record_last()
                return failures.interrupted(points.t)
        status = Status.DONE if points.t >= run.stop_time else Status.PAUSED
        if status is Status.PAUSED:
            points.record_last()
    except CouplingStopped as stopped:
        which = stopped.master or master
        assert which.kernel
        status = Status(which.kernel.failure.kind) if stopped.status is Status.RETRY else stopped.status
        return which.outcome(status, points.t)
    except failures.StepUnsolved as unsolved:
        return failures.not_solved(unsolved)
    finally:
        master.solver_statistics = {"steps": points.steps, "rejected": points.rejected}
    return master.outcome(status, points.t)
