"""Counterbalance valve, which holds a load."""

from sympy import Max, Min, Piecewise, sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.functions import signed_root
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import HYDRAULIC, Side


class CounterbalanceValve(Component):
    """Counterbalance valve: it holds a load at A until the pressure there, or at the pilot X, opens the way back to B; oil from B passes freely to A.

    It opens when p_A - p_B + pilot (p_X - p_B) exceeds `set`, in proportion, and is fully open at `set` + `band`; then it is an orifice that passes
    `nominal.flow` at `nominal.drop`. The check valve from B to A opens at `check.cracking` and passes `check.flow` at `check.drop` beyond that.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.45, 0)),
        line((0.45, 0), (0.9, 0)),
        box(-0.45, -0.45, 0.45, 0.45, fill=0.92),
        line((-0.35, -0.15), (0.35, -0.15)),
        arrowhead(0.35, -0.15, 0),
        line((0.35, 0.2), (-0.35, 0.2)),
        arrowhead(-0.35, 0.2, 180),
        line((0, 0.45), (0.15, 0.52), (-0.15, 0.62), (0.15, 0.72), (-0.15, 0.82), (0, 0.88)),
        line((0, -0.45), (0, -0.9), width=0.04),
    )

    def declare(self):
        A = self.port("A", HYDRAULIC, Side.EFFORT, "load that is held", {"p": 1e5})
        B = self.port("B", HYDRAULIC, Side.EFFORT, "directional valve", {"p": 1e5})
        X = self.port("X", HYDRAULIC, Side.EFFORT, "pilot line, which takes no flow", {"p": 1e5})
        opens = self.parameter("set", 2e7, "Pa", "pressure of the load at which the valve opens without pilot", at_least=0, nominal=1e7)
        pilot = self.parameter("pilot", 4.0, "", "pilot ratio: the load pressure that one pascal of the pilot replaces", at_least=0)
        band = self.parameter("band", 4e6, "Pa", "pressure beyond that at which it is fully open", above=0, nominal=1e6)
        rated_flow = self.parameter("nominal.flow", 1e-3, "m3/s", "flow at the nominal pressure drop, fully open", above=0, nominal=1e-3)
        rated_drop = self.parameter("nominal.drop", 2e6, "Pa", "pressure drop of the nominal flow", above=0, nominal=1e6)
        cracking = self.parameter(
            "check.cracking", 5e4, "Pa", "pressure drop from B to A at which the check valve opens", at_least=0, nominal=1e5
        )
        checked_flow = self.parameter("check.flow", 1e-3, "m3/s", "flow from B to A at the pressure drop check.drop", above=0, nominal=1e-3)
        checked_drop = self.parameter("check.drop", 3e5, "Pa", "pressure drop beyond cracking of that flow", above=0, nominal=1e5)
        laminar = self.parameter("laminar", 1e4, "Pa", "pressure drop below which a flow is proportional to it", above=0, nominal=1e4)
        drop = self.output("drop", A.p - B.p, "Pa", "pressure drop from A to B")
        lift = self.output("lift", drop + pilot * (X.p - B.p) - opens, "Pa", "pressure with which the valve is opened")
        opening = self.output("opening", Max(0, Min(lift / band, 1)), "", "fraction of the full opening")
        free = self.relation("free", -drop - cracking, "the check valve is open")
        through = opening * rated_flow * signed_root(drop, laminar) / sqrt(rated_drop)
        back = Piecewise((checked_flow * signed_root(-drop - cracking, laminar) / sqrt(checked_drop), free), (0, True))
        flow = self.output("flow", through - back, "m3/s", "flow from A to B")
        self.gives(A, -flow)
        self.gives(B, flow)
        self.gives(X, 0)
        self.output("loss", drop * flow, "W", "power dissipated")
