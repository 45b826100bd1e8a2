"""Thermal convection."""

from sympy import Abs, Max, sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.functions import InSI
from fmu_components.declare.heat import ROOM
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import THERMAL, Side

_SLOWEST = 1e-3
"""Speed in m/s below which the coefficient grows in proportion to the speed."""


class Convection(Component):
    """Thermal convection between a solid A and a fluid B: the heat flow is h area (T_A - T_B).

    The coefficient h is that of calm fluid, h.still, plus h.moving times the square root of the input speed in m/s.
    Below 1 mm/s this part is proportional to the speed.
    """

    drawing = Drawing(
        box(-0.9, -0.5, -0.5, 0.5, fill=0.75),
        *(part for y in (-0.3, 0, 0.3) for part in (line((-0.4, y), (0.8, y)), arrowhead(0.8, y, 0, 0.16))),
    )

    def declare(self):
        A, B = (self.port(name, THERMAL, Side.EFFORT, text, {"temperature": ROOM}) for name, text in (("A", "solid"), ("B", "fluid")))
        area = self.parameter("area", 0.01, "m2", "area of the surface", at_least=0, nominal=0.01)
        still = self.parameter("h.still", 10.0, "W/m2.K", "coefficient of heat transfer in calm fluid", at_least=0, nominal=10)
        moving = self.parameter("h.moving", 0.0, "W/m2.K", "growth of the coefficient at a speed of 1 m/s", at_least=0, nominal=10)
        speed = self.input("speed", 0.0, "m/s", "speed of the fluid along the surface, in either direction")
        v = InSI(Abs(speed))
        h = self.output("h", still + moving * v / sqrt(Max(v, _SLOWEST)), "W/m2.K", "coefficient of heat transfer")
        flow = self.output("flow", h * area * (A.temperature - B.temperature), "W", "heat flow from A to B")
        self.gives(A, -flow)
        self.gives(B, flow)
