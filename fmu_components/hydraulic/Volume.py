"""Volume of oil."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.ports import HYDRAULIC, Side


class Volume(Component):
    """Volume of oil in which pressure builds up, such as a pipe, a manifold or the node between two resistances."""

    drawing = Drawing(line((-0.9, 0), (-0.5, 0)), circle(0, 0, 0.5, fill=0.75))

    def declare(self):
        volume = self.parameter("volume", 1e-4, "m3", "volume of the oil", above=0, nominal=1e-4)
        bulk = self.parameter("bulk", 1.5e9, "Pa", "effective bulk modulus, of oil, air in it and walls", above=0, nominal=1e9)
        p = self.state("p", 1e5, "Pa", "absolute pressure", nominal=1e6, holds=(0, None))
        port = self.port("port", HYDRAULIC, Side.MOTION, "any number of lines")
        self.rate(p, bulk / volume * port.q)
        self.moves(port, p)
        self.output("energy", volume * p**2 / (2 * bulk), "J", "energy of compression")
        self.require(p, "the absolute pressure p is greater than 0")
