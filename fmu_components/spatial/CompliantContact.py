"""Sphere or point on a plane that gives way."""

from sympy import sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.contact import contact_force
from fmu_components.declare.differentiate import efforts_of
from fmu_components.declare.icon import Drawing, arc, circle, line
from fmu_components.declare.picture import ball, level, picture
from fmu_components.declare.ports import SPATIAL, Side


class CompliantContact(Component):
    """Contact that gives way (Hunt and Crossley): a sphere about N, or a point, is pushed off the plane of M by k depth^n (1 + c rate).

    The plane is at right angles to the axis z of M, through its point. The damping c follows from the coefficient of restitution `e` at
    the speed `speed`, whatever the masses; the force is continuous and never pulls. Friction is mu times the force, against the slip, times
    slip/sqrt(slip^2 + vr^2): what should stick creeps.
    """

    drawing = Drawing(
        line((-0.85, -0.6), (0.45, -0.6), (0.85, 0.1), (-0.45, 0.1), (-0.85, -0.6), fill=0.85),
        circle(0, 0.15, 0.4, fill=0.5),
        arc(0, 0.9, 1.2, 250, 290),
    )
    picture = picture(level("M", "N"), ball("N", "radius"))

    def declare(self):
        M = self.port("M", SPATIAL, Side.EFFORT, "on body i")
        N = self.port("N", SPATIAL, Side.EFFORT, "on body j", {"z": 0.1})
        radius = self.parameter("radius", 0.0, "m", "radius of the sphere; 0 for a point", at_least=0)
        mu = self.parameter("mu", 0.3, "", "coefficient of friction", at_least=0)
        vr = self.parameter(
            "vr", 1e-3, "m/s", "speed of slip at which friction has grown to 71 % of mu times the force", above=0, nominal=1e-3
        )
        MN = N.point - M.point
        height = self.local("height", MN.dot(M.z_axis), "m", "distance of N from the plane")
        at_contact = N.velocity - N.omega.cross(radius * M.z_axis) - M.velocity - M.omega.cross(MN - radius * M.z_axis)
        rate = self.D(height)
        force = contact_force(self, radius - height, -rate)
        slips = [at_contact.dot(axis) for axis in (M.x_axis, M.y_axis)]
        u, v = (self.output(f"slip.{axis}", slip, "m/s", f"slip of N along {axis} of M") for axis, slip in zip("xy", slips, strict=True))
        regular = mu * force / sqrt(u**2 + v**2 + vr**2)
        rubs = [self.output(f"friction.{axis}", -regular * w, "N", f"friction on N along {axis} of M") for axis, w in (("x", u), ("y", v))]
        for port in (M, N):
            self.gives(port, *efforts_of([rate, *slips], [force, *rubs], port, self.partial))
