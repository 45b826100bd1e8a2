"""Loop closure in space: stiffness and damping matrices between two frames."""

from sympy import Matrix, Piecewise, asin, atan2

from fmu_components.declare.component import Component
from fmu_components.declare.differentiate import efforts_of
from fmu_components.declare.drawings import BUSHING
from fmu_components.declare.matrices import symmetric
from fmu_components.declare.picture import bush, picture
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import rotation_vector, vector

UNITS = ("m",) * 3 + ("rad",) * 3
STARTS = (1e6,) * 3 + (1e4,) * 3


def euler_angles(R: Matrix) -> Matrix:
    """Returns the angles about x, y and z of the sequence z, y, x."""
    return Matrix([atan2(R[2, 1], R[2, 2]), -asin(R[2, 0]), atan2(R[1, 0], R[0, 0])])


class LoopClosure(Component):
    """Loop closure in space: stiffness matrix K and damping matrix D between M and N.

    The displacement q has six entries: MN along the axes of M, and the rotation of N against M about these axes. The efforts are -K q - D qd.
    Both matrices are symmetric; the parameters are their upper triangles. The rotation is a rotation vector: forces and torques are those of the
    energy stored. With ``euler`` it is the difference of the Euler angles of N and M in the sequence z, y, x, as TITOP models have it. This
    difference is a rotation only where all these angles are small, and it stores no energy. A stiff closure approaches a weld.
    """

    drawing = BUSHING
    picture = picture(bush("M", "N"))

    def declare(self):
        M = self.port("M", SPATIAL, Side.EFFORT, "on body i")
        N = self.port("N", SPATIAL, Side.EFFORT, "on body j")
        K = symmetric(self, "K", UNITS, "", STARTS, "stiffness matrix")
        D = symmetric(self, "D", UNITS, ".s", (0.0,) * 6, "damping matrix")
        euler = self.option("euler", False, "the rotation is the difference of Euler angles, which holds for small angles alone")
        turn, difference = rotation_vector(self, M, N), euler_angles(N.R) - euler_angles(M.R)
        omega = M.R.T * (N.omega - M.omega)
        rotation = [Piecewise((by_euler, euler), (by_vector, True)) for by_euler, by_vector in zip(difference, turn, strict=True)]
        rates = [Piecewise((w, euler), (self.D(by_vector), True)) for w, by_vector in zip(omega, turn, strict=True)]
        translation = M.R.T * (N.point - M.point)
        q = [*vector(self, self.output, "translation.%", translation, "m", "translation along the axis % of M")]
        q += vector(self, self.output, "rotation.%", rotation, "rad", "rotation about the axis % of M")
        qd = [*vector(self, self.output, "translation.%d", [self.D(each) for each in q[:3]], "m/s", "rate of translation.%")]
        qd += vector(self, self.output, "rotation.%d", rates, "rad/s", "rate of rotation.%")
        effort = -K * Matrix(q) - D * Matrix(qd)
        efforts = [*vector(self, self.output, "force%", effort[:3], "N", "force on translation.%, towards larger values")]
        efforts += vector(self, self.output, "torque%", effort[3:], "N.m", "torque on rotation.%, towards larger values")
        for port in (M, N):
            self.gives(port, *efforts_of(qd, efforts, port, self.partial))
        self.output("energy", Matrix(q).dot(K * Matrix(q)) / 2, "J", "energy stored in the springs")
        self.output("power", Matrix(qd).dot(Matrix(efforts)), "W", "power that all give to the bodies")
