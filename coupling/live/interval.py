"""Model Exchange instances in a co-simulation: those with states are integrated from one communication point to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from coupling.errors import BuildError
from coupling.kernel.status import Status
from coupling.live.tolerances import state_tolerances
from coupling.plan.graph import Address, Part

if TYPE_CHECKING:
    from coupling.live.master import Master


@dataclass(frozen=True)
class Division:
    """What is integrated between the points, and what comes to it from outside."""

    inner: tuple[int, ...]
    """Model Exchange instances, but for joints that take part of their motion from Co-Simulation instances: the multipliers of these are
    solved for at the points, and their forces extrapolated to both sides."""
    fed: Mapping[Address, Sequence[Address]]
    """Inputs of these with their sources outside."""


def divide(parts: Sequence[Part], sources: Mapping[Address, Sequence[Address]]) -> Division | None:
    """None where nothing has to be integrated, since all states are those of Co-Simulation instances."""
    if not any(part.stepped for part in parts) or not any(part.states for part in parts):
        return None
    at_boundary = {
        target.part
        for target, given in sources.items()
        if parts[target.part].dae and not parts[target.part].states and any(parts[s.part].stepped for s in given)
    }
    inner = tuple(i for i, part in enumerate(parts) if not part.stepped and i not in at_boundary)
    inside = set(inner)
    fed = {
        target: outside
        for target, given in sources.items()
        if target.part in inside and _moves(parts, target) and (outside := [s for s in given if s.part not in inside])
    }
    return Division(inner, fed)


def _moves(parts: Sequence[Part], address: Address) -> bool:
    return address.type == 0 and parts[address.part].fmu.by_reference[address.reference].variability == "continuous"


class Interval:
    """Integrates what lies between the communication points of a master."""

    def __init__(self, outer: Master) -> None:
        from coupling.live.master import Master
        from coupling.solvers.base.solver import SOLVERS

        built, run = outer.built, outer.run
        assert built.inner and outer.kernel
        method = SOLVERS[run.solver].tableau
        if method is None:
            raise BuildError(
                f"solver = '{run.solver}' cannot integrate the Model Exchange instances between communication points, such as "
                f"'{next(part.name for part in built.inner.parts if part.states)}'; choose 'dopri5' or 'dop853', or run them in Co-Simulation"
            )
        self._outer, self._tableau = outer.kernel, method.structure
        instances = [outer.instances[i] for i in built.inner_parts]
        self.master = Master(
            built.inner, replace(run, outputs=[], output_times=None, output_interval=None, atol=None), {}, adopted=instances
        )
        assert self.master.kernel
        self._kernel = self.master.kernel
        self._kernel.leave_last()
        self._atol = state_tolerances(self.master, self.master.run)
        self._largest, self._most = run.max_step, run.max_steps
        firsts = [built.parts[i].first_state for i in built.inner_parts]
        ranges = [range(first, first + len(part.states)) for first, part in zip(firsts, built.inner.parts, strict=True)]
        self._states = np.array([i for each in ranges for i in each], dtype=int)
        """Where the outer master keeps the states."""
        outside, inside = built.schedule.slot, built.inner.schedule.slot
        renumbered = ((a._replace(part=built.inner_parts[a.part]), slot) for a, slot in inside.items())
        shared = [(outside[a], slot) for a, slot in renumbered if a in outside]
        self._shared = tuple(np.array(slots, dtype=int) for slots in zip(*shared, strict=True)) if shared else ()
        """Where both masters keep the same values: what changes at events only is known to the outer one alone."""
        count = len(built.schedule.fed)
        self._fed = slice(len(built.schedule.arriving), len(built.schedule.arriving) + count)
        self._first_drive = len(built.inner.drives) - count
        self._h = 0.0
        self._none = np.zeros(0)

    def advance(self, t: float, h: float) -> Status:
        """Takes the instances a step further, their inputs going on as the outer master's polynomials say."""
        kernel, outer = self._kernel, self._outer
        kernel.unsettle()
        if self._shared:
            outside, inside = self._shared
            kernel.slots[inside] = outer.slots[outside]
        coefficients = zip(outer.value[self._fed], outer.slope[self._fed], outer.curve[self._fed], strict=True)
        for drive, (value, slope, curve) in enumerate(coefficients, start=self._first_drive):
            kernel.set_polynomial(drive, t, value, slope, curve)
        events = kernel.statistics.events
        status = kernel.begin_run(self._tableau, self.master.run.rtol, self._atol, self._largest, min(self._h, h), t, t + h, self._none)
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

    def restart(self) -> None:
        """Behind an event: nothing is known of the step size."""
        self._h = 0.0
