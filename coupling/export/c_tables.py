"""The generated C files of an exported mechanism: its components and variables for ``mechanism.h``, its schedule for ``schedule.h``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from coupling.export.table import SWITCH, MechanismTable, constraint_references
from coupling.live.master import Master
from coupling.plan.drives import Polynomial
from coupling.plan.schedule import Kind
from fmu_components.declare.declaration import Variable
from fmu_components.export.c_code import c_bool, c_number, c_string

_NONE = -1


def model_names(models: Mapping[str, str]) -> dict[str, str]:
    """A C identifier for each distinct model source, by the source; ``models`` are the sources by instance."""
    found: dict[str, str] = {}
    for text in dict.fromkeys(models.values()):
        name = re.search(r'\.name = "([^"]*)"', text)
        base = re.sub(r"\W", "_", name.group(1) if name else "model", flags=re.ASCII)
        identifier, number = base, 1
        while identifier in found.values():
            number += 1
            identifier = f"{base}_{number}"
        found[text] = identifier
    return found


def renamed(source: str, identifier: str) -> str:
    """The source of a model, under a name of its own."""
    return f"#define model {identifier}_model\n{source}"


def mechanism_source(table: MechanismTable, models: Mapping[str, str]) -> str:
    """``mechanism.c``."""
    names = model_names(models)
    interface = table.interface
    own = [_variable(v) for v in table.own] + [_counter(i) for i in range(len(table.kinked))]
    components = [f"{{{c_string(m.name)}, &{names[models[m.name]]}_model}}" for m in table.members]
    starts = [f"{{{reference}, {c_number(value)}}}" for reference, value in sorted(table.starts.items())]
    constraints = [] if interface.relaxed else constraint_references(table)
    kinks = [f"{{{table.own_reference(len(table.own) + i)}, {len(np.unique(d.times))}, kinks{i}}}" for i, d in enumerate(table.kinked)]
    outputs = sorted(r for r in table.outputs if table.members and r >= table.members[0].first)
    reference = {v.name: table.own_reference(i) for i, v in enumerate(table.own)}
    parts = [
        f"/* What {_comment(table.declared.name)} is made of. Generated when it was exported. */",
        '#include "mechanism.h"\n\n#include <math.h>',
        "\n".join(f"extern const Model {name}_model;" for name in names.values()),
        _array("static const Component component", components, "{0, 0}"),
        _array("static const Variable own", own, '{.name = ""}'),
        _array("static const Reference internal", map(str, table.internal)),
        _array("static const Reference output", map(str, outputs)),
        _array("static const Reference constant", map(str, table.constants)),
        _array("static const Start start", starts, "{0, 0}"),
        _array("static const Reference constraint", map(str, constraints)),
        *(_array(f"static const double kinks{i}", map(c_number, np.unique(d.times))) for i, d in enumerate(table.kinked)),
        _array("static const Kinks kinks", kinks, "{0, 0, 0}"),
        "const Mechanism mechanism = {\n"
        + "".join(
            f"    .{name} = {value},\n"
            for name, value in {
                "name": c_string(table.declared.name),
                "token": c_string(table.token),
                "default_stop": c_number(table.declared.stop_time),
                "components": len(components),
                "owns": table.owns,
                "inputs": len(interface.choice.inputs),
                "internals": len(table.internal),
                "outputs": len(outputs),
                "constants": len(table.constants),
                "starts": len(starts),
                "constraints": len(constraints),
                "kinked": len(kinks),
                "component": "component",
                "own": "own",
                "internal": "internal",
                "output": "output",
                "constant": "constant",
                "start": "start",
                "constraint": "constraint",
                "kinks": "kinks",
                "switch_reference": reference.get(SWITCH, 0),
                "implicit_reference": table.reference(table.implicit) if table.implicit else 0,
                "implicit_method": "&implicit_method" if table.implicit else 0,
            }.items()
        )
        + "};",
    ]
    return "\n\n".join(parts) + "\n"


def _variable(v: Variable) -> str:
    start = float(v.start) if v.start is not None else 0.0
    return (
        f"{{.name = {c_string(v.name)}, .unit = {c_string(v.unit)}, .start = {c_number(start)}, .minimum = {c_number(v.range.minimum)}, "
        f".maximum = {c_number(v.range.maximum)}, .tunable = {c_bool(v.tunable)}, .type = {v.type.upper()}, .role = {v.role.name}}}"
    )


def _counter(number: int) -> str:
    return f'{{.name = "kinks passed[{number + 1}]", .unit = "", .minimum = -INFINITY, .maximum = INFINITY, .type = INTERNAL, .role = DISCRETE}}'


def schedule_source(table: MechanismTable, master: Master) -> str:
    """``schedule.c``: the calls that built the master's kernel, as rows of numbers."""
    return _Schedule(table, master).source()


