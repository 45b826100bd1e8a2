"""One evaluation of a system as text: at its start, at a pose, or at a time to which a run leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from coupling.analysis.explain import evaluation
from coupling.analysis.explanation import Evaluation, Explanation
from coupling.analysis.pose import Pose
from coupling.errors import AnalysisError, BuildError, InitialStateError, shown
from coupling.live.failures import completed
from coupling.live.pausing import Integration
from coupling.live.session import Session
from coupling.live.violations import check_start_state
from coupling.options import Run
from coupling.options.calls import check_names
from coupling.plan.definition import Value
from coupling.result import Result
from coupling.simulate import Simulator
from coupling.solvers.base.solver import SOLVERS
from coupling.ssp.parameters import start_values_of

_RECORDS = ("stop_time", "outputs", "output_times", "output_interval", "progress")
"""Options of ``simulate`` that mean nothing here: ``at`` is the end, and nothing is recorded."""
_A_WHILE = 1.0
"""Seconds of a run that is not made; its evaluation is chosen as for a run that is."""


def explain(
    system: Any,
    at: float | Mapping[str, float] | Result | None = None,
    start_values: Mapping[str, Value] | str | None = None,
    drives: Mapping[str, float | Callable[[float], float] | Sequence[Sequence[float]] | np.ndarray] | None = None,
    **options: Any,
) -> Explanation:
    """Returns an explanation of one evaluation of the ``system``: ``print`` it, or read ``joints`` row by row.

    It shows the method of derivatives, the stabilisation, violations, multipliers, right sides, factors, redundant constraints and modes.
    ``at`` is a time in seconds, to which a run is made from ``start_time``. It may also be a pose or a result as ``initial`` of
    ``simulate``, which need not satisfy the constraints. A result is explained at its end, with the drives of its run. By default it is the
    start, after assembly. ``start_values``, ``drives`` and ``options`` are those of ``simulate``, such as ``rtol``, ``stabilisation`` or
    ``multipliers``. An impossible evaluation raises AnalysisError or the error of ``simulate``.
    """
    if isinstance(at, Result):
        drives = {**at.drives, **(drives or {})}
    run, pose, time = _asked(system, at, options)
    look = _Look(time, "evaluation" in options)
    simulator = system._simulator or Simulator(system.definition)
    try:
        simulator.prepare(run)
        outcome, _ = simulator.run(run, start_values_of(start_values, system.instances), drives, pose, instead=look)
    except BuildError:
        if system._simulator is None:
            simulator.close()
        raise
    except BaseException:
        system._freeze(simulator)
        raise
    system._freeze(simulator)
    if look.found is None:
        where = "the start cannot be evaluated" if time is None else f"t = {time:g} s cannot be reached"
        raise AnalysisError(f"explain: {where}: {outcome.sentence}")
    told = {each.name: getattr(look.found, each.name) for each in fields(Evaluation)}
    warnings = tuple(dict.fromkeys([*look.violated, *outcome.warnings]))
    return Explanation(**told, stabilisation=outcome.stabilisation, order=look.order, warnings=warnings)


def _asked(system: Any, at: Any, options: Mapping[str, Any]) -> tuple[Run, Mapping[str, Value] | None, float | None]:
    """Returns the run, the pose at which it begins, and the time to which it leads; None for its start."""
    known = [each.name for each in fields(Run) if each.name not in _RECORDS]
    for name in options:
        if name in _RECORDS or name == "communication_step":
            why = (
                "co-simulations have no one evaluation to explain"
                if name == "communication_step"
                else "at is the end, and nothing is recorded"
            )
            raise BuildError(f"explain: {name} is refused: {why}; leave it out")
    check_names("explain", options, known)
    start = options.get("start_time", float(at.time[-1]) if isinstance(at, Result) else Run.start_time)
    if at is None or isinstance(at, int | float | np.integer | np.floating):
        if isinstance(at, bool) or (at is not None and not np.isfinite(at)):
            raise BuildError(f"explain: at = {shown(at)} is refused: give a time in seconds, a pose or a result")
        if at is not None and at < start:
            raise BuildError(f"explain: at = {at:g} s lies before start_time = {start:g} s; give a later time, or an earlier start_time")
        initial = options.get("initial", "assemble")
        pose = None if isinstance(initial, str) else system._pose(initial)
    elif "initial" in options:
        raise BuildError("explain: at is a pose, and so is initial; leave one of the two out")
    elif isinstance(at, Mapping | Result):
        initial, pose = Run.initial, system._pose(at) if isinstance(at, Pose | Result) else system._values(at)
    else:
        raise BuildError(f"explain: at = {shown(at)} is refused: give a time in seconds, a pose or a result")
    time = float(at) if isinstance(at, int | float | np.number) and at > start else None
    stop = start + _A_WHILE if time is None else time
    given = {**options, "start_time": start, "stop_time": stop, "initial": initial if isinstance(initial, str) else Run.initial}
    return Run(**given, outputs=[], output_times=[stop]), pose, time


class _Look:
    """Replacement for the integration in a run: it goes to the requested time, and keeps the evaluation there."""

    def __init__(self, time: float | None, asked: bool) -> None:
        self._time, self._asked = time, asked
        self.found: Evaluation | None = None
        self.order = ""
        self.violated: list[str] = []

    def __call__(self, session: Session, run: Run) -> Integration:
        outcome, t, x = completed(session), run.start_time, session.x
        session.kernel.evaluate(t, x)  # the search for redundant constraints leaves the instances beside the start
        try:
            check_start_state(session)
        except InitialStateError as error:
            if self._time is not None and run.initial != "relax":
                raise
            self.violated = [str(error)]
        if self._time is not None:
            outcome = yield from SOLVERS[run.solver_name].integrate(session, run)
            if not outcome.completed:
                return outcome
            t, x = self._time, session.kernel.present
        self.found = evaluation(session, t, x, self._asked)
        self.order = _order(session, run, self.found)
        return outcome


def _order(session: Session, run: Run, found: Evaluation) -> str:
    """Returns a text on the index of the solved equations, and on the levels at which constraints are kept."""
    torn = sum(loop.torn for loop in session.schedule.loops)
    inputs = f"{torn} {'input' if torn == 1 else 'inputs'} of algebraic loops {'is' if torn == 1 else 'are'} solved for"
    if not found.joints:
        return f"index {int(torn > 0)}: there are no multipliers; {inputs if torn else 'derivatives follow from the states'}"
    return _order_of_constraints(session, run, found) + (f"; {inputs} as well" if torn else "")


def _order_of_constraints(session: Session, run: Run, found: Evaluation) -> str:
    levels = [name for name, has in _LEVELS.items() if any(getattr(each, has) is not None for each in found.joints)]
    kept = " and ".join(levels)
    solved = "these multipliers follow from the accelerations of the constraints"
    if SOLVERS[run.solver_name].holds:
        return f"index 3: each step of the solver ends on the {kept}; {solved} at its end"
    if not levels:
        return f"index 1: {solved}, which alone are known"
    if session.projects:
        return f"index 1: {solved}; each step then ends on the {kept}"
    return f"index 1: {solved}, to which Baumgarte's terms in {kept} are added"


_LEVELS = {"positions": "position", "velocities": "velocity"}
