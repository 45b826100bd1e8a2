"""A system of FMUs as users put it together."""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from coupling.errors import shown
from coupling.fmus.fmu import Fmu, FmuError, load
from coupling.fmus.values import check_start
from coupling.kernel.instance import LoadedLibrary
from coupling.live.interval import Division, divide
from coupling.names import nearest
from coupling.options import Run
from coupling.plan.bonds import Bond, bonds_of
from coupling.plan.connections import BuildError, Name, check_drive, wires_of
from coupling.plan.drives import Constant, Drive, Polynomial, Table, drive_of
from coupling.plan.graph import Address, Part, build_graph, type_code
from coupling.plan.rigid import RIGID as _RIGID
from coupling.plan.rigid import rigid_coupling
from coupling.plan.schedule import Schedule, build_schedule
from coupling.progress import show_summary
from coupling.result import Result

Value = float | int | bool | str


@dataclass(frozen=True)
class Built:
    """A system that has been checked; it changes no more."""

    name: str
    parts: tuple[Part, ...]
    libraries: tuple[LoadedLibrary, ...] = field(repr=False)
    start: tuple[Mapping[str, Value], ...]
    drives: tuple[tuple[Address, Drive], ...]
    """Those that vary; constants are start values."""
    schedule: Schedule = field(repr=False)
    states: int
    bonds: tuple[Bond, ...] = field(default=(), repr=False)
    """Where power enters Co-Simulation instances through ports."""
    inner: Built | None = field(default=None, repr=False)
    """What is integrated between communication points, and the numbers of its parts."""
    inner_parts: tuple[int, ...] = ()
    connections: tuple[tuple[str, str], ...] = ()
    """As the user made them, by the names of ports and variables."""

    def address(self, part: int, name: str) -> Address:
        return _address(self.parts[part].fmu, part, name)


