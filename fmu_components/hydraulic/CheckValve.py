"""Check valve."""

from sympy import Piecewise, sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.functions import signed_root
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.ports import HYDRAULIC, Side


class CheckValve(Component):
    """Check valve: flow from A to B only, once the pressure drop exceeds what holds the ball.

    The drop beyond that grows with the square of the flow, through a point of the data sheet: `nominal.flow` at `nominal.drop`.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.25, 0)),
        line((0.29, 0), (0.9, 0)),
        line((0.2, 0.5), (-0.25, 0), (0.2, -0.5)),
        circle(0.07, 0, 0.22, fill=0.85),
    )

    def declare(self):
        A = self.port("A", HYDRAULIC, Side.EFFORT, "from where it opens", {"p": 1e5})
        B = self.port("B", HYDRAULIC, Side.EFFORT, "to where it opens", {"p": 1e5})
        cracking = self.parameter("cracking", 5e4, "Pa", "pressure drop at which the valve opens", at_least=0, nominal=1e5)
        rated_flow = self.parameter("nominal.flow", 1e-3, "m3/s", "flow at the nominal pressure drop", above=0, nominal=1e-3)
        rated_drop = self.parameter("nominal.drop", 3e5, "Pa", "pressure drop beyond cracking at the nominal flow", above=0, nominal=1e5)
        laminar = self.parameter(
            "laminar", 1e4, "Pa", "pressure drop beyond cracking below which the flow is proportional to it", above=0, nominal=1e4
        )
        drop = self.output("drop", A.p - B.p, "Pa", "pressure drop from A to B")
        is_open = self.relation("open", drop - cracking, "the valve is open")
        through = rated_flow * signed_root(drop - cracking, laminar) / sqrt(rated_drop)
        flow = self.output("flow", Piecewise((through, is_open), (0, True)), "m3/s", "flow from A to B")
        self.gives(A, -flow)
        self.gives(B, flow)
        self.output("loss", drop * flow, "W", "power dissipated")
