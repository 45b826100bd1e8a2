"""Solvers that take one step at a time, driven by the kernel, which handles outputs and events; and the ends of their runs.

A solver comes as a :class:`Stepper`. It sees the system through :class:`Equations`, whose functions it may call at any point. A value that
the system does not give at a point is NaN, and every solver then returns with a smaller step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import NoReturn, Protocol

import numpy as np

from coupling.kernel.runs.integrator import CalledMethod, IntegratorStructure
from coupling.kernel.system.status import Status
from coupling.live.bounds import watch_bounds
from coupling.live.checkpoints import begun, kept, looked, pace
from coupling.live.derivatives.linearise import NoDerivative
from coupling.live.failures import interrupted, too_fine
from coupling.live.failures import outcome as outcome_of
from coupling.live.pausing import Course, Integration, PausedSteps
from coupling.live.session import Session
from coupling.live.successive import ByDirections
from coupling.live.tolerances import state_tolerances
from coupling.live.unwritten import sentences
from coupling.live.value_limits import limit_values
from coupling.options import Run
from coupling.outcome import KEPT, Ending, Outcome
from coupling.progress import watched
from coupling.solvers.base.inside import AT_A_TIME, next_chunk, standing


class Stepper(CalledMethod, Protocol):
    """A solver as the kernel drives it."""

    rejected: int

    @property
    def jacobians(self) -> int:
        """Number of evaluations of the system's derivatives that the solver has asked for."""


class SteppedInC(ABC):
    """A solver that the kernel calls in C."""

    structure: IntegratorStructure

    @property
    @abstractmethod
    def rejected(self) -> int: ...

    @property
    @abstractmethod
    def jacobians(self) -> int:
        """Number of evaluations of the system's derivatives that the solver has asked for."""

    @abstractmethod
    def raise_why(self) -> NoReturn:
        """Raises the error for which the solver has ended the run."""


class Stopped(Exception):
    """The kernel met an error that no smaller step can avoid."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.name)
        self.status = status


class GaveUp(Exception):
    """A solver cannot go on; the text says why, as a sentence without its stop."""


NOT_FINITE = "it ended in numbers that are not finite"


class Equations:
    """A system's equations as a solver calls them."""

    def __init__(self, session: Session) -> None:
        self.session, self.kernel = session, session.kernel
        self.kernel.set_fast(False)
        self.states = session.built.states
        self.projected = session.projects
        """True if derivatives are taken at the states that satisfy the constraints."""
        self.kernel.set_projection(session.rows, self.projected)
        self._by_directions = None if session.run.form == "multipliers" else ByDirections(session)

    @property
    def by_kernel(self) -> bool:
        """True if the kernel computes the derivatives directly."""
        return self._by_directions is None

    def check(self, status: Status) -> bool:
        """Says whether the system has values; raises the error of a user's function, and Stopped if the run ends."""
        if status is Status.DONE:
            return True
        if self.session.running.raised is not None:
            raise self.session.running.raised
        if status is Status.RETRY:
            return False
        raise Stopped(status)

    def require(self, status: Status) -> None:
        """Raises Stopped if the system has no values at a point that needs them."""
        if not self.check(status):
            raise Stopped(Status.RETRY)

    def derivatives(self, t: float, x: np.ndarray, dx: np.ndarray) -> None:
        """Computes the derivatives of the states into ``dx``, all NaN if they do not exist."""
        if not self.evaluate(t, x, dx):
            dx[:] = np.nan

    def evaluate(self, t: float, x: np.ndarray, dx: np.ndarray) -> bool:
        """Computes the derivatives into ``dx``, and says whether they exist."""
        if self._by_directions:
            status, z = self._by_directions.multipliers(t, x)
            return self.check(status) and self.check(self.kernel.residuals(t, x, z, dx, np.zeros(len(z))))
        return self.check((self.kernel.projected_derivatives if self.projected else self.kernel.derivatives)(t, x, dx))

    def residuals(self, t: float, x: np.ndarray, z: np.ndarray, dx: np.ndarray, r: np.ndarray) -> bool:
        """Computes derivatives with given unknowns, and residuals, and says whether they exist."""
        return self.check((self.kernel.projected_residuals if self.projected else self.kernel.residuals)(t, x, z, dx, r))

    def arrive(self, t: float, x: np.ndarray) -> np.ndarray:
        """Evaluates everything at a point that has been accepted; returns its states, which satisfy the constraints if they are to."""
        if self.projected:
            x = x.copy()
            self.require(self.kernel.project(t, x))
        self.require(self.kernel.evaluate(t, x))
        return x

    @property
    def present_derivatives(self) -> np.ndarray:
        return self.kernel.slots[self.session.schedule.derivatives]


def integrate(session: Session, run: Run, name: str, make: Callable[[Equations, Run], Stepper | SteppedInC]) -> Integration:
    """Runs the system by a solver, of that name."""
    equations, run = Equations(session), session.program.paced(run)
    return (yield from _Drive(equations, run, name, make(equations, run) if equations.states else _Nothing(run)).outcome())


class _Nothing:
    """Solver of a system without states."""

    def __init__(self, run: Run) -> None:
        self._longest, self.rejected, self.jacobians = run.max_step, 0, 0
        self._t = self._limit = self._first = 0.0

    def restart(self, t: float, x: np.ndarray, limit: float, first: float) -> None:
        self._t, self._limit, self._x, self._first = t, limit, x, first

    def step(self) -> float:
        self._t = min(self._limit, self._t + min(self._longest, self._first))
        self._first = np.inf
        return self._t

    def state(self, t: float) -> np.ndarray:
        return self._x

    def go_on(self, limit: float) -> None:
        self._limit = limit


