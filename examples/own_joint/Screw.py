"""A joint that the catalogue does not have; this file is all that it takes."""

from jourdain import Joint
from jourdain.icon import Drawing, arc, arrowhead, box, line


class Screw(Joint):
    """Screw in the plane: N slides along the axis of M and turns in proportion to its travel, as a pinion does on a rack.

    The constraint is MN.y_il = 0 and MN.x_il - pitch (thetaN - thetaM) = 0. The first multiplier is the force at right angles to the
    axis on body j, the second the force along it. A spring and a damper act on the travel.
    """

    drawing = Drawing(
        line((-0.9, 0), (0.9, 0), width=0.2),
        *(line((i / 5 - 0.85, -0.18), (i / 5 - 0.75, 0.18)) for i in range(9)),
        box(-0.3, -0.35, 0.3, 0.35, fill=0.85),
        arc(0, 0, 0.55, 50, 130),
        arrowhead(0.35, 0.42, -40),
    )

    def constraint(self, M, N):
        pitch = self.parameter("pitch", 0.01, "m/rad", "travel per angle", nominal=0.01)
        MN = N.point - M.point
        return [MN.dot(M.y_axis), MN.dot(M.x_axis) - pitch * (N.theta - M.theta)]

    def freedoms(self, M, N):
        return {"translation": (N.point - M.point).dot(M.x_axis)}

    def validity(self, M, N):
        return [(self["pitch"] ** 2, "the pitch is not 0")]
