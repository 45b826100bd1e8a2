"""Explicit coupling (Jacobi): at each point all instances get what arrives there, and step at once.

Multipliers are solved for at the points, from residuals at acceleration level. Over the step, inputs go on as polynomials through the
last points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coupling.live.capabilities import unable
from coupling.outcome import Outcome
from coupling.schemes.base.course import follow
from coupling.schemes.base.scheme import SCHEMES, Scheme
from coupling.schemes.base.walk import done, walk

if TYPE_CHECKING:
    from coupling.live.master import Master
    from coupling.options import Run


class Explicit:
    """One explicit step after another."""

    def __init__(self, master: Master, run: Run) -> None:
        assert master.kernel
        self.master, self.kernel, self.in_turn = master, master.kernel, run.in_turn
        self.extrapolation = run.extrapolation
        self.order = run.extrapolation + 1
        self.past: list = []
        self.last_word = bool(unable(master, "save_state"))

    def begin(self, restart: bool) -> None:
        """Notes what arrives."""
        self.kernel.note_inputs(restart)

    def step(self, h: float) -> float:
        """All Co-Simulation instances, then what is integrated beside them."""
        kernel, t, last_word = self.kernel, self.kernel.time, self.last_word
        if not last_word:
            done(kernel.save(0))
        done(kernel.explicit_step(h, self.extrapolation, self.in_turn, last_word))
        early = kernel.counts.earliest
        if early < t + h:
            done(kernel.restore(0))
            kernel.set_align(False)
            h = early - t
            done(kernel.explicit_step(h, self.extrapolation, self.in_turn, last_word))
            kernel.set_align(True)
        if self.master.interval:
            done(self.master.interval.advance(t, h), self.master.interval.master)
        return t + h


def couple(master: Master, run: Run) -> Outcome:
    """Runs the system by explicit steps; in the kernel alone where it can."""
    if run.step_control == "fixed" and master.interval is None:
        return follow(master, run)
    return walk(Explicit(master, run), master, run)


SCHEMES.register("explicit", Scheme(couple))