class _Pool:
    """Arrays one behind the other; equal ones once."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self._known: dict[bytes, int] = {}

    def place(self, array: object) -> int:
        if array is None:
            return _NONE
        values = np.asarray(array)
        key = values.tobytes()
        if key not in self._known:
            self._known[key] = len(self.values)
            self.values += values.tolist()
        return self._known[key]


class _Schedule:
    def __init__(self, table: MechanismTable, master: Master) -> None:
        self.table, self.master = table, master
        self.numbers, self.reals = _Pool(), _Pool()
        self.operations: list[str] = []
        self.derivatives: list[str] = []
        self.drives: list[str] = []
        self.loops: list[dict[str, int]] = []
        self.derivative_slot = _NONE
        self.opened = {address: place for place, address in enumerate(table.opened)}
        kernel = master.kernel
        assert kernel and kernel.calls is not None
        for name, arguments in kernel.calls:
            getattr(self, name.replace("kernel", "_on", 1))(*arguments)

    # -- one for each function of the kernel that builds ---------------------------------------------------------------

    def _on_add_polynomial(self) -> None:
        address, drive = self.master.built.drives[len(self.drives)]
        assert isinstance(drive, Polynomial)
        self.drives.append(f"{{{self.opened[address]}, 0, NONE, NONE}}")

    def _on_add_table(self, points: int, times: np.ndarray, values: np.ndarray) -> None:
        self.drives.append(f"{{NONE, {points}, {self.reals.place(times)}, {self.reals.place(values)}}}")

    def _on_add_loop(self, unknowns: int, first: int, start: np.ndarray, slots: np.ndarray, factors: np.ndarray) -> None:
        scheduled = self.master.schedule.loops[len(self.loops)]
        self.loops.append(
            {
                "unknowns": unknowns,
                "first": first,
                "residual_start": self.numbers.place(start),
                "residual_slot": self.numbers.place(slots),
                "residual_factor": self.reals.place(factors),
                "first_row": _NONE,
                "multipliers": len(scheduled.unknowns) - scheduled.torn,
            }
        )

    def _on_add_operation(
        self, where: int, loop: int, kind: int, type_: int, index: int, count: int, first: int, *arrays: np.ndarray | None
    ) -> None:
        if kind in (Kind.SET_TIME, Kind.SET_STATES):  # components read them where they are
            return
        places = ", ".join(str(self.numbers.place(a)) for a in arrays)
        self.operations.append(f"{{{where}, {loop}, {int(kind)}, {index}, {count}, {first}, {places}}}")

    def _on_add_derivative(
        self,
        loop: int,
        kind: int,
        part: int,
        at_events: bool,
        unknowns: int,
        unknown: np.ndarray,
        knowns: int,
        known: np.ndarray,
        seed: np.ndarray,
        first: int,
        slots: np.ndarray,
        known_slot: int,
        nominal: float,
    ) -> None:
        arrays = f"{unknowns}, {self.numbers.place(unknown)}, {knowns}, {self.numbers.place(known)}, {self.reals.place(seed)}"
        tail = f"{first}, {self.numbers.place(slots)}, {known_slot}, {c_number(nominal)}"
        self.derivatives.append(f"{{{loop}, {int(kind)}, {part}, {int(at_events)}, {arrays}, {tail}}}")

    def _on_set_jacobian(self, loop: int, first_sum: int, sums: int, *arrays: np.ndarray) -> None:
        start, factor, left, right, rows, columns, order = arrays
        self.loops[loop] |= {
            "first_sum": first_sum,
            "sums": sums,
            "sum_start": self.numbers.place(start),
            "sum_factor": self.reals.place(factor),
            "left": self.numbers.place(left),
            "right": self.numbers.place(right),
            "row_start": self.numbers.place(rows),
            "column": self.numbers.place(columns),
            "order": self.numbers.place(order),
        }

    def _on_set_shortcut(self, loop: int, first: int, always: int, inner: int, last: int, *arrays: np.ndarray) -> None:
        moved, target, row, middle, factor, term, slot = arrays
        self.loops[loop] |= {"first_row": first, "always": always, "inner": inner, "last": last, "factor": self.reals.place(factor)}
        places = {"moved": moved, "target": target, "row": row, "middle": middle, "term": term, "slot": slot}
        self.loops[loop] |= {name: self.numbers.place(array) for name, array in places.items()}

    def _on_set_derivative_slots(self, slots: np.ndarray) -> None:
        self.derivative_slot = self.numbers.place(slots)

    # -- text ----------------------------------------------------------------------------------------------------------

    def source(self) -> str:
        loops = ["{" + ", ".join(f".{name} = {value}" for name, value in loop.items()) + "}" for loop in self.loops]
        counts = {
            "slots": self.master.schedule.slots,
            "drives": len(self.drives),
            "loops": len(loops),
            "operations": len(self.operations),
            "derivatives": len(self.derivatives),
        }
        members = {"drive": "drive", "loop": "loop", "operation": "operation", "derivative": "derivative"}
        rest = {"derivative_slot": self.derivative_slot, "number": "number", "real": "real", "slot_variable": "slot_variable"}
        parts = [
            f"/* How {_comment(self.table.declared.name)} is evaluated. Generated when it was exported. */",
            '#include "schedule.h"\n\n#include <math.h>',
            _array("static const DriveRow drive", self.drives, "{NONE, 0, NONE, NONE}"),
            _array("static const LoopRow loop", loops, "{.first_row = NONE}"),
            _array("static const OperationRow operation", self.operations, "{0}"),
            _array("static const DerivativeRow derivative", self.derivatives, "{0}"),
            _array("static const int number", map(str, map(int, self.numbers.values))),
            _array("static const double real", map(c_number, self.reals.values)),
            _array("static const unsigned slot_variable", map(str, self._variables())),
            "const Schedule schedule = {\n" + "".join(f"    .{n} = {v},\n" for n, v in (counts | members | rest).items()) + "};",
        ]
        return "\n\n".join(parts) + "\n"

    def _variables(self) -> Iterable[int]:
        """The mechanism's reference of what each slot keeps; 0 where it is something in between."""
        schedule, table = self.master.schedule, self.table
        found = [0] * schedule.slots
        for where in (schedule.set_slot, schedule.slot):
            for address, slot in where.items():
                found[slot] = table.reference_at(address.part, address.reference)
        for place, slot in enumerate(schedule.derivatives):
            found[slot] = 1 + place
        for address, slot in schedule.drive_slot.items():
            found[slot] = table.own_reference(self.opened[address]) if address in self.opened else table.reference_at(*address[::2])
        return found


def _array(head: str, items: Iterable[str], empty: str = "0") -> str:
    listed: Sequence[str] = list(items)
    if not listed:
        return f"{head}[] = {{{empty}}};"
    lines, line = [], ""
    for item in listed:
        if len(line) + len(item) > 140:
            lines.append(line)
            line = ""
        line += f"{item}, "
    lines.append(line)
    return f"{head}[] = {{\n    " + "\n    ".join(each.rstrip() for each in lines) + "\n};"


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("\n", " ")
