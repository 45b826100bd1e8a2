"""Loop closure in the plane: stiffness and damping matrices between two frames."""

from sympy import Matrix

from fmu_components.declare.component import Component
from fmu_components.declare.differentiate import efforts_of
from fmu_components.declare.drawings import BUSHING
from fmu_components.declare.matrices import symmetric
from fmu_components.declare.picture import bush, picture
from fmu_components.declare.ports import PLANAR, Side

UNITS = ("m", "m", "rad")
STARTS = (1e6, 1e6, 1e4)


class LoopClosure(Component):
    """Loop closure in the plane: stiffness matrix K and damping matrix D between M and N.

    The displacement q has three entries: MN along the axes of M, and the angle of N less that of M. The efforts are -K q - D qd. Both matrices
    are symmetric; the parameters are their upper triangles. Forces and torques are those of the energy stored. A stiff closure approaches a weld.
    """

    drawing = BUSHING
    picture = picture(bush("M", "N"))

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on body i")
        N = self.port("N", PLANAR, Side.EFFORT, "on body j")
        K = symmetric(self, "K", UNITS, "", STARTS, "stiffness matrix")
        D = symmetric(self, "D", UNITS, ".s", (0.0,) * 3, "damping matrix")
        MN = N.point - M.point
        values = {
            "translation.x": (MN.dot(M.x_axis), "m"),
            "translation.y": (MN.dot(M.y_axis), "m"),
            "rotation": (N.theta - M.theta, "rad"),
        }
        q = Matrix([self.output(name, value, unit, f"{name} in the frame of M") for name, (value, unit) in values.items()])
        qd = Matrix(
            [
                self.output(f"{name}d", self.D(each), f"{unit}/s", f"rate of {name}")
                for each, (name, (_, unit)) in zip(q, values.items(), strict=True)
            ]
        )
        named = (("forcex", "N"), ("forcey", "N"), ("torque", "N.m"))
        efforts = Matrix(
            [
                self.output(name, equation, unit, f"{name} on N against M, towards larger values")
                for equation, (name, unit) in zip(-K * q - D * qd, named, strict=True)
            ]
        )
        for port in (M, N):
            self.gives(port, *efforts_of(list(qd), list(efforts), port, self.partial))
        self.output("energy", q.dot(K * q) / 2, "J", "energy stored in the springs")
        self.output("power", qd.dot(efforts), "W", "power that all give to the bodies")
