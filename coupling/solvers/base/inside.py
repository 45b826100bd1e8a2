"""Runs whose steps the kernel takes, coming back now and then to show how far it is."""

from __future__ import annotations

from time import perf_counter

from coupling.kernel.system.kernel import Kernel
from coupling.kernel.system.status import Status
from coupling.live.checkpoints import begun, kept, looked, pace
from coupling.live.pausing import Course, PausedSteps
from coupling.live.session import Session
from coupling.options import Run
from coupling.outcome import Outcome
from coupling.progress import watched

AT_A_TIME = 0.1
"""Seconds between two looks at the clock and at signals."""


def advance(session: Session, run: Run, status: Status) -> Course[tuple[Status, KeyboardInterrupt | None]]:
    """Continues from the status with which a run began. Returns its last status, and what interrupted it, or None."""
    kernel, pause, longest = session.kernel, session.running.pause, pace(session, AT_A_TIME)
    chunk = 20 if longest == AT_A_TIME else 1
    status = begun(session, status)
    with watched(run) as show:
        try:
            if status is Status.DONE and kernel.reached < run.stop_time:
                status = Status.PAUSED
            while status is Status.PAUSED and kernel.steps < run.max_steps:
                if kernel.reached >= pause.time:
                    sent = yield PausedSteps(session)
                    status = status if sent is None else sent
                    continue
                began = perf_counter()
                status = kernel.advance(min(chunk, run.max_steps - kernel.steps))
                show(kernel.reached, kernel.steps)
                spent = perf_counter() - began
                if kernel.reached < pause.time:
                    chunk = next_chunk(chunk, longest, spent)
                looked(session, status)
        except KeyboardInterrupt as interrupt:
            kept(session, status)
            return status, interrupt
    kept(session, standing(session, status))
    return status, None


def standing(session: Session, status: Status) -> Status:
    """Returns a status; a run that its condition has ended within a step stands there then, for a checkpoint."""
    kernel = session.kernel
    if status is Status.UNTIL and session.running.checkpoints:
        return Status(kernel.restart(kernel.reached, kernel.present))
    return status


def next_chunk(chunk: int, longest: float, spent: float) -> int:
    """Returns the number of steps to take before the next look, after ``chunk`` steps that took ``spent`` seconds."""
    return max(1, min(int(chunk * longest / max(spent, 1e-6)), 10 * chunk))


def record_last(kernel: Kernel, run: Run, outcome: Outcome) -> None:
    """Records the last point of a run that did not complete, which explains most."""
    if not outcome.as_asked and kernel.reached > run.start_time and kernel.evaluate(kernel.reached, kernel.present) is Status.DONE:
        kernel.record()
