"""The way from a definition to a system that has been checked: the connections, and the order in which values are passed on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from coupling.errors import BuildError, listed
from coupling.fmus import Constraint, Fmu
from coupling.fmus.constraints import LEVELS
from coupling.memory import without_collection
from coupling.plan.connections import is_start_value, wires_of
from coupling.plan.cosimulation.bonds import Bond, bonds_of
from coupling.plan.cosimulation.division import Division, divide
from coupling.plan.definition import Definition, InstanceDefinition, Name, Value
from coupling.plan.degrees import in_degrees
from coupling.plan.drives import ConstantDrive, Drive, PolynomialDrive, TableDrive, in_base_units
from coupling.plan.enforced import Intervals
from coupling.plan.graph import Address, Part, build_graph, constrained, is_passed_on, type_code
from coupling.plan.gravity import Adapter, adapters_of
from coupling.plan.kinds import Mode, kinds_of
from coupling.plan.points import NoTorque, torque_free_ports
from coupling.plan.projection import Reading, plan_reading
from coupling.plan.rates import check_rates, drives_of
from coupling.plan.schedule import Schedule, build_schedule
from coupling.plan.shown import Shown
from coupling.plan.structure import structure_of
from coupling.plan.switched import Switched, read_for_modes, refuse_stepped, switched_multipliers
from coupling.plan.transformations import Affine, needs_conversion, on_the_way, see_transformed, transformed_wires, unit_of
from coupling.plan.wires import Wires, list_wires, notes_on


@dataclass(frozen=True)
class Built:
    """A system that has been checked; it changes no more."""

    name: str
    parts: tuple[Part, ...]
    start: tuple[Mapping[str, Value], ...]
    """Start values by part."""
    drives: tuple[tuple[Address, Drive], ...]
    """Drives that vary; constants are start values."""
    schedule: Schedule = field(repr=False)
    states: int
    bonds: tuple[Bond, ...] = field(default=(), repr=False)
    """Ports through which power enters Co-Simulation instances."""
    inner: Built | None = field(default=None, repr=False)
    """The system that is integrated between communication points, and the numbers of its parts."""
    inner_parts: tuple[int, ...] = ()
    connections: tuple[tuple[str, str], ...] = ()
    """Connections as the user made them, by the names of ports and variables."""
    wires: Wires = field(default=Wires(), repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    """Notes for the user on how the system is connected."""
    reading: Reading | None = field(default=None, repr=False)
    """Way to read constraints, by which states are moved onto them; None where none are moved."""
    torque_free: tuple[NoTorque, ...] = field(default=(), repr=False)
    """Variables that have to be 0, since points without rotation take no torque."""
    enforced: Mapping[int, Intervals] = field(default_factory=dict, repr=False)
    """Intervals in which joints are in force, by part; joints that always are do not appear."""
    shown: tuple[Shown, ...] = field(default=(), repr=False)
    """Appearance of bodies."""

    @cached_property
    @without_collection()
    def structure(self) -> str:
        """A digest of everything from which the equations follow: FMUs, connections, and what is solved for. It depends neither on names of
        instances nor on values."""
        return structure_of(self.parts, self.schedule, self.reading)

    @cached_property
    def switched(self) -> tuple[Switched, ...]:
        """Multipliers whose constraints depend on modes."""
        return switched_multipliers(self.parts, self.schedule.loops)

    def lasting(self, level: str) -> tuple[Address, ...] | None:
        """Returns the constraints at a level, unless some are not in force all the time."""
        return None if self.enforced or self.switched else self._constraints_at[level]

    @cached_property
    def _constraints_at(self) -> Mapping[str, tuple[Address, ...]]:
        return {
            level: tuple(Address(i, 0, reference) for i, each, _ in self.constraints if (reference := each.at(level)) is not None)
            for level in LEVELS
        }

    def mode_type(self, switched: Switched) -> int:
        """Returns the kernel's number of the type of a mode."""
        return type_code(switched.given.mode, self.parts[switched.part].fmu.version)

    def part_of_state(self, state: int) -> Part:
        """Returns the instance that a state belongs to, by its number among all states."""
        return next(part for part in self.parts if 0 <= state - part.first_state < len(part.states))

    def address(self, part: int, name: str) -> Address:
        return _address(self.parts[part].fmu, part, name)

    @cached_property
    def constraints(self) -> tuple[tuple[int, Constraint, bool], ...]:
        """Constraints that FMUs leave to the master to solve: instance, constraint, and True if it depends on a mode."""
        return tuple(
            (i, constraint, constraint.multiplier in switched)
            for i, part in enumerate(self.parts)
            if part.dae
            for switched in ({each.multiplier for each in part.dae.switched},)
            for constraint in part.dae.constraints
        )

    @property
    def projected(self) -> Collection[int]:
        """The instances among which constraints hold by projection."""
        if self.reading:
            return range(len(self.parts))
        return self.inner_parts if self.inner and self.inner.reading else ()

    @cached_property
    def foreign(self) -> tuple[int, ...]:
        """The instances of FMUs of other tools."""
        return tuple(i for i, part in enumerate(self.parts) if not part.fmu.is_own)

    @cached_property
    def arms(self) -> tuple[Address, ...]:
        """Parameters of components of this library that place the frames of bodies, in m."""
        return tuple(
            Address(i, 0, variable.reference)
            for i, part in enumerate(self.parts)
            if part.fmu.is_own
            for name, variable in part.fmu.variables.items()
            if variable.causality == "parameter" and variable.unit == "m" and name.endswith((".rx", ".ry", ".rz"))
        )

    @cached_property
    def adapters(self) -> tuple[Adapter, ...]:
        """Adapters between mechanisms that may have gravity of their own."""
        return adapters_of(self.parts)

    @cached_property
    def gauge(self) -> Mapping[int, Address]:
        """The outputs that gauge states follow, by the numbers of these states: no coordinates, and without control of their errors."""
        return {
            part.first_state + i: _address(part.fmu, number, output)
            for number, part in enumerate(self.parts)
            for i, reference in enumerate(part.states)
            if (output := part.fmu.by_reference[reference].gauge) is not None and output in part.fmu.variables
        }

    def named(self, part: int, reference: int) -> str:
        """Returns the full name of a variable."""
        if (part, reference) not in self._names:
            variable = self.parts[part].fmu.by_reference.get(reference)
            self._names[part, reference] = f"{self.parts[part].name}.{variable.name if variable else reference}"
        return self._names[part, reference]

    @cached_property
    def _names(self) -> dict[tuple[int, int], str]:
        """Names that were asked for so far."""
        return {}

    def overruled(self, given: Iterable[tuple[int, str]]) -> list[str]:
        """Returns a note on inputs that something feeds, and from which no loop is solved. Their start values, of all runs or ``given`` to
        one, have no effect."""
        fed = list(dict.fromkeys((*self._overruled_always, *filter(self._is_fed, given))))
        if not fed:
            return []
        names = listed(f"{self.parts[i].name}.{name}" for i, name in fed)
        if len(fed) == 1:
            return [f"the start value of {names} has no effect, since this input is connected or driven; leave it out"]
        return [f"the start values of {names} have no effect, since these inputs are connected or driven; leave them out"]

    def _is_fed(self, variable: tuple[int, str]) -> bool:
        """Returns whether its start value has no effect. Assembly uses start values of inputs that only instances without a pose feed."""
        if variable not in self._fed:
            graph, (i, name) = self.schedule.graph, variable
            fmu = self.parts[i].fmu
            places = {_address(fmu, i, name, in_base) for in_base in (False, True)} if is_passed_on(fmu.variables[name]) else set()
            posed = any(self.parts[source.part].fmu.model_exchange for a in places for source in graph.wires.get(a, ()))
            self._fed[variable] = (posed or any(a in graph.drives for a in places)) and not places & self._guesses
        return self._fed[variable]

    @cached_property
    def _overruled_always(self) -> list[tuple[int, str]]:
        return [(i, name) for i, start in enumerate(self.start) for name in start if self._is_fed((i, name))]

    @cached_property
    def _fed(self) -> dict[tuple[int, str], bool]:
        """Answers of ``_is_fed`` that were asked for so far."""
        return {}

    @cached_property
    def _guesses(self) -> frozenset[Address]:
        return frozenset(a for loop in self.schedule.loops for a in loop.unknowns)

    @cached_property
    def steppers(self) -> list[int]:
        """The instances that run in Co-Simulation."""
        return [i for i, part in enumerate(self.parts) if part.stepped]

    @property
    def watched(self) -> tuple[str, ...]:
        """The ports at which the energy that coupling creates is added up."""
        return tuple(dict.fromkeys(bond.port for bond in self.bonds))


