"""Explicit Runge-Kutta methods: the kernel integrates, and comes back now and then to show how far it is."""

from __future__ import annotations

from functools import partial

import numpy as np

from coupling.kernel.runs.tableau import Tableau
from coupling.kernel.system.status import Status
from coupling.live.bounds import watch_bounds
from coupling.live.derivatives.sensitivities import begin_sensitivities, lost_sensitivities
from coupling.live.driven import steep_curve, undeclared_jump
from coupling.live.failures import interrupted as interrupted_at
from coupling.live.failures import outcome as outcome_of
from coupling.live.failures import stiffness
from coupling.live.pausing import Integration
from coupling.live.session import Session
from coupling.live.tolerances import state_tolerances
from coupling.live.unwritten import sentences
from coupling.live.value_limits import limit_values
from coupling.options import Run
from coupling.outcome import Outcome
from coupling.solvers.base.inside import advance, record_last
from coupling.solvers.base.solver import Solver


def explicit_method(tableau: Tableau) -> Solver:
    """Returns the solver that runs a tableau."""
    return Solver(partial(integrate, tableau), tableau, in_c=True)


def integrate(method: Tableau, session: Session, run: Run) -> Integration:
    """Runs the system by a tableau."""
    kernel, times = session.kernel, run.times()
    run = session.program.paced(run)
    kernel.set_projection(session.rows, run.stabilisation == "projection")
    if session.program.quiet is not None:
        kernel.set_quiet(session.program.quiet)
    atol = state_tolerances(session, run)
    if session.running.parameters:
        begin_sensitivities(session)
        atol = np.append(atol, np.full(len(session.running.parameters) * len(atol), np.inf))  # their errors choose no steps
    if len(times) and times[0] <= run.start_time:
        kernel.record()
        times = times[1:]
    times = np.ascontiguousarray(times)
    status = kernel.begin_run(method.structure, run.rtol, atol, run.max_step, 0.0, run.start_time, run.stop_time, times)
    if status is Status.DONE:
        kernel.watch_angles(session.program.watched_angles)
        watch_bounds(session)
        limit_values(session, session.x)
        status = kernel.restart(run.start_time, session.x)
    rk = kernel.runge_kutta
    status, interrupted = yield from advance(session, run, status)
    outcome = interrupted_at(session, kernel.reached, interrupted) if interrupted else outcome_of(session, status, kernel.reached)
    outcome.counts = {"steps": rk.steps, "rejected": rk.rejected + rk.refused}
    for make in (_roughness, _stiffness):
        outcome.warnings += sentences(make, session, outcome)
    record_last(kernel, run, outcome)
    if session.running.parameters:
        outcome.warnings += sentences(lost_sensitivities, session)
    return outcome


MANY = 7
"""Attempts that a step over a smooth derivative never takes."""


def _roughness(session: Session, outcome: Outcome) -> str:
    """Returns a warning of the derivative that has had the most attempts of a step rejected. One that is steep has cost steps alone."""
    if outcome.counts["rejected"] < MANY:
        return ""
    count, state, time = session.kernel.roughest()
    passes = any(session.kernel.deficient(loop, True)[0] for loop in range(len(session.schedule.loops)))
    if count < MANY or state < 0 or passes:  # near a singular pose multipliers are uncertain, which another sentence says
        return ""
    rejected = f"the step at t = {time:.6g} s was rejected {count} times because"
    jump = undeclared_jump(session, time) or steep_curve(session, time)
    if not jump and outcome.completed and session.program.all_known and session.kernel.rough_is_steep():
        return ""
    cause = f"of '{session.label(state)}', whose derivative seems to be discontinuous there without an event; let its FMU signal an event"
    return f"{rejected} {jump}" if jump else f"{rejected} {cause}, or treat values after it with caution"


COSTLY, SHARE = 500, 0.25
"""Number of steps that stability has limited, and their share of all, from which a warning is given."""


def _stiffness(session: Session, outcome: Outcome) -> str:
    """Returns a warning of steps that stability and not accuracy has limited."""
    steps = outcome.counts["steps"]
    count = session.kernel.stiffness()[0] if steps >= COSTLY else 0
    if not count or count < max(COSTLY, SHARE * steps):
        return ""
    return f"{stiffness(session)}: in {count} of {steps} steps stability and not accuracy limited the step size; choose solver='cvode'"
