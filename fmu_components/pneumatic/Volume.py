"""Volume of gas."""

from fmu_components.declare.component import Component
from fmu_components.declare.gas import ATMOSPHERE, polytropic, thermal_pressure
from fmu_components.declare.icon import Drawing, arc, line
from fmu_components.declare.ports import PNEUMATIC, Side


class Volume(Component):
    """Volume of gas in which pressure builds up: p' = exponent gas.R gas.T flow/volume.

    It is a tank, a tube, or the node between two resistances. The exponent is 1 if the gas keeps its temperature, and 1.4 for air without
    exchange of heat.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.6, 0)),
        line((-0.3, 0.35), (0.4, 0.35)),
        line((-0.3, -0.35), (0.4, -0.35)),
        arc(-0.3, 0, 0.35, 90, 270),
        arc(0.4, 0, 0.35, -90, 90),
    )

    def declare(self):
        volume = self.parameter("volume", 1e-3, "m3", "volume of the gas", above=0, nominal=1e-3)
        RT = thermal_pressure(self)
        exponent = polytropic(self)
        p = self.state("p", ATMOSPHERE, "Pa", "absolute pressure", nominal=1e5, holds=(0, None))
        port = self.port("port", PNEUMATIC, Side.MOTION, "any number of lines")
        self.rate(p, exponent * RT * port.mass_flow / volume)
        self.moves(port, p)
        self.output("mass", p * volume / RT, "kg", "mass of the gas at the temperature gas.T", nominal=1e-3)
        self.require(p, "the absolute pressure p is greater than 0")
