"""Runs of a definition: the parts that have been built, and the sessions that wait to run again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property, partial
from time import perf_counter
from typing import Any

import numpy as np

from coupling.analysis.assembled import pose_of, warnings_of
from coupling.analysis.assembly import assemble, at_pose
from coupling.analysis.in_parts import assemble_in_parts
from coupling.analysis.pose import Pose
from coupling.analysis.search import Assembled, Wish, guesses_of
from coupling.errors import AnalysisError, BuildError, Unprojectable
from coupling.held import Facts, facts_of, held_by
from coupling.live.checkpoints import CheckpointWriter
from coupling.live.conclusion import broken_off, conclude, judge, lost_when_freed, rows_of
from coupling.live.derivatives.parameters import parameters_named
from coupling.live.derivatives.sensitivities import shadows_of
from coupling.live.fused import begin_fused
from coupling.live.interval import Interval
from coupling.live.isolation.processes import RunProcesses, check_apart, needs_several
from coupling.live.pausing import Course, Integration, finished
from coupling.live.program import compile_program, width_of_rows
from coupling.live.real_time import first_pause, in_time
from coupling.live.recording import recorded, taken
from coupling.live.run_data import RunData
from coupling.live.running import Running
from coupling.live.session import Session, alive
from coupling.live.start import StartValues, start, start_again
from coupling.live.streaming import Stream
from coupling.live.successive import repetitions_unknown, tells_what_repeats
from coupling.live.tolerances import check_names
from coupling.live.until import watch_until
from coupling.live.unwritten import attempted, sentences
from coupling.live.violations import check_start_state
from coupling.memory import free_memory
from coupling.names import resolve
from coupling.options import Run, Scheme
from coupling.outcome import Outcome
from coupling.plan.build import Built, build
from coupling.plan.connections import check_drive, is_start_value, wires_of
from coupling.plan.definition import Definition, Value
from coupling.plan.drives import ConstantDrive, Drive
from coupling.plan.given import drives_of, fixed_values, start_values_of_run
from coupling.plan.kinds import Mode
from coupling.plan.outputs import names_of
from coupling.plan.projection import of_no_effect, without_stabilisation
from coupling.record import Record
from coupling.schemes.base import failures
from coupling.schemes.base.scheme import refuse_without_integration, scheme_of
from coupling.schemes.base.step_control import control_of
from coupling.solvers.base.solver import SOLVERS, method_between_points, solver_of

_MANY_ROWS = 10_000
"""Number of rows beyond which a run checks whether they fit into memory."""


class Simulator:
    """Simulator of a definition, with everything that has been built for it.

    Built parts stay, and the next run begins at once if only values differ. Sessions whose run was completed are brought back to the start;
    all others are freed.
    """

    _MOST_WAITING = 4
    """Sessions that are kept, and systems with other drives; the one that has waited longest goes first."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self._fmus = {each.name: each.fmu.fmu for each in definition.instances}
        self._built: dict[Mode, Built] = {}
        self._prepared: tuple[Run, Built] | None = None
        self._waiting: dict[tuple[object, ...], Session] = {}
        self._unprojectable = ""
        """Reason why states cannot be moved onto constraints, once this was found."""
        self._unstabilised: dict[Mode, StartValues] = {}
        self._driven_otherwise: dict[tuple[tuple[str, Drive], ...], Simulator] = {}
        """Simulators of the same system with other drives."""
        self._processes = RunProcesses(self._waiting)

    def built_first(self, modes: Sequence[Mode]) -> Built:
        """Builds every mode that the system allows, and returns the first of them; if it allows none, the refusal of the first mode is raised."""
        built, refused = [], []
        for mode in modes:
            try:
                built.append(self.built(mode))
            except BuildError as error:
                refused.append(error)
        if not built:
            raise refused[0]
        for each in built:
            self._processes.open_libraries(each)
        return built[0]

    def built(self, mode: Mode) -> Built:
        """Checks everything and finds the order of evaluation, once."""
        if mode not in self._built:
            self._built[mode] = build(self.definition, mode)
        return self._built[mode]

    def prepare(self, run: Run) -> Built:
        """Builds all parts that a run needs; consecutive calls for one run build once."""
        if self._prepared is None or self._prepared[0] is not run:
            self._prepared = run, self._prepare(run)
        return self._prepared[1]

    def _prepare(self, run: Run) -> Built:
        solver_of(run)
        check_apart(run, self.definition)
        run = self._stabilised(run, {})
        if run.communication_step is None:
            self._processes.open_libraries(built := self.built(self._mode(run)), self.definition, run)
            return built
        scheme, control = scheme_of(run.coupling.name), control_of(run.coupling.step_control)
        control.check_tolerance(run)
        if scheme.repeats and run.coupling.extrapolation != Scheme.extrapolation:
            raise failures.nothing_to_extrapolate(scheme=run.coupling.name, degree=run.coupling.extrapolation)
        if run.initial == "assemble":
            self._unstepped()
        built = self.built(self._mode(run))
        self._processes.open_libraries(built, self.definition, run)
        if built.inner:
            method_between_points(built, run)
        else:
            refuse_without_integration(run, control.changes_steps)
        return built

    def close(self) -> None:
        """Frees all instances that wait for another run."""
        while self._waiting:
            self._waiting.popitem()[1].free()
        while self._driven_otherwise:
            self._driven_otherwise.popitem()[1].close()
        if (posed := self.__dict__.pop("_posed", self)) is not self:
            posed.close()
        self._processes.close()

    def run(
        self,
        run: Run,
        start_values: Mapping[str, Value] | None = None,
        drives: Mapping[str, Any] | None = None,
        pose: Mapping[str, Any] | None = None,
        stream: Stream | None = None,
        checkpoints: CheckpointWriter | None = None,
        instead: Callable[[Session, Run], Integration] | None = None,
    ) -> tuple[Outcome, Record]:
        """Integrates from start to stop, from a pose if one is given. The record holds all rows up to the end of the run, in a file if
        one is given.

        ``drives`` take the place of those of the definition. A constant in place of a constant is another start value; anything else is
        another system. ``instead`` takes the place of the integration, at a start that may violate constraints.
        """
        replaced = drives_of(drives, self._fmus)
        fixed = {name: drive for name, drive in replaced.items() if isinstance(drive, ConstantDrive) and name in self._fixed}
        if len(fixed) < len(replaced):
            self = self.with_drives({name: drive for name, drive in replaced.items() if name not in fixed})
        with self._processes.entered(run, self.definition):
            return finished(self._run_held(run, RunData(start_values or {}, fixed, pose, stream, checkpoints, instead)))

    def course(self, run: Run, data: RunData, drives: Mapping[str, Drive]) -> Course[tuple[Outcome, Record]]:
        """Does the same as ``run``, and waits at each pause of the data."""
        driven = self.with_drives(drives) if drives else self
        with driven._processes.entered(run, driven.definition):
            return (yield from driven._run_held(run, data))

    def with_drives(self, drives: Mapping[str, Drive]) -> Simulator:
        key = tuple(drives.items())
        if (found := self._driven_otherwise.pop(key, None)) is None:
            found = Simulator(replace(self.definition, drives=tuple({**dict(self.definition.drives), **drives}.items())))
        self._driven_otherwise[key] = found
        while len(self._driven_otherwise) > self._MOST_WAITING:
            self._driven_otherwise.pop(next(iter(self._driven_otherwise))).close()
        return found

    @cached_property
    def _fixed(self) -> frozenset[str]:
        """Inputs that a constant drives and nothing else feeds; their values are start values."""
        fmus, definition = self._fmus, self.definition
        drives = {check_drive(name, fmus, drive): drive for name, drive in definition.drives}
        fed = wires_of(fmus, definition.connections, drives, complete=False, transformations=definition.transformations)
        return frozenset(
            f"{instance}.{name}"
            for (instance, name), drive in drives.items()
            if isinstance(drive, ConstantDrive) and is_start_value(fmus, (instance, name), fed)
        )

    def _run_held(self, run: Run, given: RunData) -> Course[tuple[Outcome, Record]]:
        """Runs with the stabilisation that was asked for, or with Baumgarte stabilisation if projection is not possible."""
        if given.checkpoints:
            given.checkpoints.describe(self.definition, run, given.start_values, {name: drive.value for name, drive in given.fixed.items()})
        try:
            stabilised = self._stabilised(run, given.start_values)
            outcome, record = yield from self._run(stabilised, given)
        except Unprojectable as error:
            if self.definition.enforced:
                raise BuildError(
                    f"enforce: velocities cannot be made to fit where '{self.definition.enforced[0][0]}' comes into force: {error.why}; leave it in "
                    "force all the time"
                ) from None
            if tells_what_repeats(run):
                raise repetitions_unknown(run, error.why) from None
            if run.stabilisation is not None:
                raise
            self._unprojectable = error.why
            stabilised = self._stabilised(run, given.start_values)
            outcome, record = yield from self._run(stabilised, given)
        outcome.stabilisation = attempted(outcome.warnings, "", self._held_by, run, stabilised, given.start_values)
        if given.checkpoints:
            given.checkpoints.tell(outcome, run.solver_name)
        if given.stream:
            given.stream.end(record, outcome)
        return outcome, record

    def _stabilised(self, run: Run, start_values: Mapping[str, Value]) -> Run:
        """Returns the run with its stabilisation, which is ``baumgarte`` unless states are projected.

        By default they are projected if the steps of the solver can end on the constraints and no joint was given its own stabilisation.
        """
        if run.stabilisation is not None:
            return run
        solver = SOLVERS[run.solver_name]
        free = run.communication_step is None and run.form == "multipliers" and run.initial != "relax"
        can = free and (solver.tableau is not None or solver.holds)
        wanted = can and not self._unprojectable and self._facts.constrained
        asked = bool(self._facts.given) or not self._facts.parameters.isdisjoint(start_values)
        if wanted and (solver.holds or not asked):
            try:
                self.built(Mode.PROJECTED)
                return run.held_by("projection")
            except Unprojectable as error:
                self._unprojectable = error.why
        return run.held_by("baumgarte")

    def _held_by(self, asked: Run, run: Run, start_values: Mapping[str, Value]) -> str:
        """Returns the stabilisation of a run, and the reason; empty without constraints."""
        if not any(part.dae for part in self.built(self._mode(run)).parts):
            return ""
        given = sorted(self._facts.given | self._facts.parameters & start_values.keys())
        return held_by(asked, run, given, self._unprojectable)

    @cached_property
    def _needs_several(self) -> bool:
        """Says whether the isolation decides which instances are together, because one process cannot hold all."""
        return needs_several(self.definition)

    @cached_property
    def _facts(self) -> Facts:
        return facts_of(self.definition)

    def _run(self, run: Run, given: RunData) -> Course[tuple[Outcome, Record]]:
        start_values, fixed, pose, stream, checkpoints, instead, pause = given
        scheme = scheme_of(run.coupling.name) if run.communication_step is not None else None
        mode = self._mode(run)
        built = self.built(mode)
        check_names(run, built)
        values: StartValues = start_values_of_run(self.definition, built, start_values)
        own = tuple(values)
        values = {**values, **fixed_values(built, fixed)}
        for demand in built.torque_free:
            demand.check(values.get((demand.part, demand.variable), 0))
        projecting = _mode(run)
        if projecting not in self._unstabilised:
            self._unstabilised[projecting] = without_stabilisation(built.parts, built.projected if projecting is mode else ())
        unstabilised = self._unstabilised[projecting]
        holds = SOLVERS[run.solver_name].holds
        vain = of_no_effect(
            built.parts, built.start, values, unstabilised, *([f"solver='{run.solver_name}'", "another solver"] if holds else [])
        )
        values = {**values, **unstabilised}
        if run.rows > _MANY_ROWS and not stream:
            run.check_memory(width_of_rows(built, run.outputs), free_memory())
        run.times()  # found once, before the clock starts
        began, asked = perf_counter(), values
        if checkpoints:
            checkpoints.check(built, run, exact=scheme is not None or SOLVERS[run.solver_name].in_c)
        begun = self._begun_stepped if scheme and (run.initial == "assemble" or pose is not None) else self._begun
        values, warned = (checkpoints and checkpoints.begun) or begun(built, run, values, pose, bool(own or fixed))
        running = Running(
            run=run,
            values=values,
            repeats=scheme is not None and scheme.repeats,
            parameters=parameters_named(built, run.sensitivities, asked, [name for name, _ in self.definition.drives]),
            checkpoints=checkpoints,
            rows_file=stream.path if stream else None,
            pause=pause or first_pause(run),
        )
        key, session = self._started(built, running, in_turn=scheme is not None and scheme.in_turn)
        completed = False
        try:
            if run.sensitivities:
                session.run_beside(shadows_of(session, lambda at, value: self._begun(built, run, {**asked, at: value}, pose, True)[0]))
            if run.initial != "relax" and not instead:
                check_start_state(session, own)
            watch_until(session)
            begin_fused(session)
            prepared = perf_counter()
            try:
                with (
                    checkpoints.with_rows(stream, warned) if checkpoints else nullcontext(),
                    stream.written(session) if stream else nullcontext(),
                ):
                    if scheme:
                        interval = Interval(session, session.inner, method_between_points(built, run)) if session.inner else None
                        integration = scheme.couple(session, run, interval)
                    else:
                        integration = (instead or SOLVERS[run.solver_name].integrate)(session, run)
                    outcome = yield from in_time(integration, session)
            except Exception as error:
                outcome = broken_off(session, error)
            seconds = prepared - began, perf_counter() - prepared
            conclude(session, outcome, [*warned, *vain], own)
            outcome, numbers = rows_of(session, outcome, stream.numbers if stream else partial(taken, session))
            record = recorded(session, numbers, *seconds, outcome.warnings, outcome.counts)
            judge(session, outcome, record, scheme.loose if scheme else ())
            completed = outcome.as_asked
        finally:
            if completed and session.program.runs_again:
                self._keep(key, session)
            else:
                session.free()
        outcome.warnings += sentences(lost_when_freed, session) if completed else []
        return outcome, record

    @contextmanager
    def arrived(self, time: float) -> Iterator[tuple[Session, np.ndarray]]:
        """Yields a session at a time in s, and the states there; at time 0 this is the start."""
        run = Run(stop_time=time, start_time=min(time, 0.0), outputs=[], output_times=[time])
        built = self.built(Mode.PROJECTED if self.definition.enforced or self._facts.switches else Mode.CONTINUOUS)
        with self._lent(built, run, {}) as session:
            check_start_state(session)
            outcome = finished(SOLVERS[run.solver_name].integrate(session, run))
            if not outcome.completed:
                raise AnalysisError(f"t = {time:g} s cannot be reached: {outcome.sentence}")
            yield session, session.kernel.present

    @contextmanager
    def standing(self, start_values: Mapping[str, Value] | None, initial: str = "check", time: float = 0.0) -> Iterator[Session]:
        """Yields a session at its start, which the caller may move and evaluate. Drives have their values at ``time`` in s."""
        stepped = next((each for each in self.definition.instances if each.kind == "cs"), None)
        if stepped is not None:
            offers = "give it the kind 'me'" if stepped.fmu.fmu.model_exchange else "use an FMU that offers Model Exchange"
            raise BuildError(
                f"'{stepped.name}' runs in Co-Simulation, which gives no access to its "
                f"states. Equilibria and linear models need them; {offers}"
            )
        run = Run(start_time=time, stop_time=time, initial=initial, outputs=[])
        built = self.built(Mode.CONTINUOUS)
        values: StartValues = start_values_of_run(self.definition, built, start_values)
        if initial == "assemble":
            values = {**values, **self._assembled(built, run, values)[0]}
        with self._lent(built, run, values) as session:
            if initial == "check":
                check_start_state(session)
            yield session

    @contextmanager
    def _lent(self, built: Built, run: Run, values: StartValues, assembling: bool = False) -> Iterator[Session]:
        """Yields a session at its start. It is kept for another run, unless its use failed."""
        key, session = self._started(built, Running(run=run, values=values, assembling=assembling))
        completed = False
        try:
            yield session
            completed = True
        finally:
            if completed and session.program.runs_again:
                self._keep(key, session)
            else:
                session.free()

    def _mode(self, run: Run) -> Mode:
        """Returns the mode in which the instances are run. Joints that come into force or carry nothing need the data of projection,
        even if states are not projected."""
        mode = _mode(run)
        asked = self.definition.enforced or tells_what_repeats(run) or self._facts.switches
        return Mode.PROJECTED if mode is Mode.CONTINUOUS and asked else mode

    # -- sessions ----------------------------------------------------------------------------------------------------------------------

    def _started(self, built: Built, running: Running, in_turn: bool = False) -> tuple[tuple[object, ...], Session]:
        run = running.run
        outputs = names_of(run.outputs)
        home = self._processes.present
        reactions = run.index3 is not None and run.index3.augmented
        key = (id(built), outputs, in_turn, reactions, run.isolation.memory, run.isolation if self._needs_several else None, home)
        waiting = alive(self._waiting.pop(key, None))
        if waiting is not None:
            start_again(waiting, running)
            return key, waiting
        return key, start(compile_program(built, outputs, in_turn, reactions=reactions), running, home)

    def _keep(self, key: tuple[object, ...], session: Session) -> None:
        if (other := self._waiting.pop(key, None)) is not None:  # it assembled starts of shadows, which the session keeps
            other.free()
        if self._waiting.setdefault(key, session) is not session:  # another thread has run the same meanwhile
            session.free()
        while len(self._waiting) > self._MOST_WAITING:
            self._waiting.pop(next(iter(self._waiting))).free()

    def pose(self, start_values: Mapping[str, Value] | None, wish: Wish) -> Pose:
        """Returns the assembled pose, with all that is known about it."""
        stepped = any(each.kind == "cs" for each in self.definition.instances)
        posed, built = self._unstepped() if stepped else (self, self.built(Mode.CONTINUOUS))
        if posed is not self:
            return posed.pose(start_values, wish)
        run = Run(stop_time=0.0, initial="assemble", outputs=[])
        values: StartValues = start_values_of_run(self.definition, built, start_values)
        with self._lent(built, run, values, assembling=True) as session:
            return pose_of(assemble(session, (), replace(wish, guess={**guesses_of(self.definition), **wish.guess})))

    def _begun(
        self, built: Built, run: Run, values: StartValues, pose: Mapping[str, Any] | None, changed: bool
    ) -> tuple[StartValues, list[str]]:
        """Returns the values at which a run begins, and warnings. The run begins at a pose, or is assembled; ``changed`` says whether
        values were changed in this run alone."""
        if pose is not None:
            return {**self._from_pose(built, run, values, pose, changed), **values}, []
        if run.initial != "assemble":
            return values, []
        found, warned = self._assembled(built, run, values)
        return {**values, **found}, warned

    @cached_property
    def _posed(self) -> Simulator:
        """Simulator without the instances that take no part in assembly: they offer only Co-Simulation, and keep their own start."""
        apart = [each.name for each in self.definition.instances if each.fmu.fmu.model_exchange is None]
        return Simulator(self.definition.without(apart)) if apart else self

    def _unstepped(self) -> tuple[Simulator, Built]:
        """Returns the simulator and the system that find the start of a co-simulation; refuses joints at an instance that takes no part."""
        try:
            return self._posed, self._posed.built(Mode.UNSTEPPED)
        except BuildError:
            return self, self.built(Mode.UNSTEPPED)  # names the instance

    def _begun_stepped(
        self, built: Built, run: Run, values: StartValues, pose: Mapping[str, Any] | None, changed: bool
    ) -> tuple[StartValues, list[str]]:
        """Returns the same as ``_begun``, for a co-simulation."""
        if pose is not None and not changed:  # nothing has to be assembled
            return {**start_values_of_run(self.definition, built, pose), **values}, []
        posed, unstepped = self._unstepped()
        number = {part.name: i for i, part in enumerate(built.parts)}
        inner = {number[part.name]: i for i, part in enumerate(unstepped.parts)}
        own = {(inner[i], name): value for (i, name), value in values.items() if i in inner}
        apart = {name: value for name, value in (pose or {}).items() if number[resolve(name, number)[0]] not in inner}
        others = start_values_of_run(self.definition, built, apart)
        pose = {name: value for name, value in (pose or {}).items() if name not in apart} if apart else pose
        with posed._processes.entered(run, posed.definition) if posed is not self else nullcontext():
            begun, warned = posed._begun(unstepped, run if posed is self else replace(run, outputs=[]), own, pose, changed)
        return {**others, **values, **{(number[unstepped.parts[i].name], name): value for (i, name), value in begun.items()}}, warned

    def _from_pose(self, built: Built, run: Run, values: StartValues, pose: Mapping[str, Any], changed: bool) -> StartValues:
        """Returns the start values at a pose. If lengths or states differ in this run, they are those of the nearest pose."""
        near: StartValues = start_values_of_run(self.definition, built, pose)
        if not changed:
            return near
        with self._lent(built, run, {**near, **values}, assembling=True) as session:
            return at_pose(session, self.definition, pose, near, values)

    def _assembled(self, built: Built, run: Run, values: StartValues) -> tuple[StartValues, list[str]]:
        """Returns warnings, and the start values at which the constraints hold for the states that have to move."""
        mode = next(mode for mode, each in self._built.items() if each is built)
        warned: list[str] = []
        found = assemble_in_parts(self.definition, mode, run, values, partial(self._assembled_from, built, run, values, warned))
        return found, warned

    def _assembled_from(
        self, built: Built, run: Run, values: StartValues, warned: list[str], guesses: Mapping[tuple[int, str], float]
    ) -> dict:
        with self._lent(built, run, {**values, **guesses}, assembling=True) as session:
            found: Assembled = assemble(session, guesses, Wish(guess=guesses_of(self.definition)))
            warned[:] = warnings_of(found)
        return {**guesses, **found.changes()}


def _mode(run: Run) -> Mode:
    """Returns the mode in which the instances are run."""
    if run.communication_step is None:
        return Mode.PROJECTED if run.stabilisation == "projection" else Mode.CONTINUOUS
    return Mode.PROJECTED_BETWEEN if run.stabilisation == "projection" else Mode.COUPLED
