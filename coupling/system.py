"""A system of FMUs as users put it together."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, overload

import numpy as np

from coupling.analysis.continuation import Equilibria, LinearFamily
from coupling.analysis.grid import LinearGrid
from coupling.analysis.linear_model import LinearModel
from coupling.analysis.pose import Pose, asked_pose
from coupling.analysis.search import Wish
from coupling.analysis.sensitivities import Sensitivities
from coupling.analysis.stages import Stages, stages
from coupling.at_rest import at_rest
from coupling.checked_options import CheckedOptions
from coupling.composition import Composition
from coupling.diagram import system_diagram, system_html
from coupling.errors import BuildError, shown
from coupling.explained import explain
from coupling.live.checkpoints import checkpoint_writer
from coupling.live.session import Session
from coupling.live.streaming import stream_of
from coupling.options import Checkpoint, Contacts, Index3, Isolation, Run, Scheme, Successive
from coupling.options.calls import public_call
from coupling.plan.build import Built
from coupling.plan.definition import Value
from coupling.plan.given import drives_of
from coupling.plan.kinds import Mode, possible_modes
from coupling.progress import show_at_end, terminated_after
from coupling.result import Result, start_picture
from coupling.resume import check_restarts, resume, run_on
from coupling.schemes.base.scheme import check_scheme
from coupling.simulate import Simulator
from coupling.solvers.base.solver import embedded_run
from coupling.ssp.parameters import start_values_of
from coupling.ssp.systems import from_ssp, to_ssp


class System(Composition):
    """Instances of FMUs and what connects them.

    ``gravity`` (m/s2, two numbers or three) is that of all bodies that are not given their own. ``add`` instances, ``connect`` their ports and
    variables, or ``join`` two ports by a joint, ``include`` other systems, ``drive`` inputs by numbers, functions of time or tables, then
    ``simulate``. ``build`` checks everything; ``simulate`` calls it where it has not been called. A system that has been built changes no
    more; it can be copied and pickled, and the copy is as it was before it was built.
    """

    def __init__(self, name: str = "system", gravity: Sequence[float] | None = None) -> None:
        super().__init__(name, gravity)
        self._simulator: Simulator | None = None
        self._asked = CheckedOptions()

    @public_call
    def build(self, communication: bool | None = None) -> Built:
        """Checks everything and finds the order of evaluation, without running anything.

        ``communication`` asks for runs with a communication step, or without. By default a system is refused only if it allows neither.
        """
        modes = possible_modes(self.definition) if communication is None else [Mode.COUPLED if communication else Mode.CONTINUOUS]
        simulator = self._simulator or Simulator(self.definition)
        built = simulator.built_first(modes)
        self._freeze(simulator)
        return built

    def _freeze(self, simulator: Simulator) -> None:
        """What could not be built can be changed; what was built cannot."""
        if self._simulator is None:
            self._simulator, self._built = simulator, True
            weakref.finalize(self, simulator.close)

    @classmethod
    @public_call
    def from_ssp(cls, path: str | os.PathLike[str]) -> Self:
        """The system in an SSP package, of this library or of another tool: FMUs, values and connections, of nested systems with dotted names.

        What cannot be taken is refused by its element. ``settings`` are what the package says of simulating it, for ``simulate(**settings)``,
        ``notes`` what a user should know.
        """
        return cls.of(*from_ssp(path))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Options of ``simulate`` in the package that the system was read from."""
        return MappingProxyType(dict(self._origin.settings))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of the package that the system was read from."""
        return self._origin.notes

    @public_call
    def to_ssp(self, path: str | os.PathLike[str], settings: Mapping[str, Any] | None = None, parameters: str = "inline") -> Path:
        """Writes the system as an SSP 1.0 package, with its FMUs; what SSP has no words for is in an annotation.

        ``settings`` are options of ``simulate`` to keep, such as ``{"stop_time": 2.0}``, by default those that the system was read with.
        ``parameters`` are written ``inline``, or each into a ``file`` ``.ssv`` of its own. Inputs that add up get components ``signal.Sum``,
        tables ``signal.Table``, which reading takes out again. Functions that drive inputs are refused by name.
        """
        return to_ssp(self.definition, path, settings, parameters, self._origin)

    @public_call
    def export_fmu(
        self,
        path: str | os.PathLike[str],
        *,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        parameters: Sequence[str] | None = None,
        fmi: int = 2,
        platforms: Sequence[str] | None = None,
        initial: str | Mapping[str, float] | Result = "check",
        hold: Sequence[str] | None = None,
        implicit: bool = False,
        ls_dae: bool = False,
        stop_time: float = 1.0,
        stabilisation: str | None = Run.stabilisation,
        solver: str | Index3 = Run.solver,
        start_values: Mapping[str, Value] | str | os.PathLike[str] | None = None,
        locals: bool = True,
    ) -> Path:
        """Writes the system, made of this library's components, as one FMU without Python, for Model Exchange and Co-Simulation.

        ``inputs`` are ports and input variables that are left open and become the FMU's: ``["cylinder.rod", "motor.tau"]``; a port of a
        body may be connected inside as well, efforts add up. ``outputs`` are names, instances, ports or patterns with ``*``, by default
        all states; what opened ports give is among them in any case. All other variables can be seen as local ones. ``parameters``
        are chosen likewise, by default all; the others keep their values. ``fmi`` is the version, 2 or 3; ``platforms`` are ``linux64`` and
        ``win64``, by default those that can be compiled for here. ``initial`` is as in ``simulate``: ``check``, ``assemble`` (now, and by
        default again where the FMU starts), ``relax``, or a pose or a result at which the FMU starts. Unless it is ``relax``, the FMU refuses a
        start that violates constraints, or closes it where ``initial.assemble`` is true, by states that are not in ``hold``. ``implicit`` is the
        default of the parameter ``solver.implicit``: an implicit method in Co-Simulation, for stiff systems. With ``ls_dae`` an importer may solve for the multipliers
        itself, as FMI-LS-DAE describes. ``stop_time`` is that of the default experiment, in seconds. ``stabilisation`` is by default part of
        the joints; with ``projection`` Co-Simulation moves states onto the constraints, and Model Exchange gives the projected right-hand side.
        ``solver=Index3(step_size=0.01)`` has Co-Simulation take steps of fixed size. ``start_values`` are those of this FMU alone, by full names or a file ``.ssv``; it starts with them.
        Without ``locals`` it shows no local variables except states, their derivatives and event indicators.
        """
        from coupling.export.export import export_fmu

        pose, initial = self._pose(initial), initial if isinstance(initial, str) else Run.initial
        return export_fmu(
            self.definition,
            path,
            inputs=inputs,
            outputs=outputs,
            parameters=parameters,
            fmi=fmi,
            platforms=platforms,
            initial=initial,
            pose=pose,
            hold=hold,
            implicit=implicit,
            ls_dae=ls_dae,
            stop_time=stop_time,
            stabilisation=stabilisation,
            start_values=start_values_of(start_values, self.instances),
            steps=embedded_run(stop_time, initial, solver),
            locals_shown=locals,
        )

    @public_call
    def assemble(
        self,
        guess: Mapping[str, float | tuple[float, float]] | None = None,
        hold: Mapping[str, float] | None = None,
        velocities: Mapping[str, float] | None = None,
        branch: str | None = None,
        alternatives: bool | None = None,
        start_values: Mapping[str, Value] | str | os.PathLike[str] | None = None,
    ) -> Pose:
        """A pose in which all joints are closed: give it to ``simulate(initial=pose)``, and ``print`` it.

        Start values of ``add`` are held, and so are those of ``hold``, also of outputs that depend on positions, such as
        ``{"stroke.translation.q": 0.66}``. Values of ``guess`` may move: they decide which way the mechanism is closed, and what stays free; a
        pair is a value and how far off it may be. Bodies of which nothing is said are placed by walking over joints from the ground.
        ``velocities`` are held, of states or of outputs such as ``pin.rotation.qd``; the others, nearest to guesses, have least kinetic energy.
        ``alternatives`` says whether other poses are sought, by default where that is soon done; ``branch`` asks for one of them, as a pose
        tells. ``start_values`` are as in ``simulate``.
        """
        simulator = self._simulator or Simulator(self.definition)
        pose = simulator.pose(
            start_values_of(start_values, self.instances), Wish(hold or {}, guess or {}, velocities or {}, branch, alternatives)
        )
        self._freeze(simulator)
        return pose

    picture = public_call(start_picture, "picture")
    resume = staticmethod(public_call(resume))
    diagram = public_call(system_diagram, "diagram")
    explain = public_call(explain)
    _repr_html_ = system_html

    @public_call
    def equilibrium(
        self,
        initial: Mapping[str, Value] | Result | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
        guess: Mapping[str, Value] | None = None,
    ) -> Pose:
        """A pose at which the system stands still: all accelerations vanish, and the rates of all other states.

        It is sought from ``initial``, a mapping of values such as ``{"rod.theta": 1.0}``, a pose that was found before or a result, whose
        last row counts; by default from the start values of the instances. Values of ``guess`` count over those of ``initial``. Velocities are
        set to zero, and all states move but those that ``hold`` names. A mechanism
        slides downhill from there, so that what is found is stable as a rule; the pose says whether it is. From an unstable one, such as
        a rod that stands upright, its ``alternatives`` are where the system falls. ``free`` names inputs that are left open, to be found as
        well: a torque, a pressure or a voltage that balances what is held; or parameters, such as a spring's stiffness, by which as many of
        what is held, the first ones, come to rest where they start. The time is 0; driven inputs have their values there.
        """
        return self._equilibrium({**self._values(initial), **self._values(guess)}, True, hold, free)

    def _equilibrium(self, start: Mapping[str, Value], alternatives: bool, hold: Sequence[str], free: Sequence[str]) -> Pose:
        from coupling.analysis.trimming import equilibrium_of

        return equilibrium_of(lambda new: self._standing({**start, **new}, "relax"), self.instances, self._drives, hold, free, alternatives)

    @public_call
    def equilibria(
        self,
        parameter: str,
        values: Sequence[float] | np.ndarray,
        initial: Mapping[str, Value] | Result | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
    ) -> Equilibria:
        """Equilibria along a parameter, such as ``equilibria("spring.k", np.linspace(50, 5, 20))``, each sought from the one before.

        Where stability is lost or gained on the way, the value of the parameter is found, and the poses beyond have alternatives.
        """
        from coupling.analysis.continuation import equilibria

        given = self._values(initial)

        def at(value: float, near: Mapping[str, Value], alternatives: bool) -> Pose:
            return self._equilibrium({**given, **near, parameter: value}, alternatives, hold, free)

        return equilibria(parameter, values, dict(given), at)

    @overload
    def linearise(
        self,
        inputs: Sequence[str] = ...,
        outputs: Sequence[str] | None = ...,
        initial: Mapping[str, Value] | Result | None = ...,
        coordinates: Sequence[str] = ...,
        along: None = ...,
    ) -> LinearModel: ...

    @overload
    def linearise(
        self,
        inputs: Sequence[str] = ...,
        outputs: Sequence[str] | None = ...,
        initial: Mapping[str, Value] | Result | None = ...,
        coordinates: Sequence[str] = ...,
        *,
        along: Mapping[str, Sequence[float] | np.ndarray],
        hold: Sequence[str] = ...,
        free: Sequence[str] = ...,
    ) -> LinearFamily | LinearGrid: ...

    @public_call
    def linearise(
        self,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] | None = None,
        initial: Mapping[str, Value] | Result | None = None,
        coordinates: Sequence[str] = (),
        along: Mapping[str, Sequence[float] | np.ndarray] | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
    ) -> LinearModel | LinearFamily | LinearGrid:
        """The linear model x' = A x + B u, y = C x + D u of small motions about a point.

        ``inputs`` name inputs that are driven or left open; rates of prescribed motion follow from them. ``outputs`` name variables,
        instances or patterns with ``*``; by default the outputs are the states. ``initial`` are values, such as a pose that ``equilibrium`` has
        found, and by default those of the instances, at time 0; of a result its last row counts, with the drives of its run as they are at its time;
        a file has none, so that this system's count. The system has to stand still there, or to move so that its linear model stays the same.
        The states are minimal coordinates and their rates, so that constraints, their stabilisation and quaternions leave no poles: joints' freedoms where there are any, such as
        ``pin.rotation.q`` and ``pin.rotation.qd``, and all states that are not mechanical; ``coordinates`` names those to be preferred.
        ``along={"spring.k": values}`` gives the models at the equilibria along a parameter, all in the coordinates of the first: the first
        equilibrium is sought from ``initial``, each other one from the one before; ``hold`` and ``free`` are those of ``equilibrium``. Several
        parameters, ``along={"spring.k": values, "payload.m": others}``, span a grid, in which each equilibrium is sought from its neighbour.
        Where a parameter changes the weight, ``free`` names the input that balances it.
        """
        from coupling.analysis.continuation import linear_family
        from coupling.analysis.grid import grid_of, linear_grid
        from coupling.analysis.linear import linear_model
        from coupling.analysis.varied import Asked

        start = self._values(initial)
        if along is not None:
            axes = grid_of(along)
            asked = Asked(
                partial(self._equilibrium, hold=hold, free=free), partial(self.linearise, inputs, outputs), start, tuple(coordinates)
            )
            if len(axes) > 1:
                return linear_grid(axes, asked)
            ((parameter, values),) = axes.items()
            return linear_family(self.equilibria(parameter, values, start, hold, free), asked)
        if tuple(hold) or tuple(free):
            raise BuildError(
                "linearise: hold and free belong to equilibria along a parameter; give along={...}, or initial=system.equilibrium(hold=..., free=...)"
            )
        still = isinstance(initial, Pose) and initial.assembled is None
        time = float(initial.time[-1]) if isinstance(initial, Result) else 0.0
        with self._as_driven(initial)._standing(start, "check", time, still) as session:
            return linear_model(session, inputs, outputs, coordinates)

    def _as_driven(self, initial: object) -> System:
        """With the drives that were those of the run alone that a result is of."""
        own = drives_of(initial.drives) if isinstance(initial, Result) else {}
        return self.of(replace(self.definition, drives=tuple({**dict(self.definition.drives), **own}.items()))) if own else self

    @public_call
    def sensitivities(
        self,
        parameters: Sequence[str],
        outputs: Sequence[str] | None = None,
        initial: Mapping[str, Value] | Result | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
    ) -> Sensitivities:
        """How an equilibrium, and the eigenvalues of small motions about it, change with parameters.

        The equilibrium is sought from ``initial``, with ``hold`` and ``free`` as in ``equilibrium``. Derivatives of states, of free inputs and of
        ``outputs`` are exact by parameters that FMUs list among the knowns of their derivatives, as those of the catalogue do; all others, and
        those of eigenvalues, are differences of equilibria that are solved anew, with exact Jacobians there.
        """
        from coupling.analysis.sensitivities import implicit_derivatives, sensitivities

        start = self._values(initial)
        with self._standing(start, "relax") as session:
            found = implicit_derivatives(session, parameters, outputs, hold, free)
        model = self.linearise(initial=found.pose.beside(start))

        def anew(parameter: str, value: float) -> tuple[Pose, LinearModel]:
            changed = {**start, **found.pose, parameter: value}
            pose = self._equilibrium(changed, False, hold, free)
            return pose, self.linearise((), found.outputs, pose.beside(changed), model.states)

        return sensitivities(found, model, anew)

    @public_call
    def constraint_stages(self, at: float = 0.0, order: Sequence[str] | str | None = None) -> Stages:
        """The constraints in force at a time, taken one after the other: what each adds and what is left free, what it repeats, and how the
        multipliers of those before change. ``print`` it to see a table.

        ``order`` names joints that come first, the others follow in the order of ``add``; ``independent first`` takes next what is most independent
        of those before, which tells best whether constraints are nearly redundant.
        """
        if isinstance(at, bool) or not isinstance(at, int | float | np.integer | np.floating) or not np.isfinite(at):
            raise BuildError(f"constraint_stages: at = {shown(at)} is refused: give a time in seconds")
        simulator = self._simulator or Simulator(self.definition)
        with simulator.arrived(float(at)) as (session, x):
            self._freeze(simulator)
            return stages(session, float(at), x, order)

    def _values(self, start: Mapping[str, Value] | Result | None) -> Mapping[str, Value]:
        """Start values by full names; of a result the states at its end."""
        if isinstance(start, Result):
            return start.final([f"{name}.{fmu.by_reference[state].name}" for name, fmu in self.instances.items() for state in fmu.states])
        if start is not None and not isinstance(start, Mapping):
            raise BuildError(
                f"start values {shown(start)} are refused: give a mapping by full names, a pose that equilibrium() has found, or a result"
            )
        return start or {}

    def _pose(self, initial: str | Mapping[str, float] | Result) -> Mapping[str, Value] | None:
        """Returns the pose at which a run begins, if ``initial`` is no word."""
        return None if isinstance(initial, str) else self._values(initial) if isinstance(initial, Result) else asked_pose(initial)

    @contextmanager
    def _standing(self, start: Mapping[str, Value], initial: str, time: float = 0.0, still: bool = True) -> Iterator[Session]:
        """Yields a session at its start; ``still`` holds driven motions."""
        simulator = self._simulator or Simulator(self.definition)
        with (at_rest(simulator, start) if still else simulator).standing(start, initial, time) as session:
            self._freeze(simulator)
            yield session

    @public_call
    def simulate(
        self,
        stop_time: float,
        *,
        start_time: float = Run.start_time,
        solver: str | Index3 = Run.solver,
        rtol: float = Run.rtol,
        atol: float | Mapping[str, float] | None = Run.atol,
        max_step: float = Run.max_step,
        max_steps: int = Run.max_steps,
        value_limit: float | None = Run.value_limit,
        initial: str | Mapping[str, float] | Result = Run.initial,
        start_values: Mapping[str, Value] | str | os.PathLike[str] | None = None,
        drives: Mapping[str, float | Callable[[float], float] | Sequence[Sequence[float]] | np.ndarray] | None = None,
        outputs: Sequence[str] | None = Run.outputs,
        output_times: Sequence[float] | np.ndarray | None = Run.output_times,
        output_interval: float | None = Run.output_interval,
        communication_step: float | None = Run.communication_step,
        scheme: str | Scheme = Run.scheme,
        stabilisation: str | None = Run.stabilisation,
        multipliers: str | Successive = Run.multipliers,
        contacts: Contacts = Run.contacts,
        sensitivities: Sequence[str] = Run.sensitivities,
        evaluation: str = Run.evaluation,
        isolate: str | Isolation = Run.isolate,
        record_to: Path | str | None = None,
        checkpoint: Path | str | Checkpoint | None = None,
        progress: bool = Run.progress,
    ) -> Result:
        """Integrates the system from ``start_time`` to ``stop_time`` (seconds).

        ``solver``: ``dopri5`` or ``dop853`` (explicit Runge-Kutta, with events located to rounding), ``cvode`` or ``ida`` (stiff), ``Index3(step_size=...)``
        (fixed steps that end on the constraints), or one of SciPy's: ``RK45``, ``Radau``, ``BDF``, ``LSODA``. ``rtol`` is the relative, ``atol`` the absolute
        tolerance, by default ``rtol`` times the nominal values; a mapping gives it by name of state, and of algebraic variable for ``ida``, or by patterns
        with ``*``, of which the last that matches counts. ``initial`` says what happens where the start violates constraints: ``check`` refuses,
        ``assemble`` moves what the user did not set, ``relax`` leaves it to the stabilisation. It is also a pose of ``assemble()`` or ``equilibrium()``, or a
        result, whose last row counts: the run begins there, and where its ``start_values`` give other lengths, at the pose that is nearest.
        ``start_values`` are those of this run alone, by full names such as ``rod.m``, or a file ``.ssv`` of SSP; they count over those that ``add`` was
        given, and the next run begins without them. ``drives`` are constants, functions of time or tables for this run, by the names of inputs, in place of
        those that ``drive`` was given. ``outputs`` are the names to record, of variables or instances, ``*`` matching anything; by default all outputs,
        states, algebraic and discrete variables. ``output_times`` or ``output_interval`` say when, by default 500 intervals; they cost no steps.
        ``communication_step`` (seconds) couples Co-Simulation instances at points that far apart, by a ``scheme``: a name, or ``Scheme`` with
        ``extrapolation`` and ``step_control``. Values are recorded at the first point at or after each time that is asked for.
        ``stabilisation`` says what keeps constraints from drifting: ``baumgarte``, which is part of the joints, or ``projection``, by which each step ends on
        the constraints. By default ``dopri5`` and ``dop853`` project, unless ``initial`` is ``relax`` or a joint has been given a value of its stabilisation.
        ``multipliers`` are solved for ``simultaneous``, or ``successive``: constraint by constraint (``Successive``; see ``constraint_stages`` as well).
        ``contacts=Contacts(...)`` treats impact and contact. ``sensitivities`` name parameters and start values by which all that is recorded is
        differentiated, for ``dopri5`` and ``dop853``: ``result.sensitivity("rod.theta", "rod.m")``. ``evaluation``: derivatives are found by calls of the
        ``fmus``, by a ``tape`` of their equations, or by ``compiled`` code of these; ``auto`` takes the tape where all FMUs are of this library.
        ``isolate``: ``all`` has the run, with all FMUs, in a process of its own, ``foreign`` does so where an FMU is not of this library; ``Isolation`` has
        limits and restarts. ``record_to`` is the path of a file ``.jrd`` that takes the rows while they are made, in place of memory: ``Result.load`` reads it
        also while the run goes on. ``checkpoint`` is the path of a file from which ``System.resume`` resumes the run, or ``Checkpoint`` with its
        ``interval``. ``progress`` shows a bar on a terminal, and at the end how it went.
        """
        start_values, pose = start_values_of(start_values, self.instances), self._pose(initial)
        check_scheme(scheme.name if isinstance(scheme, Scheme) else scheme)
        run = self._asked.run(
            stop_time=stop_time,
            start_time=start_time,
            solver=solver,
            rtol=rtol,
            atol=atol,
            max_step=max_step,
            max_steps=max_steps,
            value_limit=value_limit,
            initial=initial if isinstance(initial, str) else Run.initial,
            outputs=outputs,
            output_times=output_times,
            output_interval=output_interval,
            communication_step=communication_step,
            scheme=scheme,
            stabilisation=stabilisation,
            multipliers=multipliers,
            contacts=contacts,
            sensitivities=sensitivities,
            evaluation=evaluation,
            isolate=isolate,
            progress=progress,
        )
        checkpoints = checkpoint_writer(checkpoint)
        stream = stream_of(record_to, checkpoints)
        simulator = self._simulator or Simulator(self.definition)
        restarts = check_restarts(checkpoints, run, simulator.definition)
        try:
            simulator.prepare(run)
            with terminated_after(record_to is not None or checkpoint is not None):
                outcome, record = run_on(partial(simulator.run, run, start_values, drives, pose), stream, checkpoints, restarts)
        except BuildError:  # a run that cannot be made as asked leaves the system as it was
            if self._simulator is None:
                simulator.close()
            raise
        except BaseException:
            self._freeze(simulator)
            raise
        self._freeze(simulator)
        result = Result(record, outcome, drives)
        show_at_end(run, result.summary)
        return result
