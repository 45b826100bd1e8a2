"""A point with mass."""

from sympy import Matrix, eye

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle
from fmu_components.declare.picture import ball, picture
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import vector


class PointMass1(Component):
    """Point mass in space: three coordinates, and no rotation.

    The port is at the mass; the axes of its frame are the absolute ones. It takes no torque: joints that give one there are refused. A rod,
    a spring or a guide of a point fit, and a spherical joint without spring and damper.
    """

    drawing = Drawing(circle(0, 0, 0.3, fill=0.0))
    picture = picture(ball("p1"))

    def declare(self):
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        g = vector(self, self.parameter, "g%", (0, 0, -9.81), "m/s2", "gravity along the absolute % axis", nominal=10)
        r = vector(self, self.state, "%", (0, 0, 0), "m", "absolute % of the mass")
        v = vector(self, self.state, "v%", (0, 0, 0), "m/s", "absolute % velocity of the mass")
        p1 = self.port("p1", SPATIAL, Side.MOTION, "the point", torque_free=True)
        for state, rate in zip([*r, *v], [*v, *(m * g + Matrix(p1.efforts[:3])) / m], strict=True):
            self.rate(state, rate)
        self.moves(p1, *r, 0, 0, 0, *eye(3))
        self.output("energy.kinetic", m * v.dot(v) / 2, "J", "kinetic energy")
        self.output("energy.potential", -m * g.dot(r), "J", "potential energy in the field of gravity, zero at the origin")
