"""The documentation of an exported mechanism: one HTML page, in the look of those of components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import islice

from coupling.errors import shown
from coupling.export.table import ASSEMBLE, STEP_SIZE, SWITCH, MechanismTable, Member
from coupling.fmus import Fmu
from coupling.fmus.ports import needs_partner
from coupling.live.failures import participants
from coupling.live.session import Session
from coupling.options import TOLERANCE
from coupling.pictures.diagram.graph import graph_between
from coupling.pictures.diagram.paint import picture_of
from coupling.pictures.diagram.svg import svg
from coupling.plan.build import Built
from coupling.plan.connections import End, find_end
from coupling.plan.drives import FormulaDrive, PiecesDrive, TableDrive
from fmu_components.declare.declaration import IMPLICIT, Role
from fmu_components.export.model_description import FMI_VERSIONS
from fmu_components.export.pages.documentation import PARAMETER_HEADS, VARIABLE_HEADS, parameter_cells, ports, variable_cells
from fmu_components.export.pages.markup import REFERENCE, code, facts, folded, framed, listed, table_of, unit_text, value_text

FEW, MANY = 12, 40
"""Number of names in a sentence, and of rows in a table, before they are folded up."""

_DRAWN = 23
"""Largest number of components with a diagram, which takes its share of an archive."""

Row = tuple[str, Sequence[str]]
"""The component that a row belongs to, and its cells."""


def page(table: MechanismTable, session: Session, fmi: int) -> str:
    """Returns the page; ``session`` has been at the start."""
    return framed(
        table.declared,
        (
            ("What it is", _summary(table)),
            ("Diagram", _diagram(table)),
            ("Components", _components(table)),
            ("Connections", _connections(table)),
            ("Open ports", _open_ports(table)),
            ("Inputs", _inputs(table)),
            ("Driven inputs", _driven(table)),
            ("Outputs", _outputs(table)),
            ("Parameters", _parameters(table)),
            ("States and start values", _start_values(table)),
            ("Unknowns", _loops(table.built, session)),
            ("The start", _start(table, session)),
            ("Integration", _integration(table, fmi)),
            ("Modes", _modes(table)),
            ("How to use it", _use(table)),
            ("The FMU", _fmu(table, fmi)),
            ("Other platforms", _building(table, fmi)),
        ),
    )


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _names(names: Sequence[str], word: str) -> str:
    """Returns names, or their number to be unfolded."""
    return listed(names) if len(names) <= FEW else folded(_counted(len(names), word), listed(names))


def _grouped(table: MechanismTable, heads: Sequence[str], rows: Iterable[Row]) -> str:
    """Returns one table or, if it would be long, one for each component, folded up. Tables of many components are folded by type once
    more."""
    known = list(rows)
    if len(known) <= MANY:
        return table_of(heads, (cells for _, cells in known))
    of: dict[str, list[Sequence[str]]] = {}
    for component, cells in known:
        of.setdefault(component, []).append(cells)
    folds = {component: folded(f"{code(component)} ({len(cells)})", table_of(heads, cells)) for component, cells in of.items()}
    if len(folds) <= FEW:
        return "\n".join(folds.values())
    alike = [[m.name for m in members if m.name in folds] for members in _types(table).values()]
    titles = [f"{code(fmu.model_name)} ({_counted(len(names), 'component')})" for fmu, names in zip(_types(table), alike, strict=True)]
    return "\n".join(folded(title, "\n".join(folds[name] for name in names)) for title, names in zip(titles, alike, strict=True) if names)


def _types(table: MechanismTable) -> dict[Fmu, list[Member]]:
    found: dict[Fmu, list[Member]] = {}
    for member in table.members:
        found.setdefault(member.fmu, []).append(member)
    return found


# -- what it is made of ----------------------------------------------------------------------------------------------


def _summary(table: MechanismTable) -> str:
    made = f"{_counted(len(table.members), 'component')} and {_counted(len(table.built.connections), 'connection')}"
    return (
        f"<p>A mechanism of {made} in one native FMU, written by Jourdain’s {code('System.export_fmu')}. The models of its components are "
        "linked into it. At every evaluation they exchange values in the order of their dependencies, and the FMU "
        f"solves for the multipliers of the joints. To its importer it is a model of {_counted(table.states, 'state')} without "
        "constraints or algebraic loops.</p>\n"
        f"<p>A variable of a component is {code('component.variable')}, with the name, unit and meaning that it has there. All calculated variables can be "
        "read, including those not listed here.</p>"
    )


def _diagram(table: MechanismTable) -> str:
    """Returns the diagram, with arrows at open inputs; empty for many components, which would be unreadable."""
    if len(table.members) > _DRAWN:
        return ""
    fmus = {member.name: member.fmu for member in table.members}
    in_ports = {(name, variable) for name, fmu in fmus.items() for port in fmu.terminals.values() for variable in port.members.values()}
    opened = [".".join(name) for name in table.interface.choice.inputs if name not in in_ports]
    graph = graph_between(table.declared.name, fmus, table.built.connections, opened)
    return f'<div class="scroll">{svg(picture_of(graph, headed=False))}</div>'


def _components(table: MechanismTable) -> str:
    """Returns one row for each type of component."""
    rows = (
        (
            code(fmu.model_name),
            escape(fmu.description),
            str(len(fmu.states)) if fmu.states else "",
            _names([m.name for m in members], "component"),
        )
        for fmu, members in _types(table).items()
    )
    changed = [f"{code(new)} is {escape(shown(name))}" for new, name in table.interface.originals.items()]
    note = f"<p>Names have no blanks here. In the system {', '.join(changed)}.</p>\n" if changed else ""
    return note + table_of(("Type", "What it is", "States", "Components"), rows)


def _connections(table: MechanismTable) -> str:
    fmus = {member.name: member.fmu for member in table.members}
    pairs = [_leading_first(fmus, pair) for pair in table.built.connections]
    rows = [(leader.instance, (code(leader.text), code(follower.text), _kind(leader))) for leader, follower in pairs]
    return _grouped(table, ("Gives motion, pressure, voltage or a signal", "Takes it", "Kind"), rows)


def _leading_first(fmus: Mapping[str, Fmu], pair: tuple[str, str]) -> tuple[End, End]:
    a, b = (find_end(text, fmus) for text in pair)
    return (a, b) if _leads(a) else (b, a)


def _leads(end: End) -> bool:
    if end.terminal:
        return not needs_partner(end.fmu, end.terminal)
    return end.variable is not None and end.variable.causality != "input"


def _kind(end: End) -> str:
    if end.terminal:
        return f"{escape(end.terminal.kind.removeprefix('org.jourdain.'))} port"
    assert end.variable
    return f"variable, in {unit_text(end.variable.unit or '')}"


# -- what enters and leaves ------------------------------------------------------------------------------------------


def _open_ports(table: MechanismTable) -> str:
    if not table.declared.ports:
        return ""
    inside = [_inside(table, port.name) for port in table.declared.ports]
    return (
        "<p>Each port is a terminal of the FMU. Quantities that it takes are inputs; quantities that it gives are outputs.</p>\n"
        + "".join(f"<p>{sentence}</p>\n" for sentence in inside if sentence)
        + ports(table)
    )


def _inside(table: MechanismTable, port: str) -> str:
    """Returns a sentence on the inner connections of a port."""
    others = [b if a == port else a for a, b in table.built.connections if port in (a, b)]
    return f"{code(port)} is connected inside as well, with {listed(others)}; the effort from outside is added to theirs." if others else ""


def _of_ports(table: MechanismTable) -> set[str]:
    quantities = ((port.name, q.name) for port in table.declared.ports for q in (*port.kind.motion, *port.kind.effort))
    return {f"{port}.{name}" for port, name in quantities}


def _inputs(table: MechanismTable) -> str:
    of_ports = _of_ports(table)
    shown = [v for v in table.with_role(Role.INPUT) if v.name not in of_ports]
    return _grouped(table, VARIABLE_HEADS, ((table.owner(v), variable_cells(table, v)) for v in shown))


def _driven(table: MechanismTable) -> str:
    """Returns a text on inputs of components that cannot be moved from outside."""
    rows = []
    opened = set(table.interface.choice.inputs)
    for part, member in enumerate(table.members):
        for name, value in table.built.start[part].items():
            of = member.fmu.variables[name]
            if of.causality == "input" and (member.name, name) not in opened:
                rows.append((member.name, (code(f"{member.name}.{name}"), value_text(float(value)), unit_text(of.unit or ""))))
    for address, drive in table.built.drives:
        if isinstance(drive, TableDrive | PiecesDrive | FormulaDrive):
            member = table.members[address.part]
            of = member.fmu.by_reference[address.reference]
            what = "a formula of time"
            if not isinstance(drive, FormulaDrive):
                kind = "table" if isinstance(drive, TableDrive) else "smooth table"
                what = f"a {kind} of {_counted(len(drive.times), 'row')}, from {drive.times[0]:g} s to {drive.times[-1]:g} s"
            rows.append((member.name, (code(f"{member.name}.{of.name}"), what, unit_text(of.unit or ""))))
    return _grouped(table, ("Input", "Is", "Unit"), rows)


def _outputs(table: MechanismTable) -> str:
    """Returns a table of the outputs outside of ports."""
    of_ports = _of_ports(table)
    shown = [v for v in table.variables if table.is_output(v) and v.name not in of_ports]
    rows = ((table.owner(v), (code(v.name), unit_text(v.unit), escape(v.text), str(table.reference(v)))) for v in shown)
    return _grouped(table, ("Output", "Unit", "Meaning", REFERENCE), rows)


# -- what can be set -------------------------------------------------------------------------------------------------


def _parameters(table: MechanismTable) -> str:
    every = table.with_role(Role.SWITCH, Role.PARAMETER)
    own, others = [v for v in every if v in table.own], [v for v in every if v not in table.own]
    return "\n".join(
        part
        for part in (
            f"<h3>Of the mechanism</h3>\n{table_of(PARAMETER_HEADS, (parameter_cells(table, v) for v in own))}" if own else "",
            "<h3>Of its components</h3>" if others else "",
            "<p>All others keep the values that they had at the export.</p>" if table.interface.choice.left_out else "",
            _grouped(table, PARAMETER_HEADS, ((table.owner(v), parameter_cells(table, v)) for v in others)),
        )
        if part
    )


def _start_values(table: MechanismTable) -> str:
    shown = table.with_role(Role.STATE, Role.DISCRETE, Role.RELATION)
    return _grouped(table, VARIABLE_HEADS, ((table.owner(v), variable_cells(table, v)) for v in shown))


# -- what it does ----------------------------------------------------------------------------------------------------


def _loops(built: Built, session: Session) -> str:
    return "\n".join(_loop(built, session, number) for number in range(len(built.schedule.loops)))


def _loop(built: Built, session: Session, number: int) -> str:
    loop = built.schedule.loops[number]
    multipliers, torn = loop.unknowns[: len(loop.unknowns) - loop.torn], loop.unknowns[len(loop.unknowns) - loop.torn :]
    joints = list(dict.fromkeys(built.parts[a.part].name for a in multipliers))
    closed = [built.named(a.part, a.reference) for a in torn]
    how = (
        "They enter linearly; one step with the exact, sparse Jacobian gives them."
        if loop.followers is not None
        else "They are found by Newton’s method with the exact Jacobian, which is sparse."
    )
    return "\n".join(
        part
        for part in (
            f"<p>At every evaluation {_counted(len(loop.unknowns), 'equation')} for as many unknowns. {how}</p>",
            f"<p>{_counted(len(multipliers), 'multiplier')}, of these components:</p>{_block(_names(joints, 'component'))}"
            if joints
            else "",
            f"<p>{_counted(len(closed), 'input')} within algebraic loops:</p>{_block(_names(closed, 'input'))}" if closed else "",
            _redundancy(built, session, number),
        )
        if part
    )


def _block(markup: str) -> str:
    return markup if markup.startswith("<details") else f"<p>{markup}</p>"


def _redundancy(built: Built, session: Session, number: int) -> str:
    count = session.kernel.deficient(number)[0]
    if not count:
        return ""
    joints, undetermined = participants(session, number, named=built)
    return (
        f"<p>At the start with which it was exported {_counted(count, 'constraint')} of these {'is' if count == 1 else 'are'} redundant. "
        "The motion is unique, but the multipliers that share the load are not: the FMU takes the solution of least length.</p>\n"
        f"<p>Constraints of</p>{_block(_names(joints, 'component'))}\n<p>and the multipliers</p>{_block(_names(undetermined, 'multiplier'))}"
    )


def _start(table: MechanismTable, session: Session) -> str:
    if not table.closes:
        return ""
    of_lengths = "" if session.length == 1 else f" ({TOLERANCE * session.length:.4g} of lengths and speeds)"
    checked = (
        "It was exported to start as it is: where the start violates constraints, the stabilisation draws the mechanism together, at first with "
        "large multipliers."
        if table.interface.relaxed
        else f"A start at which a constraint is violated by more than {TOLERANCE:g} in its unit{of_lengths}, at position or velocity level, is refused at the "
        "end of initialisation with a sentence that names constraints and values. So start values of states, and parameters that place "
        "points, can only be changed together such that the constraints hold."
    )
    held = table.interface.hold
    checked += (
        f" Where {code(ASSEMBLE)} is true, the start is closed before, with the values as guesses: positions by steps of least length, then velocities by "
        f"impulses of the constraints. {f'Held are {listed(held)}.' if held else 'All states may move.'} Conditions of validity are judged there."
    )
    if table.built.reading:
        return (
            f"<p>States begin with the values above; bodies have absolute coordinates. {checked}</p>\n<p>In Co-Simulation each step inside ends on the "
            "constraints. In Model Exchange everything but the states, derivatives included, is that of the nearest states that satisfy the "
            "constraints, and the derivatives draw the states towards these, at 5 1/s.</p>"
        )
    return (
        f"<p>States begin with the values above; bodies have absolute coordinates. {checked}</p>\n<p>Later constraints drift by about the tolerance of "
        f"the integration and are drawn back by Baumgarte’s stabilisation: {code('baumgarte.alpha')} and {code('baumgarte.beta')} of each joint say "
        "how fast, in 1/s.</p>"
    )


def _integration(table: MechanismTable, fmi: int) -> str:
    derivatives = "directional derivatives" if fmi == 2 else "directional and adjoint derivatives"
    if not table.states:
        return f"<p>There are no states: outputs follow from inputs and time at once. The FMU gives exact {derivatives}.</p>"
    stepping = (
        "Each step is integrated inside by Dormand and Prince’s method of order 5(4), with error control: the relative tolerance is 1e-11, or a "
        "hundredth of the importer’s tolerance where that is tighter (at least 1e-13). Communication steps need not be short for its sake. "
        f"Where {code(IMPLICIT)} is true, the method is that of Radau IIA of order 5, for stiff systems."
    )
    if table.interface.fixed:
        stepping = (
            f"Where {code(IMPLICIT)} is true, each step is integrated inside by implicit steps of {code(STEP_SIZE)}, the last one shortened, by the method "
            f"{code(table.interface.fixed.method)}: constraints hold at the end of each to rounding, and nothing controls the error. Otherwise Dormand and "
            "Prince’s method of order 5(4) does, with error control."
        )
    events = (
        f"<dt>Events</dt><dd>In Co-Simulation they are located inside of steps. In Model Exchange there are "
        f"{_counted(len(table.with_role(Role.INDICATOR)), 'event indicator')}; the corners of tables are time events.</dd>\n"
    )
    return (
        f"<dl>\n<dt>Model Exchange</dt><dd>The importer integrates the {_counted(table.states, 'state')}. The FMU gives exact {derivatives}, which "
        f"include the solution for the multipliers.</dd>\n<dt>Co-Simulation</dt><dd>{stepping}</dd>\n"
        f"{events if table.has_events() else ''}</dl>"
    )


def _modes(table: MechanismTable) -> str:
    if not table.switch:
        return ""
    names = [v.name for v in table.with_role(Role.ALGEBRAIC)]
    rows = (
        (table.owner(v), (code(v.name), code(v.partner or ""), str(table.reference(v)), str(table.reference(v.partner or ""))))
        for v in table.with_role(Role.ALGEBRAIC)
    )
    return (
        f"<p>The switch {code(SWITCH)}, {value_text(table.switch.start)} by default, is chosen before initialisation. If it is true, the importer of "
        f"the FMU in Model Exchange sets the {_counted(len(names), 'multiplier')} such that the residuals vanish, as FMI-LS-DAE describes. If it "
        f"is false, the FMU computes them.</p>\n{_grouped(table, ('Multiplier', 'Residual', REFERENCE, f'{REFERENCE} of the residual'), rows)}"
    )


# -- use -------------------------------------------------------------------------------------------------------------


def usage(table: MechanismTable) -> str:
    """Returns Python code that runs the FMU in FMPy."""
    shown = [v.name for v in islice(filter(table.is_output, table.variables), 2)]
    first = next((v for v in table.with_role(Role.PARAMETER) if v not in table.own), None)
    return "\n".join(
        [
            "import fmpy",
            "",
            "result = fmpy.simulate_fmu(",
            f'    "{table.declared.identifier}.fmu",',
            '    fmi_type="CoSimulation",',
            f"    stop_time={table.declared.stop_time!r},",
            *([f"    start_values={{{first.name!r}: {first.start!r}}},"] if first else []),
            f"    output={shown!r},",
            ")",
            *(f"print(result[{name!r}][-1])" for name in shown),
        ]
    )


def _use(table: MechanismTable) -> str:
    coupled = ""
    if table.declared.ports:
        added = f'system.add("mechanism", "{table.declared.identifier}.fmu")'
        port = f"mechanism.{table.declared.ports[0].name}"
        coupled = f"<p>In Jourdain’s {code('System')}, {code(added)} has its ports, such as {code(port)}, to be connected by name.</p>"
    return f"<p>In FMPy; the file may have another name:</p>\n<pre><code>{escape(usage(table))}</code></pre>\n{coupled}"


def _fmu(table: MechanismTable, fmi: int) -> str:
    declared = table.declared
    rows = (
        ("Model name", code(declared.name)),
        ("Model identifier", code(declared.identifier)),
        ("Standard", f"FMI {FMI_VERSIONS[fmi]}" + (" with the layered standard FMI-LS-DAE" if table.switch else "")),
        ("Interfaces", "Model Exchange and Co-Simulation"),
        ("GUID" if fmi == 2 else "Instantiation token", code(table.token)),
        ("Default experiment", f"{value_text(declared.stop_time)} s"),
    )
    return (
        f"{facts(rows)}\n<p>The column VR gives value references. The FMU is a native binary that needs the C library and nothing else. It saves and "
        "restores its whole state, takes steps of any size and inputs that vary inside of a step, and can be instantiated many times.</p>"
    )


def _building(table: MechanismTable, fmi: int) -> str:
    name = table.declared.identifier
    platform, others = (
        ("darwin64", "linux64, win64 or darwin64") if fmi == 2 else ("aarch64-linux", "x86_64-linux, aarch64-linux, x86_64-windows ...")
    )
    where = "the model description" if fmi == 2 else code("sources/buildDescription.xml")
    lines = (
        f"mkdir -p binaries/{platform}",
        f"cc -std=c11 -O2 -ffp-contract=off -fPIC -shared -fvisibility=hidden -Isources sources/*.c sources/kernel/*/*.c -lm -o binaries/{platform}/{name}.so",
    )
    return (
        f"<p>All sources are inside; {where} lists them. GCC or clang builds them, such as, in the folder of the unpacked FMU,</p>\n"
        f"<pre><code>{escape(chr(10).join(lines))}</code></pre>\n"
        f"<p>with the name of the platform ({others}) and the ending of its libraries (.so, .dll, .dylib). Then pack the folder again. "
        f"FMPy’s command {code('fmpy compile')} does all these steps for the machine it runs on.</p>"
    )