def build(definition: Definition, mode: Mode, complete: bool = True) -> Built:
    """Checks a definition and finds the order of evaluation. If the system is not ``complete``, ports that need a partner may be open."""
    if not definition.instances:
        raise BuildError(f"the system '{definition.name}' is empty; add instances first")
    with without_collection():
        return _build(definition, mode, complete)


def _build(definition: Definition, mode: Mode, complete: bool) -> Built:
    instances = definition.instances
    kinds = kinds_of(definition, mode)
    running = {each.name: (each.logging, each.process) for each in instances}
    if definition.enforced and mode.coupled:
        raise _stepped_and_enforced(definition.enforced[0][0], kinds)
    if definition.unknown_accelerations and mode.integrated:
        raise BuildError(
            f"nothing gives '{definition.unknown_accelerations[0]}': name the acceleration in join_rigidly as well, or give simulate a "
            "communication_step and an implicit scheme"
        )
    fmus = {each.name: (each.stepped if kinds[each.name] == "cs" else each.fmu).fmu for each in instances}
    drives = drives_of(definition, fmus)
    transformations = transformed_wires(fmus, definition.transformations, definition.connections)
    wires = wires_of(fmus, definition.connections, drives, complete, definition.transformations)
    check_rates(fmus, wires, drives, {each.name: dict(each.start) for each in instances})
    number = {name: i for i, name in enumerate(fmus)}
    own = {each.name: (each.communication_step, _most(each)) for each in instances}
    parts, first_state = [], 0
    for name, fmu in fmus.items():
        parts.append(Part(name, fmu, first_state, kinds[name], *own[name], *running[name]))
        first_state += len(parts[-1].states)

    if mode.coupled:
        refuse_stepped(parts, kinds)

    # What is in different units is passed on in base units.
    converted = {
        target
        for target, given in wires.items()
        if any((source, target) not in transformations and needs_conversion(fmus, source, target) for source in given)
    }

    def address(name: Name, in_base: bool = False) -> Address:
        return _address(fmus[name[0]], number[name[0]], name[1], in_base)

    start = {each.name: dict(each.start) for each in instances}
    varying: list[tuple[Address, Drive]] = []
    for target, drive in drives.items():
        instance, variable = target
        if isinstance(drive, ConstantDrive) and is_start_value(fmus, target, wires):
            start[instance][variable] = drive.value
        elif isinstance(drive, TableDrive) and fmus[instance].variables[variable].variability != "continuous":
            varying.append((address(target), drive.steps))
        else:
            unit = unit_of(fmus[instance], fmus[instance].variables[variable])
            base = unit is not None and target in converted
            varying.append((address(target, base), in_base_units(drive, unit.factor, unit.offset) if unit and base else drive))
    fed = {*wires, *(target for target in drives if target[1] not in start[target[0]])}
    torque_free = tuple(torque_free_ports(fmus, definition.connections, start, fed))
    parts, apart = _once_per_process(parts)

    def arriving(source: Name, target: Name) -> Affine:
        unit = unit_of(fmus[target[0]], fmus[target[0]].variables[target[1]]) if target in converted else None
        return Affine(*((unit.factor, unit.offset) if unit else ())).after(on_the_way(fmus, source, target, transformations))

    parts, seen = see_transformed(parts, number, {wire: arriving(*wire) for wire in transformations})
    sources = {
        address(t, t in converted): [
            address(s)._replace(reference=seen[s, t]) if (s, t) in seen else address(s, t in converted) for s in given
        ]
        for t, given in wires.items()
    }
    table = list_wires(fmus, wires, drives, transformations)
    graph = build_graph(parts, sources, {where: i for i, (where, _) in enumerate(varying)})
    division = divide(parts, sources)
    schedule = build_schedule(graph, first_state, division.fed if division else None)
    _check_periods(parts, schedule)
    return Built(
        name=definition.name,
        parts=tuple(parts),
        start=tuple(start.values()),
        drives=tuple(varying),
        schedule=schedule,
        states=first_state,
        bonds=tuple(bonds_of(parts, definition.connections, schedule)) if mode.coupled else (),
        inner=_inner(definition.name, parts, sources, varying, division, mode is Mode.PROJECTED_BETWEEN) if division else None,
        inner_parts=division.inner if division else (),
        reading=read_for_modes(parts, schedule) if mode is Mode.PROJECTED else None,
        connections=definition.connections,
        torque_free=torque_free,
        enforced={number[name]: intervals for name, intervals in definition.enforced if name in number},
        shown=definition.shown,
        wires=table,
        notes=(*notes_on(table, start, fmus), *_note_compliant(parts), *apart, *in_degrees(fmus, _constants(start, drives))),
    )


