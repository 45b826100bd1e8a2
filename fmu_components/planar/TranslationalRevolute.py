"""Translational-revolute joint (Part II, equations 23 to 27)."""

from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import picture, pin, rail


class TranslationalRevolute(Joint):
    """Translational-revolute joint: the point M lies on the axis x of N, and both bodies turn freely.

    The constraint is MN.y_jl = 0. For a point of the other body on an axis of this one, connect the ports the other way
    round. A spring and a damper act along the axis, on the coordinate of M along it (translation), others along the rotation.
    """

    drawing = Drawing(
        line((-0.1, 0), (0.95, 0), width=0.16),
        box(-0.4, -0.3, 0.4, 0.3, fill=0.85),
        circle(0, 0, 0.16, fill=1.0),
        line((-0.95, 0), (-0.16, 0), width=0.16),
    )
    picture = picture(rail("N", "M", "x"), pin("M"))

    def constraint(self, M, N):
        return [(N.point - M.point).dot(N.y_axis)]

    def freedoms(self, M, N):
        return {"translation": (M.point - N.point).dot(N.x_axis), "rotation": N.theta - M.theta}
