"""Thermal radiation."""

from fmu_components.declare.component import Component
from fmu_components.declare.heat import ROOM
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import THERMAL, Side


class Radiation(Component):
    """Thermal radiation between a surface A and its surroundings B: the heat flow is emissivity sigma area (T_A^4 - T_B^4).

    sigma = 5.670374419e-8 W/(m2.K4) is the constant of Stefan and Boltzmann. B is large or black. Between other surfaces the emissivity stands
    for the exchange factor of both.
    """

    drawing = Drawing(
        box(-0.9, -0.5, -0.5, 0.5, fill=0.75),
        *(
            part
            for y in (-0.3, 0.3)
            for part in (
                line((-0.4, y), (-0.2, y + 0.12), (0.0, y - 0.12), (0.2, y + 0.12), (0.4, y - 0.12), (0.6, y), (0.8, y)),
                arrowhead(0.8, y, 0, 0.16),
            )
        ),
    )

    def declare(self):
        A, B = (
            self.port(name, THERMAL, Side.EFFORT, text, {"temperature": ROOM}) for name, text in (("A", "surface"), ("B", "surroundings"))
        )
        area = self.parameter("area", 0.01, "m2", "area of the surface", at_least=0, nominal=0.01)
        emissivity = self.parameter("emissivity", 0.9, "", "share of the radiation of a black surface", at_least=0, at_most=1)
        sigma = self.parameter("sigma", 5.670374419e-8, "W/m2.K4", "constant of Stefan and Boltzmann", above=0, nominal=1e-8, fixed=True)
        flow = self.output("flow", emissivity * sigma * area * (A.temperature**4 - B.temperature**4), "W", "heat flow from A to B")
        self.gives(A, -flow)
        self.gives(B, flow)
