"""Explicit steps: multipliers are solved for at the points, from residuals at acceleration level.

Over the step, inputs continue as polynomials through the last points.
"""

from __future__ import annotations

from coupling.live.interval import Interval
from coupling.live.pausing import Integration
from coupling.live.session import Session
from coupling.options import Run
from coupling.plan.cosimulation.capabilities import is_lone, most_degrees, unable
from coupling.schemes.base.communication import run_communication_steps
from coupling.schemes.base.course import run_course
from coupling.schemes.base.scheme import CouplingScheme
from coupling.schemes.base.step_control import control_of
from coupling.schemes.base.stepper import require


class ExplicitScheme(CouplingScheme):
    """Couples by explicit steps, in the kernel alone if possible."""

    def __init__(self, *, in_turn: bool) -> None:
        self.in_turn = in_turn

    def couple(self, session: Session, run: Run, interval: Interval | None) -> Integration:
        if interval is None and not control_of(run.coupling.step_control).changes_steps:
            return run_course(session, run, in_turn=self.in_turn)
        stepper = ExplicitStepper(session, run, interval, in_turn=self.in_turn)
        return run_communication_steps(stepper, scheme=self, session=session, run=run, interval=interval)


class ExplicitStepper:
    """Makes one explicit step after another."""

    def __init__(self, session: Session, run: Run, interval: Interval | None, *, in_turn: bool) -> None:
        self.interval, self.kernel, self.in_turn = interval, session.kernel, in_turn
        self.extrapolation = min(run.coupling.extrapolation, max(most_degrees(session.built), default=0))
        self.order = run.coupling.extrapolation + 1
        self.past: tuple = ()
        self.beside: tuple = ()
        self.irrevocable, self.lone = bool(unable(session.built, "save_state")), is_lone(session.built)

    def begin(self, restart: bool) -> None:
        """Notes the values that arrive at inputs."""
        self.kernel.note_inputs(restart)

    def step(self, h: float) -> float:
        """Takes all Co-Simulation instances a step further, then the instances that are integrated beside them."""
        kernel, t = self.kernel, self.kernel.time
        if not self.irrevocable:
            require(kernel.save(0))
        self._step_instances(h)
        early = kernel.counts.earliest
        if early < t + h and self.lone:
            h = early - t
            kernel.cut_step(t, early)
        elif early < t + h:
            require(kernel.restore(0))
            kernel.set_align(False)
            h = early - t
            self._step_instances(h)
            kernel.set_align(True)
        if self.interval:
            require(self.interval.advance(t, h), self.interval.session)
        return t + h

    def _step_instances(self, h: float) -> None:
        require(self.kernel.explicit_step(h, self.extrapolation, self.in_turn, self.irrevocable))