def _constants(start: Mapping[str, Mapping[str, object]], drives: Mapping[Name, Drive]) -> Iterator[tuple[str, str, object]]:
    """Yields start values and constant drives with their instances and variables."""
    for instance, values in start.items():
        for name, value in values.items():
            yield instance, name, value
    for (instance, name), drive in drives.items():
        if isinstance(drive, ConstantDrive) and name not in start[instance]:
            yield instance, name, drive.value


def _stepped_and_enforced(joint: str, kinds: Mapping[str, str]) -> BuildError:
    """Returns the error on a joint that comes into force in a co-simulation: velocities jump there."""
    stepped = next(name for name, kind in kinds.items() if kind == "cs")
    return BuildError(
        f"enforce: '{joint}' cannot be switched while '{stepped}' runs in Co-Simulation, where "
        f"velocities cannot be set. Leave out communication_step and run '{stepped}' with kind='me', or use a compliant contact in place of the joint, such as a spring and a damper"
    )


def _most(instance: InstanceDefinition) -> int:
    """Returns the highest degree by which an instance's inputs are extrapolated. Instances with steps of their own take samples unless the
    user gives a degree."""
    if instance.extrapolation is not None:
        return instance.extrapolation
    return 2 if instance.communication_step is None else 0


def _note_compliant(parts: Sequence[Part]) -> list[str]:
    """Returns a note on joints that are stepped like any other Co-Simulation FMU: they have no constraint that the master could solve."""
    joints = [part.name for part in parts if part.kind == "cs" and part.fmu.dae is not None and not part.fmu.states]
    if not joints:
        return []
    several = len(joints) > 1
    return [
        f"{listed(joints)} {'run' if several else 'runs'} as kind 'cs', in which {'joints are' if several else 'a joint is'} compliant, stiff springs instead of "
        f"constraints; leave kind out of add for {'exact ones' if several else 'an exact one'}"
    ]


