"""Bridge of four switches."""

from fmu_components.declare.component import Component
from fmu_components.declare.control import limited
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.ports import ELECTRICAL, Side


class HBridge(Component):
    """Bridge of four switches, averaged over their switching: a fraction of the supply's voltage, of either sign, at the load.

    The load gets duty times the voltage of the supply, less the drop across the two switches that conduct; the supply gives duty
    times the current of the load. A duty beyond -1 and 1 is limited, which is a state event.
    """

    drawing = Drawing(
        box(-0.7, -0.7, 0.7, 0.7, fill=0.85),
        *(line((x, -0.6), (x, 0.6)) for x in (-0.4, 0.4)),
        line((-0.4, 0), (0.4, 0)),
        *(line((x, y), (x + 0.18, y + 0.2), width=0.1) for x in (-0.4, 0.4) for y in (-0.4, 0.2)),
    )

    def declare(self):
        supply = self.port("supply", ELECTRICAL, Side.EFFORT, "the supply of the bridge")
        load = self.port("load", ELECTRICAL, Side.MOTION, "the load of the bridge")
        R = self.parameter("R", 0.0, "Ohm", "resistance of the two switches that conduct; 0 for none", at_least=0, nominal=0.01)
        demand = self.input("duty", 0.0, "", "mean voltage at the load over that of the supply, from -1 to 1")
        duty = self.local("fraction", limited(self, demand, -1, 1), "", "the duty within its limits")
        self.moves(load, duty * supply.v + R * load.i)
        self.gives(supply, duty * load.i)
        self.output("current", -load.i, "A", "current into the load")
        self.output("loss", R * load.i**2, "W", "power that becomes heat")
