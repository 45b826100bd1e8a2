"""Proportional 4/3 valve."""

from sympy import sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.functions import signed_root
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import HYDRAULIC, Side
from fmu_components.declare.spool import openings


class ProportionalValve43(Component):
    """Proportional valve with four ports and three positions: a command moves a spool, which opens two of four edges.

    A positive spool position connects P to A and B to T, a negative one P to B and A to T; in the middle all is closed, or open where
    `overlap` is negative. Each edge passes `nominal.flow` at `nominal.drop` when it is fully open, and grows with the root of the drop, in proportion to the drop
    where that is less than `laminar`. The spool follows the command, limited to -1 and 1, as a first-order lag.
    """

    drawing = Drawing(
        *(box(x - 0.29, -0.38, x + 0.29, 0.38, fill=0.92) for x in (-0.58, 0, 0.58)),
        *(line((x, y), (x, y / 3)) for x in (-0.15, 0.15) for y in (-0.36, 0.36)),
        line((-0.72, -0.34), (-0.72, 0.33), width=0.04),
        arrowhead(-0.72, 0.33, 90, 0.16, width=0.04),
        line((-0.44, 0.34), (-0.44, -0.33), width=0.04),
        arrowhead(-0.44, -0.33, -90, 0.16, width=0.04),
        line((0.43, -0.34), (0.73, 0.33), width=0.04),
        arrowhead(0.73, 0.33, 66, 0.16, width=0.04),
        line((0.43, 0.34), (0.73, -0.33), width=0.04),
        arrowhead(0.73, -0.33, -66, 0.16, width=0.04),
    )

    def declare(self):
        P = self.port("P", HYDRAULIC, Side.EFFORT, "supply", {"p": 1e5})
        T = self.port("T", HYDRAULIC, Side.EFFORT, "tank", {"p": 1e5})
        A = self.port("A", HYDRAULIC, Side.EFFORT, "first consumer", {"p": 1e5})
        B = self.port("B", HYDRAULIC, Side.EFFORT, "second consumer", {"p": 1e5})
        rated_flow = self.parameter(
            "nominal.flow", 4e-4, "m3/s", "flow through one edge, fully open, at the nominal drop", above=0, nominal=1e-3
        )
        rated_drop = self.parameter("nominal.drop", 3.5e6, "Pa", "pressure drop across one edge at the nominal flow", above=0, nominal=1e6)
        laminar = self.parameter("laminar", 2e5, "Pa", "pressure drop below which the flow is proportional to it", above=0, nominal=1e5)
        ahead, back = openings(self, 35.0, "P is open to A, B to T", "P is open to B, A to T")

        def edge(name, here, there, opening):
            flow = rated_flow / sqrt(rated_drop) * opening * signed_root(here.p - there.p, laminar)
            return self.local(f"flow.{name}", flow, "m3/s", f"flow from {here.name} to {there.name}")

        PA, BT = edge("PA", P, A, ahead), edge("BT", B, T, ahead)
        PB, AT = edge("PB", P, B, back), edge("AT", A, T, back)
        self.gives(P, -PA - PB)
        self.gives(T, AT + BT)
        self.gives(A, PA - AT)
        self.gives(B, PB - BT)
        loss = PA * (P.p - A.p) + PB * (P.p - B.p) + AT * (A.p - T.p) + BT * (B.p - T.p)
        self.output("loss", loss, "W", "power dissipated at the edges")
