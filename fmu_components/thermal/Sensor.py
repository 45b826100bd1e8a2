"""Temperature sensor."""

from fmu_components.declare.component import Component
from fmu_components.declare.heat import ROOM
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.ports import THERMAL, Side


class Sensor(Component):
    """Temperature sensor: it gives the temperature of its port as a signal, and takes no heat."""

    drawing = Drawing(line((-0.9, 0), (-0.3, 0)), circle(0, 0, 0.3, fill=0.92), line((0, 0.3), (0, 0.8)), line((0.12, 0.3), (0.12, 0.8)))

    def declare(self):
        port = self.port("port", THERMAL, Side.EFFORT, "the measured place", {"temperature": ROOM})
        self.gives(port, 0)
        self.output("temperature", port.temperature, "K", "absolute temperature")
        self.output(
            "celsius",
            port.temperature - self.parameter("zero", 273.15, "K", "temperature of 0 degrees Celsius"),
            "K",
            "temperature in degrees Celsius",
        )
