"""Joint between two motion planes (Part II, equations 28 to 32)."""

from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import picture, pin


class PlaneCrossing(Joint):
    """Plane crossing: M moves in one plane, N in another; both coincide on the line where the planes cross.

    The common axis x of both planes is that line; y of each port is measured in its own plane. The angle between the planes
    is not in the constraint, so one joint serves every angle but 0, where the planes are one and a revolute joint is meant.
    Springs and dampers act along the line (translation) and on the angle of each body in its own plane (rotation1, rotation2).
    """

    drawing = Drawing(
        line((-0.6, 0), (0.6, 0), (0.9, 0.35), (-0.3, 0.35), (-0.6, 0), fill=0.95),
        box(-0.6, -0.65, 0.6, 0.65, fill=0.8),
        line((-0.9, -0.35), (0.3, -0.35), (0.6, 0), (-0.6, 0), (-0.9, -0.35), fill=0.95),
        line((-0.6, 0), (0.6, 0), width=0.12),
        circle(0, 0, 0.13, fill=1.0),
    )
    picture = picture(pin("N"))

    def constraint(self, M, N):
        return [N.x - M.x, M.y, N.y]

    def freedoms(self, M, N):
        return {"translation": M.x, "rotation1": M.theta, "rotation2": N.theta}
