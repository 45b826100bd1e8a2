"""A run that its user advances piece by piece."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import copy_context
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from coupling import rows_file
from coupling.checks import checked_names, names_in
from coupling.errors import BuildError, NotRecorded, ResultError, RunEnded, shown
from coupling.kernel.state.visit import Unvisited, load_state, saved_state
from coupling.kernel.system.status import Status
from coupling.live.checkpoints import CheckpointWriter, looked
from coupling.live.pausing import Course, Pause, Paused, PausedSteps
from coupling.live.recording import copied, recorded, typed_value
from coupling.names import nearest
from coupling.options import OpenRun, number, real_time_of
from coupling.outcome import Ending, Outcome
from coupling.progress import noticed
from coupling.record import Change, Record
from coupling.result import Result
from coupling.steering.pieces import in_real_time, times_of_rows, times_until
from coupling.steering.saved import Rows, SavedState, check_saves
from coupling.steering.settings import Settings
from coupling.steering.signals import Signals
from coupling.watching.watchable import Watchable

if TYPE_CHECKING:
    from coupling.live.session import Session

Begin = Callable[["Pause", "CheckpointWriter | None"], "tuple[OpenRun, Course[tuple[Outcome, Record]]]"]
_NO_TIMES = np.zeros(0)
_MOST_ROWS = 10_000
"""Number of rows that options may ask for within one step."""
_FEW = 20
"""Number of steps within which nobody looks for Ctrl-C."""
_LONGEST = 1e6
"""Seconds beyond which a step never goes."""


class SteeredRun(Watchable):
    """A run of ``System.start``, as a context manager: it waits until it is advanced, and ends with the ``with`` block.

    Times are in s, values in the units of their variables. A run belongs to the thread that has started it; only ``stop`` may be called
    from another one.
    """

    def __init__(self, begin: Begin, inputs: Sequence[str], file: Path | None = None, checkpoints: CheckpointWriter | None = None) -> None:
        """Takes a function that makes the run from its pause and the writer of its checkpoints, the inputs that may have rates, and the file
        of rows, if there is one. ``System.start`` is for users."""
        self._begin, self._inputs, self._file = begin, inputs, file
        self._thread, self._stopping = threading.get_ident(), False
        self._pause = Pause(-math.inf)
        self._run, self._course = begin(self._pause, checkpoints)
        self._context = copy_context()
        self._paused: Paused | None = None
        self._end: tuple[Outcome, Record] | None = None
        self._broken: BaseException | None = None
        """The error that has ended the run, which has no result then."""
        self._result: tuple[int, Result] | None = None
        self._at_work = False
        """True while the kernel may call functions of the user, which cannot use the run."""
        self._origin: object = object()
        """An object that the run shares with its forks, whose states fit."""
        self._settings = Settings(inputs)
        self._rows = Rows()
        self._began_anew = 0
        """Number of restored states at which the solver began anew."""
        self._columns: Mapping[str, int] = {}
        """Places of recorded variables in a row, by name."""
        self._resume(lambda: next(self._course))
        self._times = times_until(self._run, self.time)
        """Number of the times so far at which the options ask for a row."""
        columns = self._session.program.columns if self._paused else self.end[1].columns
        self._columns = {each.name: i for i, each in enumerate(columns, start=1)}
        self._typed = {each.name for each in columns if each.type}
        """Names of texts, binary data and large whole numbers, for which rows have other numbers."""

    # -- where it is -------------------------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """The time in s that the run has reached."""
        if self._paused:
            return self._paused.time
        return float(self._run.stop_time)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the run; None as long as it can go on."""
        return self._end[0] if self._end else None

    @property
    def result(self) -> Result:
        """The rows so far, as ``simulate`` returns them. Warnings and notes are complete when the run has ended."""
        if self._end:
            return Result(self._end[1], self._end[0])
        self._check_thread()
        if not self._paused:
            self._check_running()
        session = self._session
        rows = session.kernel.rows
        if self._result is None or self._result[0] != rows:
            said: list[str] = []
            if self._file:
                record = rows_file.read(self._file)[0]
            else:
                record = recorded(session, copied(session), 0.0, 0.0, said, {"steps": self._running_now.steps})
            outcome = Outcome(Ending.PAUSED, f"waits at t = {self.time:.9g} s, and can go on", said)
            self._result = rows, Result(record, outcome)
        return self._result[1]

    @property
    def changes(self) -> Sequence[Change]:
        """The changes of constraints so far, as ``Result.changes`` has them."""
        return self.result.changes

    def __getitem__(self, names: str | Sequence[str]) -> Any:
        """Returns the present value of a recorded variable, or an array of the values of several."""
        self._check_thread()
        if isinstance(names, str):
            return self._value(names, self._last_row())
        several = names_in(names)
        if several is None:
            raise NotRecorded(f"{shown(names)} is no name; give that of a recorded variable, such as 'rod.theta', or a list of names")
        row = self._last_row()
        return np.array([self._value(name, row) for name in several], object if self._typed.intersection(several) else float)

    def _value(self, name: str, row: np.ndarray) -> Any:
        if name in self._settings.pending:
            return self._settings.pending[name][1]
        if name in self._typed:
            return self.result[name][-1] if self._end else typed_value(self._session, self._columns[name], row)
        if name in self._columns:
            return float(row[self._columns[name]])
        if name in (values := self._settings.values):
            return values[name]
        raise NotRecorded(f"{shown(name)} is not recorded; {nearest(name, self._columns) or 'name it in the option outputs of start'}")

    def _last_row(self) -> np.ndarray:
        if self._broken:
            self._check_running()
        if self._end:
            record = self._end[1]
            return record.rows[-1] if len(record.rows) else np.full(1 + len(record.columns), np.nan)
        return self._session.kernel.last_row()

    # -- what is set -------------------------------------------------------------------------------------------------------------------

    def __setitem__(self, name: str, value: Any) -> None:
        """Sets an input, a parameter that may be tuned, or a differential state, from the present time on."""
        self.set(name, value)

    def set(self, name: str, value: Any, *, rate: float = 0.0) -> None:
        """Sets an input, a parameter or a state from the present time on. Inputs that ``start(inputs=[...])`` names may change with a ``rate``
        per second from there on."""
        self._check_running()
        self._settings.set(self._session, self.time, name, value, rate)

    def _jump(self) -> None:
        """Has the values that were set come into force, by an event at the present time."""
        if self._settings.pending and self._paused:
            self._settings.come_into_force(self._paused)
            self._act(self._paused.jump)

    # -- advancing ---------------------------------------------------------------------------------------------------------------------

    def signals(self, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> None:
        """Fixes the names of inputs, and of recorded variables, so that ``advance(dt, values)`` takes and returns arrays in this order."""
        self._check_running()
        self._jump()
        self._settings.release()
        session, settings = self._session, self._settings
        targets = [settings.target(session, name) for name in checked_names("inputs", inputs)]
        values = [settings.present(session, each) for each in targets]
        settings.signals = Signals(session, targets, values, checked_names("outputs", outputs), self._columns)

    def _advance_signals(self, dt: float, values: Any) -> np.ndarray:
        """Advances in one call where it can, and returns the outputs."""
        signals, paused = self._settings.signals, self._paused
        if signals is None:
            raise BuildError("advance has values, and no names for them; call signals(inputs=[...], outputs=[...]) first")
        given = signals.array(values)
        if signals.alone and isinstance(paused, PausedSteps) and not self._settings.pending:
            self._at_work = True
            try:
                status = signals.advance(dt, given)
            finally:
                self._at_work = False
            if status is Status.DONE:
                return signals.out.copy()
            if status is not Status.STOPPED:
                paused.pause.time = signals.end
                self._resume(lambda: self._course.send(status))
                return self._outputs(signals)
        self._settings.set_by_array(self._session, signals, given.tolist())
        signals.assume(given)
        self._advance_to(self.time + dt)
        return self._outputs(signals)

    def _outputs(self, signals: Signals) -> np.ndarray:
        row = self._last_row()
        return np.array([row[self._columns[name]] for name in signals.outputs])

    @overload
    def advance(self, dt: float, *, real_time: float | None = None) -> None: ...
    @overload
    def advance(self, dt: float, values: Sequence[float] | np.ndarray, *, real_time: float | None = None) -> np.ndarray: ...
    def advance(
        self, dt: float, values: Sequence[float] | np.ndarray | None = None, *, real_time: float | None = None
    ) -> np.ndarray | None:
        """Advances by so many seconds; events inside are handled. What was set comes into force at the beginning.

        With ``values``, it sets the inputs of ``signals`` to these and returns an array of its outputs at the end. With ``real_time``, it
        waits until the wall clock comes to the end, which passes so many simulated seconds per second since the last such piece.
        """
        factor = self._run.real_time if real_time is None else real_time_of(real_time)
        return in_real_time(self, factor, lambda: self._advance(dt, values)) if factor else self._advance(dt, values)

    def _advance(self, dt: float, values: Sequence[float] | np.ndarray | None) -> np.ndarray | None:
        if values is not None:
            self._check_running()
            dt = dt if type(dt) is float else number("dt", dt)
            if not 0 < dt < math.inf:
                raise BuildError(f"dt = {shown(dt)} is refused: give a positive number of seconds")
            return self._advance_signals(dt, values)
        step = number("dt", dt)
        if math.isnan(step):
            raise BuildError("dt = nan s is refused: it must be finite")
        if not step >= 0:
            raise BuildError(f"dt = {step:g} s is refused: it must not be negative; go back with restore")
        self._advance_to(self.time + step)
        return None

    def advance_to(self, time: float, *, real_time: float | None = None) -> None:
        """Advances to a time in s; ``real_time`` is that of ``advance``."""
        factor = self._run.real_time if real_time is None else real_time_of(real_time)
        return in_real_time(self, factor, lambda: self._advance_to(time)) if factor else self._advance_to(time)

    def _advance_to(self, time: float) -> None:
        self._check_running()
        end = number("time", time)
        if not math.isfinite(end):
            raise BuildError(f"time = {end:g} s is refused: it must be finite")
        if end < self.time:
            raise BuildError(f"time = {end:g} s lies before t = {self.time:g} s, which the run has reached; go back with restore")
        times = self._rows_until(end) if end > self.time else _NO_TIMES
        self._jump()
        if self._paused and end > self.time:
            paused = self._paused
            self._act(lambda: paused.pause_at(end, times))
            if self._paused:
                self._go_on(paused)

    def _go_on(self, paused: Paused) -> None:
        """Goes on to the pause, if it is so near by the kernel alone."""
        status, run = None, self._run
        if isinstance(paused, PausedSteps) and not paused.restart and run.max_seconds is None and not self._session.running.checkpoints:
            status = self._by_kernel(paused.advance, min(_FEW, run.max_steps - paused.steps))
            if status is Status.PAUSED and paused.time >= self._pause.time:
                return
        self._resume(lambda: self._course.send(status))

    def step(self) -> None:
        """Takes one step of the solver, or one communication step."""
        self._check_running()
        self._jump()
        if not self._paused:
            return
        paused, limit = self._paused, self.time + (self._fixed_step or min(self._run.max_step, _LONGEST))
        self._act(lambda: paused.pause_at(limit, times_of_rows(self._run, self._times, limit, _MOST_ROWS)))
        if not self._paused:
            return
        if paused.advance is None:
            self._pause.time, self._pause.stepwise = math.inf, True
            self._resume(lambda: self._course.send(None))
            self._pause.stepwise = False
        else:
            status = self._by_kernel(paused.advance, 1)
            if status is not Status.PAUSED:
                self._resume(lambda: self._course.send(status))
        if self._paused:
            self._times = times_until(self._run, self.time)
            self._stay()
            looked(self._session, Status.PAUSED, *self._running_now.beside)

    @property
    def _fixed_step(self) -> float | None:
        """The length in s of all steps; None where they are chosen."""
        return self._run.index3.step_size if self._run.index3 else self._run.communication_step

    def _rows_until(self, end: float) -> np.ndarray:
        """Returns the times of the rows of the next piece; empty for one at its end alone."""
        times = times_of_rows(self._run, self._times, end)
        self._times = max(self._times, times_until(self._run, end))
        return times

    def _stay(self) -> None:
        """Pauses where the run is, with a row."""
        now = self._running_now
        self._act(lambda: now.pause_at(now.time, _NO_TIMES))

    def _act(self, call: Callable[[], Status]) -> None:
        """Calls a function of the paused run; the run ends where that fails."""
        self._at_work = True
        try:
            status = call()
        except Exception as error:
            self._at_work, thrown = False, error
            self._resume(lambda: self._course.throw(thrown))
            return
        finally:
            self._at_work = False
        if status is not Status.DONE:
            self._resume(lambda: self._course.send(status))

    def _by_kernel(self, advance: Callable[[int], Status], steps: int) -> Status:
        """Takes so many steps without the course of the run."""
        self._at_work = True
        try:
            return advance(steps)
        finally:
            self._at_work = False

    def _resume(self, step: Callable[[], Paused]) -> None:
        """Goes on in the run until it waits again, or has ended."""
        if self._stopping:
            self._run_held.end_at(self.time)
        before, self._at_work = self._paused.time if self._paused else self._run.start_time, True
        with noticed() as pressed:
            try:
                self._paused = self._context.run(step)
            except StopIteration as end:
                self._finish(*end.value)
            except BaseException as error:
                self._paused, self._broken = None, error
                self._run.end_at(before)
                raise
            finally:
                self._at_work = False
        if self._end and (pressed() or self._end[0].ending is Ending.INTERRUPTED):
            raise KeyboardInterrupt

    def _finish(self, outcome: Outcome, record: Record) -> None:
        reached = float(record.rows[-1, 0]) if len(record.rows) else self._run.start_time
        if not math.isfinite(self._run.stop_time):
            self._run.end_at(reached)
        if self._began_anew:
            times = "once" if self._began_anew == 1 else f"{self._began_anew} times"
            outcome.notes.append(
                f"the run went back to a saved state {times}, where solver = '{self._run.solver_name}' began anew: not to the last bit"
            )
        self._paused, self._end = None, (outcome, record)

    # -- going back --------------------------------------------------------------------------------------------------------------------

    def save(self) -> SavedState:
        """Returns the present state, to which ``restore`` goes back: cheap in time and memory."""
        self._check_running()
        if self._file:
            raise BuildError(
                f"the rows of this run are in '{self._file}', from which none can be taken back; start without record_to to save states"
            )
        check_saves(self._session)
        self._stay()
        paused, session = self._running_now, self._session
        try:
            inner = saved_state(session.inner.kernel) if session.inner is not None else None
            rows = self._rows.note(session.kernel, self.time)
            with session.kernel.without_rows():
                own = saved_state(session.kernel)
        except Unvisited as error:
            raise ResultError(f"'{session.built.parts[error.instance].name}' did not give its state at t = {self.time:g} s") from None
        beside = tuple({name: deepcopy(getattr(of, name)) for name in of.kept} for of in paused.beside)
        return SavedState(self.time, own, inner, beside, rows, self._settings.copy(), self._times, self._origin)

    def restore(self, state: SavedState) -> None:
        """Goes back to a state that ``save`` of this run, or of a fork of it, has returned."""
        self._check_running()
        if not isinstance(state, SavedState):
            raise BuildError(f"state = {shown(state)} is refused: give what save() of this run has returned")
        before = None if state.origin is self._origin else self.save()
        self._stay()
        paused, session = self._running_now, self._session
        try:
            self._load(state)
        except (Unvisited, ValueError):
            if before:
                self._load(before)
            raise BuildError("the state is of another system or run; give what save() of this run has returned") from None
        self._settings.go_back(session, state.settings)
        self._times, self._result = state.times, None
        if paused.restart:
            self._began_anew += 1
            self._act(paused.restart)
        if self._paused:
            self._stay()

    def _load(self, state: SavedState) -> None:
        """Takes the rows, the kernels and the parts in Python to a state; raises Unvisited or ValueError if it does not fit."""
        paused, session = self._running_now, self._session
        self._rows.restore(session.kernel, *state.rows)
        if session.inner is not None and state.inner is not None:
            load_state(session.inner.kernel, state.inner)
        load_state(session.kernel, state.kernel)
        state.put_beside(paused.beside)

    def fork(self) -> SteeredRun:
        """Returns another run at the same point, which goes its own way."""
        state = self.save()
        other = SteeredRun(self._begin, self._inputs)
        other._origin = self._origin
        try:
            other.restore(state)
        except BaseException:
            other.close()
            raise
        return other

    # -- the end -----------------------------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ends the run at the next call of ``advance`` or ``step``; the only function for another thread."""
        self._stopping = True

    def close(self) -> None:
        """Ends the run here, with its outcome and its result; frees everything."""
        self._check_thread()
        if self._end is None and self._paused:
            self._run_held.end_at(self.time)
            self._resume(lambda: self._course.send(Status.DONE))

    def _interrupt(self) -> None:
        """Ends the run here as Ctrl-C inside a piece does."""
        if self._end is None and self._paused:
            with suppress(KeyboardInterrupt):
                self._resume(lambda: self._course.throw(KeyboardInterrupt()))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a run can be neither copied nor pickled; fork() returns another run at the same point, save() a state")

    def __enter__(self) -> SteeredRun:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- checks ------------------------------------------------------------------------------------------------------------------------

    @property
    def _running_now(self) -> Paused:
        assert self._paused
        return self._paused

    @property
    def end(self) -> tuple[Outcome, Record]:
        """The outcome and the record of a run that has ended."""
        assert self._end
        return self._end

    @property
    def _session(self) -> Session:
        found: Session = self._running_now.session
        return found

    @property
    def _run_held(self) -> OpenRun:
        """The options as the session has them, with the stabilisation that was chosen."""
        found: OpenRun = self._session.run  # type: ignore[assignment]  # it is the one that was given, or a copy
        return found

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise BuildError("the run belongs to another thread, which has started it; use it there, and only stop() here")
        if self._at_work:
            raise BuildError("the run is being advanced: a function that it calls cannot use it, except for stop()")

    def _check_running(self) -> None:
        self._check_thread()
        if self._stopping:
            self.close()
        if self._end:
            raise RunEnded(f"the run has ended: {self._end[0].sentence}")
        if self._broken:
            raise RunEnded(f"the run has ended by an error: {self._broken}")
