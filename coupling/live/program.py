"""A built system as rows of numbers for the kernel, and the names that belong to its slots."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, TypeVar

import numpy as np

from coupling.fused.coded import Compiled, compiled, tapes_of
from coupling.fused.compiled import NotCompiled
from coupling.fused.not_fused import NotFused
from coupling.fused.open_equations import OpenEquations, open_equations_of
from coupling.fused.open_loops import Slopes, slopes_of
from coupling.fused.recorded import Recorded, recorded_kept
from coupling.fused.taped import Taped
from coupling.kernel.equations.fused import Stage
from coupling.kernel.fmi.texts import number_of
from coupling.kernel.rows.rows import NONE, List, RowBuilder, Rows
from coupling.options import Run
from coupling.plan import formulas
from coupling.plan.build import Built
from coupling.plan.cosimulation.capabilities import degree, most_degrees
from coupling.plan.drives import ConstantDrive, FormulaDrive, FunctionDrive, PiecesDrive, PolynomialDrive, TableDrive, TextDrive
from coupling.plan.graph import Address, Change, Part, constrained
from coupling.plan.jacobian import CallKind
from coupling.plan.kept import kept_at_zero, reactions_of
from coupling.plan.outputs import NUMERIC, bounded, chosen, is_bounded, recordable, watched_by_rows
from coupling.plan.quiet import quiet_parts
from coupling.plan.scene import drawn, scene_of
from coupling.plan.schedule import Kind, Operation, turns
from coupling.plan.switched import add_switched
from coupling.plan.time_scales import longest_step, watched_angles
from coupling.record import EXACT_TYPES, Column, Constant

Reason = TypeVar("Reason", bound=Exception)
_PARAMETERS = ("parameter", "structuralParameter")


@dataclass(frozen=True)
class Program:
    """The program that the kernel runs; no instance belongs to it."""

    built: Built
    rows: Rows
    """Rows of the kernel except the Jacobians of loops, for which instances have to be asked."""
    functions: tuple[FunctionDrive, ...]
    """Functions that drive inputs, in their order among the rows."""
    columns: tuple[Column, ...]
    """Recorded columns, after the time and before the energies that coupling creates."""
    scene: Mapping[str, Any]
    """Data that a picture needs in addition to the record."""
    drawn: tuple[str, ...]
    """Variables that no user asked for, from which poses follow, or that have a range: recorded after the columns."""
    bounded: tuple[tuple[int, str], ...]
    """Quantities with a range."""
    at_points: Mapping[Address, int]
    """The slots of states inside Co-Simulation instances of this library, which are got at communication points."""
    limited: Mapping[Address, int]
    """The slots of values of Co-Simulation instances that must stay within limits: states, or outputs where no state can be read."""
    recorded_apart: Mapping[Address, int]
    """The slots of variables that are got for the record alone."""
    recorded: tuple[Address, ...]
    """Recorded variables in the order of the columns, without the energies."""
    first_watched: int
    """First slot of the energies that coupling has created at the watched ports."""
    first_reaction: int = 0
    """First slot of the reactions that projections of an augmented Lagrangian give; 0 without such."""
    shortcuts: bool = True
    """True if loops may be passed by shortcuts, when no equations evaluate the system in place of its instances."""

    @cached_property
    def all_known(self) -> bool:
        """True if the equations of all instances are known, since all are components of this library. The tool that made the FMUs is
        checked first. To compare an FMU with the declaration of its component takes seconds where SymPy has not been imported."""
        ours = all(fmu.is_own for fmu in {part.fmu for part in self.built.parts})
        return ours and isinstance(self.fused, Taped) and not self.fused.foreign

    @cached_property
    def fused(self) -> Taped | NotFused:
        """The equations of the system as tapes, or the reason why they cannot be taped."""
        return self.tapes()

    def tapes(self, repeated: tuple[int, ...] = ()) -> Taped | NotFused:
        """Returns the equations as tapes, or the reason; ``repeated``: unknowns whose constraints repeat others."""
        return self._tried(tapes_of, repeated)

    def compiled(self, repeated: tuple[int, ...] = ()) -> Compiled | NotFused | NotCompiled:
        """Returns the equations as compiled code, or the reason why no code exists."""
        return self._tried(compiled, repeated)

    def _tried(self, make: Callable[[Built, tuple[int, ...]], Any], repeated: tuple[int, ...]) -> Any:
        """Returns what is made once, or the error that says why it cannot be."""
        if (make, repeated) not in self._made:
            try:
                self._made[make, repeated] = make(self.built, repeated)
            except (NotFused, NotCompiled) as error:
                self._made[make, repeated] = _alone(error)
        return self._made[make, repeated]

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    @cached_property
    def fused_record(self) -> tuple[Recorded, Mapping[Stage, int]] | NotFused:
        """The recorded variables as tapes, or the reason why they cannot be taped."""
        return self._recorded(compile_=False)

    @cached_property
    def compiled_record(self) -> tuple[Recorded, Mapping[Stage, int]] | NotFused:
        """The recorded variables as compiled code, where that is worth it."""
        return self._recorded(compile_=True)

    def _recorded(self, compile_: bool) -> tuple[Recorded, Mapping[Stage, int]] | NotFused:
        try:
            return recorded_kept(self.built, self.recorded, compile_)
        except NotCompiled:
            return self.fused_record
        except NotFused as error:
            return _alone(error)

    @cached_property
    def bounded_states(self) -> dict[Address, int]:
        """The states with a range of components of this library, and their slots."""
        return {
            Address(i, 0, reference): slot
            for i, part in enumerate(self.built.parts)
            if part.fmu.is_own
            for slot, reference in enumerate(part.states, start=part.first_state)
            if is_bounded(part.fmu.by_reference[reference])
        }

    @cached_property
    def quiet(self) -> np.ndarray | None:
        """Truths by instance: no event concerns it; None where that is true of all or of none."""
        found = quiet_parts(self.built)
        return found if found.any() and not found.all() else None

    @cached_property
    def longest_step(self) -> float:
        """The longest step that sees the periods of drives that events depend on."""
        return longest_step(self.built)

    def paced(self, run: Run) -> Run:
        """Returns a run whose steps are no longer than that."""
        return replace(run, max_step=self.longest_step) if self.longest_step < run.max_step else run

    @cached_property
    def watched_angles(self) -> np.ndarray:
        """The angles on which events may depend: slots of states, and -1 less the number of drives."""
        states, drives = watched_angles(self.built)
        found = [self.built.parts[part].first_state + place for part, place in states] + [-1 - number for number in drives]
        return np.array(found, dtype=np.int32)

    @cached_property
    def slopes(self) -> Slopes:
        """The derivatives of the system's equations; to be asked for where a tape of these exists."""
        return slopes_of(self.built)

    @cached_property
    def open_equations(self) -> OpenEquations:
        """The system's equations with open loops; to be asked for as ``slopes``."""
        return open_equations_of(self.built)

    @cached_property
    def runs_again(self) -> bool:
        """True if all instances are known to be as new ones after a reset: those of this library's runtime in C."""
        return all(part.fmu.is_own and not part.interface.needs_tool for part in self.built.parts)

    def label(self, slot: int) -> str:
        """Returns the variable whose value a slot keeps."""
        return self.labels[slot]

    @cached_property
    def labels(self) -> dict[int, str]:
        """The variables whose values slots keep."""
        built, schedule = self.built, self.built.schedule
        found = {
            part.first_state + i: built.named(index, reference)
            for index, part in enumerate(built.parts)
            for i, reference in enumerate(part.states)
        }
        for kept in (schedule.slot, schedule.drive_slot, self.recorded_apart):
            found |= {slot: built.named(address.part, address.reference) for address, slot in kept.items()}
        return found

    @cached_property
    def passed_on(self) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """The numbers that instances pass on between events: instance, value references, and their slots in the kernel."""
        schedule, parts = self.built.schedule, self.built.parts
        operations = (o for part in (schedule.operations, *(loop.operations for loop in schedule.loops)) for o in part)
        return [
            (o.index, np.array(o.references, dtype=np.uintc), np.array(o.places or range(o.first, o.first + len(o.references)), dtype=int))
            for o in operations
            if o.kind is Kind.GET and o.type == 0 and not parts[o.index].stepped
        ]

    @cached_property
    def passed_on_slots(self) -> np.ndarray:
        """The slots of the numbers that are passed on, one after the other."""
        return np.concatenate([where for _, _, where in self.passed_on])

    @cached_property
    def column_of(self) -> dict[str, int]:
        """The number of each recorded variable in a row of the record, by its name."""
        return {each.name: 1 + i for i, each in enumerate(self.columns)}

    @cached_property
    def exact_columns(self) -> tuple[tuple[int, Column], ...]:
        """Columns of texts and of large whole numbers, with their places in a row."""
        return tuple((place, column) for place, column in enumerate(self.columns, 1) if column.type)

    @cached_property
    def recordable(self) -> dict[str, tuple[str, ...]]:
        """All variables that can be recorded, by instance."""
        return recordable(self.built)

    @cached_property
    def constants(self) -> dict[str, Constant]:
        """All parameters that are numbers, with the values of the definition."""
        found = {}
        for part, start in zip(self.built.parts, self.built.start, strict=True):
            for v in part.fmu.variables.values():
                value = start.get(v.name, v.start)
                if v.causality in _PARAMETERS and v.type in NUMERIC and not v.dimensions and isinstance(value, int | float | np.number):
                    found[f"{part.name}.{v.name}"] = Constant(float(value), v.unit or "", v.description)
        return found

    def indicator_name(self, index: int) -> str:
        """Returns the event indicator of a number, by its instance."""
        first = 0
        for part in self.built.parts:
            indicators = part.structure.indicators
            if first <= index < first + len(indicators):
                variable = part.fmu.by_reference.get(indicators[index - first].reference)
                if part.fmu.version == 3 and variable:
                    return f"'{part.name}.{variable.name}'"
                return f"event indicator {index - first + 1} of '{part.name}'"
            first += len(indicators)
        return "a time event"


