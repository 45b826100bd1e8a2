"""A system of FMUs as users put it together."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from coupling.analysis.continuation import Equilibria, LinearFamily
from coupling.analysis.linear_model import LinearModel
from coupling.analysis.pose import Pose
from coupling.errors import BuildError, shown
from coupling.fmus import Fmu
from coupling.live.session import Session
from coupling.options import Run
from coupling.plan.build import Built, Mode, possible_modes
from coupling.plan.connections import check_drive, wires_of
from coupling.plan.definition import Definition, GivenStart, InstanceDefinition, Transformation, Value, define_instance, transformation_of
from coupling.plan.drives import Drive, drive_of
from coupling.plan.rigid import is_rigid, rigid_coupling
from coupling.plan.transformations import transformed_wires
from coupling.plan.wires import Wires, list_wires
from coupling.progress import shows_progress
from coupling.result import Result
from coupling.simulate import Simulator, check_scheme
from coupling.ssp.parameters import start_values_of
from coupling.ssp.systems import Origin, from_ssp, to_ssp


class System:
    """Instances of FMUs and what connects them.

    ``add`` instances, ``connect`` their ports and variables, ``drive`` inputs by numbers, functions of time or tables, then
    ``simulate``. ``build`` checks everything; ``simulate`` calls it where it has not been called. A system that has been built changes no
    more; it can be copied and pickled, and the copy is as it was before it was built.
    """

    def __init__(self, name: str = "system") -> None:
        self.name = name
        self._instances: dict[str, InstanceDefinition] = {}
        self._connections: list[tuple[str, str]] = []
        self._transformations: list[Transformation] = []
        self._drives: dict[str, Drive] = {}
        self._unknown_accelerations: dict[str, str] = {}
        """By rigid coupling, the first input that nothing gives."""
        self._simulator: Simulator | None = None
        self._origin = Origin()

    @classmethod
    def of(cls, definition: Definition, origin: Origin | None = None) -> System:
        """The system that a definition describes, and what the package says from which it comes."""
        system = cls(definition.name)
        system._origin = origin or Origin()
        system._instances = {each.name: each for each in definition.instances}
        system._connections = list(definition.connections)
        system._drives = dict(definition.drives)
        system._unknown_accelerations = {name: name for name in definition.unknown_accelerations}
        system._transformations = list(definition.transformations)
        return system

    @property
    def definition(self) -> Definition:
        """Everything that makes up the system, as data that can be compared and pickled."""
        return Definition(
            self.name,
            tuple(self._instances.values()),
            tuple(self._connections),
            tuple(self._drives.items()),
            tuple(self._unknown_accelerations.values()),
            tuple(self._transformations),
        )

    def __reduce__(self) -> tuple[Callable[..., System], tuple[Definition, Origin]]:
        return type(self).of, (self.definition, self._origin)

    def __copy__(self) -> System:
        return self.of(self.definition, self._origin)

    def __deepcopy__(self, memo: dict[int, object]) -> System:
        return self.of(self.definition, self._origin)

    @property
    def instances(self) -> Mapping[str, Fmu]:
        """The FMUs by the names of their instances."""
        return MappingProxyType({name: each.fmu.fmu for name, each in self._instances.items()})

    def __repr__(self) -> str:
        return f"System({self.name!r}: {len(self._instances)} instances, {len(self._connections)} connections)"

    def add(
        self,
        name: str,
        fmu: Any,
        start_values: Mapping[str, Value] | str | os.PathLike[str] | None = None,
        kind: str | None = None,
        *,
        private: bool = False,
        communication_step: float | None = None,
        extrapolation: int | None = None,
        logging: bool = False,
    ) -> None:
        """Adds an instance.

        ``fmu`` is the name of a component of the catalogue (``planar.Revolute``), a component class, or the path of an FMU of any
        tool. ``start_values`` are those of parameters, states and inputs, in the units of the FMU, or a file ``.ssv`` of SSP. ``kind`` is ``"me"`` for Model
        Exchange or ``"cs"`` for Co-Simulation. Left open, an FMU that offers both runs in Model Exchange, or in Co-Simulation where
        ``simulate`` is given a ``communication_step`` and the FMU has states: without any it is evaluated at the points themselves.
        ``communication_step`` (seconds) is the only step that an instance makes in Co-Simulation, such as a sampled controller, and
        ``extrapolation`` the highest degree (0, 1 or 2) by which its inputs are extrapolated, where these differ from those of the run.
        ``private`` unpacks the FMU into a folder of this process, for FMUs that write there; all others share what has been unpacked.
        Arrays are given as wholes or element by element (``"A"``, ``"A[1,2]"``), enumerations by the names of their items.
        ``logging`` turns the FMU's own logging on and shows what it says on the standard error output, as it comes.
        """
        self._change()
        known = self._instances.get(name) if isinstance(name, str) else None
        if known is not None:
            raise BuildError(f"there is already an instance '{name}' ({known.fmu.fmu.model_name}); give the second one another name")
        if isinstance(start_values, str | os.PathLike):
            known_by = {name: define_instance(name, fmu, None, kind, private).fmu.fmu}
            start_values = start_values_of(start_values, known_by, f"{name}.")
        self._instances[name] = define_instance(name, fmu, start_values, kind, private, communication_step, extrapolation, logging)

    def connect(self, a: str, b: str, *, factor: float = 1.0, offset: float = 0.0) -> None:
        """Connects two ports of opposite sides, or an output with an input, in either order.

        Between variables what arrives is factor * value + offset, of the value in the unit of the input; where output and input are of
        different quantities, of the value as it is.
        """
        self._change()
        for end in (a, b):
            if not isinstance(end, str):
                raise BuildError(f"{shown(end)} cannot be connected; give the name of a port or variable, such as 'rod.p1'")
        transformation = transformation_of((a, b), factor, offset)
        self._connections.append((a, b))
        self._transformations += [transformation] if transformation else []

    def connect_rigidly(self, a: str | Mapping[str, str], b: str | Mapping[str, str], name: str | None = None, offset: float = 0.0) -> str:
        """Makes two instances that give motion move as one, by a joint between them; returns the joint's name.

        ``a`` and ``b`` are ports, or of FMUs without ports the names of variables: ``{"angle": "engine.phi", "speed": "engine.w",
        "torque": "engine.tau"}`` or ``{"position": ..., "velocity": ..., "force": ...}``, efforts being those on the instance. With
        ``"acceleration"`` as well any scheme can couple them; without, or where an FMU does not tell how it answers to the effort,
        implicit schemes find that out by repeated steps. ``offset`` is the angle (rad) or position (m) of ``b`` less that of ``a``.
        """
        self._change()
        joint = name or f"rigid{sum(map(is_rigid, self.instances.values())) + 1}"
        rigid = rigid_coupling(a, b, self.instances)
        if isinstance(offset, bool) or not isinstance(offset, int | float | np.integer | np.floating):
            raise BuildError(f"offset = {shown(offset)} is refused: give a number, in rad or m")
        if not rigid.offset and offset:
            raise BuildError(f"offset = {offset:g} is refused: ports of planar frames are welded as they are; turn or move a port instead")
        self.add(joint, rigid.component, {rigid.offset: offset} if rigid.offset else None)
        for own, other in rigid.wires:
            self.connect(f"{joint}.{own}", other)
        for unknown in rigid.unknown:
            self.drive(f"{joint}.{unknown}", 0.0)
            self._unknown_accelerations.setdefault(joint, f"{joint}.{unknown}")
        return joint

    def drive(
        self,
        name: str,
        value: float | Callable[[float], float] | Sequence[Sequence[float]] | np.ndarray,
        *,
        breaks: Sequence[float] | None = None,
    ) -> None:
        """Gives an input a constant, a function of time, or a table of times and values.

        Between its times a table is linear; an input that changes at events only keeps each value until the next time. ``breaks`` are the
        times (seconds) at which a function, or one of its derivatives, jumps: integration ends and begins anew there.
        """
        self._change()
        if not isinstance(name, str):
            raise BuildError(f"{shown(name)} cannot be driven; give the name of an input, such as 'motor.tau'")
        if name in self._drives:
            raise BuildError(f"'{name}' is driven twice; leave one of the two out")
        self._drives[name] = drive_of(name, value, breaks)

    @property
    def connections(self) -> tuple[tuple[str, str], ...]:
        """By the names of ports and variables, as they were made."""
        return tuple(self._connections)

    @property
    def wires(self) -> Wires:
        """What feeds each input, variable by variable, with the conversions of units, and the inputs of FMUs of other tools that nothing
        feeds; ``print`` it to see a table. What cannot be connected is refused."""
        fmus = self.instances
        drives = {check_drive(name, fmus, drive): drive for name, drive in self._drives.items()}
        wires = wires_of(fmus, self._connections, drives, complete=False, transformations=self._transformations)
        return list_wires(fmus, wires, drives, transformed_wires(fmus, self._transformations))

    @property
    def start_values(self) -> Mapping[str, Mapping[str, Value]]:
        """What the user gave, by instance; to be read alone."""
        return MappingProxyType({name: GivenStart(name, dict(each.start)) for name, each in self._instances.items()})

    @property
    def drives(self) -> Mapping[str, Drive]:
        """By the names of inputs."""
        return MappingProxyType(dict(self._drives))

    def _change(self) -> None:
        if self._simulator is not None:
            raise BuildError(f"the system '{self.name}' has been built and cannot change any more; make a new System")

    def build(self, communication: bool | None = None) -> Built:
        """Checks everything and finds the order of evaluation, without running anything.

        ``communication`` asks for runs with a communication step, or without. Left open, the system is built for every sort of run that the
        kinds of its instances allow, and returned as it is integrated continuously or, where an instance is of kind ``cs``, as it is coupled.
        """
        modes = possible_modes(self.definition) if communication is None else [Mode.COUPLED if communication else Mode.CONTINUOUS]
        simulator = self._simulator or Simulator(self.definition)
        built = [simulator.built(mode) for mode in modes]
        self._freeze(simulator)
        return built[0]

    def _freeze(self, simulator: Simulator) -> None:
        """What could not be built can be changed; what was built cannot."""
        if self._simulator is None:
            self._simulator = simulator
            weakref.finalize(self, simulator.close)

    @classmethod
    def from_ssp(cls, path: str | os.PathLike[str]) -> System:
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

    def to_ssp(self, path: str | os.PathLike[str], settings: Mapping[str, Any] | None = None, parameters: str = "inline") -> Path:
        """Writes the system as an SSP 1.0 package, with its FMUs; what SSP has no words for is in an annotation.

        ``settings`` are options of ``simulate`` to keep, such as ``{"stop_time": 2.0}``, by default those that the system was read with.
        ``parameters`` are written ``inline``, or each into a ``file`` ``.ssv`` of its own. Inputs that add up get components ``signal.Sum``,
        tables ``signal.Table``, which reading takes out again. Functions that drive inputs are refused by name.
        """
        return to_ssp(self.definition, path, settings, parameters, self._origin)

    def export_fmu(
        self,
        path: str | os.PathLike[str],
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        parameters: Sequence[str] | None = None,
        fmi: int = 2,
        platforms: Sequence[str] | None = None,
        initial: str = "check",
        implicit: bool = False,
        ls_dae: bool = False,
        stop_time: float = 1.0,
        stabilisation: str | None = Run.stabilisation,
    ) -> Path:
        """Writes the system, made of this library's components, as one FMU without Python, for Model Exchange and Co-Simulation.

        ``inputs`` are ports and input variables that are left open and become the FMU's: ``["cylinder.rod", "motor.tau"]``; a port of a
        body may be connected inside as well, efforts add up. ``outputs`` are names, instances, ports or patterns with ``*``, by default
        all states; what opened ports give is among them in any case. All other variables can be seen as local ones. ``parameters``
        are chosen likewise, by default all; the others keep their values. ``fmi`` is the version, 2 or 3; ``platforms`` are ``linux64`` and
        ``win64``, by default those that can be compiled for here. ``initial`` is as in ``simulate``: ``check``, ``assemble`` (now, as it is
        exported) or ``relax``; unless it is ``relax``, the FMU itself refuses to start where constraints are violated. ``implicit`` is the
        default of the parameter ``solver.implicit``: whether Co-Simulation integrates by an implicit method, for stiff systems. With
        ``ls_dae`` an importer may solve for the multipliers itself, as FMI-LS-DAE describes. ``stop_time`` is that of the default
        experiment, in seconds. ``stabilisation`` is by default part of the joints; with ``projection``, Co-Simulation moves states onto the
        constraints at the end of each step inside, and Model Exchange gives the projected right-hand side, which any integrator can take.
        """
        from coupling.export.export import export_fmu

        return export_fmu(
            self.definition,
            path,
            inputs=inputs,
            outputs=outputs,
            parameters=parameters,
            fmi=fmi,
            platforms=platforms,
            initial=initial,
            implicit=implicit,
            ls_dae=ls_dae,
            stop_time=stop_time,
            stabilisation=stabilisation,
        )

    def equilibrium(self, start: Mapping[str, Value] | None = None, hold: Sequence[str] = (), free: Sequence[str] = ()) -> Pose:
        """A pose at which the system stands still: all accelerations vanish, and the rates of all other states.

        It is sought from ``start``, a mapping of start values such as ``{"rod.theta": 1.0}`` or a pose that was found before, by default from
        the start values of the instances; velocities are set to zero, and all states move but those that ``hold`` names. A mechanism
        slides downhill from there, so that what is found is stable as a rule; the pose says whether it is. From an unstable one, such as
        a rod that stands upright, its ``alternatives`` are where the system falls. ``free`` names inputs that are left open, to be found as
        well: a torque, a pressure or a voltage that balances what is held. The time is 0; driven inputs have their values there.
        """
        return self._equilibrium(start, hold, free, True)

    def _equilibrium(self, start: Mapping[str, Value] | None, hold: Sequence[str], free: Sequence[str], alternatives: bool) -> Pose:
        from coupling.analysis.equilibrium import equilibrium

        driven = [name for name in free if name in self._drives]
        if driven:
            raise BuildError(
                f"equilibrium: free: '{driven[0]}' is driven, so that its drive gives its value; leave it open to have it found"
            )
        with self._standing(start, "relax") as session:
            return equilibrium(session, hold, free, alternatives)

    def equilibria(
        self,
        parameter: str,
        values: Sequence[float] | np.ndarray,
        start: Mapping[str, Value] | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
    ) -> Equilibria:
        """Equilibria along a parameter, such as ``equilibria("spring.k", np.linspace(50, 5, 20))``, each sought from the one before.

        Where stability is lost or gained on the way, the value of the parameter is found, and the poses beyond have alternatives.
        """
        from coupling.analysis.continuation import equilibria

        def at(value: float, near: Mapping[str, Value], alternatives: bool) -> Pose:
            return self._equilibrium({**near, parameter: value}, hold, free, alternatives)

        return equilibria(parameter, values, dict(start or {}), at)

    def linearise(
        self,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] | None = None,
        at: Mapping[str, Value] | None = None,
        coordinates: Sequence[str] = (),
    ) -> LinearModel:
        """The linear model x' = A x + B u, y = C x + D u of small motions about a point.

        ``inputs`` name inputs that are driven or left open, ``outputs`` variables, instances or patterns with ``*``; by default the outputs
        are the states. ``at`` are start values, such as a pose that ``equilibrium`` has found, and by default those of the instances: the system
        has to stand still there, or to move so that its linear model stays the same. The states are minimal coordinates and their rates, so
        that constraints, their stabilisation and quaternions leave no poles: joints' freedoms where there are any, such as
        ``pin.rotation.q`` and ``pin.rotation.qd``, and all states that are not mechanical; ``coordinates`` names those to be preferred.
        """
        from coupling.analysis.linear import linear_model

        with self._standing(at, "check") as session:
            return linear_model(session, inputs, outputs, coordinates)

    def linear_models(
        self,
        parameter: str,
        values: Sequence[float] | np.ndarray,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] | None = None,
        start: Mapping[str, Value] | None = None,
        hold: Sequence[str] = (),
        free: Sequence[str] = (),
        coordinates: Sequence[str] = (),
    ) -> LinearFamily:
        """The linear models at the equilibria along a parameter, all in the coordinates of the first: what varies linearly with parameters."""
        from coupling.analysis.continuation import linear_family

        def model(pose: Pose, value: float, named: Sequence[str]) -> LinearModel:
            return self.linearise(inputs, outputs, {**pose, parameter: value}, named)

        return linear_family(self.equilibria(parameter, values, start, hold, free), model, tuple(coordinates))

    @contextmanager
    def _standing(self, start: Mapping[str, Value] | None, initial: str) -> Iterator[Session]:
        """A session at its start."""
        if start is not None and not isinstance(start, Mapping):
            raise BuildError(
                f"start values {shown(start)} are refused: give a mapping by full names, or a pose that equilibrium() has found"
            )
        simulator = self._simulator or Simulator(self.definition)
        with simulator.standing(start, initial) as session:
            self._freeze(simulator)
            yield session

    def simulate(
        self,
        stop_time: float,
        start_time: float = Run.start_time,
        solver: str = Run.solver,
        rtol: float = Run.rtol,
        atol: float | Mapping[str, float] | None = Run.atol,
        initial: str = Run.initial,
        communication_step: float | None = Run.communication_step,
        scheme: str = Run.scheme,
        outputs: Sequence[str] | None = Run.outputs,
        output_times: Sequence[float] | np.ndarray | None = Run.output_times,
        output_interval: float | None = Run.output_interval,
        max_step: float = Run.max_step,
        max_steps: int = Run.max_steps,
        progress: bool = Run.progress,
        extrapolation: int = Run.extrapolation,
        step_control: str = Run.step_control,
        coupling_tolerance: float = Run.coupling_tolerance,
        stabilisation: str | None = Run.stabilisation,
        start_values: Mapping[str, Value] | str | os.PathLike[str] | None = None,
    ) -> Result:
        """Integrates the system from ``start_time`` to ``stop_time`` (seconds).

        ``solver``: ``dopri5`` or ``dop853`` (explicit Runge-Kutta, with events located to rounding), ``cvode`` or ``ida`` (stiff),
        or one of SciPy's: ``RK45``, ``Radau``, ``BDF``, ``LSODA``. ``rtol`` is the relative, ``atol`` the absolute tolerance, by default
        ``rtol`` times the nominal values; a mapping gives it by name of state, and of algebraic variable for ``ida``,
        or by patterns with ``*``, of which the last that matches counts. ``initial`` says what happens where the start violates
        constraints: ``check`` refuses, ``assemble`` moves what the user did not set, ``relax`` leaves it to the stabilisation.
        ``outputs`` are the names to record, of variables or instances, ``*`` matching
        anything; by default all outputs, states and algebraic variables. ``output_times`` or ``output_interval`` say when, by
        default 500 intervals; they cost no steps. ``progress`` shows a bar on a terminal, and at the end how it went.
        ``communication_step`` (seconds) couples Co-Simulation instances at points that far apart, by a ``scheme``: ``explicit`` and
        ``gauss-seidel`` extrapolate inputs over the step by polynomials of degree ``extrapolation`` (0, 1 or 2); ``implicit``,
        ``implicit-position`` and ``implicit-velocity`` repeat steps until constraints hold at their end. ``step_control`` is ``fixed``,
        ``adaptive`` (by step doubling) or ``power`` (by the energy that coupling creates), both to ``coupling_tolerance``. Values are recorded
        at the first point at or after each time that is asked for.
        ``stabilisation`` says what keeps constraints from drifting: ``baumgarte``, which is part of the joints, or ``projection``, by which
        each step ends on the constraints. By default ``dopri5`` and ``dop853`` project, unless ``initial`` is ``relax`` or a joint has been
        given a value of its stabilisation.
        ``start_values`` are those of this run alone, by full names such as ``rod.m``, or a file ``.ssv`` of SSP; they count over those that ``add`` was given, and the
        next run begins without them.
        """
        check_scheme(scheme)
        if isinstance(start_values, str | os.PathLike):
            start_values = start_values_of(start_values, self.instances)
        run = Run(
            stop_time=stop_time,
            start_time=start_time,
            solver=solver,
            rtol=rtol,
            atol=atol,
            initial=initial,
            communication_step=communication_step,
            scheme=scheme,
            outputs=outputs,
            output_times=output_times,
            output_interval=output_interval,
            max_step=max_step,
            max_steps=max_steps,
            progress=progress,
            extrapolation=extrapolation,
            step_control=step_control,
            coupling_tolerance=coupling_tolerance,
            stabilisation=stabilisation,
        )
        simulator = self._simulator or Simulator(self.definition)
        try:
            simulator.prepare(run)
            outcome, record = simulator.run(run, start_values)
        except BuildError:  # a run that cannot be made as asked leaves the system as it was
            if self._simulator is None:
                simulator.close()
            raise
        except BaseException:
            self._freeze(simulator)
            raise
        self._freeze(simulator)
        result = Result(record, outcome)
        if shows_progress(run):
            print(result.summary(), file=sys.stderr)
        return result
