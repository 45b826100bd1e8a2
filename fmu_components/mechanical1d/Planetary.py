"""Planetary gear."""

from fmu_components.declare.icon import Drawing, circle, gearwheel
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL, Side


class Planetary(Joint):
    """Planetary gear: sun, carrier and ring, of which two speeds give the third.

    The constraint is (1 + ratio) carrier.w = sun.w + ratio ring.w, at velocity level, so that any angles can be start angles. The multiplier
    is the torque on the sun; the ring gets ratio times as much, the carrier both with the opposite sign. The wheels have no inertia.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        circle(0, 0, 0.85, fill=0.92),
        circle(0, 0, 0.7, fill=1.0),
        gearwheel(0, 0, 0.28, 10),
        gearwheel(0.48, 0, 0.2, 8),
        gearwheel(-0.24, 0.42, 0.2, 8),
        gearwheel(-0.24, -0.42, 0.2, 8),
    )

    def ends(self):
        return [self.port(name, ROTATIONAL, Side.EFFORT, f"shaft of the {name}") for name in ("sun", "carrier", "ring")]

    def velocity_constraint(self, sun, carrier, ring):
        ratio = self.parameter("ratio", 2.0, "", "teeth of the ring over teeth of the sun", above=0)
        return [sun.w + ratio * ring.w - (1 + ratio) * carrier.w]
