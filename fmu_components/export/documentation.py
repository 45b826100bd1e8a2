"""The documentation of a component: one HTML page that needs nothing but itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import chain, count
from typing import Any

from fmu_components import units
from fmu_components.declaration import Event, Role, Variable
from fmu_components.export import icons, mathml
from fmu_components.export.table import VariableTable
from fmu_components.ports import ELECTRICAL, HYDRAULIC, PLANAR, ROTATIONAL, TRANSLATIONAL, Port, Side

Section = tuple[str, Callable[[Any], str]]
"""A title, and what writes the section for a table; where that is nothing, there is no such section."""


def page(table: VariableTable, chosen: Sequence[Section] | None = None) -> str:
    """The page of a component. It is well-formed XML as well, so that programs can read it."""
    declared = table.declared
    sections = [(title, content) for title, write in (_SECTIONS if chosen is None else chosen) if (content := write(table))]
    contents = "".join(f'<li><a href="#{_anchor(title)}">{title}</a></li>' for title, _ in sections)
    body = "\n".join(f'<section id="{_anchor(title)}">\n<h2>{title}</h2>\n{content}\n</section>' for title, content in sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{escape(declared.name)} – {escape(declared.title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<figure>{icons.svg(declared)}</figure>
<div>
<h1>{escape(declared.name)}</h1>
<p class="lead">{_prose(declared.title)}</p>
{_description(declared.description)}
</div>
</header>
<nav><ul>{contents}</ul></nav>
<main>
{body}
</main>
</body>
</html>
"""


# -- small pieces ----------------------------------------------------------------------------------------------------


_VR = '<abbr title="value reference">VR</abbr>'


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower())


def _prose(text: str) -> str:
    """Text of a docstring: escaped, its ``names`` as code."""
    return re.sub(r"``(.+?)``", r"<code>\1</code>", escape(" ".join(text.split())))


def _code(text: object) -> str:
    return f"<code>{escape(str(text))}</code>"


def _description(docstring: str) -> str:
    """The paragraphs after the first line, which is the title."""
    _, _, rest = docstring.partition("\n")
    return "\n".join(f"<p>{_prose(paragraph)}</p>" for paragraph in re.split(r"\n\s*\n", rest) if paragraph.strip())


def _unit(unit: str) -> str:
    """A unit as it is printed; its name in the FMU is the tooltip."""
    if unit == units.MIXED:
        return '<span title="the unit differs from one constraint to another">SI</span>'
    if not unit:
        return "1"
    printed = re.sub(r"(?<=[A-Za-z])\d+", lambda found: found.group().translate(_SUPERSCRIPTS), unit).replace(".", "·")
    return f'<span title="{escape(unit)}">{escape(printed)}</span>'


_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _value(value: float | bool | int | None) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else f"{value:.12g}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table whose cells hold markup; nothing where there are no rows."""
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    if not lines:
        return ""
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    attribute = f' class="{kind}"' if kind else ""
    body = "\n".join(lines)
    return f'<div class="wide"><table{attribute}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


# -- ports -----------------------------------------------------------------------------------------------------------

_SIGNS = {
    PLANAR: "Wrenches act on the body, in the absolute frame, about the port’s point. Angles, angular velocities and torques are positive counter-clockwise, from x towards y.",
    HYDRAULIC: "Flow is positive into the side that gives the pressure.",
    ELECTRICAL: "Current is positive into the side that gives the voltage.",
}
_POWER = "Effort times velocity is the power that the connection gives to the side that gives the motion."


def _ports(table: VariableTable) -> str:
    return "\n".join(_port(table, port) for port in table.declared.ports)