def compile_program(
    built: Built, outputs: Sequence[str] | None, in_turn: bool = False, shortcuts: bool = True, reactions: bool = False
) -> Program:
    """Compiles a built system. ``outputs`` are the names to record; ``in_turn`` is for Co-Simulation instances that step one after another;
    ``shortcuts`` through loops can be left out; ``reactions`` of projections have slots, and columns of joints with other ones."""
    recorded = chosen(built, outputs)
    scene = scene_of(built)
    anyway = set(recorded)
    ranged = bounded(built) if recorded else []
    posing = [each for each in dict.fromkeys([*drawn(built, scene), *watched_by_rows(built, ranged)]) if each not in anyway]
    places = _places(built)
    addresses = [built.address(i, name) for i, name in (*recorded, *posing)]
    apart = _grouped(address for address in addresses if address not in places)
    slots = built.schedule.slots
    apart_slots = {address: slots + i for i, address in enumerate(apart)}
    first_watched = slots + len(apart)
    first_reaction = first_watched + len(built.watched)
    reacting = {part for part, _ in recorded}
    of_reactions = [each for each in reactions_of(built) if each[0] in reacting] if reactions else []
    rows = RowBuilder(first_reaction + (2 * len(kept_at_zero(built)) if reactions else 0), built.states)
    for part in built.parts:
        rows.add_instance(part.first_state, len(part.states), len(part.structure.indicators), part.interface.needs_completed_step)
    if built.steppers:
        _couple(rows, built, first_watched, in_turn)
    _add_drives(rows, built)
    _add_operations(rows, built, shortcuts)
    _record_apart(rows, apart_slots)
    at_points = _got_at_points(built, ranged, apart_slots)
    limited = at_points | _outputs_instead(built, at_points, places)
    for address, slot in at_points.items():
        rows.add_operation(List.OUTPUTS, NONE, Kind.GET, address.part, type_=address.type, references=[address.reference], first=slot)
    columns = [places[a] if a in places else apart_slots[a] for a in addresses]
    columns[len(recorded) : len(recorded)] = [first_reaction + place for _, place, _ in of_reactions]
    unread = {slot for address, slot in apart_slots.items() if not built.parts[address.part].fmu.is_own}
    rows.set_record([*columns, *range(first_watched, first_watched + len(built.watched))], unread)
    rows.set_derivative_slots(built.schedule.derivatives)
    rows.set_groups(_groups(built))
    return Program(
        built=built,
        rows=rows.rows(),
        functions=tuple(drive for _, drive in built.drives if isinstance(drive, FunctionDrive)),
        columns=(*(_column(built.parts[i], name) for i, name in recorded), *(column for _, _, column in of_reactions)),
        scene=scene,
        drawn=tuple(f"{built.parts[i].name}.{name}" for i, name in posing),
        bounded=tuple(ranged),
        at_points=at_points,
        limited=limited,
        recorded_apart=apart_slots,
        recorded=tuple(addresses),
        first_watched=first_watched,
        first_reaction=first_reaction if reactions else 0,
        shortcuts=shortcuts,
    )


