"""The generated C files of an exported mechanism: its components and variables for ``mechanism.h``, its schedule for ``schedule.h``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from coupling.export.c_arrays import array, literal, packed, row
from coupling.export.closing import Closing
from coupling.export.table import ASSEMBLE, STEP_SIZE, SWITCH, MechanismTable
from coupling.kernel.rows.rows import NONE, TABLES, DriveKind
from coupling.kernel.runs.index3 import METHODS, MOST
from coupling.live.derivatives.bordered import bordered_rows
from coupling.live.scales import rest_velocity, scales_of_projection, scales_of_switched
from coupling.live.session import Session
from coupling.live.tolerances import sizes
from coupling.options import Index3
from coupling.plan.drives import PolynomialDrive
from coupling.plan.graph import Address
from coupling.plan.schedule import Kind
from coupling.plan.time_scales import longest_step
from fmu_components.declare.declaration import IMPLICIT, Variable
from fmu_components.export.c_literals import c_bool, c_number, c_string
from fmu_components.export.c_texts import Ranges, Texts

_TABLES = ("part", "drive", "loop", "operation", "derivative", "constraint", "motion", "turn")
"""Tables that every schedule has, in the order of ``embedded/unpacked.c``."""


def model_names(models: Mapping[str, str]) -> dict[str, str]:
    """Returns a C identifier for each distinct model source, by the source; ``models`` are the sources by instance."""
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
    """Returns the source of a model under its own name."""
    return f"#define model {identifier}_model\n{source}"


def mechanism_source(table: MechanismTable, models: Mapping[str, str], closing: Closing) -> str:
    """Returns ``mechanism.c``."""
    names = model_names(models)
    interface = table.interface
    longest = longest_step(table.built)
    texts = Texts()
    ranges = Ranges(texts)
    own = [_variable(v, texts, ranges) for v in table.own]
    own += ["{.type = INTERNAL, .role = DISCRETE}"] * (table.owns - len(own))
    types = list(names)
    components = [f"{{{texts.place(m.name)}, {types.index(models[m.name])}}}" for m in table.members]
    starts = [f"{{{place}, {c_number(value)}}}" for place, value in sorted(table.starts.items())]
    constraints = [f"{{{p}, {v}, {m}, {c_number(scale)}, {c_number(size)}}}" for p, v, m, scale, size in closing.constraints]
    moves = [f"{{{state}, {axis}, {c_number(scale)}}}" for state, axis, scale in closing.moves]
    gauges = [row(each) for each in closing.gauges]
    kinks = [f"{{{table.own_place(len(table.own) + i)}, {len(d.kinks)}, kinks{i}}}" for i, d in enumerate(table.kinked)]
    outputs = [place for reference in sorted(table.outputs) if (place := table.shown[reference - 1]) >= table.own_place(table.owns)]
    own_place = {v.name: table.own_place(i) for i, v in enumerate(table.own)}
    parts = [
        f"/* What {_comment(table.declared.name)} is made of. Generated when it was exported. */",
        '#include "mechanism.h"\n\n#include <math.h>',
        "\n".join(f"extern const Model {name}_model;" for name in names.values()),
        array("static const Model *const models", [f"&{name}_model" for name in names.values()], "0"),
        array("static const Component component", components, "{0, 0}"),
        array("static const Variable own", own, "{0}"),
        ranges.source(),
        texts.source(),
        array("static const Reference internal", map(str, table.internal)),
        array("static const Reference output", map(str, outputs)),
        array("static const Reference constant", map(str, table.constants)),
        array("static const Start start", starts, "{0, 0}"),
        array("static const Constraint constraint", constraints, "{0, 0, 0, 1, 1}"),
        array("static const Move move", moves, "{0, 0, 1}"),
        array("static const unsigned held", map(str, closing.held)),
        array("static const Gauge gauge", gauges, "{0, 0}"),
        array("static const Reference angle", map(str, table.angles)),
        *(array(f"static const double kinks{i}", map(c_number, d.kinks)) for i, d in enumerate(table.kinked)),
        array("static const Kinks kinks", kinks, "{0, 0, 0}"),
        "const Mechanism mechanism = {\n"
        + "".join(
            f"    .{name} = {value},\n"
            for name, value in {
                "name": c_string(table.declared.name),
                "token": c_string(table.token),
                "default_stop": c_number(table.declared.stop_time),
                "longest_step": c_number(0.0 if interface.fixed or longest == math.inf else longest),
                "components": len(components),
                "owns": table.owns,
                "ranges": len(ranges),
                "texts": texts.length,
                "inputs": len(interface.choice.inputs),
                "internals": len(table.internal),
                "outputs": len(outputs),
                "constants": len(table.constants),
                "starts": len(starts),
                "constraints": len(constraints),
                "moves": len(moves),
                "helds": len(closing.held),
                "gauges": len(gauges),
                "angles": len(table.angles),
                "kinked": len(kinks),
                "models": "models",
                "component": "component",
                "own": "own",
                "range": "range",
                "text": "text",
                "internal": "internal",
                "output": "output",
                "constant": "constant",
                "start": "start",
                "constraint": "constraint",
                "move": "move",
                "held": "held",
                "gauge": "gauge",
                "angle": "angle",
                "relaxed": c_bool(interface.relaxed),
                "kinks": "kinks",
                "watched": table.own_place(table.owns - table.remembered - 3 * table.watches) if table.watches else 0,
                "watches": table.watches,
                "watching": "&watching" if table.watches else 0,
                "memory": table.own_place(len(table.own) + len(table.kinked)) if table.peaks else 0,
                "switch_reference": own_place.get(SWITCH, 0),
                "assemble_reference": own_place.get(ASSEMBLE, 0),
                "implicit_reference": own_place.get(IMPLICIT, 0),
                "implicit_method": "&implicit_method" if table.implicit else 0,
            }.items()
        )
        + "};",
    ]
    return "\n\n".join(parts) + "\n"


def _variable(v: Variable, texts: Texts, ranges: Ranges) -> str:
    start = float(v.start) if v.start is not None else 0.0
    return (
        f"{{.start = {c_number(start)}, .texts = {texts.place(v.name, v.unit)}, .range = {ranges.place(v.range)}, .type = {v.type.upper()}, "
        f".role = {v.role.name}, .tunable = {c_bool(v.tunable)}}}"
    )


def driven_by_formulas(session: Session) -> bool:
    return DriveKind.FORMULA in session.rows.table("drive")["kind"]


def schedule_source(table: MechanismTable, session: Session, equations: bool) -> str:
    """Returns ``schedule.c``: the rows that the kernel was built from, and their meaning in the mechanism, which may have ``equations``
    as well."""
    fixed, schedule = table.interface.fixed, session.schedule
    rows = bordered_rows(session) if fixed else session.rows
    operations = rows.table("operation")
    there = (Kind.SET_TIME,) if session.built.reading else (Kind.SET_TIME, Kind.SET_STATES)
    moves = ~np.isin(operations["kind"], there)  # components read these where they are
    kept = [*_TABLES, *(["switched"] if session.built.switched else []), *(["bordered", "level"] if fixed else [])]
    printed = {name: rows.table(name) for name in kept} | {"operation": operations[moves]}
    opened = {address: place for place, address in enumerate(table.opened)}
    inputs = [opened[address] if isinstance(drive, PolynomialDrive) else NONE for address, drive in session.built.drives]
    multipliers = [len(loop.unknowns) - loop.torn for loop in schedule.loops]
    tables = [np.array(printed[name].tolist(), int).reshape(-1, len(TABLES[name])) for name in kept]
    distinct, which = np.unique(rows.reals.view(np.int64), return_inverse=True)  # bits tell zeros of both signs apart
    numbers = [*tables, rows.numbers, np.array(_variables(table, session, opened), int)]
    members = {
        "slots": rows.slots,
        "states": rows.states,
        "derivative_slot": rows.derivative_slot,
        "group": rows.group,
        **{f"{name}s": len(each) for name, each in printed.items()},
        "real": "real",
        **({"formula": "formula_value"} if driven_by_formulas(session) else {}),
    }
    sizes = scales_of_projection(session)
    parts = [
        f"/* How {_comment(table.declared.name)} is evaluated. Generated when it was exported. */",
        '#include "schedule.h"\n\n#include <math.h>',
        literal("static const unsigned char packed", np.concatenate([packed(which), *map(packed, numbers)]).tobytes()),
        array("static const double real", map(c_number, distinct.view(float).tolist())),
        array("static const int input", map(str, inputs)),
        array("static const int multipliers", map(str, multipliers)),
        *(_fixed(table, session, fixed) if fixed else ()),
        *([array("static const double size", map(c_number, sizes.tolist()))] if sizes is not None else ()),
        *([array("static const double switched_size", map(c_number, scales_of_switched(session)))] if session.built.switched else ()),
        "const Schedule schedule = {\n    .rows = {\n"
        + "".join(f"        .{name} = {value},\n" for name, value in members.items())
        + "    },\n"
        + (
            "    .chooser = &chooser,\n    .switched_size = switched_size,\n" + f"    .rest = {c_number(rest_velocity(session))},\n"
            if session.built.switched
            else ""
        )
        + ("    .size = size,\n" if sizes is not None else "")
        + ("    .equations = &equations,\n" if equations else "")
        + "    .packed = packed,\n"
        + f"    .packed_numbers = {sum(each.size for each in numbers)},\n    .numbers = {len(rows.numbers)},\n    .reals = {len(which)},\n"
        + "    .input = input,\n    .multipliers = multipliers,\n};",
    ]
    return "\n\n".join(parts) + "\n"


def _fixed(table: MechanismTable, session: Session, asked: Index3) -> list[str]:
    """Returns the data for steps of fixed size."""
    assert asked.step_size
    given = {
        "step": c_number(asked.step_size),
        "radius": c_number(asked.spectral_radius),
        "tolerance": c_number(asked.newton_tolerance),
        "method": METHODS.index(asked.method),
        "limit": min(asked.newton_limit, MOST),
        "tangent": c_bool(asked.metric == "tangent"),
        "stepped": c_bool(asked.velocity_level == "stepped"),
        "nominal": "nominal",
    }
    place = table.own_place([v.name for v in table.own].index(STEP_SIZE))
    return [
        '#include "kernel/runs/index3.h"',
        array("static const double nominal", map(c_number, sizes(session))),
        f"const Index3Options fixed_options = {{{', '.join(f'.{name} = {value}' for name, value in given.items())}}};",
        f"const unsigned fixed_step_reference = {place};",
        f"const unsigned fixed_memory_reference = {table.own_place(table.owns - table.remembered) if table.remembered else 0};",
    ]


def _variables(table: MechanismTable, session: Session, opened: Mapping[Address, int]) -> list[int]:
    """Returns the place of the variable that each slot keeps; 0 for intermediate values."""
    schedule = session.schedule
    found = [0] * session.rows.slots
    for where in (schedule.set_slot, schedule.slot):
        for address, slot in where.items():
            found[slot] = table.place_at(address.part, address.reference)
    for place, slot in enumerate(schedule.derivatives):
        found[slot] = 1 + place
    for address, slot in schedule.drive_slot.items():
        found[slot] = table.own_place(opened[address]) if address in opened else table.place_at(*address[::2])
    return found


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("\n", " ")
