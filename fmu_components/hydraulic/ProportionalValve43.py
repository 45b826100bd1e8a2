"""Proportional 4/3 valve."""

from sympy import Abs, Piecewise, pi, sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.functions import signed_root
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import HYDRAULIC, Side


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
        command = self.input("command", 0.0, "", "spool position that is asked for, from -1 to 1")
        rated_flow = self.parameter(
            "nominal.flow", 4e-4, "m3/s", "flow through one edge, fully open, at the nominal drop", above=0, nominal=1e-3
        )
        rated_drop = self.parameter("nominal.drop", 3.5e6, "Pa", "pressure drop across one edge at the nominal flow", above=0, nominal=1e6)
        laminar = self.parameter("laminar", 2e5, "Pa", "pressure drop below which the flow is proportional to it", above=0, nominal=1e5)
        bandwidth = self.parameter("bandwidth", 35.0, "Hz", "frequency up to which the spool follows the command", above=0, nominal=10)
        dead_zone = self.parameter(
            "dead_zone", 1e-6, "", "spool position up to which all edges are closed", at_least=0, below=1, nominal=0.01
        )
        overlap = self.parameter(
            "overlap",
            0.0,
            "",
            "spool position at which edges begin to open; negative where they are open in the middle",
            above=-1,
            below=1,
            nominal=0.01,
        )
        spool = self.state("spool", 0.0, "", "spool position, from -1 to 1")

        too_high = self.relation("above", command - 1, "the command is limited to 1")
        too_low = self.relation("below", -1 - command, "the command is limited to -1")
        limited = Piecewise((1, too_high), (-1, too_low), (command, True))
        self.rate(spool, (limited - spool) * 2 * pi * bandwidth)

        forward = self.relation("forward", spool - overlap - dead_zone, "P is open to A, B to T")
        backward = self.relation("backward", -dead_zone - overlap - spool, "P is open to B, A to T")

        def edge(name, here, there, opening):
            flow = rated_flow / sqrt(rated_drop) * opening * signed_root(here.p - there.p, laminar)
            return self.local(f"flow.{name}", flow, "m3/s", f"flow from {here.name} to {there.name}")

        ahead, back = (
            Piecewise(((position - overlap) / (1 - overlap), is_open), (0, True))
            for position, is_open in ((spool, forward), (-spool, backward))
        )
        PA, BT = edge("PA", P, A, ahead), edge("BT", B, T, ahead)
        PB, AT = edge("PB", P, B, back), edge("AT", A, T, back)
        self.gives(P, -PA - PB)
        self.gives(T, AT + BT)
        self.gives(A, PA - AT)
        self.gives(B, PB - BT)
        self.output("position", spool, "", "spool position, from -1 to 1")
        loss = PA * (P.p - A.p) + PB * (P.p - B.p) + AT * (A.p - T.p) + BT * (B.p - T.p)
        self.output("loss", loss, "W", "power dissipated at the edges")
        self.require(1 + 1e-9 - Abs(spool), "the spool lies between -1 and 1")
