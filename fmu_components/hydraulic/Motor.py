"""Hydraulic motor."""

from sympy import tanh

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.ports import HYDRAULIC, ROTATIONAL, Side


class Motor(Component):
    """Hydraulic motor: flow from A to B turns the shaft forwards; either direction.

    The torque is `displacement` times the pressure drop, less friction; the flow is `displacement` times the speed, plus leakage.
    """

    drawing = Drawing(
        circle(0, 0, 0.6, fill=0.92),
        line((-0.22, 0), (-0.55, 0.2), (-0.55, -0.2), (-0.22, 0), fill=0.0),
        line((-0.9, 0), (-0.6, 0)),
        line((0.6, 0), (0.9, 0)),
        line((0, 0.6), (0, 0.9), width=0.14),
    )

    def declare(self):
        A = self.port("A", HYDRAULIC, Side.EFFORT, "inlet where the shaft turns forwards", {"p": 1e5})
        B = self.port("B", HYDRAULIC, Side.EFFORT, "outlet where the shaft turns forwards", {"p": 1e5})
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "the shaft")
        displacement = self.parameter("displacement", 8e-6, "m3/rad", "volume per angle", above=0, nominal=1e-5)
        leakage = self.parameter("leakage", 1e-12, "m3/s.Pa", "leakage from A to B per pressure drop", at_least=0, nominal=1e-12)
        viscous = self.parameter("viscous", 0.01, "N.m.s/rad", "friction torque per speed", at_least=0, nominal=0.01)
        coulomb = self.parameter("coulomb", 0.0, "N.m", "friction torque that does not grow with speed", at_least=0)
        slip = self.parameter("slip", 0.1, "rad/s", "speed at which that has grown to tanh(1) = 76 % of itself", above=0)
        drop = self.output("drop", A.p - B.p, "Pa", "pressure drop from A to B")
        leak = self.local("leak", leakage * drop, "m3/s", "leakage from A to B")
        friction = self.local("friction", viscous * flange.w + coulomb * tanh(flange.w / slip), "N.m", "friction torque")
        flow = self.output("flow", displacement * flange.w + leak, "m3/s", "flow from A to B")
        self.gives(A, -flow)
        self.gives(B, flow)
        self.gives(flange, displacement * drop - friction)
        self.output("loss", leak * drop + friction * flange.w, "W", "power dissipated by leakage and friction")
