"""A system of FMUs as users compose it."""

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
    """System of FMU instances and their connections.

    ``gravity`` (m/s2, two or three numbers) is that of all bodies without their own. ``add`` instances, ``connect`` their ports and
    variables, ``join`` two ports by a joint, and ``include`` other systems. ``drive`` inputs by numbers, functions of time or tables. Then
    ``simulate``. ``build`` checks everything; ``simulate`` calls it if needed. A built system can no longer be changed. It can be copied
    and pickled; the copy is as before ``build``.
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
        """Freezes the system: once it is built it cannot be changed."""
        if self._simulator is None:
            self._simulator, self._built = simulator, True
            weakref.finalize(self, simulator.close)

    @classmethod
    @public_call
    def from_ssp(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a system from an SSP package of any tool: FMUs, values, connections, and dotted names for nested systems.

        Unsupported elements are refused by name. ``settings`` are the package's, for ``simulate(**settings)``; ``notes`` are remarks.
        """
        return cls.of(*from_ssp(path))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Options of ``simulate`` in the package that the system was read from."""
        return MappingProxyType(dict(self._origin.settings))

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the package that the system was read from."""
        return self._origin.notes

    @public_call
    def to_ssp(self, path: str | os.PathLike[str], settings: Mapping[str, Any] | None = None, parameters: str = "inline") -> Path:
        """Writes the system as an SSP 1.0 package, with its FMUs; data that SSP cannot express are in an annotation.

        ``settings`` are options of ``simulate`` to keep, such as ``{"stop_time": 2.0}``, by default those that the system was read with.
        ``parameters`` are written ``inline``, or each set into its own ``file`` ``.ssv``. Inputs that add up become components
        ``signal.Sum``, tables ``signal.Table``; reading removes both again. Functions that drive inputs are refused by name.
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
        """Writes a system of this library's components as one FMU without Python, for Model Exchange and Co-Simulation.

        ``inputs`` are ports and input variables that become those of the FMU: ``["cylinder.rod", "motor.tau"]``. A port of a body may be
        connected inside as well; its efforts add up. ``outputs`` are names, instances, ports or patterns with ``*``, by default all states;
        outputs of opened ports are always among them. All other variables are visible as local ones; without ``locals`` only states, their
        derivatives and event indicators are. ``parameters`` are chosen likewise, by default all; the others keep their values. ``fmi`` is
        the version, 2 or 3. ``platforms`` are ``linux64`` and ``win64``, by default those with a compiler here. ``initial`` is as in
        ``simulate``: ``check``, ``assemble`` (now, and by default again at the start of the FMU), ``relax``, or a pose or a result at which
        the FMU starts. Except for ``relax``, the FMU refuses a start that violates constraints. If ``initial.assemble`` is true, it closes
        the start by states that are not in ``hold``. ``implicit`` is the default of ``solver.implicit``: an implicit method in
        Co-Simulation, for stiff systems. With ``ls_dae`` an importer may solve for the multipliers itself, by FMI-LS-DAE. ``stop_time``
        (seconds) is that of the default experiment. ``stabilisation`` is by default part of the joints. With ``projection``, Co-Simulation
        moves states onto the constraints, and Model Exchange gives the projected right-hand side. ``solver=Index3(step_size=0.01)`` takes
        steps of fixed size in Co-Simulation. ``start_values`` are those of this FMU alone, by full names or a file ``.ssv``. Systems and
        options that cannot be exported raise BuildError.
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
        """Returns a pose in which all joints are closed: give it to ``simulate(initial=pose)``, and ``print`` it.

        Start values of ``add`` are held. Values of ``hold`` are held as well, also of outputs that depend on positions, such as
        ``{"stroke.translation.q": 0.66}``. Values of ``guess`` may move: they decide which way the mechanism is closed, and the values that
        stay free. A pair in ``guess`` is a value and its possible error. Other bodies are placed by walking over joints from the ground.
        ``velocities`` of states, or of outputs such as ``pin.rotation.qd``, are held. The others are the nearest to guesses, with least
        kinetic energy. ``alternatives`` says whether other poses are sought, by default if the search is short. ``branch`` asks for one of
        them, by its ``Pose.branch``. ``start_values`` are as in ``simulate``. A failure raises InitialStateError.
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
        """Returns a pose at which the system stands still: all accelerations vanish, and the rates of all other states.

        The search starts at ``initial``, by default at the start values of the instances. ``initial`` is a mapping of values such as
        ``{"rod.theta": 1.0}``, a pose that was found before, or a result, whose last row counts. Values of ``guess`` count over those of
        ``initial``. Velocities are set to zero, and all states move except those that ``hold`` names. A mechanism slides downhill from
        there, therefore the pose is usually stable; ``stable`` of the pose says whether it is. An unstable pose, such as that of an upright
        rod, has ``alternatives``: the poses to which the system falls.

        ``free`` names inputs to be found as well: a torque, a pressure or a voltage that balances the held states. It may also name
        parameters, such as a spring's stiffness. Then as many held states, the first ones, come to rest at their start values. The time is
        0; driven inputs have their values there. AnalysisError is raised if no equilibrium is found.
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
        """Returns equilibria along a parameter, such as ``equilibria("spring.k", np.linspace(50, 5, 20))``, each sought from the last.

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
        """Returns the linear model x' = A x + B u, y = C x + D u of small motions about a point.

        ``inputs`` name inputs that are driven or left open; rates of prescribed motion follow from them. ``outputs`` name variables,
        instances or patterns with ``*``; by default the outputs are the states. ``initial`` gives the point: values by name, such as a pose
        of ``equilibrium``, by default the start values at time 0. It may be a result: its last row counts, with the drives of its run at
        its time. A result from a file has no drives; then those of this system count. The system must stand still at the point, or move
        with a linear model that stays the same; otherwise AnalysisError is raised. The states are minimal coordinates and their rates.
        Therefore constraints, their stabilisation and quaternions leave no poles. The states are the freedoms of joints if any exist, such
        as ``pin.rotation.q`` and ``pin.rotation.qd``, and all states that are not mechanical. ``coordinates`` names preferred ones.

        ``along={"spring.k": values}`` gives the models at the equilibria along a parameter, all in the coordinates of the first. The first
        equilibrium is sought from ``initial``, each other one from the one before; ``hold`` and ``free`` are those of ``equilibrium``.
        Several parameters, ``along={"spring.k": values, "payload.m": others}``, span a grid, in which each equilibrium is sought from its
        neighbour. If a parameter changes the weight, ``free`` names the input that balances it.
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
        """Returns the system with the drives that a result's run had for itself."""
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
        """Returns the derivatives by parameters of an equilibrium and of the eigenvalues of small motions about it.

        The equilibrium is sought from ``initial``, with ``hold`` and ``free`` as in ``equilibrium``. Derivatives of states, free inputs and
        ``outputs`` are exact if an FMU lists the parameter among the knowns of its derivatives, as the catalogue does. All other
        derivatives, and those of eigenvalues, are differences of equilibria that are solved anew, with exact Jacobians there.
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
        """Returns the constraints in force at a time ``at`` in s, added one after the other; ``print`` shows a table.

        The table says for each constraint how independent it is and which constraints it repeats, with the freedoms that are left.
        ``order`` names joints that come first; the others follow in the order of ``add``. ``independent first`` adds next the constraint
        that is most independent of those before, which best shows nearly redundant ones. An unreachable time raises AnalysisError.
        """
        if isinstance(at, bool) or not isinstance(at, int | float | np.integer | np.floating) or not np.isfinite(at):
            raise BuildError(f"constraint_stages: at = {shown(at)} is refused: give a time in seconds")
        simulator = self._simulator or Simulator(self.definition)
        with simulator.arrived(float(at)) as (session, x):
            self._freeze(simulator)
            return stages(session, float(at), x, order)

    def _values(self, start: Mapping[str, Value] | Result | None) -> Mapping[str, Value]:
        """Returns start values by full names; a result gives the states at its end."""
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
        """Integrates the system from ``start_time`` to ``stop_time`` (seconds) and returns the recorded values and the outcome.

        A run that cannot be completed returns a result as well; its ``outcome`` says why it ended. Refused options and systems raise
        BuildError, impossible start values StartError, and violated constraints InitialStateError.

        Solution: ``solver`` is ``dopri5`` or ``dop853`` (explicit Runge-Kutta, with events located to rounding), or ``cvode`` or ``ida``
        (stiff). ``Index3(step_size=...)`` takes fixed steps that end on the constraints; ``RK45``, ``Radau``, ``BDF`` and ``LSODA`` are
        those of SciPy. ``rtol`` is the relative and ``atol`` the absolute tolerance, by default ``rtol`` times the nominal values. A
        mapping gives ``atol`` by name of state, and of algebraic variable for ``ida``, or by patterns with ``*``, whose last match counts.
        Start: ``initial`` says how a start that violates constraints is treated: ``check`` refuses it, ``assemble`` moves the values that
        the user did not set, ``relax`` leaves it to the stabilisation. It may also be a pose of ``assemble()`` or ``equilibrium()``, or a
        result, whose last row counts. The run begins there; if its ``start_values`` give other lengths, it begins at the nearest pose.
        ``start_values`` belong to this run alone, by full names such as ``rod.m``, or in a file ``.ssv`` of SSP. They count over those of
        ``add``. ``drives`` are constants, functions of time or tables for this run, by the names of inputs, in place of those of ``drive``.

        Record: ``outputs`` are the names to record, of variables or instances, ``*`` matching anything. By default all outputs, states,
        algebraic and discrete variables are recorded. ``output_times`` or ``output_interval`` give the times (seconds), by default 500
        intervals; they cost no steps. ``record_to`` is the path of a file ``.jrd`` that takes the rows during the run, in place of memory.
        ``Result.load`` reads it also while the run goes on. ``sensitivities`` name parameters and start values by which all recorded values
        are differentiated, for ``dopri5`` and ``dop853``: ``result.sensitivity("rod.theta", "rod.m")``. Co-simulation:
        ``communication_step`` (seconds) is the distance of the points at which Co-Simulation instances are coupled. ``scheme`` is a name,
        or ``Scheme`` with ``extrapolation`` and ``step_control``. Values are recorded at the first point at or after each requested time.

        Constraints: ``stabilisation`` is ``baumgarte``, which is part of the joints, or ``projection``, which ends each step on the
        constraints. By default ``dopri5`` and ``dop853`` project, unless ``initial`` is ``relax`` or a joint was given a value of its
        stabilisation. ``multipliers`` are solved for ``simultaneous``, or ``successive``: constraint by constraint (``Successive``; see
        ``constraint_stages`` as well). ``contacts=Contacts(...)`` treats impact and contact. Execution: ``evaluation`` chooses how
        derivatives are found: by calls of the ``fmus``, by a ``tape`` of their equations, or by ``compiled`` code of these. ``auto`` takes
        the tape if all FMUs are of this library. ``isolate``: ``all`` runs all FMUs in a separate process, ``foreign`` does so if an FMU is
        not of this library; ``Isolation`` has limits and restarts. ``checkpoint`` is the path of a file from which ``System.resume``
        resumes the run, or ``Checkpoint`` with its ``interval``. ``progress`` shows a bar on a terminal, and a summary at the end.
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
