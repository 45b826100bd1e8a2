"""Given position."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import TRANSLATIONAL, Side


class Position(Component):
    """Slide whose position is given by a signal, whatever force that takes.

    The position, its rate and its acceleration are inputs that belong together: what drives the position gives all three.
    """

    drawing = Drawing(
        box(-0.8, -0.3, 0.1, 0.3, fill=1.0),
        line((0.1, 0), (0.9, 0), width=0.16),
        line((-0.8, 0.55), (0.4, 0.55), width=0.08),
        arrowhead(0.5, 0.55, 0, 0.24, width=0.08),
        line((-0.8, 0.42), (-0.8, 0.68), width=0.08),
    )

    def declare(self):
        flange = self.port("flange", TRANSLATIONAL, Side.MOTION, "the slide that follows the prescribed position")
        self.moves(flange, self.signal("position", "m", "position of the slide", rates=2))
        force = self.output("force", -flange.f, "N", "force that the source gives to the slide")
        self.output("power", force * self["position.rate"], "W", "power that the source gives to the slide")
