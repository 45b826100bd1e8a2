"""Line with compliance, friction and inertia."""

from sympy import Abs, pi

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, line
from fmu_components.declare.ports import HYDRAULIC, Side


class Hose(Component):
    """Hose or pipe with the compliance of its oil and walls, friction, and the inertia of the oil.

    Its compliance is lumped at the end A, which gives the pressure; friction and inertia lie between there and the end B, which
    gives the flow. Several in a row resolve the waves of a long line. The friction factor is 64/Re of laminar flow plus a constant.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.55, 0), (-0.4, 0.35), (-0.1, 0.35), (0.1, -0.35), (0.4, -0.35), (0.55, 0), (0.9, 0), width=0.14),
    )

    def declare(self):
        length = self.parameter("length", 1.0, "m", "length", above=0)
        diameter = self.parameter("diameter", 0.0127, "m", "inner diameter", above=0, nominal=0.01)
        bulk = self.parameter("bulk", 5e8, "Pa", "effective bulk modulus, of oil and walls", above=0, nominal=1e9)
        density = self.parameter("density", 870.0, "kg/m3", "density of the oil", above=0, nominal=1e3)
        viscosity = self.parameter("viscosity", 0.04, "Pa.s", "dynamic viscosity of the oil", at_least=0, nominal=0.01)
        turbulent = self.parameter("turbulent", 0.03, "", "friction factor (Darcy) added to that of laminar flow", at_least=0, nominal=0.01)
        p = self.state("p", 1e5, "Pa", "absolute pressure at A", nominal=1e6, holds=(0, None))
        flow = self.state("flow", 0.0, "m3/s", "flow from A to B", nominal=1e-4)
        A = self.port("A", HYDRAULIC, Side.MOTION, "end with the compliance")
        B = self.port("B", HYDRAULIC, Side.EFFORT, "end with the resistance", {"p": 1e5})
        area = pi * diameter**2 / 4
        compliance, inertance = area * length / bulk, density * length / area
        laminar = 32 * viscosity * length / (diameter**2 * area)
        friction = (laminar + turbulent * inertance / (2 * diameter * area) * Abs(flow)) * flow
        self.rate(p, (A.q - flow) / compliance)
        self.rate(flow, (p - friction - B.p) / inertance)
        self.moves(A, p)
        self.gives(B, flow)
        self.output("energy", compliance * p**2 / 2 + inertance * flow**2 / 2, "J", "energy of compression and of motion")
        self.output("loss", friction * flow, "W", "power dissipated by friction")
        self.require(p, "the absolute pressure p is greater than 0")
