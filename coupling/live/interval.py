"""Model Exchange instances in a co-simulation: those with states are integrated from one communication point to the next."""

from __future__ import annotations

import numpy as np

from coupling.kernel.runs.tableau import TableauStructure
from coupling.kernel.system.status import Status
from coupling.live.session import Session
from coupling.live.tolerances import state_tolerances
from coupling.live.value_limits import limit_values


class Interval:
    """Integrates what lies between the communication points of a session."""

    kept = ("_h",)

    def __init__(self, outer: Session, inner: Session, tableau: TableauStructure) -> None:
        """Takes both sessions and the method: ``inner`` shares instances with ``outer``; ``tableau`` is the explicit Runge-Kutta method."""
        built, run = outer.built, outer.run
        assert built.inner
        self.session, self._outer, self._kernel, self._tableau = inner, outer.kernel, inner.kernel, tableau
        self._kernel.leave_last()
        self._kernel.set_projection(inner.rows, inner.built.reading is not None)
        self._atol = state_tolerances(inner, run)
        self._largest, self._most = run.max_step, run.max_steps
        firsts = [built.parts[i].first_state for i in built.inner_parts]
        ranges = [range(first, first + len(part.states)) for first, part in zip(firsts, built.inner.parts, strict=True)]
        self._states = np.array([i for each in ranges for i in each], dtype=int)
        """Slots in which the outer session keeps the states."""
        outside, inside = built.schedule.slot, built.inner.schedule.slot
        renumbered = ((a._replace(part=built.inner_parts[a.part]), slot) for a, slot in inside.items())
        shared = [(outside[a], slot) for a, slot in renumbered if a in outside]
        self._shared = tuple(np.array(slots, dtype=int) for slots in zip(*shared, strict=True)) if shared else ()
        """Slots of the values that both sessions keep. Discrete values change at events, of which only the outer session knows."""
        count = len(built.schedule.fed)
        self._fed = slice(len(built.schedule.arriving), len(built.schedule.arriving) + count)
        self._first_drive = len(built.inner.drives) - count
        limit_values(inner, np.array(outer.kernel.slots[self._states]))
        self._h = 0.0
        self._saved = self._kernel.peaks, self._h
        self._none = np.zeros(0)

    def advance(self, t: float, h: float) -> Status:
        """Takes the instances a step further, their inputs going on as the outer session's polynomials say."""
        kernel, outer = self._kernel, self._outer
        kernel.unsettle()
        if self._shared:
            outside, inside = self._shared
            kernel.slots[inside] = outer.slots[outside]
        coefficients = zip(outer.value[self._fed], outer.slope[self._fed], outer.curve[self._fed], strict=True)
        for drive, (value, slope, curve) in enumerate(coefficients, start=self._first_drive):
            kernel.set_polynomial(drive, t, value, slope, curve)
        events = kernel.statistics.events
        status = kernel.begin_run(self._tableau, self.session.run.rtol, self._atol, self._largest, min(self._h, h), t, t + h, self._none)
        if status is Status.DONE:
            status = kernel.restart(t, outer.slots[self._states])
        if status is Status.DONE:
            status = kernel.advance(self._most)
        if status is Status.DONE:
            self._h = kernel.runge_kutta.h
            outer.slots[self._states] = kernel.present
            if kernel.statistics.events != events:
                outer.announce()
        return status

    def save(self) -> None:
        """Keeps what the outer session does not hold."""
        self._saved = self._kernel.peaks, self._h

    def restore(self) -> None:
        """Goes back to what was kept."""
        self._kernel.peaks, self._h = self._saved

    def restart(self) -> None:
        """Restarts after an event, where nothing is known of the step size."""
        self._h = 0.0