def _check_periods(parts: Sequence[Part], schedule: Schedule) -> None:
    for index, part in enumerate(parts):
        if part.stepped and part.step and constrained(schedule.graph, [a for a in schedule.arriving if a.part == index]):
            raise BuildError(
                f"communication_step = {part.step:g} s of '{part.name}' is refused: joints act on it, whose multipliers are found at every point; "
                "leave it out"
            )


def _once_per_process(parts: Sequence[Part]) -> tuple[list[Part], list[str]]:
    """Returns the instances, of which some got a process of their own because no other process can hold them, and notes on these."""
    first: dict[tuple[Fmu, str | None], str] = {}
    placed, notes = [], []
    for part in parts:
        holder = first.setdefault((part.fmu, part.process), part.name)
        if holder != part.name and part.interface.once_per_process and part.process != "own":
            notes.append(
                f"'{part.name}' runs in a process of its own: '{part.fmu.path.name}' allows one instance for each process, and '{holder}' is "
                "the first"
            )
            part = replace(part, process="own")
        placed.append(part)
    return placed, notes


def _inner(
    name: str,
    parts: Sequence[Part],
    sources: Mapping[Address, Sequence[Address]],
    drives: Sequence[tuple[Address, Drive]],
    division: Division,
    projected: bool,
) -> Built:
    """Returns the system that is integrated between communication points, driven by polynomials from outside."""
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
    varying = [*own, *((renumbered(a), PolynomialDrive()) for a in division.fed)]
    graph = build_graph(inner, wires, {where: i for i, (where, _) in enumerate(varying)})
    schedule = build_schedule(graph, first_state)
    reading = plan_reading(schedule) if projected else None
    return Built(name, tuple(inner), tuple({} for _ in inner), tuple(varying), schedule, first_state, reading=reading)


def _address(fmu: Fmu, part: int, name: str, in_base: bool = False) -> Address:
    variable = fmu.variables[name]
    return Address(part, type_code(variable, fmu.version), fmu.seen(variable, in_base))
