"""Soil that resists the bucket; the file of a component of one's own, as in the second example."""

from sympy import Max, Piecewise, sqrt

from jourdain import Component
from jourdain.declare import PLANAR, Side
from jourdain.icon import Drawing, line


class Soil(Component):
    """Soil against whose resistance a tip cuts: a force against its motion, in proportion to its depth below the ground.

    The ground is the absolute x axis. The resistance per area of the cut, `width` times the depth, is `resistance`.
    """

    drawing = Drawing(line((-0.9, 0.2), (0.9, 0.2)), *(line((i / 4 - 0.6, 0.2), (i / 4 - 0.85, -0.2)) for i in range(7)))

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "the tip")
        resistance = self.parameter("resistance", 4e4, "Pa", "resistance per area of the cut", at_least=0, nominal=1e4)
        width = self.parameter("width", 0.45, "m", "width of the cut", above=0)
        slip = self.parameter("slip", 0.01, "m/s", "speed at which the force has grown to 71 % of itself", above=0, nominal=0.01)
        cutting = self.relation("cutting", -M.y, "the tip is in the soil")
        cut = self.output(
            "cut",
            Piecewise((resistance * width * Max(-M.y, 0), cutting), (0, True)),
            "N",
            "resistance of the cut, which a fast tip meets in full",
        )
        against = -cut / sqrt(M.vx**2 + M.vy**2 + slip**2)
        self.gives(M, against * M.vx, against * M.vy, 0)
        self.output("loss", -against * (M.vx**2 + M.vy**2), "W", "power that the soil takes")
