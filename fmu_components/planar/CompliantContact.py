"""Disc or point on a line that gives way."""

from sympy import sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.contact import contact_force
from fmu_components.declare.differentiate import efforts_of
from fmu_components.declare.icon import Drawing, arc, circle, ground
from fmu_components.declare.picture import level, picture, wheel
from fmu_components.declare.ports import PLANAR, Side


class CompliantContact(Component):
    """Contact that gives way (Hunt and Crossley): a disc with centre N, or a point, is pushed off the axis x of M by k depth^n (1 + c rate).

    The damping c follows from the coefficient of restitution `e` at the speed `speed`, whatever the masses; it grows from 0
    with the depth, so that the force is continuous, and it never pulls. Friction is mu times the force, times slip/sqrt(slip^2 + vr^2): what should
    stick creeps. It needs no modes, in any FMI tool and in Co-Simulation.
    """

    drawing = Drawing(*ground(-0.9, 0.9, -0.45, 9), circle(0, 0.05, 0.55, fill=0.85), arc(0, 1.2, 1.75, 255, 285))
    picture = picture(level("M", "N"), wheel("N", "radius"))

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on body i")
        N = self.port("N", PLANAR, Side.EFFORT, "on body j", {"y": 0.1})
        radius = self.parameter("radius", 0.0, "m", "radius of the disc; 0 for a point", at_least=0)
        mu = self.parameter("mu", 0.3, "", "coefficient of friction", at_least=0)
        vr = self.parameter(
            "vr", 1e-3, "m/s", "speed of slip at which friction has grown to 71 % of mu times the force", above=0, nominal=1e-3
        )
        height = self.local("height", (N.point - M.point).dot(M.y_axis), "m", "distance of N from the line")
        slip = (N.velocity - M.velocity).dot(M.x_axis) + radius * N.omega + (height - radius) * M.omega
        rate = self.D(height)
        force = contact_force(self, radius - height, -rate)
        v = self.output("slip", slip, "m/s", "velocity of N's material at the contact, relative to the line's")
        rubs = self.output("friction", -mu * force * v / sqrt(v**2 + vr**2), "N", "friction on N along the line")
        for port in (M, N):
            self.gives(port, *efforts_of([rate, slip], [force, rubs], port, self.partial))
