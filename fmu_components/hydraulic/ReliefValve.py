"""Pressure relief valve."""

from sympy import Piecewise, sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.functions import signed_root
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import HYDRAULIC, Side


class ReliefValve(Component):
    """Relief valve: it opens at the set pressure drop from A to B and passes more the higher the drop rises.

    The opening grows in proportion to the drop, from none at `set` to full at `set` + `band`; fully open it is an orifice that
    passes `nominal.flow` at `nominal.drop`.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.45, 0)),
        line((0.45, 0), (0.9, 0)),
        box(-0.45, -0.45, 0.45, 0.45, fill=0.92),
        line((-0.35, -0.15), (0.35, -0.15)),
        arrowhead(0.35, -0.15, 0),
        line((0, 0.45), (0.15, 0.52), (-0.15, 0.62), (0.15, 0.72), (-0.15, 0.82), (0, 0.88)),
    )

    def declare(self):
        A = self.port("A", HYDRAULIC, Side.EFFORT, "whose pressure is limited", {"p": 1e5})
        B = self.port("B", HYDRAULIC, Side.EFFORT, "to where it opens, such as the tank", {"p": 1e5})
        opens = self.parameter("set", 2e7, "Pa", "pressure drop at which the valve opens", at_least=0, nominal=1e7)
        band = self.parameter("band", 1e6, "Pa", "pressure drop beyond that at which it is fully open", above=0, nominal=1e6)
        rated_flow = self.parameter("nominal.flow", 1e-3, "m3/s", "flow at the nominal pressure drop, fully open", above=0, nominal=1e-3)
        rated_drop = self.parameter("nominal.drop", 1e7, "Pa", "pressure drop of the nominal flow", above=0, nominal=1e7)
        laminar = self.parameter(
            "laminar", 1e4, "Pa", "pressure drop below which the flow is proportional to it, for a given opening", above=0, nominal=1e4
        )
        drop = self.output("drop", A.p - B.p, "Pa", "pressure drop from A to B")
        is_open = self.relation("open", drop - opens, "the valve is open")
        is_full = self.relation("full", drop - opens - band, "the valve is fully open")
        opening = self.output(
            "opening", Piecewise((1, is_full), ((drop - opens) / band, is_open), (0, True)), "", "fraction of the full opening"
        )
        flow = self.output("flow", opening * rated_flow * signed_root(drop, laminar) / sqrt(rated_drop), "m3/s", "flow from A to B")
        self.gives(A, -flow)
        self.gives(B, flow)
        self.output("loss", drop * flow, "W", "power dissipated")
