"""Tracing of connections through connectors of systems, from the output of one FMU to the input of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from coupling.errors import BuildError
from coupling.fmus import Fmu, FmuVariable, Unit, same_dimension
from coupling.plan.definition import Name
from coupling.plan.transformations import UNCHANGED, Affine, conversion, unit_of


@dataclass(frozen=True)
class Node:
    """A connector."""

    kind: str
    """Kind of the connector: ``input``, ``output``, ``parameter``, ... of a component or a system."""
    unit: Unit | None = None
    """Unit that the connector declares."""
    name: Name | None = None
    """Variable, if the connector belongs to a component."""
    fmu: Fmu | None = None
    variable: FmuVariable | None = None

    @property
    def own(self) -> Unit | None:
        """The unit of the variable itself."""
        return unit_of(self.fmu, self.variable) if self.fmu and self.variable else None

    @property
    def seen(self) -> Unit | None:
        """The unit of values that connections bring or take."""
        return self.unit or self.own


def full_name(connector: Name) -> str:
    """Returns the path of an element and the name of its connector; in the outermost system the name alone."""
    return ".".join(filter(None, connector))


@dataclass(frozen=True)
class Edge:
    """A connection, from the giving connector to the taking one."""

    source: Name
    target: Name
    affine: Affine = UNCHANGED
    converts: bool = True


def check_circles(edges: Sequence[Edge]) -> None:
    """Refuses connectors that lead back to themselves, whether or not an FMU feeds them."""
    order: TopologicalSorter[Name] = TopologicalSorter()
    for edge in edges:
        order.add(edge.target, edge.source)
    try:
        order.prepare()
    except CycleError as error:
        circle = error.args[1][1:]
        first = circle.index(min(circle))
        named = " -> ".join(map(full_name, [*circle[first:], *circle[: first + 1]]))
        raise BuildError(f"connections lead in a circle: {named}; take one of them out") from None


def wires_between(nodes: Mapping[Name, Node], edges: Sequence[Edge]) -> dict[tuple[Name, Name], Affine]:
    """Returns all wires, with the change of a value between the variables of both FMUs."""
    found: dict[tuple[Name, Name], Affine] = {}
    for full in dict.fromkeys(edge.source for edge in edges):
        source = nodes[full]
        if source.name is None:
            continue
        first = conversion(source.own, source.seen)
        for target, affine in follow(nodes, edges, full, source.seen):
            assert target.name
            wire = (source.name, target.name)
            if wire in found:
                raise BuildError(f"'{'.'.join(wire[0])}' is connected with '{'.'.join(wire[1])}' twice; take one connection out")
            found[wire] = affine.after(first)
    return found


def follow(nodes: Mapping[Name, Node], edges: Sequence[Edge], start: Name, unit: Unit | None) -> Iterator[tuple[Node, Affine]]:
    """Yields the variables that a connector feeds, and the change of its value, which is in a unit."""
    leading: dict[Name, list[Edge]] = defaultdict(list)
    for edge in edges:
        leading[edge.source].append(edge)
    waiting: list[tuple[Name, Affine, Unit | None]] = [(start, UNCHANGED, unit)]
    while waiting:
        here, affine, known = waiting.pop(0)
        for edge in leading[here]:
            node = nodes[edge.target]
            arrived = edge.affine.after(_converted(edge, known, node.seen).after(affine))
            if node.name is not None:
                yield node, conversion(node.seen, node.own).after(arrived)
            else:
                waiting.append((edge.target, arrived, node.unit or known))


def _converted(edge: Edge, a: Unit | None, b: Unit | None) -> Affine:
    if not edge.converts or a is None or b is None:
        return UNCHANGED
    if a.exponents is not None and b.exponents is not None and not same_dimension(a, b) and edge.affine == UNCHANGED:
        raise BuildError(
            f"'{full_name(edge.source)}' in {a.name} cannot be connected with '{full_name(edge.target)}' in {b.name}; connect variables of one quantity, or suppress the "
            "conversion of units"
        )
    return conversion(a, b)
