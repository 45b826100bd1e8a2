"""Hydraulic pump."""

from sympy import tanh

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.ports import HYDRAULIC, ROTATIONAL, Side


class Pump(Component):
    """Hydraulic pump of constant displacement: the shaft, turning forwards, takes oil from T and gives it to P.

    The flow is `displacement` times the speed, less leakage; the torque that it asks of the shaft is `displacement` times the
    rise of pressure, plus friction. It does not hinder flow backwards, which turns it as a motor: put a CheckValve behind it.
    """

    drawing = Drawing(
        circle(0, 0, 0.6, fill=0.92),
        line((-0.58, 0), (-0.25, 0.2), (-0.25, -0.2), (-0.58, 0), fill=0.0),
        line((-0.9, 0), (-0.6, 0)),
        line((0.6, 0), (0.9, 0)),
        line((0, 0.6), (0, 0.9), width=0.14),
    )

    def declare(self):
        P = self.port("P", HYDRAULIC, Side.EFFORT, "pressure side", {"p": 1e5})
        T = self.port("T", HYDRAULIC, Side.EFFORT, "suction side", {"p": 1e5})
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "the shaft")
        displacement = self.parameter("displacement", 8e-6, "m3/rad", "volume per angle", above=0, nominal=1e-5)
        leakage = self.parameter("leakage", 1e-12, "m3/s.Pa", "leakage from P to T per rise of pressure", at_least=0, nominal=1e-12)
        viscous = self.parameter("viscous", 0.01, "N.m.s/rad", "friction torque per speed", at_least=0, nominal=0.01)
        coulomb = self.parameter("coulomb", 0.0, "N.m", "friction torque that does not grow with speed", at_least=0)
        slip = self.parameter("slip", 0.1, "rad/s", "speed at which that has grown to tanh(1) = 76 % of itself", above=0)
        rise = self.output("rise", P.p - T.p, "Pa", "rise of pressure from T to P")
        leak = self.local("leak", leakage * rise, "m3/s", "leakage from P to T")
        friction = self.local("friction", viscous * flange.w + coulomb * tanh(flange.w / slip), "N.m", "friction torque")
        flow = self.output("flow", displacement * flange.w - leak, "m3/s", "flow from T to P")
        self.gives(P, flow)
        self.gives(T, -flow)
        self.gives(flange, -displacement * rise - friction)
        self.output("loss", leak * rise + friction * flange.w, "W", "power dissipated by leakage and friction")
