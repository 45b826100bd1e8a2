"""A pair of gears whose centres may move."""

from sympy import Abs, sqrt

from fmu_components.declare.icon import Drawing, circle, gearwheel
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import gear, picture


class GearPair(Joint):
    """Gear pair: the pitch circles about M and N roll on each other.

    External gears have two positive radii. For an internal pair the smaller gear, which runs inside the other, has a negative
    radius. The centres are held at the distance |radius_M + radius_N| by other joints, fixed or on a moving arm. The
    constraint is at velocity level, so that any angles can be start angles; its multiplier is the force at the teeth.
    """

    drawing = Drawing(
        gearwheel(-0.36, 0, 0.46, 14),
        gearwheel(0.43, 0, 0.33, 10, turn=18),
        circle(-0.36, 0, 0.11, fill=1.0),
        circle(0.43, 0, 0.11, fill=1.0),
    )
    picture = picture(gear("M", "radius_M"), gear("N", "radius_N"))
    starts_N = {"x": 0.2}

    def velocity_constraint(self, M, N):
        """The tangential velocities of both gears at the pitch point, which divides MN as the radii do."""
        radius_M, radius_N = (
            self.parameter(
                f"radius_{name}", 0.1, "m", f"pitch radius of the gear on {name}; negative where it runs inside the other", nominal=0.1
            )
            for name in "MN"
        )
        MN, velocity = N.point - M.point, N.velocity - M.velocity
        distance = sqrt(MN.dot(MN))
        across = (MN[0] * velocity[1] - MN[1] * velocity[0]) / distance
        return [across - radius_M * M.omega - radius_N * N.omega]

    def validity(self, M, N):
        MN = N.point - M.point
        distance, expected = sqrt(MN.dot(MN)), Abs(self["radius_M"] + self["radius_N"])
        return [
            (Abs(self["radius_M"]), "radius_M is not 0"),
            (Abs(self["radius_N"]), "radius_N is not 0"),
            (distance, "N lies apart from M, since the pitch point is on the line between them"),
            (1e-3 * expected - Abs(distance - expected), "the distance of M and N is |radius_M + radius_N| to a thousandth"),
        ]