def width_of_rows(built: Built, outputs: Sequence[str] | None) -> int:
    """Returns how many numbers a row has at most."""
    return len({*chosen(built, outputs), *drawn(built, scene_of(built)), *bounded(built)}) + len(built.watched)


def _alone(error: Reason) -> Reason:
    """Returns a reason to be kept, without the traceback: that would keep the session with its processes in memory."""
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)


def _column(part: Part, name: str) -> Column:
    variable = part.fmu.variables[name]
    kind = variable.fmi_type if variable.fmi_type in EXACT_TYPES else ""
    said = (name, variable.unit or "", variable.description, variable.variability != "continuous")
    return Column(f"{part.name}.{name}", *said, kind, variable.items)


def _groups(built: Built) -> list[int]:
    """Returns a number for each state, which is the same for states of the same instance and unit."""
    keys = [(i, part.fmu.by_reference[reference].unit) for i, part in enumerate(built.parts) for reference in part.states]
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    return [number[key] for key in keys]


def _places(built: Built) -> dict[Address, int]:
    """Returns the slots of the values that are kept in any case: states, and values that are passed on."""
    states = {
        Address(i, 0, reference): slot
        for i, part in enumerate(built.parts)
        for slot, reference in enumerate(part.states, start=part.first_state)
    }
    return built.schedule.slot | states


