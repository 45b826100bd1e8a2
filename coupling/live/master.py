"""A system alive: its instances are initialised, evaluated and integrated, and freed again whatever happens."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

import numpy as np

from coupling.analysis.initial import assemble, check
from coupling.kernel.binding import pointer
from coupling.kernel.instance import STATUS, STRING, WARNING, Instance, StartStage, StartValues, Stepping
from coupling.kernel.kernel import Kernel
from coupling.kernel.linear import elimination_order
from coupling.kernel.rows import List, RowBuilder
from coupling.kernel.status import Status
from coupling.live.capabilities import degree
from coupling.live.constraints import unsolvable
from coupling.live.interval import Interval
from coupling.options import Run
from coupling.outcome import Ending, Outcome
from coupling.plan.drives import Constant, Function, Polynomial, Table
from coupling.plan.graph import Address, Level, type_code
from coupling.plan.jacobian import CallKind, build_jacobian, build_shortcut
from coupling.plan.outputs import chosen
from coupling.plan.schedule import Kind, Operation, ScheduledLoop, turns
from coupling.result import Result, Statistics
from coupling.schemes.base.scheme import scheme_of
from coupling.solvers.base.solver import SOLVERS
from coupling.system import Built


class StartError(ValueError):
    """A system that cannot start; the text says which instance refuses, why, and what to do."""


def simulate(built: Built, run: Run, unstepped: Built | None = None) -> Result:
    """Runs a system from start to stop; the result holds everything up to where it ended.

    ``unstepped`` is the same system in Model Exchange, in which the start of a co-simulation is assembled.
    """
    run.check(built)
    began = perf_counter()
    start: Mapping[tuple[int, str], float] = {}
    if run.initial == "assemble":
        try:
            with Master(unstepped or built, run, start, assembling=True) as master:
                start = assemble(master)
        except StartError as error:
            raise StartError(f"{error}; the start cannot be assembled from there: give start values nearer to an assembled state") from None
    with Master(built, run, start) as master:
        if run.initial != "relax":
            check(master)
        prepared = perf_counter()
        integrate = SOLVERS[run.solver].integrate if run.communication_step is None else scheme_of(run.scheme).couple
        ending = integrate(master, run)
        master.check_end(ending)
        return master.result(ending, prepared - began, perf_counter() - prepared)


class Master:
    """The instances of a built system, in Continuous-Time Mode at their start."""

    def __init__(
        self,
        built: Built,
        run: Run,
        start: Mapping[tuple[int, str], float],
        assembling: bool = False,
        adopted: Sequence[Instance] = (),
    ) -> None:
        """``adopted`` are instances of another master that run already."""
        self.built, self.run = built, run
        self.schedule = built.schedule
        self.instances: list[Instance] = []
        self.kernel: Kernel | None = None
        self.raised: BaseException | None = None
        """What a user's function of time raised."""
        self.assembling = assembling
        """Whether the start need not make sense yet: nothing is solved there."""
        self.steppers: list[int] = []
        """The instances that run in Co-Simulation."""
        self.watched: tuple[str, ...] = ()
        """The ports at which the energy that coupling creates is added up, in the slots behind all others."""
        self.recorded = chosen(built, run.outputs)
        """The variables of each row of the record."""
        self.x = np.zeros(built.states)
        self._labels: dict[int, str] = {}
        self._kept: list[object] = []
        self._extra: dict[Address, int] = {}
        self.solver_statistics: dict[str, int] = {}
        self.interval: Interval | None = None
        """What integrates Model Exchange instances between communication points."""
        self._adopted = bool(adopted)
        try:
            if adopted:
                self.instances = list(adopted)
                self._build_kernel()
                self._compile_loops()
                self._prepare_loops()
                return
            self._instantiate(start)
            self._build_kernel()
            self._initialise()
            if built.inner and not assembling:
                self.interval = Interval(self)
        except BaseException:
            self.free()
            raise

    def __enter__(self) -> Master:
        return self

    def __exit__(self, *error: object) -> None:
        self.free()

    def free(self) -> None:
        """Frees every instance, once."""
        if self.interval is not None:
            self.interval.master.free()
        if self.kernel is not None:
            self.kernel.free()
        for instance in () if self._adopted else self.instances:
            instance.free()

    # -- start ---------------------------------------------------------------------------------------------------------

    def _instantiate(self, start: Mapping[tuple[int, str], float]) -> None:
        for index, (part, library, values) in enumerate(zip(self.built.parts, self.built.libraries, self.built.start, strict=True)):
            fmu = part.fmu
            try:
                instance = Instance(library, part.name, fmu.token, fmu.resources, self._stepping(index))
            except RuntimeError as error:
                said = f": {error}" if str(error) else " and does not say why"
                raise StartError(f"'{part.name}' ({fmu.path.name}) cannot be instantiated{said}; see the FMU's documentation") from None
            self.instances.append(instance)
            # Structural parameters have the only value that building lets them have.
            own: dict[str, object] = {name: v for name, v in values.items() if fmu.variables[name].causality != "structuralParameter"}
            self._start(index, own | _of(start, index))

    def _stepping(self, index: int) -> Stepping | None:
        """How a Co-Simulation instance is to be made; None for Model Exchange."""
        part = self.built.parts[index]
        if not part.stepped:
            return None
        updated = part.interface.intermediate_update
        references = np.array([a.reference for a in self.schedule.arriving if a.part == index] if updated else [], dtype=np.uintc)
        events = part.interface.event_mode
        self._kept.append(references)
        return Stepping(events, events and part.interface.might_return_early, pointer(references), len(references))

    def _start(self, index: int, values: Mapping[str, object], reset: bool = False) -> None:
        part, run = self.built.parts[index], self.run
        given: list[tuple[int, int, float | str]] = []
        for name, value in values.items():
            variable = part.fmu.variables[name]
            text = variable.type == "string"
            type_ = STRING if text else type_code(variable, part.fmu.version)
            given.append((type_, variable.reference, str(value) if text else float(value)))  # type: ignore[arg-type]
        switch = part.dae.switch if part.dae else None
        refusal = self.instances[index].start(StartValues(given), run.rtol, run.start_time, run.stop_time, switch=switch, reset=reset)
        if refusal is None:
            return
        action = _STAGES[refusal.stage]
        if refusal.stage is StartStage.SETTING:
            type_, _, value = given[refusal.value]
            action = f"setting '{list(values)[refusal.value]}' = " + (f"'{value}'" if type_ == STRING else f"{value:g}")
        self._check(index, refusal.status, action)

    def _check(self, index: int, status: int, action: str) -> None:
        if status > WARNING:
            part = self.built.parts[index]
            said = self.instances[index].message
            raise StartError(
                f"'{part.name}' ({part.fmu.model_name}) returned '{STATUS[status]}' when {action}"
                + (f": {said}" if said else "; it did not say why")
            )

    def _build_kernel(self) -> None:
        schedule, built = self.schedule, self.built
        slots = schedule.slots
        places, recorded = self._places(), [built.address(i, name) for i, name in self.recorded]
        extra = [address for address in dict.fromkeys(recorded) if address not in places]
        self.watched = tuple(dict.fromkeys(bond.port for bond in built.bonds))
        first_watched = slots + len(extra)
        builder = self._builder = RowBuilder(first_watched + len(self.watched), built.states)
        functions = []
        for part in built.parts:
            indicators = len(part.structure.indicators)
            builder.add_instance(part.first_state, len(part.states), indicators, part.interface.needs_completed_step)
        if any(part.stepped for part in built.parts):
            self._couple(first_watched)
        for _, drive in built.drives:
            if isinstance(drive, Table):
                builder.add_table(drive.times, drive.values)
            elif isinstance(drive, Polynomial):
                builder.add_polynomial(drive.start)
            elif isinstance(drive, Constant):
                builder.add_table([0.0], [drive.value])
            else:
                builder.add_function()
                functions.append(self._guarded(drive))
        for loop in schedule.loops:
            builder.add_loop(len(loop.unknowns), loop.first, loop.sums)
        for where in (List.CONTINUOUS, List.FAST):
            for index, part in enumerate(built.parts):
                if part.needs_time:
                    builder.add_operation(where, -1, Kind.SET_TIME, index)
            for index, part in enumerate(built.parts):
                if part.states:
                    builder.add_operation(where, -1, Kind.SET_STATES, index, count=len(part.states), first=part.first_state)
        for operation in schedule.operations:
            if operation.level is Level.ALWAYS:
                self._add_operation(List.CONTINUOUS, -1, operation)
            elif operation.level is Level.FOR_OUTPUT:
                self._add_operation(List.RECORDING, -1, operation)
            self._add_operation(List.EVENTS, -1, operation)
        for operation in schedule.shortcut:
            self._add_operation(List.FAST, -1, operation)
        for operation in schedule.outputs:
            self._add_operation(List.OUTPUTS, -1, operation)
        for number, loop in enumerate(schedule.loops):
            for operation in loop.operations:
                self._add_operation(List.CONTINUOUS, number, operation)
        self._record_extra(slots, extra)
        builder.set_record(
            [*(places[a] if a in places else self._extra[a] for a in recorded), *range(first_watched, first_watched + len(self.watched))]
        )
        builder.set_derivative_slots(schedule.derivatives)
        self.kernel = Kernel(builder.rows(), self.instances, functions)

    def _couple(self, first_watched: int) -> None:
        """The Co-Simulation instances, and what goes into them and comes out."""
        builder, schedule, parts = self._builder, self.schedule, self.built.parts
        builder.couple([*(schedule.set_slot[a] for a in schedule.arriving), *schedule.fed_slot.values()], schedule.first_end)
        self.steppers = [i for i, part in enumerate(parts) if part.stepped]
        for index in self.steppers:
            references = [a.reference for a in schedule.arriving if a.part == index]
            interface = parts[index].interface
            builder.add_stepper(index, references, degree(parts[index]), interface.save_state, interface.variable_step)
        if schedule.fed:
            builder.add_stepper(-1, [a.reference for a in schedule.fed], 2, True, True)
        for index, part in enumerate(parts):
            if not part.stepped and part.interface.save_state:
                builder.add_other(index)
        for call in schedule.calls:
            builder.add_derivative(
                -1,
                CallKind.DIRECTIONAL,
                call.part,
                at_events=call.constant,
                unknowns=[a.reference for a in call.outputs],
                knowns=[call.input.reference],
                seed=[1.0],
                first=call.first,
            )
        graph = schedule.graph
        builder.set_held([slot for a, slot in schedule.ended.items() if graph.held[graph.node[a]]])
        for bond in self.built.bonds:
            builder.add_bond(bond.input, bond.output, first_watched + self.watched.index(bond.port), bond.sign)
        if self.run.in_turn:
            slots, found = turns(schedule)
            builder.set_predicted(slots)
            for turn in found:
                number = self.steppers.index(turn.part) if turn.part >= 0 else len(self.steppers)
                for operation in turn.sequence:
                    self._add_operation(List.sequence_of(number), -1, operation)
                for operation in turn.outputs:
                    self._add_operation(List.outputs_of(number), -1, operation)

    def _add_operation(self, where: int, loop: int, o: Operation) -> None:
        self._builder.add_operation(
            where, loop, o.kind, o.index, type_=o.type, references=o.references, first=o.first, places=o.places, sources=o.sources
        )

    def _places(self) -> dict[Address, int]:
        """Where values are kept in any case: states, and what is passed on."""
        parts = enumerate(self.built.parts)
        states = {Address(i, 0, r): slot for i, part in parts for slot, r in enumerate(part.states, start=part.first_state)}
        return self.schedule.slot | states

    def _record_extra(self, first: int, extra: list[Address]) -> None:
        groups: dict[tuple[int, int], list[int]] = {}
        for address in extra:
            groups.setdefault((address.part, address.type), []).append(address.reference)
        for (part, type_), references in groups.items():
            self._builder.add_operation(List.RECORDING, -1, Kind.GET, part, type_=type_, references=references, first=first)
            for reference in references:
                self._extra[Address(part, type_, reference)] = first
                first += 1

    def _guarded(self, drive: Function) -> Callable[[float], float]:
        def call(t: float) -> float:
            if self.raised is None:
                try:
                    return drive(t)
                except BaseException as error:
                    self.raised = error
            return math.nan

        return call

    def _initialise(self) -> None:
        kernel = self.kernel
        assert kernel
        t = self.run.start_time
        for loop in self.schedule.loops:  # iterations begin where the FMUs do
            for i, unknown in enumerate(loop.unknowns, start=loop.first):
                status, (value,) = self.instances[unknown.part].get(unknown.type, [unknown.reference])
                kernel.slots[i] = value if status <= WARNING and math.isfinite(value) else 0.0
        for i, address in enumerate(self.schedule.arriving, start=self.schedule.first_end):
            status, (value,) = self.instances[address.part].get(address.type, [address.reference])
            kernel.slots[i] = value if status <= WARNING and math.isfinite(value) else 0.0
        exchanged = kernel.exchange(t)
        if exchanged is not Status.DONE and kernel.failure.instance >= 0:  # what the FMU itself requires says more than a nan
            failure = self.describe_failure()
            self._check(
                kernel.failure.instance, self.instances[kernel.failure.instance].exit_initialization(), "leaving Initialization Mode"
            )
            raise StartError(f"the start fails when passing on the values before the start: {failure}")
        self._done(exchanged, "passing on the values before the start")
        self._leave_initialization(stepped=False)
        self._compile_loops()
        if self.steppers:
            self._leave_alone()
            self._settle_inputs()
            self._leave_initialization(stepped=True)
            kernel.set_ready()
        kernel.set_open(self.assembling)
        settled = kernel.settle(self.x)
        kernel.set_open(False)
        if settled is not Status.DONE and self.run.initial == "check":
            check(self)  # what cannot be solved may be a start that makes no sense
        self._done(settled, "passing the initial event")
        if self.assembling:
            return
        self._prepare_loops()
        self._done(kernel.evaluate(t, self.x), "evaluating the start")
        self._check_dependencies()

    def _compile_loops(self) -> None:
        assert self.kernel
        for number, loop in enumerate(self.schedule.loops):
            self._compile(number, loop)
        self.rows = self._builder.rows()
        self.kernel.add_jacobians(self.rows)

    def _prepare_loops(self) -> None:
        assert self.kernel
        self.kernel.set_lost_share(_LOST * self.run.rtol ** (2 / 3))
        self.kernel.set_fast(any(loop.followers is not None for loop in self.schedule.loops))

    def _leave_alone(self) -> None:
        """Loops whose multipliers cannot be solved for at a point: implicit schemes find them otherwise."""
        assert self.kernel
        for number, loop in enumerate(self.schedule.loops if self.steppers else ()):
            reason = unsolvable(self.schedule, loop)
            if reason is None:
                continue
            if not self.run.scheme.startswith("implicit"):
                part, why = reason
                raise StartError(
                    f"the scheme '{self.run.scheme}' cannot solve for '{self.named(*loop.unknowns[0][::2])}': '{self.built.parts[part].name}' {why}; "
                    "choose scheme='implicit', which finds out by repeated steps"
                )
            self.kernel.hold(number, [True] * (len(loop.unknowns) - loop.torn) + [False] * loop.torn)

    def _leave_initialization(self, stepped: bool) -> None:
        for index, instance in enumerate(self.instances):
            if self.built.parts[index].stepped == stepped:
                self._check(index, instance.exit_initialization(), "leaving Initialization Mode")

    def _settle_inputs(self) -> None:
        """The inputs of Co-Simulation instances at the start, found while values can be set and got at will: in Initialization Mode."""
        kernel, arriving = self.kernel, self.schedule.arriving
        assert kernel
        inputs, moved = slice(self.schedule.first_end, self.schedule.first_end + len(arriving)), math.inf
        for _ in range(_MOST_ROUNDS):
            before, moved_before = kernel.slots[inputs].copy(), moved
            self._done(kernel.exchange(self.run.start_time, solving=not self.assembling), "passing on the values before the start")
            status, moved = kernel.hand_over()
            self._done(status, "setting inputs before the start")
            if moved <= _STILL:
                return
            # A small force that is the difference of large ones jitters by their rounding.
            if moved >= moved_before and np.abs(kernel.slots[inputs] - before).max() <= _STILL * np.abs(before).max():
                return
        part, _, reference = arriving[int(np.abs(kernel.slots[inputs] - before).argmax())]
        raise StartError(
            f"the start fails: '{self.named(part, reference)}' does not come to rest when inputs are passed around {_MOST_ROUNDS} times; "
            "check the start values, or break the ring of instances that depend on each other at once"
        )

    def _compile(self, number: int, loop: ScheduledLoop) -> None:
        builder, graph = self._builder, self.schedule.graph

        def constant(part: int, unknowns: Sequence[int], known: int) -> Sequence[float]:
            status, values = self.instances[part].directional(unknowns, known)
            self._check(part, status, "differentiating")
            return [float(value) for value in values]

        jacobian = build_jacobian(graph, loop, constant)
        for call in jacobian.calls:
            seed = [1.0] * len(call.unknowns if call.kind is CallKind.ADJOINT else call.knowns)
            known = call.knowns[0]
            variable = graph.parts[call.part].fmu.by_reference[known.reference]
            builder.add_derivative(
                number,
                call.kind,
                call.part,
                at_events=call.at_events and not self._adopted,  # events may have happened in the other master
                unknowns=[a.reference for a in call.unknowns],
                knowns=[a.reference for a in call.knowns],
                seed=seed,
                first=call.first,
                unknown_slots=call.slots or [self.schedule.slot[a] for a in call.unknowns],
                known_slot=0 if call.slots else self.schedule.slot[known],
                nominal=abs(variable.nominal),
            )
        order = elimination_order(np.array(jacobian.row_start), np.array(jacobian.columns))
        shortcut = build_shortcut(self.schedule, loop, jacobian)
        if shortcut:
            builder.set_shortcut(number, loop.first_row, shortcut.counts, shortcut.unknowns, shortcut.targets, shortcut.rows)
        builder.set_jacobian(number, jacobian.terms, jacobian.sums, jacobian.row_start, jacobian.columns, order)

    def check_end(self, outcome: Outcome) -> None:
        """Whether the FMUs have kept to their declared dependencies on the way, of which the start may have shown nothing."""
        kernel = self.kernel
        assert kernel
        if outcome.completed and kernel.evaluate(self.run.stop_time, kernel.slots[: self.built.states].copy()) is Status.DONE:
            try:
                self._check_dependencies()
            except Inconsistent as error:
                outcome.ending, outcome.sentence = Ending.INCONSISTENT, f"the result is not to be trusted: {error}"

    def _check_dependencies(self) -> None:
        """After an evaluation, no value that was passed on may have changed behind its reader's back."""
        assert self.kernel
        for operation in (o for part in (self.schedule.operations, *(x.operations for x in self.schedule.loops)) for o in part):
            if operation.kind is not Kind.GET or operation.type != 0 or self.built.parts[operation.index].stepped:
                continue
            status, now = self.instances[operation.index].get(0, operation.references)
            where = operation.places or range(operation.first, operation.first + len(now))
            then = self.kernel.slots[list(where)]
            scale = 1e-12 * (np.abs(then) + np.abs(now))
            if status <= WARNING and (np.abs(now - then) > scale).any():
                i = int(np.argmax(np.abs(now - then) - scale))
                part = self.built.parts[operation.index]
                name = part.fmu.by_reference[operation.references[i]].name
                raise Inconsistent(
                    f"'{part.name}.{name}' ({part.fmu.path.name}) changed from {then[i]:g} to {now[i]:g} when inputs were set on which, by the FMU's "
                    "own model structure, it does not depend; correct the dependencies in its modelDescription.xml, or leave them out"
                )

    def _done(self, status: Status, action: str) -> None:
        if status is not Status.DONE:
            if self.raised:
                raise self.raised
            raise StartError(f"the start fails when {action}: {self.describe_failure()}")

    def arriving_slot(self, number: int) -> int:
        """Where is kept what arrives at an input of a Co-Simulation instance, by its number among these."""
        return self.schedule.set_slot[self.schedule.arriving[number]]

    # -- names ---------------------------------------------------------------------------------------------------------

    def label(self, slot: int) -> str:
        """The variable whose value a slot keeps."""
        if not self._labels:
            for index, part in enumerate(self.built.parts):
                for i, reference in enumerate(part.states):
                    self._labels[part.first_state + i] = self.named(index, reference)
            for address, where in [*self.schedule.slot.items(), *self.schedule.drive_slot.items(), *self._extra.items()]:
                self._labels[where] = self.named(address.part, address.reference)
        return self._labels[slot]

    def named(self, part: int, reference: int) -> str:
        variable = self.built.parts[part].fmu.by_reference.get(reference)
        return f"{self.built.parts[part].name}.{variable.name if variable else reference}"

    def describe_failure(self) -> str:
        """What the kernel last found wrong, by the names of its instances and variables."""
        assert self.kernel
        f = self.kernel.failure
        kind, at = Status(f.kind), f"at t = {f.time:.9g} s"
        if kind is Status.FMU_FAILED:
            part, message = self.built.parts[f.instance], self.instances[f.instance].message
            names = [self.named(f.instance, f.references[i]) for i in range(f.count)] if f.references else []
            what = (
                (f.action or b"").decode() + (f" '{names[0]}'" if names else "") + (f" and {len(names) - 1} more" if len(names) > 1 else "")
            )
            if len(names) > 1 and f.action == b"getting":
                what = "getting " + self._which_fails(f.instance, names, [f.references[i] for i in range(f.count)])
            said = f": {message}" if message else "; it did not say why"
            return f"'{part.name}' ({part.fmu.path.name}) returned '{STATUS[f.status]}' {at} when {what}{said}"
        if kind is Status.NOT_FINITE:
            driven = "the function that drives " if f.slot in self.schedule.drive_slot.values() else ""
            return f"{driven}'{self.label(f.slot)}' {'gave no' if driven else 'is not a'} finite number {at}"
        if kind in (Status.NOT_SOLVED, Status.CONTRADICTORY):
            loop = self.schedule.loops[f.index]
            names = [self.named(a.part, a.reference) for a in loop.unknowns]
            shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
            if kind is Status.NOT_SOLVED:
                return f"the equations for {shown} {at} have no solution that the iteration finds"
            owner = loop.residuals[f.slot]
            return f"the equations for {shown} contradict each other {at}: '{self.named(owner.part, owner.reference)}' cannot vanish{self._partners(f.index)}"
        if kind is Status.UNSETTLED and f.instance < 0:
            return (
                f"'{self.label(f.slot)}' goes on changing {at} while the values are passed around, without any discrete update: discrete "
                "values count each other on, or some output depends on an input that its FMU's model structure does not list; break the ring, or "
                "correct the dependencies in modelDescription.xml, or leave them out"
            )
        if kind is Status.UNSETTLED:
            return f"'{self.built.parts[f.instance].name}' asks for discrete updates without end {at}"
        if kind is Status.TERMINATED:
            message = self.instances[f.instance].message
            return f"'{self.built.parts[f.instance].name}' asked for the end {at}" + (f": {message}" if message else "")
        return f"{kind.name.lower().replace('_', ' ')} {at}"

    def _which_fails(self, part: int, names: Sequence[str], references: Sequence[int]) -> str:
        for name, reference in zip(names, references, strict=True):
            status, values = self.instances[part].get(0, [reference])
            if status > WARNING or not math.isfinite(values[0]):
                return f"'{name}'"
        return f"'{names[0]}' and {len(names) - 1} more"

    def participants(self, loop: int) -> tuple[list[str], list[str]]:
        """The instances whose equations are redundant, and the unknowns left open, at the worst deficiency of a loop."""
        assert self.kernel
        members = self.schedule.loops[loop]
        _, undetermined, redundant, _, _ = self.kernel.deficiency(loop, len(members.unknowns))
        open_ = [self.named(a.part, a.reference) for a, weight in zip(members.unknowns, undetermined, strict=True) if weight > 1e-3]
        extra = [self.built.parts[a.part].name for a, weight in zip(members.residuals, redundant, strict=True) if weight > 1e-3]
        return list(dict.fromkeys(extra)), open_

    def _partners(self, loop: int) -> str:
        names, _ = self.participants(loop)
        return f" (it takes part in a redundancy of {_listed(names)}; remove one of them, or mend their values)" if names else ""

    def outcome(self, status: Status, t: float) -> Outcome:
        """How a run ended that the kernel left with a status at a time."""
        assert self.kernel
        if isinstance(self.raised, KeyboardInterrupt):
            return Outcome(Ending.INTERRUPTED, f"interrupted at t = {t:.9g} s; the result holds everything up to there")
        if self.raised is not None:
            raise self.raised
        stop = self.run.stop_time
        if status is Status.DONE:
            return Outcome(Ending.COMPLETED, f"completed at t = {stop:.9g} s")
        kept = "the result holds everything up to there"
        if status is Status.PAUSED:
            remedy = (
                f"or choose a longer communication_step than {self.run.communication_step:g} s"
                if self.run.communication_step is not None
                else f"loosen rtol = {self.run.rtol:g}, or, if the system is stiff, choose solver='cvode'"
                if not self.stiff
                else f"or, since {self.stiff}, choose solver='cvode'"
            )
            return Outcome(
                Ending.TOO_MANY_STEPS,
                f"stopped at t = {t:.9g} s after max_steps = {self.run.max_steps} steps; raise max_steps, {remedy}; {kept}",
            )
        failure = Status(self.kernel.failure.kind)
        if status is Status.STEP_TOO_SMALL and failure is Status.DONE:
            rk = self.kernel.runge_kutta
            name = self.label(rk.worst) if rk.worst >= 0 else "the states"
            return Outcome(
                Ending.STEP_TOO_SMALL,
                f"stopped at t = {t:.9g} s: the step size fell below what numbers resolve because of '{name}'; its derivative may have a "
                f"singularity or a jump without an event there, or rtol = {self.run.rtol:g} be too small; {kept}",
            )
        if status is Status.CHATTERING and self.kernel.failure.slot >= 0:
            name = self.label(self.kernel.failure.slot)
            return Outcome(
                Ending.CHATTERING,
                f"stopped at t = {t:.9g} s: the derivative of '{name}' jumps from one sign to the other there, again and again, without an event "
                f"(chattering); let its FMU signal an event, or give its model a state in which it rests; {kept}",
            )
        if status is Status.CHATTERING:
            which = self.indicator_name(self.kernel.failure.index)
            return Outcome(
                Ending.CHATTERING,
                f"stopped at t = {t:.9g} s: {which} causes events without end there (chattering); give its condition a hysteresis, or its model "
                f"a state in which it rests; {kept}",
            )
        endings = {
            Status.FMU_FAILED: (Ending.FMU_FAILED, "see the FMU's documentation for the cause"),
            Status.NOT_FINITE: (Ending.NOT_FINITE, "check the range of validity of what computes it, and the start values"),
            Status.NOT_SOLVED: (Ending.NOT_SOLVED, "check the start values; another solution branch may be nearer"),
            Status.CONTRADICTORY: (
                Ending.CONTRADICTORY,
                "remove one of the constraints or, where links align in passing, raise baumgarte.alpha and baumgarte.beta of their joints",
            ),
            Status.UNSETTLED: (Ending.CHATTERING, "check the conditions of its events"),
            Status.TERMINATED: (Ending.TERMINATED, ""),
        }
        ending, remedy = endings.get(failure, (Ending.SOLVER_FAILED, ""))
        if status is Status.NO_MEMORY:
            ending, remedy = Ending.SOLVER_FAILED, "record fewer outputs"
        return Outcome(ending, "; ".join(filter(None, [f"stopped at t = {t:.9g} s: {self.describe_failure()}", remedy, kept])))

    @property
    def stiff(self) -> str:
        """What an explicit method has found of stiffness; empty where it found none."""
        assert self.kernel
        count, state, since = self.kernel.stiffness()
        return f"the problem looks stiff from t = {since:.3g} s on because of '{self.label(state)}'" if count else ""

    def indicator_name(self, index: int) -> str:
        """The event indicator of a number, by its instance."""
        first = 0
        for part in self.built.parts:
            indicators = part.structure.indicators
            if first <= index < first + len(indicators):
                variable = part.fmu.by_reference.get(indicators[index - first].reference)
                named = variable is not None and part.fmu.version == 3
                return f"'{part.name}.{variable.name}'" if named and variable else f"event indicator {index - first + 1} of '{part.name}'"
            first += len(indicators)
        return "a time event"

    # -- recording -----------------------------------------------------------------------------------------------------

    def result(self, outcome: Outcome, preparing: float, running: float) -> Result:
        """Everything recorded so far."""
        assert self.kernel
        rows = self.kernel.recorded()
        self._warn_of_redundancy(outcome)
        s = self.kernel.statistics
        each = s.fmu_seconds / s.sampled if s.sampled > 0 else 0.0
        counts = self.kernel.counts if self.steppers else None
        statistics = Statistics(
            evaluations=s.evaluations,
            newton_iterations=s.newton_iterations,
            factorisations=s.factorisations,
            events=s.events,
            state_events=s.state_events,
            time_events=s.time_events,
            step_events=s.step_events,
            steps=self.solver_statistics.get("steps", 0),
            rejected=self.solver_statistics.get("rejected", 0),
            passes=counts.passes if counts else 0,
            seconds_preparing=preparing,
            seconds_running=running,
            seconds_in_fmus=min(max(0.0, each * s.evaluations) + (counts.seconds if counts else 0.0), running),
        )
        self._warn_of_created_energy(outcome)
        energy = {port: rows[:, 1 + len(self.recorded) + i].copy() for i, port in enumerate(self.watched)}
        rows = rows[:, : 1 + len(self.recorded)]
        parts = self.built.parts
        units = {f"{parts[i].name}.{name}": parts[i].fmu.variables[name].unit or "" for i, name in self.recorded}
        return Result(self.built.name, list(units), rows, outcome, statistics, units, energy)

    def _warn_of_created_energy(self, outcome: Outcome) -> None:
        """What coupling has created of energy at a port says how far a co-simulation can be trusted."""
        assert self.kernel
        passed = dict.fromkeys(self.watched, 0.0)
        for i, bond in enumerate(self.built.bonds):
            passed[bond.port] += self.kernel.passed(i)
        most = max(passed.values(), default=0.0)
        first = len(self.kernel.slots) - 1 - len(self.watched)
        shares = {p: abs(self.kernel.slots[first + i]) / passed[p] for i, p in enumerate(self.watched) if passed[p] > 0.01 * most}
        worst = max(shares, key=lambda p: shares[p], default="")
        if worst and not shares[worst] <= _TOLERABLE:
            outcome.warnings.append(
                f"the coupling has created or lost {shares[worst]:.0%} of the energy that passed at '{worst}': do not trust the result; choose a "
                "smaller communication_step, a higher extrapolation, or scheme='implicit'"
            )

    def _warn_of_redundancy(self, outcome: Outcome) -> None:
        assert self.kernel
        for number, loop in enumerate(self.schedule.loops):
            count, _, _, time, passing = self.kernel.deficiency(number, len(loop.unknowns))
            if not count:
                continue
            names, open_ = self.participants(number)
            sentence = (
                f"{count} constraint{' is' if count == 1 else 's are'} redundant at t = {time:.6g} s, among those of {_listed(names)}; "
            )
            if passing:
                sentence += (
                    "the mechanism passes a pose there from which its motion can go on in more than one way, and the multipliers near it are "
                    "uncertain: look whether the energy and the branch are kept; greater baumgarte.alpha and baumgarte.beta of these "
                    "joints, such as 50, and a smaller rtol help"
                )
            else:
                sentence += f"of the multipliers that share the load ({_listed(open_)}), those of least length are taken"
            outcome.warnings.append(sentence)


class Inconsistent(StartError):
    """An FMU does not do what its model description says."""


_STAGES = {
    StartStage.RESETTING: "resetting",
    StartStage.SWITCHING: "handing its algebraic variables to the master",
    StartStage.SETTING: "setting",
    StartStage.ENTERING: "entering Initialization Mode",
}
_MOST_ROUNDS, _STILL = 1000, 1e-13
"""How often inputs are passed around at the start, and how little they then may move, relative to their size."""
_TOLERABLE = 0.05
"""The share of the energy passed at a port that coupling may create there without a word."""
_LOST = 0.6
"""A mechanism that passes a pose where constraints become redundant drifts by about a fifth of the tolerance there. Enforcing them
blows the drift up by one over the distance to the pose, squared; letting go of them costs the forces that they would have had for so
long. Where both are equal, this times the tolerance to the power 2/3 is left of their pivot."""


def _of(start: Mapping[tuple[int, str], float], index: int) -> dict[str, float]:
    return {name: value for (part, name), value in start.items() if part == index}


def _listed(names: Sequence[str], limit: int = 8) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")
