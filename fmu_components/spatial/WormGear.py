"""Worm gear in space."""

from sympy import Abs, sqrt

from fmu_components.declare.icon import Drawing, box, gearwheel, line
from fmu_components.declare.lossy_mesh import LossyMesh, efficiencies, worm
from fmu_components.declare.picture import picture, wheel
from fmu_components.declare.ports import SPATIAL


class WormGear(LossyMesh):
    """Worm gear in space: the thread of the worm M moves the teeth of the wheel N, and turns teeth/starts times as fast.

    The axes z of M and N cross at a right angle, at the distance (diameter + teeth module)/2 of their centres. Other joints hold them there,
    on the ground or on a moving housing. A right-handed worm that turns about z_M pushes the teeth against z_M. Efficiencies and self-locking
    are those of `mechanical1d.Worm`. Multiplier 1 is the axial force on the worm, multiplier 2 the torque of the friction on it.
    """

    kind = SPATIAL
    drawing = Drawing(
        line((-0.9, 0.6), (0.9, 0.6), width=0.1),
        box(-0.4, 0.4, 0.4, 0.8, fill=0.85),
        *(line((x, 0.4), (x + 0.15, 0.8)) for x in (-0.3, -0.1, 0.1)),
        gearwheel(0, -0.2, 0.5, 14),
        line((0, -0.2), (0.5, -0.7), width=0.1),
    )
    starts_N = {"x": 0.04, "R22": 0.0, "R23": -1.0, "R32": 1.0, "R33": 0.0}
    picture = picture(wheel("M", "radius_M"), wheel("N", "radius_N"))

    def velocity_constraint(self, M, N):
        """The velocity of the worm relative to the wheel, along the line at right angles to the teeth, at the pitch point between both."""
        starts, teeth, module, diameter, lead = worm(self)
        MN = N.point - M.point
        u = MN / sqrt(MN.dot(MN))
        advance = starts * module / 2
        radius_M = self.local("radius_M", diameter / 2, "m", "pitch radius of the worm")
        radius_N = self.local("radius_N", teeth * module / 2, "m", "pitch radius of the wheel")
        normal = M.z_axis - advance / radius_M * M.z_axis.cross(u)
        across = normal.dot(M.velocity - N.velocity) + (radius_M * M.omega + radius_N * N.omega).dot(u.cross(normal))
        return [across, self.rubs((M.omega - N.omega).dot(M.z_axis), *efficiencies(self, lead), "N.m", -advance)]

    def validity(self, M, N):
        MN = N.point - M.point
        size = sqrt(MN.dot(MN))
        distance = self["radius_M"] + self["radius_N"]
        return [
            (self["starts"] ** 2, "the number of starts is not 0"),
            (1e-3 * distance - Abs(size - distance), "the distance of M and N is (diameter + teeth module)/2 to a thousandth"),
            (1e-3 - Abs(M.z_axis.dot(N.z_axis)), "the axes z of M and N are at right angles"),
            (1e-3 * size - Abs(MN.dot(M.z_axis)), "N lies at right angles to the axis z of M"),
            (1e-3 * size - Abs(MN.dot(N.z_axis)), "M lies at right angles to the axis z of N"),
        ]
