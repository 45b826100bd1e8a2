"""Battery."""

from sympy import Piecewise

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.ports import ELECTRICAL, Side


class Battery(Component):
    """Battery whose open-circuit voltage rises linearly with its state of charge, behind an internal resistance.

    One ampere-hour is a capacity of 3600 C. The straight line goes on beyond an empty and a full battery: a machine that may come
    there watches the output `charge`. A load that asks for more than the short-circuit current, `voltage`/R, turns the voltage at the pins negative. Runs
    warn of both.
    """

    stop_time = 3600.0
    drawing = Drawing(
        line((-0.9, 0), (-0.65, 0)),
        box(-0.65, -0.4, 0.65, 0.4, fill=0.85),
        line((-0.4, -0.12), (-0.4, 0.12)),
        line((-0.52, 0), (-0.28, 0)),
        line((0.28, 0), (0.52, 0)),
        box(0.65, -0.15, 0.75, 0.15, fill=0.85),
    )

    def declare(self):
        empty = self.parameter("empty", 11.0, "V", "open-circuit voltage at the state of charge 0", at_least=0, nominal=10)
        full = self.parameter("full", 13.0, "V", "open-circuit voltage at the state of charge 1", above=0, nominal=10)
        R = self.parameter("R", 0.02, "Ohm", "internal resistance; 0 for none", at_least=0, nominal=0.01)
        capacity = self.parameter("capacity", 180e3, "C", "charge between empty and full", above=0, nominal=1e5)
        soc = self.state("soc", 1.0, "", "state of charge, from 0 (empty) to 1 (full)", holds=(0, 1))
        pin = self.port("pin", ELECTRICAL, Side.MOTION, "the battery")
        self.rate(soc, pin.i / capacity)
        voltage = self.output("voltage", empty + (full - empty) * soc, "V", "open-circuit voltage")
        self.moves(pin, voltage + R * pin.i)
        self.holds(self["pin.v"], least=0)
        self.output("charge", soc, "", "state of charge")
        self.output("energy", capacity * (empty * soc + (full - empty) * soc**2 / 2), "J", "energy that is stored, counted from empty")
        self.output("loss", R * pin.i**2, "W", "power that becomes heat")
        self.output("power", -pin.v * pin.i, "W", "power that the battery gives at its pins")
        self.require(Piecewise((1, soc >= 0), (soc, True)), "the state of charge soc is not less than 0")
        self.require(Piecewise((1, soc <= 1), (1 - soc, True)), "the state of charge soc is not greater than 1, and 1 - soc not negative")
        self.require(
            Piecewise((full, full >= empty), (full - empty, True)), "the voltage full is not less than empty, and full - empty not negative"
        )
