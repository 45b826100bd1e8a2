"""The documentation of a component: one HTML page that needs nothing but itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import chain, count

from fmu_components.declare import units
from fmu_components.declare.declaration import Event, Role, Variable
from fmu_components.declare.ports import ELECTRICAL, HYDRAULIC, PLANAR, PNEUMATIC, ROTATIONAL, SPATIAL, THERMAL, TRANSLATIONAL, Port, Side
from fmu_components.export.pages import mathml
from fmu_components.export.pages.markup import REFERENCE, code, facts, framed, listed, table_of, unit_text, value_text
from fmu_components.export.table import VariableTable


def page(table: VariableTable) -> str:
    """The page of a component. It is well-formed XML as well, so that programs can read it."""
    return framed(table.declared, sections(table))


def sections(table: VariableTable) -> list[tuple[str, str]]:
    """Titles and contents of a page; those of which a component has nothing are left out."""
    return [(title, content) for title, write in _SECTIONS if (content := write(table))]


# -- ports -----------------------------------------------------------------------------------------------------------

_POWER = "Effort times velocity is the power that the connection gives to the side that gives the motion."


def ports(table: VariableTable) -> str:
    return "\n".join(_port(table, port) for port in table.declared.ports)


def _port(table: VariableTable, port: Port) -> str:
    gives = [q.name for q in port.kind.given_by(port.side)]
    takes = [q.name for q in port.kind.given_by(port.side.opposite)]
    mark = f'<span class="mark {port.side.value}" style="color:{port.kind.colour}"></span>'
    rows = [
        (code(variable.name), _direction(variable), unit_text(variable.unit), escape(quantity.text), str(table.reference(variable)))
        for quantity in (*port.kind.motion, *port.kind.effort)
        for variable in (table.declared[f"{port.name}.{quantity.name}"],)
    ]
    return (
        f"<h3>{mark}{code(port.name)}: {escape(port.text)}</h3>\n"
        f"<p>Port of the kind <em>{escape(port.kind.name)}</em>; it gives {listed(gives)} and takes {listed(takes)}. "
        f"It is connected to a port of the same kind that gives {listed(takes)}. {port.kind.signs or _POWER}</p>\n"
        + table_of(("Variable", "Direction", "Unit", "Meaning and sign", REFERENCE), rows)
    )


def _direction(variable: Variable) -> str:
    return variable.role.value + (f", starts at {value_text(variable.start)}" if variable.start else "")


# -- variables that are set ------------------------------------------------------------------------------------------


def _parameters(table: VariableTable) -> str:
    heads, rows = PARAMETER_HEADS, [(v, parameter_cells(table, v)) for v in table.with_role(Role.PARAMETER, Role.SWITCH)]
    note = ""
    if any(v.unit == units.MIXED for v, _ in rows):
        note = '<p class="note">SI: the constraints of this joint differ in dimension, so the number counts in SI units for each.</p>'
    return _with_symbols(heads, rows) + note


PARAMETER_HEADS = ("Parameter", "Default", "Unit", "Shown also in", "Valid range", "Meaning", REFERENCE)


def parameter_cells(table: VariableTable, v: Variable) -> tuple[str, ...]:
    return (
        code(v.name),
        value_text(v.start),
        unit_text(v.unit) if v.type == "real" else v.type,
        _display_units(v.unit),
        "true or false" if v.type == "boolean" else escape(str(v.range)),
        escape(v.text) + ("" if v.tunable else " <em>(fixed at initialisation)</em>"),
        str(table.reference(v)),
    )


def _display_units(unit: str) -> str:
    return ", ".join(unit_text(display.name) for display in units.DISPLAY.get(unit, ()))


def _inputs(table: VariableTable) -> str:
    """The signals that enter outside of ports."""
    return _variables(table, [v for v in table.with_role(Role.INPUT, Role.DISCRETE_INPUT) if v.port is None])


def _states(table: VariableTable) -> str:
    return _variables(table, table.with_role(Role.STATE))


def _discrete_states(table: VariableTable) -> str:
    return _variables(table, table.with_role(Role.DISCRETE, Role.RELATION))


VARIABLE_HEADS = ("Variable", "Start value", "Unit", "Meaning", REFERENCE)


def variable_cells(table: VariableTable, variable: Variable) -> tuple[str, ...]:
    return (
        code(variable.name),
        value_text(variable.start),
        unit_text(variable.unit) if variable.type == "real" else variable.type,
        escape(variable.text),
        str(table.reference(variable)),
    )


def _variables(table: VariableTable, variables: Sequence[Variable]) -> str:
    return _with_symbols(VARIABLE_HEADS, [(v, variable_cells(table, v)) for v in variables])


def _with_symbols(heads: Sequence[str], rows: Iterable[tuple[Variable, Sequence[str]]]) -> str:
    """A table with the symbol of each variable after its name."""
    first, *others = heads
    return table_of((first, "Symbol", *others), ((name, mathml.symbol(v.name), *rest) for v, (name, *rest) in rows))


# -- equations -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    """Equations under one heading: those variables, among the ones not yet shown, that belong to it."""

    title: str
    holds: Callable[[Variable], bool]
    text: str = ""
    explained: bool = False
    """True where each variable's own text is shown, since heading and ports do not contain it."""


