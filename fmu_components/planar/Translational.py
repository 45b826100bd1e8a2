"""Translational joint (Part I, section 3.3)."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.joint import Joint, same_direction


class Translational(Joint):
    """Translational joint: N slides along the axis x of M, and the two joint frames stay parallel.

    Of the two forms in Part I this is the second: MN.y_il = 0 and x_jl.y_il = 0. The symmetric one (equations 21) loses a
    rank where M and N coincide and allows any angle there. A spring and a damper act on q = MN.x_il, which has a sign.
    """

    drawing = Drawing(box(-0.45, -0.35, 0.45, 0.35, fill=0.85), line((-0.95, 0), (0.95, 0), width=0.2), line((-0.45, 0.35), (0.45, 0.35)))

    def constraint(self, M, N):
        MN = N.point - M.point
        return [MN.dot(M.y_axis), N.x_axis.dot(M.y_axis)]

    def freedoms(self, M, N):
        return {"translation": (N.point - M.point).dot(M.x_axis)}

    def validity(self, M, N):
        return [same_direction(M, N)]
