"""A program alive: instances of FMUs, and the kernel that evaluates them together."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from coupling.kernel import library
from coupling.kernel.events import changes, switching
from coupling.kernel.fmi.instance import Instance, Readings
from coupling.kernel.fmi.instances import Together
from coupling.kernel.platform.own import Library
from coupling.kernel.rows.rows import Rows
from coupling.kernel.system.kernel import Kernel
from coupling.live.checkpoints import Way
from coupling.live.isolation.guards import NO_GUARDS, Guards, Loss
from coupling.live.program import Program, compile_program
from coupling.live.running import Running
from coupling.live.start_values import GivenValues
from coupling.options import TOLERANCE, Run
from coupling.plan.build import Built
from coupling.plan.drives import FunctionDrive
from coupling.plan.graph import Address
from coupling.plan.schedule import Schedule
from coupling.plan.switched import Switched

_USUAL = 0.01, 100.0
"""The greatest arms, in m, from which to which tolerances are those of a mechanism of 1 m."""
_FAR = 1e-3, 1e3
"""The greatest arms, in m, below and above which tolerances are proportional to the arm."""


_Made = TypeVar("_Made")


class Session:
    """Instances that run; ``start.py`` brings them to the start of a run, as often as wanted.

    Those that a session has made are freed with it, once, whatever happens; those that it shares with another one are not.
    """

    def __init__(
        self,
        program: Program,
        instances: Sequence[Instance],
        running: Running,
        shares: bool = False,
        library: Library = library,
        guards: Guards = NO_GUARDS,
    ) -> None:
        self.program, self.instances, self.running, self.shares = program, list(instances), running, shares
        self.guards = guards
        """The processes of their own that instances have."""
        self.x = np.zeros(program.built.states)
        """The states at the start."""
        self.shadows: list[Session] = []
        """Sessions of the same program with other values of parameters, of one parameter after the other, in the last run that was differentiated."""
        self.lost_when_freed: Loss | None = None
        """The loss of a process whose instance has not survived being freed."""
        self._made: dict[Hashable, Any] = {}
        self.given = GivenValues(program.built)
        """The start values of the instances."""
        self.rows = program.rows
        """Rows from which the kernel has been built so far."""
        self.kernel = Kernel(program.rows, self.instances, [self._guarded(each) for each in program.functions], library)
        try:
            self.inner = self._between_points(program.built.inner, running.run) if program.built.inner else None
            """The session that integrates between communication points, with the same instances."""
        except BaseException:
            self.kernel.free()
            raise

    def _between_points(self, inner: Built, run: Run) -> Session:
        instances = [self.instances[i] for i in self.built.inner_parts]
        library, guards = self.kernel.library, self.guards
        return Session(compile_program(inner, []), instances, Running(run=run), shares=True, library=library, guards=guards)

    def begin(self, running: Running) -> None:
        """Begins another run, and drops the previous one with all that belonged to it."""
        self.running = running
        if not self.shares:
            self.guards.limit(running.run)
        self.kernel.reset()
        if self.inner:
            self.inner.begin(Running(run=running.run))

    def once(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Returns a value that is made at the first request and serves all runs of the session."""
        if key not in self._made:
            self._made[key] = make()
        found: _Made = self._made[key]
        return found

    def run_beside(self, shadows: list[Session]) -> None:
        """Makes shadows run beside this session, which owns them from now on; frees shadows that no longer do."""
        for each in self.shadows:
            if each not in shadows:
                each.free()
        self.shadows = shadows

    def add_jacobians(self, rows: Rows) -> None:
        """Completes the kernel by rows with the Jacobians of the loops."""
        self.kernel.add_jacobians(rows)
        self.rows = rows

    @property
    def has_jacobians(self) -> bool:
        """Tells whether instances have been asked for constant entries of the Jacobians of the loops."""
        return self.rows is not self.program.rows

    @property
    def run(self) -> Run:
        """The options of the present run."""
        return self.running.run

    @property
    def built(self) -> Built:
        return self.program.built

    @property
    def schedule(self) -> Schedule:
        return self.program.built.schedule

    @cached_property
    def lawful(self) -> np.ndarray:
        """Truths by unknown of all loops: it follows a law in place of its constraint now, as friction that slips."""
        return switching.lawful(self.kernel, sum(len(loop.unknowns) for loop in self.schedule.loops))

    @cached_property
    def off(self) -> np.ndarray:
        """Truths by unknown of all loops: its constraint is not in force now."""
        return changes.off(self.kernel, sum(len(loop.unknowns) for loop in self.schedule.loops))

    @cached_property
    def multipliers(self) -> list[str]:
        """The names of the multipliers by unknown of all loops; empty where an unknown is no multiplier."""
        return [
            self.named(address.part, address.reference) if unknown < len(loop.unknowns) - loop.torn else ""
            for loop in self.schedule.loops
            for unknown, address in enumerate(loop.unknowns)
        ]

    @cached_property
    def together(self) -> Together | None:
        """The session's instances, if they are started without a check for Ctrl-C between them: those of this library are quick."""
        own = all(part.process is None and part.fmu.is_own for part in self.built.parts)
        return Together(self.instances) if own and self.instances and not self.kernel.library.is_elsewhere else None

    @cached_property
    def repeated(self) -> tuple[int, ...]:
        """The unknowns whose constraints repeat others, as they do at the start of the session's first run."""
        rows, numbers = self.rows.mappings("loop"), self.rows.numbers
        cycle = np.concatenate([np.zeros(0, dtype=int), *(numbers[row["cycle"] : row["cycle"] + row["unknowns"]] for row in rows)])
        if self.built.reading is None or not (cycle >= 0).any():
            return ()
        kernel = self.kernel
        return tuple(kernel.repeated(self.rows, kernel.time, kernel.slots[: self.built.states].copy(), cycle.size))

    def begin_integration(self, way: Way) -> None:
        """Begins the integration of the run, whose derivatives are found in this way."""
        self.running.way = way
        self.count_from_here()

    def count_from_here(self) -> None:
        """Excludes the evaluations so far from the count of the integration."""
        by_fmus, by_equations = self.kernel.statistics.ways
        self.running.evaluated_before = by_fmus.made, by_equations.made

    @property
    def switches(self) -> bool:
        """Tells whether modes of switched joints are chosen in the run."""
        return bool(self.built.switched) and switching.begun(self.kernel)

    def in_force(self, part: int) -> bool:
        """Says whether the constraints of an instance are in force now."""
        return part not in self.built.enforced or not any(self.off[place] for place, _, _ in self.unknowns_of(part))

    def holds(self, part: int, multiplier: int) -> bool:
        """Says whether a constraint that depends on a mode is in force now, by its multiplier. Where no modes are chosen, the constraint is
        in force only if it is violated as a unilateral one."""
        if self.switches:
            place = next(p for p, loop, i in self.unknowns_of(part) if self.schedule.loops[loop].unknowns[i].reference == multiplier)
            return not (self.off[place] or self.lawful[place])
        return any((each.part, each.given.multiplier) == (part, multiplier) and self.inside(each) > 0 for each in self.built.switched)

    @property
    def length(self) -> float:
        """The size of the mechanism in m, by which absolute tolerances of lengths and speeds are measured. It follows from the greatest arm
        of the frames of bodies, see ``size_by``. Systems without arms have the size 1."""
        if self.running.length is None:
            arms = self.built.arms
            self.running.length = size_by(float(np.abs(self.readings(arms).read()[1]).max()) if arms else 0.0)
        return self.running.length

    def inside(self, each: Switched) -> float:
        """Returns by how much a unilateral constraint is violated now, in the unit of its position; 0 where that is little, and for
        others."""
        if each.given.kind != "unilateral" or each.given.position is None:
            return 0.0
        depth = -float(self.readings((Address(each.part, 0, each.given.position),)).read()[1][0])
        return depth if depth > TOLERANCE * self.length else 0.0

    def unknowns_of(self, part: int) -> Iterator[tuple[int, int, int]]:
        """Yields the multipliers of an instance: place among the unknowns of all loops, loop, and place in it."""
        place = 0
        for number, loop in enumerate(self.schedule.loops):
            for unknown, address in enumerate(loop.unknowns):
                if address.part == part and unknown < len(loop.unknowns) - loop.torn:
                    yield place, number, unknown
                place += 1

    @property
    def projects(self) -> bool:
        """True if states are moved onto the constraints in the run."""
        held = self.built.reading is not None and bool(self.built.reading.constraints)
        return held and (self.shares or self.run.stabilisation != "baumgarte")

    @property
    def printed(self) -> dict[str, str]:
        """The text that the processes of instances have printed in the run, by their names. Instances that share a process all have its
        whole text."""
        library = self.kernel.library
        if not library.is_elsewhere:
            return self.guards.printed
        return dict.fromkeys((part.name for part in self.built.parts), library.printed_in_run)

    @property
    def steppers(self) -> list[int]:
        """The instances that run in Co-Simulation."""
        return self.program.built.steppers

    def label(self, slot: int) -> str:
        """Returns the variable whose value a slot keeps."""
        return self.program.label(slot)

    def named(self, part: int, reference: int) -> str:
        """Returns the full name of a variable."""
        return self.program.built.named(part, reference)

    @cached_property
    def passed_on(self) -> Readings:
        """Reads what the program passes on."""
        return Readings([(self.instances[index], 0, references) for index, references, _ in self.program.passed_on])

    def readings(self, addresses: tuple[Address, ...]) -> Readings:
        """Reads variables, one after the other."""
        return self.once(addresses, lambda: Readings([(self.instances[a.part], a.type, [a.reference]) for a in addresses]))

    def arriving_slot(self, number: int) -> int:
        """Returns the slot of the value for an input of a Co-Simulation instance, by its number among these."""
        return self.schedule.set_slot[self.schedule.arriving[number]]

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.free()

    def free(self) -> None:
        """Frees every instance, once."""
        if self.inner is not None:
            self.inner.free()
        self.kernel.free()
        for part, instance in () if self.shares else zip(self.built.parts, self.instances, strict=True):
            instance.free()
            self.lost_when_freed = self.lost_when_freed or self.guards.lost_by(self.instances, part)
        if not self.shares:
            self.guards.end()
        for each in self.shadows:
            each.free()

    def _guarded(self, drive: FunctionDrive) -> Callable[[float, object], float]:
        """Returns a function for the kernel, which cannot pass exceptions on: they are kept, and the value is not a number."""

        def call(t: float, _: object) -> float:
            if self.running.raised is None:
                try:
                    return drive(t)
                except BaseException as error:
                    self.running.fail(error)
            return math.nan

        return call


def size_by(arm: float) -> float:
    """Returns the size of a mechanism by its greatest arm, both in m. The size is 1 from 1 cm to 100 m, and the arm itself up to 1 mm and
    from 1 km on.

    Between these ranges, the size grows with the third power of the arm, and no tolerance jumps. An arm that shrinks by 1 % beyond 1 cm has
    tolerances that are 3 % tighter. Those of 1 mm are a thousandth of those of 1 cm. Runs on both sides of an edge differ by as little as
    their tolerances do.
    """
    low, high = _USUAL
    if low <= arm <= high or arm == 0:
        return 1.0
    far = _FAR[arm > high]
    return far * (arm / far) ** 3 if _FAR[0] < arm < _FAR[1] else arm


def alive(session: Session | None) -> Session | None:
    """Returns a session that waits, if it exists and is alive; frees a session of which a process has ended meanwhile."""
    if session is None or session.guards.answer():
        return session
    session.free()
    return None
