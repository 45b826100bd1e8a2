"""Torque by a table of the speed."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, axes, line
from fmu_components.declare.ports import ROTATIONAL, Side


class TableTorque(Component):
    """Torque of a motor or a load by a table of the speed: tau = command torque(w).

    The table `torque` is the characteristic curve of an engine, an induction motor or a turbine, or with negative torques that of a load.
    The input `command` is the share of it that acts, such as a throttle. Beyond the table its last value is held.
    """

    drawing = Drawing(*axes(-0.6), line((-0.6, 0.1), (-0.3, 0.15), (0.1, 0.4), (0.3, 0.45), (0.45, 0.2), (0.55, -0.6), width=0.1))

    def declare(self):
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "the shaft on which the torque acts")
        curve = self.table("torque", ((0.0, 100.0, 150.0), (20.0, 25.0, 0.0)), ("rad/s", "N.m"), "torque by speed")
        command = self.input("command", 1.0, "", "share of the torque that acts")
        tau = self.output("tau", command * curve(flange.w), "N.m", "torque on the shaft")
        self.gives(flange, tau)
        self.output("power", tau * flange.w, "W", "power given to the shaft")