def _groups(table: VariableTable) -> list[_Group]:
    freedoms = {v.name.removesuffix(".q") for v in table.with_role(Role.OUTPUT) if v.name.endswith(".q") and v.port is None}
    groups = [
        _Group("Derivatives of the states", lambda v: v.role is Role.DERIVATIVE),
        _Group("Constraint at position level", _numbered("position"), "The joint keeps these at zero."),
        _Group(
            "Constraint at velocity level",
            _numbered("velocity"),
            "Time derivatives of the position level, or constraints that exist at this level only.",
        ),
        _Group("Constraint at acceleration level", _numbered("acceleration"), "Time derivatives of the velocity level."),
        _Group("Residual", _numbered("residual"), "In ideal mode the multipliers are such that these vanish."),
        _Group("Multiplier in both modes", _numbered("multiplier"), "The multiplier in effect."),
    ]
    for port in table.declared.ports:
        what = "Motion" if port.side is Side.MOTION else "Wrench" if len(port.kind.effort) > 1 else "Effort"
        title = f"{what} of port {port.name}" if port.side is Side.MOTION else f"{what} given by port {port.name}"
        groups.append(_Group(title, lambda v, name=port.name: v.port == name))  # type: ignore[misc]
    groups += [
        _Group(f"Relative motion along the {freedom}", lambda v, start=f"{freedom}.": v.name.startswith(start), explained=True)  # type: ignore[misc]
        for freedom in sorted(freedoms)
    ]
    return [
        *groups,
        _Group("Other outputs", lambda v: v.role is Role.OUTPUT, explained=True),
        _Group("Local variables", lambda v: v.role is Role.LOCAL, explained=True),
        _Group("Event indicators", lambda v: v.role is Role.INDICATOR, "A change of sign is an event.", explained=True),
    ]


def _numbered(stem: str) -> Callable[[Variable], bool]:
    return lambda variable: re.fullmatch(rf"{stem}\[\d+\]", variable.name) is not None


def _equations(table: VariableTable) -> str:
    left = [v for v in table.variables if v.role.calculated]
    parts = []
    for group in _groups(table):
        members = [v for v in left if group.holds(v)]
        if members:
            left = [v for v in left if v not in members]
            rows = (_equation(table, variable, group.explained) for variable in members)
            parts.append(
                f"<h3>{escape(group.title)}</h3>"
                + (f"<p>{group.text}</p>" if group.text else "")
                + table_of(("Variable", "Equation", "Unit", REFERENCE), rows, "equations")
            )
    if not parts:
        return ""
    return (
        '<p class="note">As derived from the declaration. Subscripts name the port or the group of a variable, its axis and its '
        "number; a dot is a derivative with respect to time.</p>\n"
    ) + "\n".join(parts)


def _equation(table: VariableTable, variable: Variable, explained: bool) -> tuple[str, ...]:
    assert variable.equation is not None
    meaning = f'<div class="meaning">{escape(variable.text)}</div>' if explained else ""
    return (
        code(variable.name),
        f'<div class="scroll">{mathml.equation(variable.name, variable.equation)}</div>{meaning}',
        unit_text(variable.unit),
        str(table.reference(variable)),
    )


# -- events, validity, modes -----------------------------------------------------------------------------------------

_TRIGGERS = {"rises": "becomes positive", "falls": "stops being positive"}


def _events(table: VariableTable) -> str:
    if not table.declared.events:
        return ""
    rows = [
        (escape(event.text), _trigger(event), "".join(_update(name, event) for name in event.updates) or "–")
        for event in table.declared.events
    ]
    return "<p>New values are computed from all values before the event.</p>" + table_of(("Event", "Happens when", "Updates"), rows)


def _trigger(event: Event) -> str:
    expression = mathml.inline(event.trigger.expression)
    if event.trigger.kind == "reaches":
        return f"<em>time event:</em> time reaches {expression}"
    return f"<em>state event:</em> {expression} {_TRIGGERS[event.trigger.kind]}"


def _update(name: str, event: Event) -> str:
    return f'<div class="scroll">{mathml.equation(name, event.updates[name], "≔")}</div>'


