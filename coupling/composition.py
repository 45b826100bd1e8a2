"""Composition of a system: instances of FMUs, their connections and their drives. Nothing runs here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from coupling.errors import BuildError, listed, shown
from coupling.fmus import Fmu
from coupling.names import nearest, resolve
from coupling.options.calls import RENAMED_METHODS, public_call
from coupling.pictures.solids import as_shown
from coupling.plan.connections import check_drive, check_ends, wires_of
from coupling.plan.definition import (
    Definition,
    GivenStart,
    Gravity,
    InstanceDefinition,
    Transformation,
    Value,
    check_name,
    check_text,
    define_instance,
    transformation_of,
    with_guess,
)
from coupling.plan.drives import Drive
from coupling.plan.enforced import Intervals, enforced_joint, intervals_of
from coupling.plan.given import drives_by_input
from coupling.plan.gravity import gravity_of, with_gravity
from coupling.plan.included import inside
from coupling.plan.instances import may_hold_tables, with_heat_port, with_tables
from coupling.plan.rigid import is_rigid, rigid_coupling
from coupling.plan.scene import has_place
from coupling.plan.shown import Shown
from coupling.plan.transformations import transformed_wires
from coupling.plan.wires import Wires, list_wires
from coupling.ssp.parameters import start_values_of
from coupling.ssp.systems import Origin


class Composition:
    """Collection of instances, connections and drives, which gives them as a ``Definition``. A built one can no longer be changed."""

    def __init__(self, name: str = "system", gravity: Sequence[float] | None = None) -> None:
        if not isinstance(name, str):
            raise BuildError(f"the system's name is {shown(name)}, and must be a text, such as 'crane'")
        check_text(f"the system's name {shown(name)} is refused", name)
        self.name = name
        self._gravity: Gravity | None = gravity_of(gravity)
        self._instances: dict[str, InstanceDefinition] = {}
        self._connections: list[tuple[str, str]] = []
        self._transformations: list[Transformation] = []
        self._drives: dict[str, Drive] = {}
        self._enforced: dict[str, Intervals] = {}
        self._unknown_accelerations: dict[str, str] = {}
        """First input of each rigid coupling that nothing gives."""
        self._shown: list[Shown] = []
        self._built = False
        self._origin = Origin()

    @classmethod
    def of(cls, definition: Definition, origin: Origin | None = None) -> Self:
        """Returns the system of a ``definition``. ``origin`` has the data of the SSP package from which it comes, if any."""
        system = cls(definition.name, definition.gravity)
        system._origin = origin or Origin()
        system._instances = {each.name: each for each in definition.instances}
        system._connections = list(definition.connections)
        system._drives = dict(definition.drives)
        system._unknown_accelerations = {name: name for name in definition.unknown_accelerations}
        system._enforced = dict(definition.enforced)
        system._transformations = list(definition.transformations)
        system._shown = list(definition.shown)
        return system

    @property
    def definition(self) -> Definition:
        """Data that define the system; they can be compared and pickled."""
        return Definition(
            name=self.name,
            instances=tuple(self._instances.values()),
            connections=tuple(self._connections),
            drives=tuple(self._drives.items()),
            unknown_accelerations=tuple(self._unknown_accelerations.values()),
            enforced=tuple(self._enforced.items()),
            transformations=tuple(self._transformations),
            gravity=self._gravity,
            shown=tuple(self._shown),
        )

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Definition, Origin]]:
        return type(self).of, (self.definition, self._origin)

    def __copy__(self) -> Self:
        return self.of(self.definition, self._origin)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.of(self.definition, self._origin)

    @property
    def instances(self) -> Mapping[str, Fmu]:
        """The FMUs by the names of their instances."""
        return MappingProxyType({name: each.fmu.fmu for name, each in self._instances.items()})

    if not TYPE_CHECKING:  # a checker that saw this function would believe in every name

        def __getattr__(self, name: str) -> NoReturn:
            new = RENAMED_METHODS.get(name)
            raise AttributeError(f"a System has no '{name}'" + (f"; it is called {new}" if new else ""), name=name, obj=self)

    def __repr__(self) -> str:
        return f"System({self.name!r}: {len(self._instances)} instances, {len(self._connections)} connections)"

    @public_call
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
        process: str | None = None,
        compile: bool = True,
        heat_port: bool = False,
        guess: Mapping[str, float | tuple[float, float]] | None = None,
    ) -> None:
        """Adds an instance.

        ``fmu`` is the name of a component of the catalogue (``planar.Revolute``), a component class, or the path of an FMU of any tool.
        ``start_values`` are those of parameters, states and inputs, in the units of the FMU, or a file ``.ssv`` of SSP. Arrays are given as
        wholes or element by element (``"A"``, ``"A[1,2]"``), enumerations by the names of their items. A table of a component of the catalogue
        is given by its name, as a file or as numbers: ``{"force": "spring.csv"}``. A name or a value that the FMU does not accept raises
        BuildError.

        ``kind`` is ``"me"`` for Model Exchange or ``"cs"`` for Co-Simulation. By default an FMU that offers both runs in Model Exchange. If
        ``simulate`` is given a ``communication_step`` and the FMU has states, it runs in Co-Simulation; an FMU without states is evaluated
        at the points themselves. Blocks of a joint and a body always run in Model Exchange, and so do the bodies on which they hang.
        ``communication_step`` (seconds) is the only step that an instance makes in Co-Simulation, such as a sampled controller.
        ``extrapolation`` is the highest degree (0, 1 or 2) by which its inputs are extrapolated, if it differs from that of the run.

        ``private`` unpacks the FMU into a folder of this process, for FMUs that write there; all others share the unpacked files.
        ``logging`` turns the FMU's own logging on and shows its messages on the standard error output. ``process`` is ``"own"``, or the
        name of a group of instances. They run in a separate process, whose end, whatever its cause, ends only the run. An FMU that has
        sources and no binary for this platform is compiled when a run needs it; ``compile=False`` refuses it.

        ``heat_port=True`` gives a component with an output ``loss`` the port ``heat``, into which its losses flow. Resistances and friction
        of electric motors, resistors, brakes and clutches then depend on the temperature there.

        ``guess`` gives approximate values for the assembly of the system: ``{"theta": 1.2}``, of states or of outputs that depend on
        positions. A pair is a value and its possible error: ``{"theta": (1.2, 0.3)}``.
        """
        self._change()
        fmu = with_heat_port(name, fmu, heat_port) if heat_port is not False else fmu
        if may_hold_tables(start_values):
            fmu, start_values = with_tables(name, fmu, start_values)
        known = self._instances.get(name) if isinstance(name, str) else None
        if known is not None:
            raise BuildError(f"there is already an instance '{name}' ({known.fmu.fmu.model_name}); give the second one another name")
        if isinstance(start_values, str | os.PathLike):
            known_by = {name: define_instance(name, fmu, None, kind, private).fmu.fmu}
            start_values = start_values_of(start_values, known_by, f"{name}.")
        defined = define_instance(
            name, fmu, start_values, kind, private, communication_step, extrapolation, logging, process=process, compile=compile
        )
        self._check_level(name)
        self._instances[name] = with_gravity(defined if guess is None else with_guess(defined, guess), self._gravity)

    @public_call
    def join(
        self, fmu: Any, a: str, b: str, start_values: Mapping[str, Value] | None = None, name: str | None = None, **options: Any
    ) -> str:
        """Adds a component between two ports, and connects its port M with ``a`` and its port N with ``b``; returns its name.

        ``fmu`` is as in ``add``, and ``start_values`` are its start values. A component without ports M and N has two ports, of which the
        first is connected with ``a``. Without a ``name`` the instance is called after its component, with a number: ``revolute1``.
        ``options`` are those of ``add``. Ports that do not match raise BuildError.
        """
        self._change()
        _check_ends(a, b)
        joint = define_instance("joint" if name is None else name, fmu)
        ports = list(joint.fmu.fmu.terminals)
        found = ["M", "N"] if {"M", "N"} <= set(ports) else ports
        if len(found) != 2:
            raise BuildError(
                f"{joint.fmu.fmu.model_name} cannot join '{a}' and '{b}': it has {len(ports)} port{'s' * (len(ports) != 1)}, and no M and N "
                f"among them; add it, and connect {listed(ports) if ports else 'its variables'}"
            )
        if name is None:
            kind = joint.fmu.fmu.model_name.rpartition(".")[2]
            name = next(each for n in count(1) if (each := f"{kind[:1].lower()}{kind[1:]}{n}") not in self._instances)
        with self._all_or_nothing():
            self.add(name, fmu, start_values, **options)
            for port, end in zip(found, (a, b), strict=True):
                self.connect(f"{name}.{port}", end)
        return name

    @public_call
    def include(self, name: str, system: Composition) -> None:
        """Adds a copy of another ``system`` with its connections and drives; its instances are then called ``name.crank`` and the like.

        Later changes of that system change nothing here. Its bodies keep their gravity if they were given any. A name that is taken raises
        BuildError.
        """
        self._change()
        if not isinstance(system, Composition):
            raise BuildError(f"{shown(system)} cannot be included; give a System, such as System.from_ssp('leg.ssp')")
        check_name(name)
        if name in self._instances:
            raise BuildError(
                f"there is already an instance '{name}' ({self._instances[name].fmu.fmu.model_name}); include the system by another name"
            )
        self._check_level(name)
        included = inside(system.definition, name)
        self._instances |= {each.name: with_gravity(each, self._gravity) for each in included.instances}
        self._connections += included.connections
        self._transformations += included.transformations
        self._drives |= included.drives
        self._enforced |= included.enforced
        self._shown += included.shown
        self._unknown_accelerations |= {each: each for each in included.unknown_accelerations}

    @public_call
    def connect(self, a: str, b: str, *, factor: float = 1.0, offset: float = 0.0, convert: bool = False) -> None:
        """Connects ``a`` and ``b``: two ports of opposite sides, or an output with an input, in either order.

        Between variables the input receives factor * value + offset, where the value is in the unit of the input. If output and input are
        of different quantities, the value is taken as it is. With ``convert`` values are rounded to Float32, and enumerations pass by their
        numbers. Ports or variables that do not match raise BuildError.
        """
        self._change()
        _check_ends(a, b)
        transformation = transformation_of((a, b), factor, offset, convert)
        owners = {resolve(end, self._instances)[0] for end in (a, b)}
        check_ends((a, b), {each: self._instances[each].fmu.fmu for each in owners if each in self._instances}, transformation)
        self._connections.append((a, b))
        self._transformations += [transformation] if transformation else []

    @public_call
    def join_rigidly(
        self,
        a: str | Mapping[str, str],
        b: str | Mapping[str, str],
        name: str | None = None,
        offset: float = 0.0,
        *,
        convert: bool = False,
    ) -> str:
        """Makes two instances that give motion move as one, by a joint between them; returns the joint's name.

        ``a`` and ``b`` are ports. For FMUs without ports they are names of variables: ``{"angle": "engine.phi", "speed": "engine.w",
        "torque": "engine.tau"}`` or ``{"position": ..., "velocity": ..., "force": ...}``, efforts being those on the instance. With
        ``"acceleration"`` as well any scheme can couple them. Without it, or if an FMU does not give its response to the effort, implicit
        schemes find the response by repeated steps. ``offset`` is the angle (rad) or position (m) of ``b`` less that of ``a``.
        ``convert`` is that of ``connect``.
        """
        self._change()
        joint = name or f"rigid{sum(map(is_rigid, self.instances.values())) + 1}"
        rigid = rigid_coupling(a, b, self.instances)
        if isinstance(offset, bool) or not isinstance(offset, int | float | np.integer | np.floating):
            raise BuildError(f"offset = {shown(offset)} is refused: give a number, in rad or m")
        if not rigid.offset and offset:
            raise BuildError(f"offset = {offset:g} is refused: ports of planar frames are welded as they are; turn or move a port instead")
        with self._all_or_nothing():
            self.add(joint, rigid.component, {rigid.offset: offset} if rigid.offset else None)
            for own, other in rigid.wires:
                self.connect(f"{joint}.{own}", other, convert=convert)
            for unknown in rigid.unknown:
                self.drive(f"{joint}.{unknown}", 0.0)
                self._unknown_accelerations.setdefault(joint, f"{joint}.{unknown}")
        return joint

    @public_call
    def drive(
        self,
        name: str,
        value: Any,
        *,
        breaks: Sequence[float] | None = None,
        smooth: bool | str = False,
        rate: Callable[[float], float] | None = None,
        acceleration: Callable[[float], float] | None = None,
    ) -> None:
        """Gives the input ``name`` a ``value``: a constant, a function of time, an expression of SymPy in ``jourdain.declare.t``, or a
        table of times and values. Texts, ``bytes`` and names of items are for inputs of these types, arrays for whole arrays.

        Between its times (seconds) a table is linear. With ``smooth`` it is a curve: monotone from row to row (True), a ``"spline"`` at
        rest at its ends, or one with ``"free"`` ends. An input that changes at events only keeps each value until the next time. ``breaks``
        are the times (seconds) at which a function, or one of its derivatives, jumps: integration restarts there. An input of motion that
        has rates beside it is given these too. ``rate`` and ``acceleration`` are those of a function, in its unit per s and per s2; for other drives they are known. An
        input that cannot be driven so raises BuildError.
        """
        self._change()
        if not isinstance(name, str):
            raise BuildError(f"{shown(name)} cannot be driven; give the name of an input, such as 'motor.tau'")
        instance, _ = resolve(name, self._instances)
        fmus = {instance: self._instances[instance].fmu.fmu} if instance in self._instances else {}
        found = drives_by_input(name, value, fmus, breaks=breaks, smooth=smooth, rate=rate, acceleration=acceleration)
        for each, drive in found.items():
            if each in self._drives:
                raise BuildError(f"'{each}' is driven twice; leave one of the two out")
            if fmus:  # a drive that is refused is not kept
                check_drive(each, fmus, drive)
        self._drives |= found

    @public_call
    def enforce(self, joint: str, intervals: Sequence[tuple[float, float | None]]) -> None:
        """Restricts a ``joint`` to ``intervals`` of time, such as ``[(0.5, 1.0), (1.5, None)]`` in seconds; None means from then on.

        Outside of them it is not in force: its multipliers are 0, and its violation is not checked. When it is added its position must fit.
        Velocities jump then, perfectly inelastic, by impulses of all joints in force. ``result.changes`` has these and the energy that is
        lost. Wrong intervals, or an instance that is no joint, raise BuildError.
        """
        self._change()
        name = enforced_joint(joint, self.instances, self._enforced)
        self._enforced[name] = intervals_of(name, intervals)

    @public_call
    def appearance(self, name: str, shape: Any, colour: str | None = None) -> None:
        """Gives the appearance of a body in pictures and pages, in place of the default drawing; several shapes add up.

        ``name`` is an instance, or a port, whose axes count then. ``shape`` is an area by its points, or a path of SVG (``"M 0 0 L 1 0
        ..."``). It may also be a file ``.stl`` or ``.obj``, a shape of ``jourdain.shapes``, or a list of these. None hides the body.
        ``colour`` is ``"#rrggbb"``. Lengths are in m.
        """
        self._change()
        if not has_place(self.instances, name):
            hint = nearest(str(name), self.instances) or "name a body, such as 'rod', or a port, such as 'rod.p1'"
            raise BuildError(
                f"{shown(name)} cannot be shown: it is no instance, and no port, that has a place in the plane or in space; {hint}"
            )
        self._shown += as_shown(name, shape, colour)

    @property
    def connections(self) -> tuple[tuple[str, str], ...]:
        """Connections by the names of ports and variables, in the order in which they were made."""
        return tuple(self._connections)

    @property
    def wires(self) -> Wires:
        """Returns the source of each input, variable by variable, with the conversions of units; ``print`` shows a table.

        It also lists the inputs of foreign FMUs that nothing feeds. Ports that cannot be connected raise BuildError.
        """
        fmus = self.instances
        drives = {check_drive(name, fmus, drive): drive for name, drive in self._drives.items()}
        wires = wires_of(fmus, self._connections, drives, complete=False, transformations=self._transformations)
        return list_wires(fmus, wires, drives, transformed_wires(fmus, self._transformations, self._connections))

    @property
    def start_values(self) -> Mapping[str, Mapping[str, Value]]:
        """Start values that the user gave, by instance and in their units. The mapping is read-only."""
        return MappingProxyType({name: GivenStart(name, dict(each.start)) for name, each in self._instances.items()})

    @property
    def drives(self) -> Mapping[str, Drive]:
        """Drives by the names of inputs."""
        return MappingProxyType(dict(self._drives))

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Undoes all changes of several steps if one of them is refused."""
        before = {name: copy(value) for name, value in vars(self).items() if isinstance(value, dict | list)}
        try:
            yield
        except BaseException:
            vars(self).update(before)
            raise

    def _check_level(self, name: str) -> None:
        """Raises BuildError if a name stands for both an instance and an included system."""
        if any(each.startswith(f"{name}.") for each in self._instances):
            raise BuildError(f"'{name}' is a system that is included here; give another name")

    def _change(self) -> None:
        if self._built:
            raise BuildError(f"the system '{self.name}' has been built and cannot change any more; make a new System")


def _check_ends(*ends: Any) -> None:
    for end in ends:
        if not isinstance(end, str):
            raise BuildError(f"{shown(end)} cannot be connected; give the name of a port or variable, such as 'rod.p1'")
