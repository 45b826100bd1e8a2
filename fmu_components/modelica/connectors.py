"""Connectors of Modelica for each kind of port."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fmu_components.declare.ports import ELECTRICAL, HYDRAULIC, PLANAR, ROTATIONAL, SPATIAL, TRANSLATIONAL, PortKind
from fmu_components.modelica.names import modelica_string, modelica_unit


@dataclass(frozen=True)
class Connector:
    """The class of a connector, with its variables by the names of a port's quantities."""

    name: str
    text: str
    potentials: Mapping[str, str]
    flows: Mapping[str, str]


CONNECTORS: dict[PortKind, Connector] = {
    PLANAR: Connector(
        "Interfaces.Planar",
        "Planar frame; compatible with Frame of PlanarMechanics",
        {"x": "x", "y": "y", "theta": "phi"},
        {"Fx": "fx", "Fy": "fy", "Cz": "t"},
    ),
    ROTATIONAL: Connector(
        "Interfaces.Shaft", "Shaft; compatible with flanges of Modelica.Mechanics.Rotational", {"phi": "phi"}, {"tau": "tau"}
    ),
    TRANSLATIONAL: Connector(
        "Interfaces.Slide", "Slide; compatible with flanges of Modelica.Mechanics.Translational", {"s": "s"}, {"f": "f"}
    ),
    HYDRAULIC: Connector("Interfaces.Hydraulic", "Hydraulic port", {"p": "p"}, {"q": "q"}),
    ELECTRICAL: Connector(
        "Interfaces.Electrical", "Electrical pin; compatible with Pin of Modelica.Electrical.Analog", {"v": "v"}, {"i": "i"}
    ),
    SPATIAL: Connector("Modelica.Mechanics.MultiBody.Interfaces.Frame_a", "", {}, {}),
}
"""The spatial connector belongs to the Modelica Standard Library: a connector of nine numbers for an orientation would not be balanced."""


def interfaces() -> list[str]:
    """Returns the lines of the package of connectors."""
    lines = ["  package Interfaces", '    "Connectors of the components"']
    for kind, connector in CONNECTORS.items():
        if connector.potentials:
            lines += [f"    connector {connector.name.partition('.')[2]}", f"      {modelica_string(connector.text)}"]
            for prefix, members in (("", connector.potentials), ("flow ", connector.flows)):
                for quantity in (q for q in (*kind.motion, *kind.effort) if q.name in members):
                    text = modelica_string(quantity.text)
                    lines.append(f'      {prefix}Real {members[quantity.name]}(unit = "{modelica_unit(quantity.unit)}") {text};')
            lines.append(f"    end {connector.name.partition('.')[2]};")
    return [*lines, "  end Interfaces;"]
