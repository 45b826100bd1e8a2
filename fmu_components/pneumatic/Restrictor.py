"""Narrow passage for gas."""

from fmu_components.declare.component import Component
from fmu_components.declare.gas import ATMOSPHERE, Passage
from fmu_components.declare.icon import Drawing, arc, line
from fmu_components.declare.ports import PNEUMATIC, Side


class Restrictor(Component):
    """Narrow passage for gas by ISO 6358: flow = C reference.density sqrt(reference.T/gas.T) p_high (1 - x^2)^m.

    Here x = (ratio - b)/(1 - b), and ratio is the lower pressure by the higher one, p_high. Below the critical ratio b the flow is choked:
    x is 0. Above the ratio `laminar` the flow is proportional to the pressure drop. Both directions are alike.
    """

    drawing = Drawing(line((-0.9, 0), (0.9, 0)), arc(0, 0.62, 0.5, 200, 340), arc(0, -0.62, 0.5, 20, 160))

    def conductance(self):
        """Declares the sonic conductance, and returns it."""
        return self.parameter(
            "C", 2e-9, "m3/s.Pa", "sonic conductance: flow of reference gas by pressure, if choked", above=0, nominal=1e-9
        )

    def declare(self):
        A = self.port("A", PNEUMATIC, Side.EFFORT, "first side", {"pressure": ATMOSPHERE})
        B = self.port("B", PNEUMATIC, Side.EFFORT, "second side", {"pressure": ATMOSPHERE})
        C = self.conductance()
        passage = Passage.of(self, 0.3)
        flow = self.output("flow", passage.flow("ratio", C, A.pressure, B.pressure), "kg/s", "mass flow from A to B", nominal=1e-3)
        self.gives(A, -flow)
        self.gives(B, flow)
        self.output("drop", A.pressure - B.pressure, "Pa", "pressure drop from A to B")
