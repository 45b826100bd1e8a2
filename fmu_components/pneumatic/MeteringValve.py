"""Valve for gas whose conductance is a table of its opening."""

from fmu_components.declare.icon import Drawing, arrowhead, line
from fmu_components.pneumatic.Restrictor import Restrictor


class MeteringValve(Restrictor):
    """Metering valve for gas by ISO 6358: flow = C share(opening) reference.density sqrt(reference.T/gas.T) p_high (1 - x^2)^m.

    The table `share` gives the conductance by the opening, as a share of the sonic conductance C. It is the characteristic curve of a throttle or
    a needle valve. Beyond the table its last value is held. Here x = (ratio - b)/(1 - b), and ratio is the lower pressure by the higher one,
    p_high. Below the critical ratio b the flow is choked: x is 0. Above the ratio `laminar` the flow is proportional to the pressure drop.
    """

    drawing = Drawing(*Restrictor.drawing.shapes, line((-0.5, -0.6), (0.5, 0.6)), arrowhead(0.5, 0.6, 50))

    def conductance(self):
        """Declares the table, the opening and the sonic conductance, and returns the conductance."""
        opening = self.input("opening", 0.0, "", "opening of the valve, as the table counts it")
        curve = self.table("share", ((0.0, 0.2, 1.0), (0.0, 0.1, 1.0)), ("", ""), "share of C by opening", least=0)
        return super().conductance() * self.output("open", curve(opening), "", "share of C at this opening")
