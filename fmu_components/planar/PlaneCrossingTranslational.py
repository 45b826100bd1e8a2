"""Joint between two motion planes, with a translation in one of them (Part II, equations 33 to 37)."""

from sympy import Matrix

from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import picture, pin, rail
from fmu_components.planar.PlaneCrossing import PlaneCrossing


class PlaneCrossingTranslational(Joint):
    """Plane crossing with a translation: N stays on the line where the planes cross, and lies on the axis of M.

    The common axis x of both planes is that line; y of each port is measured in its own plane. The angle between the planes
    is not in the constraint, so one joint serves every angle but 0. Springs and dampers act along the axis of M (translation1),
    along the line (translation2) and on the angle of each body in its own plane (rotation1, rotation2).
    """

    drawing = Drawing(
        *PlaneCrossing.drawing.shapes[:4],
        line((-0.5, -0.26), (0.05, 0.02), width=0.12),
        box(-0.15, -0.12, 0.25, 0.16, fill=1.0),
        circle(0.05, 0.02, 0.06, fill=0.0),
    )
    picture = picture(rail("M", "N", "x"), pin("N"))

    @staticmethod
    def _seen_in_the_plane_of_M(M, N):
        """MN where N lies on the line: its y, which is measured in the other plane, is 0 there."""
        return Matrix([N.x - M.x, -M.y])

    def constraint(self, M, N):
        return [self._seen_in_the_plane_of_M(M, N).dot(M.y_axis), N.y]

    def freedoms(self, M, N):
        return {
            "translation1": self._seen_in_the_plane_of_M(M, N).dot(M.x_axis),
            "translation2": N.x,
            "rotation1": M.theta,
            "rotation2": N.theta,
        }