class System:
    """Instances of FMUs and what connects them.

    ``add`` instances, ``connect`` their ports and variables, ``drive`` inputs by numbers, functions of time or tables, then
    ``simulate``. ``build`` checks everything; ``simulate`` calls it where it has not been called.
    """

    def __init__(self, name: str = "system") -> None:
        self.name = name
        self._fmus: dict[str, Fmu] = {}
        self._start: dict[str, dict[str, Value]] = {}
        self._connections: list[tuple[str, str]] = []
        self._drives: dict[str, Drive] = {}
        self._blind: dict[str, str] = {}
        """Rigid couplings that are not told an acceleration."""
        self._kinds: dict[str, str | None] = {}
        self._stepped: dict[str, Fmu] = {}
        """The FMUs of instances that can run in Co-Simulation, where they are others than those for Model Exchange."""
        self._built: dict[tuple[bool, bool], Built] = {}

    @property
    def instances(self) -> Mapping[str, Fmu]:
        """The FMUs by the names of their instances."""
        return dict(self._fmus)

    def __repr__(self) -> str:
        return f"System({self.name!r}: {len(self._fmus)} instances, {len(self._connections)} connections)"

    def add(self, name: str, fmu: Any, start_values: Mapping[str, Value] | None = None, kind: str | None = None) -> None:
        """Adds an instance.

        ``fmu`` is the name of a component of the catalogue (``planar.Revolute``), a component class, or the path of an FMU of any
        tool. ``start_values`` are those of parameters, states and inputs, in the units of the FMU. ``kind`` is ``"me"`` for Model
        Exchange or ``"cs"`` for Co-Simulation. Left open, an FMU that offers both runs in Model Exchange, or in Co-Simulation where
        ``simulate`` is given a ``communication_step`` and the FMU has states: without any it is evaluated at the points themselves.
        """
        self._change()
        if not isinstance(name, str) or not name or set(name) & set(".*") or name != name.strip():
            raise BuildError(f"an instance cannot be called {shown(name)}; give a name without dots and stars, such as 'rod'")
        if name in self._fmus:
            raise BuildError(f"there is already an instance '{name}' ({self._fmus[name].model_name}); give the second one another name")
        if start_values is not None and not isinstance(start_values, Mapping):
            raise BuildError(f"the start values of '{name}' are {shown(start_values)}; give them by their names, such as {{'m': 1.0}}")
        _check_kind(name, kind)
        loaded, stepped = _find_fmus(name, fmu)
        if kind is None and loaded.model_exchange is None:
            kind = "cs"
        if kind is not None:
            try:
                (stepped if kind == "cs" else loaded).interface(kind)
            except FmuError as error:
                raise BuildError(f"'{name}' cannot run as '{kind}': {error}") from None
        for variable, value in (start_values or {}).items():
            check_start(name, loaded, variable, value)
        self._fmus[name] = stepped if kind == "cs" else loaded
        self._stepped[name] = stepped
        self._kinds[name] = kind
        self._start[name] = dict(start_values or {})

    def connect(self, a: str, b: str) -> None:
        """Connects two ports of opposite sides, or an output with an input, in either order."""
        self._change()
        for end in (a, b):
            if not isinstance(end, str):
                raise BuildError(f"{shown(end)} cannot be connected; give the name of a port or variable, such as 'rod.p1'")
        self._connections.append((a, b))

    def connect_rigidly(self, a: str | Mapping[str, str], b: str | Mapping[str, str], name: str | None = None, offset: float = 0.0) -> str:
        """Makes two instances that give motion move as one, by a joint between them; returns the joint's name.

        ``a`` and ``b`` are ports, or of FMUs without ports the names of variables: ``{"angle": "engine.phi", "speed": "engine.w",
        "torque": "engine.tau"}`` or ``{"position": ..., "velocity": ..., "force": ...}``, efforts being those on the instance. With
        ``"acceleration"`` as well any scheme can couple them; without, or where an FMU does not tell how it answers to the effort,
        implicit schemes find that out by repeated steps. ``offset`` is the angle (rad) or position (m) of ``b`` less that of ``a``.
        """
        self._change()
        count = sum(fmu.model_name in _RIGID for fmu in self._fmus.values())
        joint = name or f"rigid{count + 1}"
        rigid = rigid_coupling(a, b, self._fmus)
        if not rigid.offset and offset:
            raise BuildError(f"offset = {offset:g} is refused: ports of planar frames are welded as they are; turn or move a port instead")
        self.add(joint, rigid.component, {rigid.offset: offset} if rigid.offset else None)
        for own, other in rigid.wires:
            self.connect(f"{joint}.{own}", other)
        for blind in rigid.unknown:
            self.drive(f"{joint}.{blind}", 0.0)
            self._blind.setdefault(joint, f"{joint}.{blind}")
        return joint

    def drive(self, name: str, value: float | Callable[[float], float] | Sequence[Sequence[float]] | np.ndarray) -> None:
        """Gives an input a constant, a function of time, or a table of times and values.

        Between its times a table is linear; an input that changes at events only keeps each value until the next time.
        """
        self._change()
        if not isinstance(name, str):
            raise BuildError(f"{shown(name)} cannot be driven; give the name of an input, such as 'motor.tau'")
        if name in self._drives:
            raise BuildError(f"'{name}' is driven twice; leave one of the two out")
        self._drives[name] = drive_of(name, value)

    @property
    def connections(self) -> tuple[tuple[str, str], ...]:
        return tuple(self._connections)

    @property
    def start_values(self) -> Mapping[str, Mapping[str, Value]]:
        """What the user gave, by instance."""
        return {name: dict(values) for name, values in self._start.items()}

    @property
    def drives(self) -> Mapping[str, Drive]:
        return dict(self._drives)

    def opened(self, inputs: Sequence[str]) -> System:
        """A copy in which these inputs, of variables, are left to whoever runs it; their start values are the instances'."""
        copy = System(self.name)
        vars(copy).update({name: value.copy() if isinstance(value, dict | list) else value for name, value in vars(self).items()})
        copy._built = {}
        copy._kinds = dict.fromkeys(self._fmus)
        for name in inputs:
            instance, _, variable = name.partition(".")
            start = self._start[instance].get(variable, self._fmus[instance].variables[variable].start)
            copy._drives[name] = Polynomial(float(start or 0.0))  # type: ignore[arg-type]
        return copy

    def _change(self) -> None:
        if self._built:
            raise BuildError(f"the system '{self.name}' has been built and cannot change any more; make a new System")

    def build(self, communication: bool = False, assembling: bool = False) -> Built:
        """Checks everything and finds the order of evaluation.

        ``communication`` is for runs with a communication step, ``assembling`` for finding their start, where nothing steps.
        """
        variant = communication, assembling
        if variant not in self._built:
            collecting = gc.isenabled()
            gc.disable()  # all that is made here stays; to look for garbage among it takes longer than to make it
            try:
                self._built[variant] = self._build(communication, assembling)
            finally:
                if collecting:
                    gc.enable()
        return self._built[variant]

    def _kind(self, name: str, communication: bool, assembling: bool) -> str:
        stepped = self._stepped[name]
        if assembling:
            if self._fmus[name].model_exchange is None:
                raise BuildError(
                    f"initial='assemble' evaluates the instances in Model Exchange, which '{name}' does not offer; use initial='check' or 'relax'"
                )
            return "me"
        return self._kinds[name] or ("cs" if communication and stepped.co_simulation and stepped.states else "me")

    def _build(self, communication: bool, assembling: bool) -> Built:
        if not self._fmus:
            raise BuildError(f"the system '{self.name}' is empty; add instances first")
        kinds = {name: self._kind(name, communication, assembling) for name in self._fmus}
        if not assembling:
            _check_communication(kinds, communication)
        if self._blind and not communication and not assembling:
            raise BuildError(
                f"nothing gives '{next(iter(self._blind.values()))}': name the acceleration in connect_rigidly as well, or give simulate a "
                "communication_step and an implicit scheme"
            )
        fmus = {name: self._stepped[name] if kinds[name] == "cs" else fmu for name, fmu in self._fmus.items()}
        drives = {check_drive(name, fmus, drive): drive for name, drive in self._drives.items()}
        wires = wires_of(fmus, self._connections, drives)
        number = {name: i for i, name in enumerate(fmus)}
        parts, first_state = [], 0
        for name, fmu in fmus.items():
            parts.append(Part(name, fmu, first_state, kinds[name]))
            first_state += len(parts[-1].states)

        def address(name: Name) -> Address:
            return _address(fmus[name[0]], number[name[0]], name[1])

        varying: list[tuple[Address, Drive]] = []
        start = {name: dict(values) for name, values in self._start.items()}
        for target, drive in drives.items():
            instance, variable = target
            if isinstance(drive, Constant) and target not in wires:
                start[instance][variable] = drive.value
            elif isinstance(drive, Table) and fmus[instance].variables[variable].variability != "continuous":
                varying.append((address(target), drive.held))
            else:
                varying.append((address(target), drive))
        sources = {address(target): [address(source) for source in given] for target, given in wires.items()}
        graph = build_graph(parts, sources, {where: i for i, (where, _) in enumerate(varying)})
        libraries = _libraries(parts)
        division = divide(parts, sources)
        schedule = build_schedule(graph, first_state, division.fed if division else None)
        return Built(
            self.name,
            tuple(parts),
            tuple(libraries[part.fmu, part.kind] for part in parts),
            tuple(start.values()),
            tuple(varying),
            schedule,
            first_state,
            tuple(bonds_of(parts, self._connections, schedule)) if communication else (),
            inner_of(self.name, parts, libraries, sources, varying, division) if division else None,
            division.inner if division else (),
            self.connections,
        )

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
        experiment, in seconds.
        """
        from coupling.export.export import export_fmu

        return export_fmu(self, path, inputs, outputs, parameters, fmi, platforms, initial, implicit, ls_dae, stop_time)

    def simulate(
        self,
        stop_time: float,
        start_time: float = 0.0,
        solver: str = "dopri5",
        rtol: float = 1e-8,
        atol: float | Mapping[str, float] | None = None,
        initial: str = "check",
        communication_step: float | None = None,
        scheme: str = "explicit",
        outputs: Sequence[str] | None = None,
        output_times: Sequence[float] | np.ndarray | None = None,
        output_interval: float | None = None,
        max_step: float = math.inf,
        max_steps: int = 10_000_000,
        progress: bool = False,
        extrapolation: int = 1,
        step_control: str = "fixed",
        coupling_tolerance: float = 1e-4,
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
        at the first point at or behind each time that is asked for.
        """
        from coupling.live.master import simulate

        run = Run(
            start_time,
            stop_time,
            solver,
            rtol,
            atol,
            initial,
            outputs,
            output_times,
            output_interval,
            max_step,
            max_steps,
            progress,
            communication_step,
            scheme,
            extrapolation,
            step_control,
            coupling_tolerance,
        )
        stepped = communication_step is not None
        assembling = self.build(assembling=True) if stepped and initial == "assemble" else None
        result = simulate(self.build(stepped), run, assembling)
        show_summary(run, result)
        return result


