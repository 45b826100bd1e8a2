"""Thermal conduction."""

from fmu_components.declare.component import Component
from fmu_components.declare.heat import ROOM
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.ports import THERMAL, Side


class Conductor(Component):
    """Thermal conduction: the heat flow from A to B is G (T_A - T_B).

    G of a wall is conductivity times area by thickness. Resistances in series need a Capacity between them.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.5, 0)),
        box(-0.5, -0.3, 0.5, 0.3, fill=0.92),
        *(line((x, -0.3), (x + 0.2, 0.3), width=0.04) for x in (-0.4, -0.1, 0.2)),
        line((0.5, 0), (0.9, 0)),
    )

    def declare(self):
        A, B = (
            self.port(name, THERMAL, Side.EFFORT, text, {"temperature": ROOM}) for name, text in (("A", "one side"), ("B", "other side"))
        )
        G = self.parameter("G", 1.0, "W/K", "thermal conductance", at_least=0)
        flow = self.output("flow", G * (A.temperature - B.temperature), "W", "heat flow from A to B")
        self.gives(A, -flow)
        self.gives(B, flow)