def _validity(table: VariableTable) -> str:
    items = [
        f'<li>It is {"expected" if condition.advisory else "required"} that {escape(condition.text)}: <span class="scroll">{mathml.positive(condition.expression)}</span></li>'
        for condition in table.declared.conditions
    ]
    return f"<p>Checked at initialisation.</p><ul>{''.join(items)}</ul>" if items else ""


def _modes(table: VariableTable) -> str:
    switch = table.switch
    if switch is None:
        return ""
    unknowns = listed([v.name for v in table.with_role(Role.ALGEBRAIC)])
    residuals = listed([v.name for v in table.residuals])
    multipliers = _variables(table, table.with_role(Role.ALGEBRAIC))
    chosen = f"<p>The switch {code(switch.name)}, {value_text(switch.start)} by default, is chosen before initialisation.</p>\n<dl>\n"
    if "qdd" in table.declared.by_name:
        return (
            f"{chosen}<dt>Ideal: {code(switch.name)} is true</dt><dd>{unknowns} is set from outside. The importer either finds the value for which "
            f"{residuals} vanishes, or prescribes the motion; an actuator then has to give {code('required')}. This mode is "
            f"for Model Exchange.</dd>\n<dt>Alone: {code(switch.name)} is false</dt><dd>The block solves for {unknowns} itself, in every FMI "
            f"tool; blocks in a row are then an algebraic loop. As a Co-Simulation FMU it always does.</dd>\n</dl>\n{multipliers}"
        )
    return (
        f"{chosen}<dt>Ideal: {code(switch.name)} is true</dt><dd>{unknowns} are set from outside: the importer "
        f"finds the values for which {residuals} vanish. The constraint holds exactly. This mode is for Model Exchange.</dd>\n"
        f"<dt>Compliant: {code(switch.name)} is false</dt><dd>The joint computes its multipliers itself, as a stiff spring and damper "
        f"across the constraint. It works without any algebraic loop in every FMI tool. As a Co-Simulation FMU it is always "
        f"compliant.</dd>\n</dl>\n{multipliers}"
    )


# -- use -------------------------------------------------------------------------------------------------------------


def _use(table: VariableTable) -> str:
    partners = ", with partners at the ports that need one" if any(port.side is Side.EFFORT for port in table.declared.ports) else ""
    return (
        f"<p>In Python{partners}; parameters and start values are given by name:</p>\n"
        f"<pre><code>{escape(usage(table))}</code></pre>\n<p>Any name of a parameter, a state or an input may stand among the values. In "
        f"place of a name of the catalogue, the path of an FMU will do.</p>"
    )


@dataclass(frozen=True)
class _Partner:
    """The component to which an example connects a port."""

    instance: str
    component: str
    port: str
    starts: Mapping[str, str]
    """Start of each coordinate of the port: the name of a parameter or state."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Values of these parameters and states, and of others, where the port is at 0."""


_AXES = {f"R{i}{column}": f"p1.{axis}{a}" for column, axis in ((3, "z"), (1, "x")) for i, a in enumerate("xyz", 1)}
"""The parameters of a port that are entries of its rotation matrix, where its body has not turned."""

_PARTNERS = {
    PLANAR: (
        _Partner("ground", "planar.Fixed", "p1", {"x": "p1.rx", "y": "p1.ry", "theta": "p1.angle"}),
        _Partner("body", "planar.Body1", "p1", {"x": "x", "y": "y", "theta": "theta"}, {"p1.rx": -0.5, "x": 0.5}),
    ),
    SPATIAL: (
        _Partner("ground", "spatial.Fixed", "p1", {"x": "p1.rx", "y": "p1.ry", "z": "p1.rz"} | _AXES),
        _Partner("body", "spatial.Body1", "p1", {"x": "x", "y": "y", "z": "z"} | _AXES, {"p1.rx": -0.5, "x": 0.5}),
    ),
    ROTATIONAL: (
        _Partner("wall", "mechanical1d.Fixed1D", "shaft", {"phi": "angle"}),
        _Partner("inertia", "mechanical1d.Inertia", "flange", {"phi": "phi"}),
    ),
    TRANSLATIONAL: (
        _Partner("wall", "mechanical1d.Fixed1D", "flange", {"s": "position"}),
        _Partner("mass", "mechanical1d.Mass", "flange", {"s": "s"}),
    ),
    HYDRAULIC: (
        _Partner("tank", "hydraulic.Tank", "port", {"p": "pressure"}),
        _Partner("volume", "hydraulic.Volume", "port", {"p": "p"}),
    ),
    PNEUMATIC: (
        _Partner("atmosphere", "pneumatic.Atmosphere", "port", {"pressure": "pressure"}),
        _Partner("volume", "pneumatic.Volume", "port", {"pressure": "p"}),
    ),
    THERMAL: (
        _Partner("surroundings", "thermal.FixedTemperature", "port", {"temperature": "temperature"}),
        _Partner("capacity", "thermal.Capacity", "port", {"temperature": "T"}),
    ),
    ELECTRICAL: (
        _Partner("ground", "electrical.Ground", "pin", {}),
        _Partner("source", "electrical.VoltageSource", "pin", {}, {"voltage": 12.0}),
    ),
}
"""Two partners for each kind of port: one at rest and one that moves, or a voltage of 0 and another voltage."""