class _Checked:
    """A solver in Python as the kernel calls it."""

    def __init__(self, stepper: Stepper) -> None:
        self._step, self.restart, self.state, self.go_on = stepper.step, stepper.restart, stepper.state, stepper.go_on

    def step(self) -> float:
        t = self._step()
        if not np.isfinite(self.state(t)).all():
            raise GaveUp(NOT_FINITE)
        return t


_CHUNK = 20
"""Steps that a solver in C takes before the first check of its duration."""


class _Drive:
    """A run of the kernel by a solver."""

    def __init__(self, equations: Equations, run: Run, name: str, stepper: Stepper | SteppedInC) -> None:
        self._equations, self._run, self._name, self._stepper = equations, run, name, stepper
        self._session, self._kernel = equations.session, equations.kernel
        times = run.times()
        self._begins = bool(len(times) and times[0] <= run.start_time)
        """True if the start is to be recorded."""
        later = np.ascontiguousarray(times[int(self._begins) :])
        span = run.start_time, run.stop_time, later
        if isinstance(stepper, SteppedInC):
            self._begun, self._chunk = self._kernel.begin_in_c(stepper.structure, *span), _CHUNK
        else:
            self._begun, self._chunk = self._kernel.begin_outside(_Checked(stepper), *span), 1

    def outcome(self) -> Integration:
        """Runs until it ends, and says how."""
        outcome, stepper = (yield from self._outcome()), self._stepper
        outcome.counts = {"steps": self._kernel.steps, "rejected": stepper.rejected, "jacobians": stepper.jacobians}
        return outcome

    def _outcome(self) -> Integration:
        run = self._run
        try:
            with watched(run) as show:
                yield from self._advance(show)
            kept(self._session, Status.DONE)
        except KeyboardInterrupt as interrupt:
            kept(self._session, Status.PAUSED)
            return interrupted(self._session, self._kernel.reached, interrupt)
        except Stopped as stop:
            if stop.status is Status.UNTIL:
                kept(self._session, standing(self._session, stop.status))
            return outcome_of(self._session, stop.status, self._kernel.reached)
        except NoDerivative as error:
            return Outcome(
                Ending.FMU_FAILED,
                f"stopped at t = {self._kernel.reached:.9g} s: {error}; choose a solver that does without derivatives, such as 'dopri5'. {KEPT}",
            )
        except GaveUp as error:
            return self._gave_up(str(error))
        if self._kernel.reached < run.stop_time and self._kernel.steps >= run.max_steps:
            return Outcome(
                Ending.TOO_MANY_STEPS,
                f"stopped at t = {self._kernel.reached:.9g} s after max_steps = {run.max_steps} steps; raise max_steps, or loosen rtol = {run.rtol:g} or "
                f"atol. {KEPT}",
            )
        return outcome_of(self._session, Status.DONE, self._kernel.reached)

    def _gave_up(self, why: str) -> Outcome:
        """Returns the outcome of a solver that gave up. The system's failure is the reason; without one, it is the solver's own."""
        if Status(self._kernel.failure.kind) is not Status.DONE:
            return outcome_of(self._session, Status.RETRY, self._kernel.reached)
        fastest = "; ".join(["", *sentences(self._fastest)])
        return Outcome(
            Ending.SOLVER_FAILED,
            f"stopped at t = {self._kernel.reached:.9g} s: {self._name} failed: {why}{fastest}; its derivative may have a singularity or a jump "
            f"without an event there{too_fine(self._run)}. {KEPT}",
        )

    def _fastest(self) -> str:
        with suppress(Stopped):
            x = self._kernel.present
            self._equations.arrive(self._kernel.reached, x)
            allowed = state_tolerances(self._session, self._run) + self._run.rtol * np.abs(x)
            rate = np.abs(self._equations.present_derivatives) / allowed
            return f"'{self._session.label(int(np.argmax(rate)))}' changes fastest"
        return ""

    def _advance(self, show: Callable[[float, int], None]) -> Course[None]:
        kernel, run, pause = self._kernel, self._run, self._session.running.pause
        self._require(self._begun)
        kernel.watch_angles(self._session.program.watched_angles)
        watch_bounds(self._session)
        limit_values(self._session, self._session.x)
        if self._begins:
            self._equations.arrive(run.start_time, self._session.x)
            self._require(kernel.record())
        self._require(kernel.restart(run.start_time, self._session.x))
        begun(self._session, Status.DONE)
        if kernel.reached > run.start_time:  # the method itself keeps nothing
            self._require(kernel.restart(kernel.reached, kernel.present))
        longest = pace(self._session, AT_A_TIME)
        chunk = 1 if longest < AT_A_TIME else self._chunk
        while kernel.reached < run.stop_time and kernel.steps < run.max_steps:
            if kernel.reached >= pause.time:
                sent = yield PausedSteps(self._session, forgets=True)
                if sent is not None and sent is not Status.PAUSED:
                    self._require(sent)
                    return
                continue
            began = perf_counter()
            status = kernel.advance(min(chunk, run.max_steps - kernel.steps))
            if status is not Status.PAUSED:
                self._require(status)
            show(kernel.reached, kernel.steps)
            if self._chunk > 1 and kernel.reached < pause.time:
                chunk = next_chunk(chunk, longest, perf_counter() - began)
            looked(self._session, status)

    def _require(self, status: Status) -> None:
        if status is Status.STOPPED and isinstance(self._stepper, SteppedInC):
            self._stepper.raise_why()
        if status is Status.STOPPED:
            self._kernel.raise_kept()
        self._equations.require(status)
