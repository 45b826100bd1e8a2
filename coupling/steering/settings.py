"""Values that a user has set in a run, and those that come into force at its next piece."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from coupling.errors import BuildError
from coupling.live.pausing import Paused
from coupling.options import TOLERANCE, number
from coupling.plan.drives import PolynomialDrive
from coupling.steering.signals import Signals
from coupling.steering.states import with_states
from coupling.steering.targets import Target, Targets, set_inside

if TYPE_CHECKING:
    from coupling.live.session import Session


class Settings:
    """Values that a user has set, by name."""

    def __init__(self, inputs: Sequence[str]) -> None:
        """Takes the names of inputs that may have rates."""
        self._inputs = inputs
        self._targets: Targets | None = None
        self.pending: dict[str, tuple[Target, float, float]] = {}
        """Values and rates that are set at the next piece."""
        self._values: dict[str, float] = {}
        """Values that are in force, except those of ``signals``."""
        self._motions: dict[str, tuple[float, float, float]] = {}
        """Prescribed motions that were set: the time, the value there and the rate from there on."""
        self.signals: Signals | None = None
        """Inputs that arrays set."""

    def target(self, session: Session, name: str) -> Target:
        """Returns a variable that may be set, or refuses its name by a sentence."""
        self._targets = self._targets or Targets(session.built, self._inputs)
        return self._targets[name]

    @property
    def values(self) -> dict[str, float]:
        """All values that were set and are in force."""
        return {**self._values, **self.signals.values} if self.signals else self._values

    def present(self, session: Session, target: Target) -> float:
        """Returns the value that was set last, or the start value."""
        built, name = session.built, target.variable.name
        drive = built.drives[target.drive][1] if target.drive is not None else None
        left = drive.start if isinstance(drive, PolynomialDrive) else session.running.values.get((target.part, name))
        given = self.values.get(target.name, left)
        started = built.start[target.part].get(name, target.variable.start) if given is None else given
        return float(started or 0.0)  # type: ignore[arg-type]  # it is a number

    def set(self, session: Session, time: float, name: str, value: Any, rate: float) -> None:
        """Notes a value and a rate per second for the next piece, which begins at a time in s."""
        target = self.target(session, name)
        if self.signals and target in self.signals.inputs:
            raise BuildError(f"'{name}' is one of signals(inputs=[...]); give its value to advance(dt, values)")
        found, slope = target.checked(value), number("rate", rate)
        if slope and target.drive is None:
            raise BuildError(f"rate = {slope:g} of '{name}' is refused: name the input in start(inputs=['{name}'])")
        if not math.isfinite(slope):
            raise BuildError(f"rate = {slope:g} of '{name}' is refused: give a finite number")
        _check_differentiated(session, target)
        if target.rates:
            self._check_motion(session, time, target, found)
        self.pending[name] = target, found, slope

    def set_by_array(self, session: Session, signals: Signals, values: Sequence[float]) -> None:
        """Notes the values of ``signals`` that differ from the present ones."""
        for target, value in zip(signals.inputs, values, strict=True):
            if value != self.present(session, target):
                self.pending[target.name] = target, target.checked(value), 0.0

    def _check_motion(self, session: Session, time: float, target: Target, value: float) -> None:
        """Refuses a position or an angle that jumps."""
        start, before, rate = self._motions.get(target.name, (session.run.start_time, self.present(session, target), 0.0))
        now = before + rate * (time - start)
        if abs(value - now) > TOLERANCE * max(1.0, session.length):
            unit = target.variable.unit
            raise BuildError(
                f"'{target.name}' jumps from {now:g} to {value:g} {unit}, which a prescribed motion cannot; set {now:g} with a rate"
            )

    def come_into_force(self, paused: Paused) -> None:
        """Gives the values that were noted to a run that waits, for an event at the present time."""
        session, drives = paused.session, []
        given = self.pending.values()
        for target, value, slope in given:
            if target.drive is not None:
                drives.append((target.drive, value, slope))
                drives += [(drive, 0.0 if order else slope, 0.0) for order, drive in enumerate(target.rates)]
        settings = [(t.part, t.type, t.reference, value) for t, value, _ in given if t.drive is None and t.state is None]
        moved = [(target, value) for target, value, _ in given if target.state is not None]
        if moved:
            self._set_states(paused, moved)
        for each in (session, *session.shadows):
            each.kernel.set_at_event(settings, drives)
        for drive, value, slope in drives:
            set_inside(session, drive, paused.time, value, slope)
        session.running.hold({(t.part, t.variable.name): t.item(value) for t, value, _ in given if t.drive is None and t.state is None})
        self._values |= {name: value for name, (_, value, _) in self.pending.items()}
        self._motions |= {name: (paused.time, value, slope) for name, (target, value, slope) in self.pending.items() if target.rates}
        self.pending.clear()

    def _set_states(self, paused: Paused, moved: Sequence[tuple[Target, float]]) -> None:
        try:
            paused.set_states(with_states(paused.session, paused.states, moved))
        except BuildError:
            for target, _ in moved:
                del self.pending[target.name]
            raise

    def release(self) -> None:
        """Keeps the values of ``signals`` as values that were set by name."""
        self._values, self.signals = self.values, None

    def copy(self) -> Settings:
        """Returns the same values, all by name."""
        other = Settings(self._inputs)
        other.pending, other._values, other._motions = dict(self.pending), dict(self.values), dict(self._motions)
        return other

    def go_back(self, session: Session, saved: Settings) -> None:
        """Takes the values of a state that was saved; ``signals`` keep their names."""
        signals, self.signals = self.signals, None
        self.pending, self._values, self._motions = dict(saved.pending), dict(saved._values), dict(saved._motions)
        if signals:
            signals.assume([self.present(session, each) for each in signals.inputs])
        self.signals = signals


def _check_differentiated(session: Session, target: Target) -> None:
    """Refuses what derivatives by parameters do not follow."""
    if not session.running.parameters:
        return
    if any(each.name == target.name for each in session.running.parameters):
        raise BuildError(
            f"'{target.name}' cannot be set: the run is differentiated by its start value; set another variable, or leave it out of sensitivities"
        )
    if target.state is not None:
        raise BuildError(
            f"'{target.name}' cannot be set in a run with sensitivities, whose derivatives would not follow; set an input or a parameter"
        )
