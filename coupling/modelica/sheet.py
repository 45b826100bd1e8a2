"""Places of instances and lines in the diagram of a Modelica model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count

from coupling.pictures.colours import DOMAINS
from coupling.pictures.diagram.graph import SIGNAL, graph_of
from coupling.pictures.diagram.layers import LEFT, RIGHT
from coupling.pictures.diagram.layout import PlacedNode, layout_of
from coupling.plan.definition import Definition
from fmu_components.declare.declaration import Declaration
from fmu_components.export.pages.icons import port_positions
from fmu_components.modelica.icons import Point, line, placement

_SCALE = 1 / 3
"""Units of Modelica for each pixel, at which a box of 60 pixels has the usual size of 20 units."""
_HALF, _ROOM = 10.0, 40.0
_INK, _BLUE = "#9aa5b1", "#00007f"


class Sheet:
    """Diagram of a system: the place of each instance, and the lines between them."""

    def __init__(self, definition: Definition, declared: Mapping[str, Declaration]) -> None:
        graph = graph_of(definition)
        layout = layout_of(graph)
        self._width, self._height = layout.width * _SCALE / 2, layout.height * _SCALE / 2
        self._centres = {each.node.name: self._point(_middle(each.corners)) for each in layout.nodes}
        self._ports = {name: port_positions(each) for name, each in declared.items()}
        self._turned = {each.node.name: _turned(each, self._ports[each.node.name]) for each in layout.nodes}
        signals = {wire.hub for wire in graph.wires if wire.domain == SIGNAL}
        self.graphics = [
            *(_frame(frame.name, [self._point(frame.corners[i : i + 2]) for i in (0, 2)]) for frame in layout.frames),
            *(line(map(self._point, each), _BLUE) for net in layout.wires if net in signals for each in layout.wires[net]),
        ]
        self._above, self._left, self._right = (count(1) for _ in range(3))

    def _point(self, pixel: Iterable[float]) -> Point:
        x, y = pixel
        return x * _SCALE - self._width, self._height - y * _SCALE

    @property
    def annotation(self) -> str:
        x, y = self._width + _ROOM, self._height + _ROOM
        corners = f"{{{{{-x:.0f}, {-y:.0f}}}, {{{x:.0f}, {y:.0f}}}}}"
        graphics = f", graphics = {{{', '.join(self.graphics)}}}" if self.graphics else ""
        return f"Diagram(coordinateSystem(extent = {corners}){graphics})"

    def place(self, instance: str) -> str:
        """Returns the place of an instance."""
        return placement(self._centres[instance], _HALF, self._turned[instance])

    def at_edge(self, right: bool) -> tuple[Point, str]:
        """Returns the next place for a connector of the model at the left or the right, and the annotation with its place on the icon."""
        number = next(self._right if right else self._left)
        sign = 1.0 if right else -1.0
        centre = sign * (self._width + _ROOM - _HALF), self._height - 25.0 * (number - 1)
        on_icon = placement((100 * sign, 80 - 30.0 * (number - 1))).removeprefix("Placement(").removesuffix(")")
        return centre, f"{placement(centre).removesuffix(')')}, icon{on_icon[0].upper()}{on_icon[1:]})"

    def above(self) -> tuple[Point, str]:
        """Returns the next place above all instances, and its annotation."""
        centre = 30.0 * next(self._above) - self._width - _HALF, self._height + _ROOM / 2
        return centre, placement(centre, _HALF)

    def port(self, instance: str, port: str) -> Point:
        """Returns the place of a port."""
        (x, y), (u, v) = self._centres[instance], self._ports[instance][port]
        return x + _HALF * (-u if self._turned[instance] else u), y + _HALF * v

    def line(self, a: Point, b: Point, kind: str) -> str:
        """Returns the line of a connection, with corners half-way."""
        middle = (a[0] + b[0]) / 2
        points = [a, b] if a[1] == b[1] else [a, (middle, a[1]), (middle, b[1]), b]
        return line(points, DOMAINS.get(kind, _INK))


def _turned(placed: PlacedNode, ports: Mapping[str, Point]) -> bool:
    """Says whether an icon is mirrored, so that its ports lie on the sides of their partners."""
    sides = {LEFT: -1, RIGHT: 1}
    return sum(sides[port.side] * ports[port.name][0] for port in placed.ports if port.name in ports) < 0


def _middle(corners: tuple[int, int, int, int]) -> Point:
    return (corners[0] + corners[2]) / 2, (corners[1] + corners[3]) / 2


def _frame(name: str, corners: list[Point]) -> str:
    (x1, y1), (x2, y2) = corners
    grey = "{154, 165, 177}"
    rectangle = f"Rectangle(extent = {{{{{x1:g}, {y1:g}}}, {{{x2:g}, {y2:g}}}}}, lineColor = {grey}, pattern = LinePattern.Dash)"
    text = f'Text(extent = {{{{{x1:g}, {y1:g}}}, {{{x2:g}, {y1 - 8:g}}}}}, textString = "{name}", textColor = {grey})'
    return f"{rectangle}, {text}"
