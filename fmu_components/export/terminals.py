"""terminalsAndIcons.xml: the ports of a component as terminals, and where they are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fmu_components.declare.icon import Drawing, box
from fmu_components.declare.ports import Port, PortKind, Side
from fmu_components.export.pages.icons import EXTENT, png
from fmu_components.export.table import VariableTable
from fmu_components.export.torque import torque_free
from fmu_components.export.xml_text import Element, Value, document, element

SCALE = 100
"""Half the side of the coordinate system; drawings and port positions reach from -1 to 1."""
MARK = 10
"""Half the side of a terminal."""


def terminals_and_icons(table: VariableTable, fmi: int, port_positions: Mapping[str, tuple[float, float]]) -> str:
    """One terminal per port.

    The text is the same for either ``fmi``: the file has the format of FMI 3 wherever it lies, and names variables by their names.
    """
    ports = table.declared.ports
    representation = element(
        "GraphicalRepresentation",
        children=[
            element("CoordinateSystem", _box(0, 0, SCALE) | {"suggestedScalingFactorTo_mm": 0.1}),
            element("Icon", _box(0, 0, EXTENT * SCALE)),
        ],
    )
    found = [_terminal(port, port_positions[port.name], torque_free(table.declared, port)) for port in ports]
    terminals = [element("Terminals", children=found)] if found else []
    return document(element("fmiTerminalsAndIcons", {"fmiVersion": "3.0"}, [representation, *terminals]))


def terminal_icons(table: VariableTable) -> dict[str, bytes]:
    """The images that the terminals refer to, by the names of their files, which lie beside terminalsAndIcons.xml.

    As in the icon, a mark is filled where the port gives the motion.
    """
    images = {}
    for port in table.declared.ports:
        mark = Drawing(box(-1, -1, 1, 1, fill=0.15 if port.side is Side.MOTION else 1.0))
        images[f"{_icon_base_name(port)}.png"] = png(replace(table.declared, ports=(), drawing=mark), size=32)
    return images


def _icon_base_name(port: Port) -> str:
    return f"{port.kind.identifier}_{port.side.value}"


def _terminal(port: Port, position: tuple[float, float], torque_free: Sequence[str] | None) -> Element:
    x, y = position
    quantities = [quantity for side in Side for quantity in port.kind.given_by(side)]
    drawn = _box(x * SCALE, y * SCALE, MARK) | {"iconBaseName": _icon_base_name(port), "defaultConnectionColor": _rgb(port.kind.colour)}
    return element(
        "Terminal",
        {
            "name": port.name,
            "matchingRule": "plug",
            "terminalKind": port.kind.terminal_kind,
            "description": f"{port.kind.name} that gives the {port.side.value}: {port.text}",
        },
        [
            # Not inflow and outflow, though efforts add up: those are for flows that balance, and a wrench acts in one place.
            # FMI has no words for what adds up and what makes power with what, so that an annotation says it.
            *(
                element(
                    "TerminalMemberVariable",
                    {
                        "variableName": f"{port.name}.{quantity.name}",
                        "memberName": quantity.name,
                        "variableKind": "signal",
                    },
                )
                for quantity in quantities
            ),
            element("TerminalGraphicalRepresentation", drawn),
            element("Annotations", children=[_facts(port.kind, torque_free)]),
        ],
    )


def _facts(kind: PortKind, torque_free: Sequence[str] | None) -> Element:
    """Returns the annotations of a port for a coupling master, which other tools ignore."""
    added = [element("Sum", {"member": quantity.name}) for quantity in kind.added]
    power = [element("Power", {"effort": effort.name, "rate": rate.name}) for effort, rate in kind.power]
    no_torque = [] if torque_free is None else [element("NoTorque", {"where": " ".join(torque_free) or None})]
    return element("Annotation", {"type": "org.jourdain"}, [*added, *power, *no_torque])


def _box(x: float, y: float, half: float) -> dict[str, Value]:
    corners = {"x1": x - half, "y1": y - half, "x2": x + half, "y2": y + half}
    return {name: round(float(value), 6) for name, value in corners.items()}


def _rgb(colour: str) -> str:
    return " ".join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))
