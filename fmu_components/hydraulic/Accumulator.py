"""Gas accumulator."""

from sympy import Max, Piecewise, log

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, line
from fmu_components.declare.ports import HYDRAULIC, Side


class Accumulator(Component):
    """Accumulator: oil enters against a gas, whose pressure times volume^exponent stays constant.

    Below the pressure to which the gas was filled it is empty, and its port is a small stiff volume. The exponent is 1 where the
    gas has the time to keep its temperature, 1.4 for nitrogen that is compressed fast. An accumulator whose gas is down to `gas.least` is full and
    solid. The law of the gas goes on beyond, and the run warns.
    """

    drawing = Drawing(
        line((0.35, -0.3), (0.35, 0.3)),
        arc(0, 0.3, 0.35, 0, 180),
        line((-0.35, 0.3), (-0.35, -0.3)),
        arc(0, -0.3, 0.35, 180, 360),
        line((-0.35, 0), (0.35, 0)),
        line((-0.15, 0.42), (0.15, 0.42), (0, 0.2), (-0.15, 0.42)),
        line((-0.9, 0), (-0.6, 0), (-0.6, -0.85), (0, -0.85), (0, -0.65)),
    )

    def declare(self):
        precharge = self.parameter("precharge", 5e6, "Pa", "absolute pressure of the gas when there is no oil", above=0, nominal=1e6)
        volume = self.parameter("volume", 1e-3, "m3", "volume of the gas when there is no oil", above=0, nominal=1e-3)
        exponent = self.parameter("exponent", 1.4, "", "polytropic exponent of the gas", at_least=1)
        dead = self.parameter("dead", 1e-5, "m3", "volume of oil that stays", above=0, nominal=1e-5)
        bulk = self.parameter("bulk", 1.5e9, "Pa", "bulk modulus of the oil that stays", above=0, nominal=1e9)
        least = self.parameter("gas.least", 0.0, "m3", "volume of the gas when the accumulator is full", at_least=0, nominal=1e-3)
        self.require(volume - least, "gas.least is less than the volume")
        p = self.state("p", 1e7, "Pa", "absolute pressure", nominal=1e6, holds=(0, None))
        port = self.port("port", HYDRAULIC, Side.MOTION, "any number of lines")
        charged = self.relation("charged", p - precharge, "there is oil in the accumulator")
        gas_pressure = self.output("gas.pressure", Max(p, precharge), "Pa", "absolute pressure of the gas")
        gas_volume = self.output("gas.volume", volume * (precharge / gas_pressure) ** (1 / exponent), "m3", "volume of the gas")
        yields = Piecewise((gas_volume / (exponent * gas_pressure), charged), (0, True))
        self.rate(p, port.q / (dead / bulk + yields))
        self.moves(port, p)
        self.output("gas.left", gas_volume - least, "m3", "volume that more oil can take", nominal=1e-3, holds=(0, None))
        self.output("oil", volume - gas_volume, "m3", "volume of the oil that has entered")
        work = Piecewise(
            ((gas_pressure * gas_volume - precharge * volume) / (exponent - 1), exponent > 1),
            (precharge * volume * log(gas_pressure / precharge), True),
        )
        self.output("energy", dead * p**2 / (2 * bulk) + work, "J", "work that the oil has done on the gas and on itself")
        self.require(p, "the absolute pressure p is greater than 0")
