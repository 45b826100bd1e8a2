"""Double translational joint (Part II, equations 18 to 22)."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.joint import Joint, same_direction
from fmu_components.declare.picture import guide, picture


class DoubleTranslational(Joint):
    """Double translational joint: the orientation is fixed, both translations are free.

    The constraint is x_jl.y_il = 0. Springs and dampers act along the axes x (translation1) and y (translation2) of M.
    """

    drawing = Drawing(
        line((-0.95, 0), (0.2, 0), width=0.16),
        line((0, -0.6), (0, 0.6), width=0.16),
        box(-0.25, -0.25, 0.25, 0.25, fill=0.85),
        line((0, 0.6), (0.95, 0.6), (0.95, 0)),
    )
    picture = picture(guide("M", "N", "x"), guide("N", "M", "y"))

    def constraint(self, M, N):
        return [N.x_axis.dot(M.y_axis)]

    def freedoms(self, M, N):
        MN = N.point - M.point
        return {"translation1": MN.dot(M.x_axis), "translation2": MN.dot(M.y_axis)}

    def validity(self, M, N):
        return [same_direction(M, N)]
