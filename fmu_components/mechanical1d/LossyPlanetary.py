"""Planetary gear with losses."""

from fmu_components.declare.icon import Drawing, circle, gearwheel
from fmu_components.declare.lossy_mesh import LossyMesh
from fmu_components.declare.ports import ROTATIONAL, Side


class LossyPlanetary(LossyMesh):
    """Planetary gear with losses of its meshes: sun, carrier and ring, of which two speeds give the third.

    The constraint is (1 + ratio) carrier.w = sun.w + ratio ring.w. The meshes lose nothing while all turn as one. The loss depends on the
    speed of the sun relative to the carrier: the sun needs load/`efficiency` if it drives in this frame, and bears load `back` if it is
    driven. Multiplier 1 is the torque of the ideal gear on the sun, and multiplier 2 that of the friction.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        circle(0, 0, 0.85, fill=0.92),
        circle(0, 0, 0.7, fill=1.0),
        gearwheel(0, 0, 0.28, 10, fill=0.6),
        gearwheel(0.48, 0, 0.2, 8, fill=0.6),
        gearwheel(-0.24, 0.42, 0.2, 8, fill=0.6),
        gearwheel(-0.24, -0.42, 0.2, 8, fill=0.6),
    )

    def ends(self):
        return [self.port(name, ROTATIONAL, Side.EFFORT, f"shaft of the {name}") for name in ("sun", "carrier", "ring")]

    def velocity_constraint(self, sun, carrier, ring):
        ratio = self.parameter("ratio", 2.0, "", "teeth of the ring over teeth of the sun", above=0)
        self.expect(ratio - 1, "the ring has more teeth than the sun, which runs inside it")
        efficiency = self.parameter("efficiency", 0.97, "", "efficiency with a held carrier, when the sun drives", above=0, at_most=1)
        back = self.parameter("back", 0.97, "", "efficiency with a held carrier, when the ring drives", at_most=1)
        return [sun.w + ratio * ring.w - (1 + ratio) * carrier.w, self.rubs(sun.w - carrier.w, efficiency, back, "N.m")]