def _grouped(addresses: Iterable[Address]) -> list[Address]:
    """Returns each address once, those of one type of one instance next to each other."""
    groups: dict[tuple[int, int], dict[Address, None]] = {}
    for address in addresses:
        groups.setdefault((address.part, address.type), {})[address] = None
    return [address for group in groups.values() for address in group]


def _add_drives(rows: RowBuilder, built: Built) -> None:
    for _, drive in built.drives:
        if isinstance(drive, TableDrive):
            rows.add_table(drive.times, drive.values)
        elif isinstance(drive, PolynomialDrive):
            rows.add_polynomial(drive.start)
        elif isinstance(drive, TextDrive):
            table = drive.numbered([number_of(text) for text in drive.texts])
            rows.add_table(table.times, table.values)
        elif isinstance(drive, ConstantDrive):
            rows.add_table([0.0], [float(drive.value)])
        elif isinstance(drive, FormulaDrive):
            rows.add_formula(formulas.program(drive.tree), drive.breaks)
        elif isinstance(drive, PiecesDrive):
            rows.add_pieces(drive.times, drive.outside, drive.coefficients)
        elif isinstance(drive, FunctionDrive):
            rows.add_function(drive.breaks)


def _add_operations(rows: RowBuilder, built: Built, shortcuts: bool) -> None:
    schedule = built.schedule
    for loop in schedule.loops:
        rows.add_loop(len(loop.unknowns), loop.first, loop.sums)
    everything = range(len(built.parts))
    for where, indices in (
        (List.CONTINUOUS, everything),
        (List.FAST, everything if shortcuts else ()),
        (List.READING, built.reading.parts if built.reading else ()),
    ):
        for index in indices:
            if built.parts[index].needs_time:
                rows.add_operation(where, NONE, Kind.SET_TIME, index)
        for index in indices:
            part = built.parts[index]
            if part.states:
                rows.add_operation(where, NONE, Kind.SET_STATES, index, count=len(part.states), first=part.first_state)
    for operation in schedule.operations:
        if operation.change is Change.ALWAYS:
            _add(rows, List.CONTINUOUS, NONE, operation)
        elif operation.change is Change.FOR_OUTPUT:
            _add(rows, List.RECORDING, NONE, operation)
        _add(rows, List.EVENTS, NONE, operation)
    for operation in schedule.shortcut if shortcuts else ():
        _add(rows, List.FAST, NONE, operation)
    for operation in schedule.outputs:
        _add(rows, List.OUTPUTS, NONE, operation)
    if built.reading:
        for operation in built.reading.operations:
            _add(rows, List.READING, NONE, operation)
        for each in built.reading.constraints:
            rows.add_constraint(
                each.loop,
                each.unknown,
                NONE if each.position is None else each.position,
                NONE if each.velocity is None else each.velocity,
            )
        add_switched(rows, built.parts, schedule.loops, built.switched)
    for number, loop in enumerate(schedule.loops):
        for operation in loop.operations:
            _add(rows, List.CONTINUOUS, number, operation)