def usage(table: VariableTable) -> str:
    """Python that simulates the component for a second. Of several ports that need a partner, the first has one at rest."""
    declared = table.declared
    library, _, name = declared.name.rpartition(".")
    instance = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    fmu = declared.name if library else f"{name}.fmu"
    own = {v.name: v.start for v in table.with_role(Role.PARAMETER) if not (v.shape or v.name.startswith(("baumgarte.", "compliant.")))}
    added = [_add(instance, fmu, dict(list(own.items())[:2]))]
    connected = []
    needy = [port for port in declared.ports if port.side is Side.EFFORT]
    taken = {instance}
    for number, port in enumerate(needy):
        end = f"{instance}.{port.name}"
        if port.kind not in _PARTNERS:
            connected.append(f'# connect "{end}" with a port that gives {" and ".join(q.name for q in port.kind.motion)}')
            continue
        at_rest, moving = _PARTNERS[port.kind]
        partner = at_rest if number == 0 and len(needy) > 1 else moving
        candidates = chain([partner.instance], (f"{partner.instance}{n}" for n in count(2)))
        other = next(each for each in candidates if each not in taken)
        taken.add(other)
        start = dict(partner.values)
        usual = {quantity.name: quantity.start for quantity in port.kind.motion}
        for coordinate, known in partner.starts.items():
            value = float(table.declared[f"{port.name}.{coordinate}"].start or 0.0)
            if value != usual[coordinate]:
                start[known] = start.get(known, 0.0) + value
        added.append(_add(other, partner.component, start))
        connected.append(f'system.connect("{end}", "{other}.{partner.port}")')
    driven = [f'system.drive("{instance}.{v.name}", 1.0)' for v in table.with_role(Role.INPUT) if v.port is None and v.unit in ("N", "N.m")]
    return "\n".join(
        [
            "from coupling import System",
            "",
            "system = System()",
            *added,
            *connected,
            *driven,
            "result = system.simulate(stop_time=1.0)",
            f'print(result["{instance}.{_telling(table)}"][-1])',
        ]
    )


def _add(instance: str, fmu: str, start: Mapping[str, object]) -> str:
    values = "".join([", {", ", ".join(f'"{name}": {value!r}' for name, value in start.items()), "}"]) if start else ""
    return f'system.add("{instance}", "{fmu}"{values})'


def _telling(table: VariableTable) -> str:
    """The variable whose value an example prints: a coordinate of a joint, a state, or an output, rather not of a port."""
    outputs = table.with_role(Role.OUTPUT)
    coordinates = [v for v in outputs if v.name.endswith(".q")]
    own = [v for v in outputs if v.port is None and "[" not in v.name]
    return next(v.name for v in (*coordinates, *table.with_role(Role.STATE), *own, *outputs))


def _fmu(table: VariableTable) -> str:
    declared = table.declared
    mode = " (always compliant)" if table.switch else ""
    rows = [
        ("Model name", code(declared.name)),
        ("Model identifier", code(declared.identifier)),
        ("File", f"{code(f'fmi2/{declared.name}.fmu')} and {code(f'fmi3/{declared.name}.fmu')}"),
        ("Standards", "FMI 2.0 and FMI 3.0"),
        ("Interfaces", f"Model Exchange and Co-Simulation{mode}"),
        ("GUID, instantiation token", code(table.token)),
        ("Default experiment", f"{value_text(declared.stop_time)} s"),
    ]
    return (
        f"{facts(rows)}\n<p>The column VR gives the value reference, which is the same in both versions "
        f"of FMI and in both interfaces; {code('time')} has {table.reference('time')}. The FMU is a native binary without any "
        f"dependency; its equations, its derivatives and this page come from one declaration.</p>"
    )


_SECTIONS: tuple[tuple[str, Callable[[VariableTable], str]], ...] = (
    ("Ports", ports),
    ("Parameters", _parameters),
    ("Inputs", _inputs),
    ("States", _states),
    ("Discrete states", _discrete_states),
    ("Modes", _modes),
    ("Equations", _equations),
    ("Events", _events),
    ("Validity", _validity),
    ("How to use it", _use),
    ("The FMU", _fmu),
)
