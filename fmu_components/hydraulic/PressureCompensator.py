"""Pressure compensator."""

from sympy import Max, Min, sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.functions import signed_root
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import HYDRAULIC, Side


class PressureCompensator(Component):
    """Pressure compensator: it throttles the way from A to B so that the pressure of B stays above that of X by the force of its spring.

    With a metering orifice from B to the load, and X connected with the load, the flow no longer depends on the load. It is open while p_B - p_X is
    less than `spring`, closes in proportion, and is closed at `spring` + `band`; open it is an orifice that passes `nominal.flow` at `nominal.drop`.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.45, 0)),
        line((0.45, 0), (0.9, 0)),
        box(-0.45, -0.45, 0.45, 0.45, fill=0.92),
        line((-0.45, 0), (0.45, 0)),
        arrowhead(0.45, 0, 0),
        line((0, -0.45), (0.15, -0.52), (-0.15, -0.62), (0.15, -0.72), (-0.15, -0.82), (0, -0.88)),
        line((0.65, 0), (0.65, 0.7), (0, 0.7), (0, 0.45), width=0.04),
    )

    def declare(self):
        A = self.port("A", HYDRAULIC, Side.EFFORT, "supply", {"p": 1e5})
        B = self.port("B", HYDRAULIC, Side.EFFORT, "metering orifice, whose pressure is kept", {"p": 1e5})
        X = self.port("X", HYDRAULIC, Side.EFFORT, "pressure of the load, which takes no flow", {"p": 1e5})
        spring = self.parameter("spring", 8e5, "Pa", "pressure of B over X at which it begins to close", at_least=0, nominal=1e6)
        band = self.parameter("band", 2e5, "Pa", "pressure beyond that at which it is closed", above=0, nominal=1e5)
        rated_flow = self.parameter("nominal.flow", 1e-3, "m3/s", "flow at the nominal pressure drop, fully open", above=0, nominal=1e-3)
        rated_drop = self.parameter("nominal.drop", 5e5, "Pa", "pressure drop of the nominal flow", above=0, nominal=1e6)
        laminar = self.parameter("laminar", 1e4, "Pa", "pressure drop below which the flow is proportional to it", above=0, nominal=1e4)
        kept = self.output("kept", B.p - X.p, "Pa", "pressure of B over X")
        opening = self.output("opening", Max(0, Min(1 - (kept - spring) / band, 1)), "", "fraction of the full opening")
        drop = self.output("drop", A.p - B.p, "Pa", "pressure drop from A to B")
        flow = self.output("flow", opening * rated_flow * signed_root(drop, laminar) / sqrt(rated_drop), "m3/s", "flow from A to B")
        self.gives(A, -flow)
        self.gives(B, flow)
        self.gives(X, 0)
        self.output("loss", drop * flow, "W", "power dissipated")