def _add(rows: RowBuilder, where: int, loop: int, o: Operation) -> None:
    rows.add_operation(
        where, loop, o.kind, o.index, type_=o.type, references=o.references, first=o.first, places=o.places, sources=o.sources
    )


def _record_apart(rows: RowBuilder, slots: Mapping[Address, int]) -> None:
    """Gets what is recorded and passed on to nothing: one call for each type of each instance."""
    for (part, type_), group in groupby(slots, key=lambda a: a[:2]):
        addresses = list(group)
        references = [a.reference for a in addresses]
        rows.add_operation(List.RECORDING, NONE, Kind.GET, part, type_=type_, references=references, first=slots[addresses[0]])


def _got_at_points(built: Built, ranged: Iterable[tuple[int, str]], slots: Mapping[Address, int]) -> dict[Address, int]:
    """Returns the states of Co-Simulation instances among quantities or of this library, with their slots."""
    found = [built.address(i, name) for i, name in ranged if built.parts[i].stepped]
    found += [a for a in slots if built.parts[a.part].stepped and built.parts[a.part].fmu.is_own]
    return {a: slots[a] for a in found if a in slots and a.reference in built.parts[a.part].fmu.states}


def _outputs_instead(built: Built, states: Collection[Address], places: Mapping[Address, int]) -> dict[Address, int]:
    """Returns the continuous outputs of Co-Simulation instances without such states, with their slots."""
    known = {each.part for each in states}
    return {
        address: slot
        for address, slot in places.items()
        if built.parts[address.part].stepped
        and address.part not in known
        and address.reference in (known_by := built.parts[address.part].fmu.by_reference)
        and (known_by[address.reference].causality, known_by[address.reference].variability) == ("output", "continuous")
    }


def _couple(rows: RowBuilder, built: Built, first_watched: int, in_turn: bool) -> None:
    """Adds the Co-Simulation instances to the rows, with their inputs and outputs."""
    schedule, parts, steppers = built.schedule, built.parts, built.steppers
    graph = schedule.graph
    rows.couple([*(schedule.set_slot[a] for a in schedule.arriving), *schedule.fed_slot.values()], schedule.first_end, most_degrees(built))
    for index in steppers:
        arriving = [a for a in schedule.arriving if a.part == index]
        part = parts[index]
        rows.add_stepper(
            index,
            [a.reference for a in arriving],
            degree(part),
            saves=part.interface.save_state,
            variable=part.interface.variable_step,
            constrained=constrained(graph, arriving),
            period=part.step or 0.0,
        )
    if schedule.fed:
        references = [a.reference for a in schedule.fed]
        rows.add_stepper(NONE, references, 2, saves=True, variable=True, constrained=constrained(graph, schedule.fed))
    for index, part in enumerate(parts):
        if not part.stepped and part.interface.save_state:
            rows.add_other(index)
    for call in schedule.calls:
        rows.add_derivative(
            NONE,
            CallKind.DIRECTIONAL,
            call.part,
            at_events=call.constant,
            unknowns=[a.reference for a in call.outputs],
            knowns=[call.input.reference],
            seed=[1.0],
            first=call.first,
        )
    rows.set_held([slot for a, slot in schedule.ended.items() if graph.held[graph.node[a]]])
    for bond in built.bonds:
        rows.add_bond(bond.input, bond.output, first_watched + built.watched.index(bond.port), bond.sign)
    if in_turn:
        slots, found = turns(schedule)
        rows.set_predicted(slots)
        for turn in found:
            number = steppers.index(turn.part) if turn.part >= 0 else len(steppers)
            for operation in turn.sequence:
                _add(rows, List.sequence_of(number), NONE, operation)
            for operation in turn.outputs:
                _add(rows, List.outputs_of(number), NONE, operation)
