"""Given force."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, line
from fmu_components.declare.ports import TRANSLATIONAL, Side


class Force(Component):
    """Force on a translational flange, given by a signal."""

    drawing = Drawing(line((0.8, 0), (-0.7, 0), width=0.12), line((-0.4, 0.25), (-0.7, 0), (-0.4, -0.25), width=0.12))

    def declare(self):
        flange = self.port("flange", TRANSLATIONAL, Side.EFFORT, "the slide on which the force acts")
        force = self.input("force", 0.0, "N", "force on the flange")
        self.gives(flange, force)
        self.output("power", force * flange.v, "W", "power given to the flange")
