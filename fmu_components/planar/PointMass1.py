"""A point with mass in the plane."""

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.massless import solved_from_outside
from fmu_components.declare.picture import ball, picture
from fmu_components.declare.planar_rigid import PlanarRigid
from fmu_components.declare.ports import PLANAR, Side


class PointMass1(PlanarRigid):
    """Point mass in the plane: a body without moment of inertia.

    The port is at the mass. Its frame turns with what is connected: where a joint holds its angle, the torques on the point balance at any
    time, and the angular acceleration is the one for which they do. Where nothing acts on the angle it keeps its rate.
    """

    drawing = Drawing(circle(0, 0, 0.3, fill=0.0), line((0.3, 0), (0.75, 0)))
    picture = picture(ball("p1"))

    def declare(self):
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        gx = self.parameter("gx", 0.0, "m/s2", "gravity along the absolute x axis", nominal=10)
        gy = self.parameter("gy", -9.81, "m/s2", "gravity along the absolute y axis", nominal=10)
        q, (vx, vy, omega) = self.place("point", "the mass")
        p1 = self.port("p1", PLANAR, Side.MOTION, "the point")
        self.rate(vx, gx + p1.Fx / m)
        self.rate(vy, gy + p1.Fy / m)
        solved_from_outside(self, {"alpha": (omega, "absolute angular acceleration", p1.Cz)})
        self.moves(p1, *q)
        self.output("energy.kinetic", m * (vx**2 + vy**2) / 2, "J", "kinetic energy")
        self.output("energy.potential", -m * (gx * q[0] + gy * q[1]), "J", "potential energy in the field of gravity, zero at the origin")
