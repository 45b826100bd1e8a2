"""Index 3 with projections: implicit steps of fixed size and known cost, at whose ends all constraints hold to rounding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coupling.errors import BuildError
from coupling.kernel.runs.index3 import METHODS, MOST, Index3Options, Index3Report
from coupling.kernel.system.status import Status
from coupling.live import failures
from coupling.live.bounds import watch_bounds
from coupling.live.derivatives.bordered import bordered_rows
from coupling.live.derivatives.open_equations import begin_open
from coupling.live.pausing import Integration
from coupling.live.session import Session
from coupling.live.tolerances import sizes
from coupling.live.unwritten import sentences, total
from coupling.live.value_limits import limit_values
from coupling.options import Run
from coupling.outcome import Outcome
from coupling.plan.kept import OF_POSITION, OF_RESIDUAL, Kept, kept_at_zero
from coupling.solvers.base.inside import advance, record_last
from coupling.solvers.base.solver import SOLVERS, Solver


def begin(session: Session, run: Run) -> Status:
    """Brings the kernel to the first step."""
    kernel, times = session.kernel, run.times()
    kernel.set_fast(False)
    _reactions_at_start(session)
    if len(times) and times[0] <= run.start_time:
        kernel.record()
        times = times[1:]
    kernel.set_projection(session.rows, session.built.reading is not None)
    rows = bordered_rows(session)
    begin_open(session, kept_at_zero(session.built))
    status = kernel.begin_index3(rows, _options(session, run), sizes(session), run.start_time, run.stop_time, np.ascontiguousarray(times))
    if status is Status.DONE:
        kernel.watch_angles(session.program.watched_angles)
        watch_bounds(session)
        limit_values(session, session.x)
    return kernel.restart(run.start_time, session.x) if status is Status.DONE else status


def integrate(session: Session, run: Run) -> Integration:
    """Runs the system by fixed steps."""
    kernel, kept = session.kernel, kept_at_zero(session.built)
    status, interrupted = yield from advance(session, run, begin(session, run))
    report = kernel.index3
    outcome = failures.interrupted(session, kernel.reached, interrupted) if interrupted else _outcome(session, status, kept)
    projected = {"velocity": report.velocity, "energy": report.energy}
    outcome.counts = {
        "steps": kernel.steps,
        "newton_iterations": report.iterations,
        "jacobians": report.iterations,
        "most_newton_iterations": report.most_iterations,
        "factorisations": report.factorisations,
        "projected": projected | ({"reactions": report.difference} if session.program.first_reaction else {}),
    }
    outcome.warnings += sentences(_warnings, session, kept, report)
    record_last(kernel, run, outcome)
    return outcome


def _options(session: Session, run: Run) -> Index3Options:
    asked = run.index3
    assert asked
    return Index3Options(
        step=asked.step_size,
        radius=asked.spectral_radius,
        tolerance=asked.newton_tolerance,
        penalty=asked.penalty if asked.augmented else 0.0,
        method=METHODS.index(asked.method),
        limit=min(asked.iterations if asked.augmented else asked.newton_limit, MOST),
        reactions=session.program.first_reaction,
        tangent=asked.metric == "tangent",
        stepped=asked.velocity_level == "stepped",
    )


def _reactions_at_start(session: Session) -> None:
    """Gives the reactions of projections the values of the multipliers, before the first projection."""
    slots, first, loops = session.kernel.slots, session.program.first_reaction, session.schedule.loops
    if first:
        found = np.concatenate([np.zeros(0), *(slots[loop.first : loop.first + len(loop.unknowns)] for loop in loops)])
        slots[first : first + 2 * len(found)] = [*found, *found]


@total
def _outcome(session: Session, status: Status, kept: list[Kept]) -> Outcome:
    kernel = session.kernel
    if status is Status.STEP_NOT_SOLVED:
        return failures.step_not_solved(session, kernel.reached, kernel.index3.worst, kernel.index3.change)
    if status is Status.STEP_CONTRADICTORY:
        left = np.abs(kernel.index3_violation(len(kept))) * [each.level == OF_POSITION for each in kept] * ~session.off
        names = dict.fromkeys(
            session.built.parts[each.residual.part].name for each, by in zip(kept, left, strict=True) if by > 0.1 * left.max()
        )
        worst = kept[int(left.argmax())].position
        assert worst
        return failures.step_contradictory(session, kernel.reached, list(names), worst, float(left.max()))
    return failures.outcome(session, status, kernel.reached)


def _warnings(session: Session, kept: list[Kept], report: Index3Report) -> Iterator[str]:
    torn = {a for loop in session.schedule.loops for a in loop.unknowns[len(loop.unknowns) - loop.torn :]}
    for each in kept:
        if each.level == OF_RESIDUAL and each.unknown not in torn and not each.follows:
            name, part = session.named(*each.unknown[::2]), session.built.parts[each.unknown.part].name
            yield (
                f"'{name}' is solved from its residual alone, since '{part}' has no outputs position[1] or velocity[1]; its constraint may drift"
            )
    asked = session.run.index3
    if report.unfinished and asked:
        yield (
            f"iterations = {asked.iterations} ended the augmented Lagrangian before newton_tolerance in {report.unfinished} "
            f"steps: penalty = {asked.penalty:g} is small for steps of {asked.step_size:g} s; raise penalty or iterations, or "
            "choose iteration='bordered'"
        )
    if report.ringing >= 0:
        remedy = "Index3(method='generalised-alpha') or Index3(method='trbdf2') damps it"
        yield f"'{session.label(report.ringing)}' rings from step to step, from t = {report.ringing_since:.3g} s on; {remedy}"


FROM_THE_STEP = "whose accuracy follows from step_size"


def _check(run: Run) -> None:
    if run.initial == "relax":
        raise BuildError(
            "initial='relax' leaves a violated start to the joints' own stabilisation, which solver='index3' does without; choose "
            "initial='assemble'"
        )
    finest = 1e-12 * max(abs(run.start_time), 0.0 if run.is_open else abs(run.stop_time))
    assert run.index3 and run.index3.step_size
    if run.index3.step_size < finest:
        raise BuildError(
            f"step_size = {run.index3.step_size:g} s is refused: at such times numbers resolve no less than {finest:g} s; choose a longer one"
        )


SOLVERS.register(
    "index3",
    Solver(
        integrate,
        holds=True,
        without=dict.fromkeys(("rtol", "atol", "max_step"), FROM_THE_STEP),
        check=_check,
        in_c=True,
        embedded=True,
    ),
)
