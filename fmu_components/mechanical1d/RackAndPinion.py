"""Pinion on a rack."""

from fmu_components.declare.icon import Drawing, box, circle, gearwheel, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL, TRANSLATIONAL


class RackAndPinion(Joint):
    """Rack and pinion: the rack N moves by radius times the angle of the pinion M; a wheel that rolls on the ground does so as well.

    The constraint is at velocity level, so that any positions can be start positions. Its multiplier is the force on the rack.
    """

    kinds = (ROTATIONAL, TRANSLATIONAL)
    drawing = Drawing(
        box(-0.9, -0.6, 0.9, -0.32, fill=0.85),
        line(*((x / 10, -0.32 + 0.12 * (x % 2)) for x in range(-8, 9)), width=0.05),
        gearwheel(0, 0.22, 0.46, 14),
        circle(0, 0.22, 0.1, fill=1.0),
    )

    def velocity_constraint(self, M, N):
        return [N.v - self.parameter("radius", 0.1, "m", "pitch radius; negative where the rack moves against", nominal=0.1) * M.w]

    def validity(self, M, N):
        return [(self["radius"] ** 2, "the radius is not 0")]
