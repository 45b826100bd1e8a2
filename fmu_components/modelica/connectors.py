"""Connectors of Modelica for each kind of port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fmu_components.declare.ports import (
    ELECTRICAL,
    HYDRAULIC,
    PLANAR,
    PNEUMATIC,
    ROTATIONAL,
    SPATIAL,
    THERMAL,
    TRANSLATIONAL,
    PortKind,
    Quantity,
    Side,
)
from fmu_components.modelica.icons import connector_icon, icon, placement, signal_icon
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
    PNEUMATIC: Connector("Interfaces.Pneumatic", "Pneumatic port", {"pressure": "p"}, {"mass_flow": "m_flow"}),
    THERMAL: Connector(
        "Interfaces.Heat",
        "Heat port; compatible with HeatPort of Modelica.Thermal.HeatTransfer",
        {"temperature": "T"},
        {"heat_flow": "Q_flow"},
    ),
    ELECTRICAL: Connector(
        "Interfaces.Electrical", "Electrical pin; compatible with Pin of Modelica.Electrical.Analog", {"v": "v"}, {"i": "i"}
    ),
    SPATIAL: Connector("Modelica.Mechanics.MultiBody.Interfaces.Frame_a", "", {}, {}),
}
"""The spatial connector belongs to the Modelica Standard Library: a connector of nine numbers for an orientation would not be balanced."""

SPATIAL_EFFORTS = {"F": "f", "C": "t"}
"""Force and torque of a spatial port, and the vectors of its connector, which are in the port's own axes."""


@dataclass(frozen=True)
class Source:
    """A model that gives one side of a port from signals: efforts, or the coordinates of a motion, whose rates the compiler finds."""

    kind: PortKind
    side: Side

    @property
    def name(self) -> str:
        return f"Interfaces.{self.kind.identifier.capitalize()}{self.side.value.capitalize()}"

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The signals; none where a motion in space has no coordinates of its own."""
        if self.side is Side.EFFORT:
            return self.kind.effort
        return tuple(q for q in self.kind.motion if q.name in CONNECTORS[self.kind].potentials)

    def lines(self) -> list[str]:
        connector, name = CONNECTORS[self.kind], self.name.partition(".")[2]
        if self.side is Side.MOTION:
            equations = [f"port.{connector.potentials[q.name]} = {q.name}" for q in self.quantities]
        elif self.kind is SPATIAL:
            vectors = ((f"{{{', '.join(f'{effort}{axis}' for axis in 'xyz')}}}", member) for effort, member in SPATIAL_EFFORTS.items())
            equations = [f"port.{member} = -port.R.T*{vector}" for vector, member in vectors]
        else:
            equations = [f"port.{connector.flows[q.name]} = -{q.name}" for q in self.quantities]
        square = "Rectangle(extent = {{-60, 60}, {60, -60}}, lineColor = {0, 0, 127})"
        return [
            f"model {name}",
            f'  "The {self.side.value} side of a {self.kind.name}, given by signals"',
            f"  {connector.name.removeprefix('Interfaces.')} port annotation({placement((100.0, 0.0))});",
            *(f"  input {_declared(q, q.name, ' = 0')};" for q in self.quantities),
            "equation",
            *(f"  {each};" for each in equations),
            f"  annotation({icon([square])});",
            f"end {name};",
        ]


def interfaces(sources: Iterable[Source] = ()) -> list[str]:
    """Returns the lines of the package of connectors, with models that give sides of ports from signals."""
    lines = ["  package Interfaces", '    "Connectors of the components"']
    for kind, connector in CONNECTORS.items():
        if connector.potentials:
            lines += [f"    {each}" for each in connector_lines(kind)]
    for name, causality in (("RealInput", "input"), ("RealOutput", "output")):
        text = modelica_string(f"{causality.capitalize()} signal; compatible with {name} of Modelica.Blocks")
        lines.append(f"    connector {name} = {causality} Real {text} annotation({signal_icon(causality == 'input')});")
    return [*lines, *(f"    {line}" for each in sources for line in each.lines()), "  end Interfaces;"]


def connector_lines(kind: PortKind) -> list[str]:
    """Returns the lines of a connector of this library."""
    connector = CONNECTORS[kind]
    name = connector.name.partition(".")[2]
    lines = [f"connector {name}", f"  {modelica_string(connector.text)}"]
    for prefix, members in (("", connector.potentials), ("flow ", connector.flows)):
        for quantity in (q for q in (*kind.motion, *kind.effort) if q.name in members):
            lines.append(f"  {prefix}{_declared(quantity, members[quantity.name])};")
    return [*lines, f"  annotation({connector_icon(kind.colour)});", f"end {name};"]


def _declared(quantity: Quantity, name: str, value: str = "") -> str:
    return f'Real {name}(unit = "{modelica_unit(quantity.unit)}"){value} {modelica_string(quantity.text)}'
