"""Pneumatic proportional 5/3 valve."""

from fmu_components.declare.component import Component
from fmu_components.declare.gas import ATMOSPHERE, Passage
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import PNEUMATIC, Side
from fmu_components.declare.spool import openings


class ProportionalValve53(Component):
    """Pneumatic proportional valve with five ports and three positions: a command moves a spool, which opens two of four edges.

    A positive spool position connects P to A and B to S, a negative one P to B and A to R. In the middle all is closed, or open if
    `overlap` is negative. Each edge is a passage by ISO 6358, whose sonic conductance is C times its opening:
    flow = C opening reference.density sqrt(reference.T/gas.T) p_high (1 - x^2)^m with x = (ratio - b)/(1 - b), and x = 0 if choked. The spool
    follows the command, limited to -1 and 1, as a first-order lag.
    """

    drawing = Drawing(
        *(box(x - 0.29, -0.38, x + 0.29, 0.38, fill=0.92) for x in (-0.58, 0, 0.58)),
        *(line((x, 0.36), (x, 0.12)) for x in (-0.15, 0.15)),
        *(line((x, -0.36), (x, -0.12)) for x in (-0.2, 0, 0.2)),
        line((-0.58, -0.34), (-0.73, 0.33), width=0.04),
        arrowhead(-0.73, 0.33, 103, 0.16, width=0.04),
        line((-0.43, 0.34), (-0.38, -0.33), width=0.04),
        arrowhead(-0.38, -0.33, -86, 0.16, width=0.04),
        line((0.58, -0.34), (0.73, 0.33), width=0.04),
        arrowhead(0.73, 0.33, 77, 0.16, width=0.04),
        line((0.43, 0.34), (0.38, -0.33), width=0.04),
        arrowhead(0.38, -0.33, -94, 0.16, width=0.04),
    )

    def declare(self):
        P, A, B, R, S = (
            self.port(name, PNEUMATIC, Side.EFFORT, text, {"pressure": ATMOSPHERE})
            for name, text in (
                ("P", "supply"),
                ("A", "first consumer"),
                ("B", "second consumer"),
                ("R", "exhaust of A"),
                ("S", "exhaust of B"),
            )
        )
        C = self.parameter("C", 5e-9, "m3/s.Pa", "sonic conductance of one edge, fully open", above=0, nominal=1e-9)
        passage = Passage.of(self, 0.3)
        ahead, back = openings(self, 100.0, "P is open to A, B to S", "P is open to B, A to R")

        def edge(here, there, opening):
            flow = passage.flow(f"ratio.{here.name}{there.name}", C * opening, here.pressure, there.pressure)
            return self.local(f"flow.{here.name}{there.name}", flow, "kg/s", f"mass flow from {here.name} to {there.name}", nominal=1e-3)

        PA, BS, PB, AR = edge(P, A, ahead), edge(B, S, ahead), edge(P, B, back), edge(A, R, back)
        self.gives(P, -PA - PB)
        self.gives(A, PA - AR)
        self.gives(B, PB - BS)
        self.gives(R, AR)
        self.gives(S, BS)
