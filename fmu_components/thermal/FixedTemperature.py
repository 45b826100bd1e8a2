"""Given temperature."""

from fmu_components.declare.component import Component
from fmu_components.declare.heat import ROOM
from fmu_components.declare.icon import Drawing, ground, line
from fmu_components.declare.ports import THERMAL, Side


class FixedTemperature(Component):
    """Temperature that is constant, or given by a signal, at any heat flow: surroundings, or a cooled wall."""

    drawing = Drawing(line((-0.9, 0), (0, 0), (0, -0.2)), *ground(-0.6, 0.6, -0.2))

    def declare(self):
        temperature = self.input("temperature", ROOM, "K", "absolute temperature", order=0)
        port = self.port("port", THERMAL, Side.MOTION, "any number of heat flows")
        self.moves(port, temperature)
        self.holds(self["port.temperature"], least=0)
        self.output("flow", port.heat_flow, "W", "heat flow into the surroundings")
