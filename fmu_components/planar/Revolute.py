"""Revolute joint (Part II, equations 13 to 17)."""

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.joint import Joint


class Revolute(Joint):
    """Revolute joint: the points M and N coincide, the bodies turn freely about them.

    The constraint is MN = 0, along both absolute axes. A spring and a damper act along the rotation.
    """

    drawing = Drawing(
        line((-0.9, 0), (0, 0), width=0.2), line((0, 0), (0.9, 0), width=0.2), circle(0, 0, 0.35, fill=0.85), circle(0, 0, 0.1, fill=0.0)
    )

    def constraint(self, M, N):
        MN = N.point - M.point
        return [MN[0], MN[1]]

    def freedoms(self, M, N):
        return {"rotation": N.theta - M.theta}
