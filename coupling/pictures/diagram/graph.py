"""Content of a diagram: nodes with ports, and the wires between these. It has no coordinates yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from coupling.fmus import Fmu
from coupling.fmus.ports import needs_partner
from coupling.pictures.colours import DOMAINS, OTHER
from coupling.pictures.diagram.icon import Icon, icon_of
from coupling.plan.connections import End, find_end
from coupling.plan.definition import Definition, InstanceDefinition

SIGNAL = "signal"


@dataclass(frozen=True)
class Port:
    """Port of a node. ``look`` is ``motion`` (also pressure and voltage), ``effort``, ``input``, ``output``, or ``drive`` for an input
    that is driven."""

    name: str
    domain: str
    look: str


@dataclass
class Node:
    """An instance, or an included system that is shown as one box."""

    name: str
    model: str
    icon: Icon | None
    told: str
    source: bool
    """True if all ports of the node give, as those of the ground, a tank or a source of voltage."""
    ports: dict[str, Port] = field(default_factory=dict)


@dataclass(frozen=True)
class Wire:
    """Wire between two ports; ``hub`` is the one that may have several partners."""

    hub: tuple[str, str]
    other: tuple[str, str]
    domain: str


@dataclass(frozen=True)
class Graph:
    name: str
    nodes: Mapping[str, Node]
    wires: tuple[Wire, ...]
    instances: int
    connections: int


def graph_of(definition: Definition, signals: bool = True, depth: int | None = None) -> Graph:
    """Returns the graph of a system; without ``signals`` it has neither their wires nor instances that have no others.

    Included systems deeper than ``depth`` are one box each.
    """
    fmus = {each.name: each.fmu.fmu for each in definition.instances}
    told = {each.name: _values(each) for each in definition.instances}
    return graph_between(definition.name, fmus, definition.connections, [name for name, _ in definition.drives], told, signals, depth)


def graph_between(
    name: str,
    fmus: Mapping[str, Fmu],
    connections: Sequence[tuple[str, str]],
    driven: Iterable[str] = (),
    told: Mapping[str, str] | None = None,
    signals: bool = True,
    depth: int | None = None,
) -> Graph:
    """Returns the graph of instances and their connections. ``driven`` inputs get values from outside; ``told`` are texts of instances."""
    shown = {instance: _folded(instance, depth) for instance in fmus}
    nodes: dict[str, Node] = {}
    for instance, fmu in fmus.items():
        box = shown[instance]
        if box == instance:
            nodes[box] = _node(instance, fmu, (told or {}).get(instance, ""))
        elif box not in nodes:
            nodes[box] = Node(box, f"{sum(each == box for each in shown.values())} instances", None, "", False)
    wires: dict[Wire, None] = {}
    for pair in connections:
        a, b = (find_end(text, fmus, f"'{pair[0]}' cannot be connected with '{pair[1]}': ") for text in pair)
        hub, other = (a, b) if _leads(a) else (b, a)
        if (hub.terminal is None and not signals) or (shown[a.instance] == shown[b.instance] != a.instance):
            continue
        ends = []
        for end in (hub, other):
            node = nodes[shown[end.instance]]
            port = _port(end, end.text[len(node.name) + 1 :])
            node.ports[port.name] = port
            ends.append((node.name, port.name))
        wires[Wire(ends[0], ends[1], _domain(hub))] = None
    for target in driven if signals else ():
        end = find_end(target, fmus)
        if shown[end.instance] == end.instance:
            variable = end.text[len(end.instance) + 1 :]
            nodes[end.instance].ports.setdefault(variable, Port(variable, SIGNAL, "drive"))
    if not signals:
        nodes = {box: node for box, node in nodes.items() if node.ports or box not in fmus or not _only_signals(fmus[box])}
    return Graph(name, nodes, tuple(wires), len(fmus), len(connections))


def _folded(name: str, depth: int | None) -> str:
    parts = name.split(".")
    return name if depth is None or len(parts) <= depth + 1 else ".".join(parts[: depth + 1])


def _values(instance: InstanceDefinition) -> str:
    """Returns the start values of an instance as text."""
    given = [(name, value) for name, value in instance.start if not isinstance(value, str | bytes)]
    return ", ".join(f"{name} = {value:g}" for name, value in given[:6]) + (", ..." if len(given) > 6 else "")


def _node(name: str, fmu: Fmu, told: str) -> Node:
    source = not fmu.states and not any(needs_partner(fmu, terminal) for terminal in fmu.terminals.values())
    node = Node(name, fmu.model_name, icon_of(fmu.path, fmu.stamp), told, source and (bool(fmu.terminals) or not _inputs(fmu)))
    for port, terminal in fmu.terminals.items():
        domain = _kind(terminal.kind)
        if domain != OTHER:
            node.ports[port] = Port(port, domain, "effort" if needs_partner(fmu, terminal) else "motion")
    return node


def _inputs(fmu: Fmu) -> bool:
    return any(variable.causality == "input" for variable in fmu.variables.values())


def _only_signals(fmu: Fmu) -> bool:
    return not any(_kind(terminal.kind) != OTHER for terminal in fmu.terminals.values())


def _kind(kind: str) -> str:
    domain = kind.removeprefix("org.jourdain.")
    return domain if domain in DOMAINS else OTHER


def _domain(end: End) -> str:
    return _kind(end.terminal.kind) if end.terminal else SIGNAL


def _leads(end: End) -> bool:
    if end.terminal:
        return not needs_partner(end.fmu, end.terminal)
    variable = end.variable or end.array
    return variable is not None and variable.causality != "input"


def _port(end: End, name: str) -> Port:
    if end.terminal:
        return Port(name, _domain(end), "motion" if _leads(end) else "effort")
    return Port(name, SIGNAL, "output" if _leads(end) else "input")