def inner_of(
    name: str,
    parts: Sequence[Part],
    libraries: Mapping[tuple[Fmu, str], LoadedLibrary],
    sources: Mapping[Address, Sequence[Address]],
    drives: Sequence[tuple[Address, Drive]],
    division: Division,
) -> Built:
    """The system that is integrated between communication points, driven by polynomials from outside."""
    number = {part: i for i, part in enumerate(division.inner)}
    inner, first_state = [], 0
    for index in division.inner:
        inner.append(replace(parts[index], first_state=first_state))
        first_state += len(inner[-1].states)

    def renumbered(address: Address) -> Address:
        return address._replace(part=number[address.part])

    wires = {
        renumbered(target): inside
        for target, given in sources.items()
        if target.part in number and (inside := [renumbered(s) for s in given if s.part in number])
    }
    own = [(renumbered(a), drive) for a, drive in drives if a.part in number and a not in division.fed]
    varying = [*own, *((renumbered(a), Polynomial()) for a in division.fed)]
    graph = build_graph(inner, wires, {where: i for i, (where, _) in enumerate(varying)})
    libraries_ = tuple(libraries[part.fmu, part.kind] for part in inner)
    return Built(name, tuple(inner), libraries_, tuple({} for _ in inner), tuple(varying), build_schedule(graph, first_state), first_state)


