"""Joints that a command locks."""

from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL, TRANSLATIONAL
from fmu_components.declare.switched import holds_while


class Dog(Joint):
    """Dog clutch that a command puts in."""

    kind = ROTATIONAL

    def velocity_constraint(self, M, N):
        return [holds_while(self.command("locked", False, "whether it is put in"), N.w - M.w)]


class Latch(Joint):
    """Latch that a command lets fall in, where N meets M."""

    kind = TRANSLATIONAL

    def constraint(self, M, N):
        return [holds_while(self.command("locked", False, "whether it is put in"), N.s - M.s)]
