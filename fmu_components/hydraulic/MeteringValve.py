"""Valve whose area is a table of its opening."""

from sympy import sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.functions import signed_root
from fmu_components.declare.icon import Drawing, arc, arrowhead, line
from fmu_components.declare.ports import HYDRAULIC, Side


class MeteringValve(Component):
    """Metering valve: the table `area` gives the area of an orifice by its opening, as grooves and chamfers of a spool do.

    The flow is discharge area(opening) sqrt(2 drop/density). Below the pressure drop `laminar` it is proportional to the drop and joins on.
    Beyond the table its last area is held.
    """

    drawing = Drawing(
        line((-0.9, 0), (0.9, 0)),
        arc(0, 0.62, 0.5, 200, 340),
        arc(0, -0.62, 0.5, 20, 160),
        line((-0.5, -0.6), (0.5, 0.6)),
        arrowhead(0.5, 0.6, 50),
    )

    def declare(self):
        A = self.port("A", HYDRAULIC, Side.EFFORT, "first side", {"p": 1e5})
        B = self.port("B", HYDRAULIC, Side.EFFORT, "second side", {"p": 1e5})
        opening = self.input("opening", 0.0, "", "opening of the valve, as the table counts it")
        curve = self.table("area", ((0.0, 0.1, 1.0), (0.0, 2e-6, 4e-5)), ("", "m2"), "area by opening", least=0)
        discharge = self.parameter("discharge", 0.7, "", "discharge coefficient", above=0)
        density = self.parameter("density", 870.0, "kg/m3", "density of the oil", above=0, nominal=1e3)
        laminar = self.parameter("laminar", 1e4, "Pa", "pressure drop below which the flow is proportional to it", above=0, nominal=1e4)
        area = self.output("area.open", curve(opening), "m2", "area that is open", nominal=1e-6)
        drop = self.output("drop", A.p - B.p, "Pa", "pressure drop from A to B")
        flow = self.output("flow", discharge * area * sqrt(2 / density) * signed_root(drop, laminar), "m3/s", "flow from A to B")
        self.gives(A, -flow)
        self.gives(B, flow)
        self.output("loss", drop * flow, "W", "power dissipated")