def _port(table: VariableTable, port: Port) -> str:
    gives = [q.name for q in port.kind.given_by(port.side)]
    takes = [q.name for q in port.kind.given_by(port.side.opposite)]
    mark = f'<span class="mark {port.side.value}" style="color:{icons.colour(port.kind)}"></span>'
    rows = [
        (_code(variable.name), _direction(variable), _unit(variable.unit), escape(quantity.text), str(table.reference(variable)))
        for quantity in (*port.kind.motion, *port.kind.effort)
        for variable in (table.declared[f"{port.name}.{quantity.name}"],)
    ]
    return (
        f"<h3>{mark}{_code(port.name)}: {escape(port.text)}</h3>\n"
        f"<p>Port of the kind <em>{escape(port.kind.name)}</em>; it gives {_listed(gives)} and takes {_listed(takes)}. "
        f"It is connected to a port of the same kind that gives {_listed(takes)}. {_SIGNS.get(port.kind, _POWER)}</p>\n"
        + _table(("Variable", "Direction", "Unit", "Meaning and sign", _VR), rows)
    )


def _direction(variable: Variable) -> str:
    return variable.role.value + (f", starts at {_value(variable.start)}" if variable.start else "")


def _listed(names: Sequence[str]) -> str:
    words = [_code(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# -- variables that are set ------------------------------------------------------------------------------------------


def _parameters(table: VariableTable) -> str:
    rows = [
        (
            _code(v.name),
            mathml.symbol(v.name),
            _value(v.start),
            _unit(v.unit) if v.type == "real" else v.type,
            _display_units(v.unit),
            "true or false" if v.type == "boolean" else escape(str(v.range)),
            escape(v.text) + ("" if v.tunable else " <em>(fixed at initialisation)</em>"),
            str(table.reference(v)),
        )
        for v in table.with_role(Role.PARAMETER, Role.SWITCH)
    ]
    note = ""
    if any(v.unit == units.MIXED for v in table.with_role(Role.PARAMETER)):
        note = '<p class="note">SI: the constraints of this joint differ in dimension, so the number counts in SI units for each.</p>'
    heads = ("Parameter", "Symbol", "Default", "Unit", "Shown also in", "Valid range", "Meaning", _VR)
    return _table(heads, rows) + note if rows else ""


def _display_units(unit: str) -> str:
    return ", ".join(_unit(display.name) for display in units.DISPLAY.get(unit, ()))


def _inputs(table: VariableTable) -> str:
    """The signals that enter outside of ports."""
    return _table(_HEADS, (_row(table, v) for v in table.with_role(Role.INPUT) if v.port is None))


def _states(table: VariableTable) -> str:
    return _table(_HEADS, (_row(table, v) for v in table.with_role(Role.STATE)))


def _discrete_states(table: VariableTable) -> str:
    return _table(_HEADS, (_row(table, v) for v in table.with_role(Role.DISCRETE, Role.RELATION)))


_HEADS = ("Variable", "Symbol", "Start value", "Unit", "Meaning", _VR)


def _row(table: VariableTable, variable: Variable) -> tuple[str, ...]:
    unit = _unit(variable.unit) if variable.type == "real" else variable.type
    return (
        _code(variable.name),
        mathml.symbol(variable.name),
        _value(variable.start),
        unit,
        escape(variable.text),
        str(table.reference(variable)),
    )


# -- equations -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    """Equations under one heading: those variables, among the ones not yet shown, that belong to it."""

    title: str
    holds: Callable[[Variable], bool]
    text: str = ""
    explained: bool = False
    """Whether each variable's own text is shown, where heading and ports do not say it already."""


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
        what = "Motion" if port.side is Side.MOTION else "Wrench" if port.kind is PLANAR else "Effort"
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
                + _table(("Variable", "Equation", "Unit", _VR), rows, "equations")
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
        _code(variable.name),
        f'<div class="scroll">{mathml.equation(variable.name, variable.equation)}</div>{meaning}',
        _unit(variable.unit),
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
    return "<p>New values are computed from all values before the event.</p>" + _table(("Event", "Happens when", "Updates"), rows)


def _trigger(event: Event) -> str:
    expression = mathml.inline(event.trigger.expression)
    if event.trigger.kind == "reaches":
        return f"<em>time event:</em> time reaches {expression}"
    return f"<em>state event:</em> {expression} {_TRIGGERS[event.trigger.kind]}"


def _update(name: str, event: Event) -> str:
    return f'<div class="scroll">{mathml.equation(name, event.updates[name], "≔")}</div>'


def _validity(table: VariableTable) -> str:
    items = [
        f'<li>It is required that {escape(condition.text)}: <span class="scroll">{mathml.positive(condition.expression)}</span></li>'
        for condition in table.declared.conditions
    ]
    return f"<p>Checked at initialisation.</p><ul>{''.join(items)}</ul>" if items else ""


def _modes(table: VariableTable) -> str:
    switch = table.switch
    if switch is None:
        return ""
    unknowns = _listed([v.name for v in table.with_role(Role.ALGEBRAIC)])
    residuals = _listed([v.name for v in table.residuals])
    multipliers = _table(_HEADS, (_row(table, v) for v in table.with_role(Role.ALGEBRAIC)))
    return (
        f"<p>The switch {_code(switch.name)}, {_value(switch.start)} by default, is chosen before initialisation.</p>\n<dl>\n"
        f"<dt>Ideal: {_code(switch.name)} is true</dt><dd>{unknowns} are set from outside, by whoever finds the values for which "
        f"{residuals} vanish. The constraint holds exactly. This mode is for Model Exchange.</dd>\n"
        f"<dt>Compliant: {_code(switch.name)} is false</dt><dd>The joint computes its multipliers itself, as a stiff spring and damper "
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
    """What a port is connected with in an example."""

    instance: str
    component: str
    port: str
    starts: Mapping[str, str]
    """By coordinate of the port, the parameter or state from which its value starts."""
    values: Mapping[str, float] = field(default_factory=dict)
    """What these, and others, are where the port is at 0."""


_PARTNERS = {
    PLANAR: (
        _Partner("ground", "planar.Fixed", "p1", {"x": "p1.rx", "y": "p1.ry", "theta": "p1.angle"}),
        _Partner("body", "planar.Body1", "p1", {"x": "x", "y": "y", "theta": "theta"}, {"p1.rx": -0.5, "x": 0.5}),
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
    ELECTRICAL: (
        _Partner("ground", "electrical.Ground", "pin", {}),
        _Partner("source", "electrical.VoltageSource", "pin", {}, {"voltage": 12.0}),
    ),
}
"""By kind of port, one at rest and one that moves, or a voltage of 0 and one that differs from it."""


def usage(table: VariableTable) -> str:
    """Python that simulates the component for a second. Of several ports that need a partner, the first has one at rest."""
    declared = table.declared
    library, _, name = declared.name.rpartition(".")
    instance = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    fmu = declared.name if library else f"{name}.fmu"
    own = {v.name: v.start for v in table.with_role(Role.PARAMETER) if not v.name.startswith(("baumgarte.", "compliant."))}
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
        for coordinate, known in partner.starts.items():
            start[known] = start.get(known, 0.0) + float(table.declared[f"{port.name}.{coordinate}"].start or 0.0)
        added.append(_add(other, partner.component, {known: value for known, value in start.items() if value}))
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
    """The variable whose value an example prints: a state, a coordinate of a joint, or an output, rather not of a port."""
    outputs = table.with_role(Role.OUTPUT)
    coordinates = [v for v in outputs if v.name.endswith(".q")]
    own = [v for v in outputs if v.port is None and "[" not in v.name]
    return next(v.name for v in (*table.with_role(Role.STATE), *coordinates, *own, *outputs))


def _fmu(table: VariableTable) -> str:
    declared = table.declared
    mode = " (always compliant)" if table.switch else ""
    rows = [
        ("Model name", _code(declared.name)),
        ("Model identifier", _code(declared.identifier)),
        ("File", f"{_code(f'fmi2/{declared.name}.fmu')} and {_code(f'fmi3/{declared.name}.fmu')}"),
        ("Standards", "FMI 2.0 and FMI 3.0"),
        ("Interfaces", f"Model Exchange and Co-Simulation{mode}"),
        ("GUID, instantiation token", _code(table.token)),
        ("Default experiment", f"{_value(declared.stop_time)} s"),
    ]
    lines = "\n".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in rows)
    return (
        f"<table>\n<tbody>\n{lines}\n</tbody></table>\n<p>The column VR gives the value reference, which is the same in both versions "
        f"of FMI and in both interfaces; {_code('time')} has {table.reference('time')}. The FMU is a native binary without any "
        f"dependency; its equations, its derivatives and this page come from one declaration.</p>"
    )


_SECTIONS: tuple[tuple[str, Callable[[VariableTable], str]], ...] = (
    ("Ports", _ports),
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

_STYLE = """
:root { color-scheme: light dark; --text: #1f2a37; --soft: #5b6775; --page: #ffffff; --panel: #f5f7fa; --rule: #dde3ea; --accent: #1d6fb8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e8ee; --soft: #9aa7b5; --page: #14191f; --panel: #1d242c; --rule: #323c47; --accent: #6db3ee; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 64rem; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 1.5rem 2rem; align-items: flex-start; }
header > div { flex: 1 1 24rem; }
figure { margin: 0; width: 13rem; padding: .6rem; background: #ffffff; border: 1px solid var(--rule); border-radius: .6rem; }
figure svg { display: block; width: 100%; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.8rem 0 .8rem; padding-bottom: .3rem; border-bottom: 2px solid var(--rule); font-size: 1.4rem; }
h3 { margin: 1.8rem 0 .4rem; font-size: 1.05rem; }
p { margin: .5rem 0; max-width: 48rem; }
.lead { font-size: 1.15rem; color: var(--soft); }
.note, .meaning { color: var(--soft); font-size: .9rem; }
a { color: var(--accent); }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: 1.6rem 0 0; padding: .6rem 1rem; list-style: none;
  background: var(--panel); border-radius: .5rem; }
nav a { text-decoration: none; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .88em; }
td code, th code { white-space: nowrap; }
pre { padding: 1rem; overflow-x: auto; background: var(--panel); border-radius: .5rem; }
pre code { font-size: .88rem; }
dt { margin-top: .8rem; font-weight: 600; }
dd { margin: .2rem 0 0 1.2rem; max-width: 48rem; }
.wide, .scroll { overflow-x: auto; overflow-y: hidden; }
table { border-collapse: collapse; margin: .6rem 0; font-size: .94rem; }
.wide > table { width: 100%; }
th, td { padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: baseline; }
thead th { color: var(--soft); font-size: .82rem; font-weight: 600; white-space: nowrap; }
.wide th:last-child, .wide td:last-child { padding-right: .3rem; }
.equations { table-layout: fixed; }
.equations th:nth-child(1) { width: 11.5rem; }
.equations th:nth-child(3) { width: 4.5rem; }
.equations th:nth-child(4) { width: 2.5rem; }
.equations td:first-child code { white-space: normal; overflow-wrap: anywhere; }
.equations td { vertical-align: top; }
.equations .scroll { padding: .1rem 0 .15rem; }
abbr { text-decoration: none; }
math { font-size: 1.08rem; }
.lines > mtr > mtd { text-align: left; padding: .12em 0; }
.lines > mtr > mtd:first-child:not(:last-child) { text-align: right; }
.cases > mtr > mtd { text-align: left; padding: .15em .8em .15em .2em; }
.mark { display: inline-block; width: .7em; height: .7em; margin-right: .5em; border: .17em solid currentColor; border-radius: 1px; }
.mark.motion { background: currentColor; }
@media (max-width: 48rem) {
  .equations thead { display: none; }
  .equations tr { display: grid; grid-template-columns: 1fr auto 2.5rem; border-bottom: 1px solid var(--rule); }
  .equations td { border: 0; }
  .equations td:nth-child(2) { order: 1; grid-column: 1 / -1; min-width: 0; padding-top: 0; }
}
@media print { nav { display: none; } body { max-width: none; } h3, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } }
"""