def _check_kind(instance: str, kind: str | None) -> None:
    if kind not in (None, "me", "cs"):
        raise BuildError(f"'{instance}' cannot run as {shown(kind)}; the kinds are 'me' (Model Exchange) and 'cs' (Co-Simulation)")


def _check_communication(kinds: Mapping[str, str], communication: bool) -> None:
    stepped = [name for name, kind in kinds.items() if kind == "cs"]
    if stepped and not communication:
        raise BuildError(f"'{stepped[0]}' runs in Co-Simulation; give simulate a communication_step, in seconds")
    if communication and not stepped:
        raise BuildError(
            "a communication_step is given, but no instance runs in Co-Simulation: all of them have no states, or are of kind 'me'; "
            "leave it out, or add instances of kind 'cs'"
        )


_WANTED = "give the name of a component such as 'planar.Body1', a component class, or the path of a file that ends in .fmu"


def _find_fmus(instance: str, fmu: Any) -> tuple[Fmu, Fmu]:
    """What runs in Model Exchange, and what in Co-Simulation: of components FMI 3 and FMI 2, of all others the one file that there is."""
    if isinstance(fmu, Fmu):
        return fmu, fmu
    if isinstance(fmu, Path) or (isinstance(fmu, str) and (fmu.endswith(".fmu") or os.sep in fmu)):
        try:
            loaded = load(fmu)
        except FmuError as error:
            raise FmuError(f"'{instance}' cannot be added: {error}") from None
        return loaded, loaded
    from fmu_components.catalogue import all_components
    from fmu_components.declare.component import Component

    if isinstance(fmu, str):
        if fmu not in all_components():
            raise BuildError(f"'{instance}' cannot be added: there is no component '{fmu}'; {nearest(fmu, all_components()) or _WANTED}")
        fmu = all_components()[fmu]
    if not (isinstance(fmu, type) and issubclass(fmu, Component)):
        raise BuildError(f"'{instance}' cannot be added: {shown(fmu)} is no FMU; {_WANTED}")
    return _of_component(fmu, 3), _of_component(fmu, 2)


def _of_component(component: type, version: int) -> Fmu:
    from fmu_components.export.build import cached_fmu

    known = _components.get((component, version))
    if known is None or not known.unchanged:
        known = _components[component, version] = load(cached_fmu(component, version))
    return known


_components: dict[tuple[type, int], Fmu] = {}
"""The FMUs of components; a class does not change as long as the process lives."""


def _libraries(parts: Sequence[Part]) -> dict[tuple[Fmu, str], LoadedLibrary]:
    """The binaries of FMUs, by these and the kind in which they run."""
    found: dict[tuple[Fmu, str], LoadedLibrary] = {}
    first: dict[Fmu, str] = {}
    for part in parts:
        fmu = part.fmu
        if fmu in first and part.interface.once_per_process:
            raise BuildError(
                f"'{first[fmu]}' and '{part.name}' are instances of '{fmu.path.name}', of which a process can hold only one; "
                f"leave one of them out, or export the FMU without canBeInstantiatedOnlyOncePerProcess"
            )
        first.setdefault(fmu, part.name)
        if (fmu, part.kind) not in found:
            found[fmu, part.kind] = _library(part.name, fmu, part.kind)
    return found


def _library(instance: str, fmu: Fmu, kind: str) -> LoadedLibrary:
    try:
        path = fmu.library(kind)
        if path not in _opened:
            _opened[path] = LoadedLibrary(str(path), fmu.version)
        _opened[path].check(kind)
    except FmuError as error:
        raise FmuError(f"'{instance}' cannot be loaded: {error}") from None
    except OSError as error:
        tool = f"'{fmu.generation_tool}'" if fmu.generation_tool else "the tool that wrote it"
        notes = "".join(f"; {note}" for note in fmu.notes)
        raise BuildError(
            f"'{instance}' cannot be loaded: the binary of '{fmu.path}' is refused: {error}; "
            f"export it again for this platform, or report this to the makers of {tool}{notes}"
        ) from None
    return _opened[path]


_opened: dict[Path, LoadedLibrary] = {}
"""One for each binary, however many instances it has; kept as long as the process, since code cannot be unloaded under a caller."""


def _address(fmu: Fmu, part: int, name: str) -> Address:
    variable = fmu.variables[name]
    return Address(part, type_code(variable, fmu.version), variable.reference)
