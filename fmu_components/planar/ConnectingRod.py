"""Massless connecting rod (named as future work in Part II)."""

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import picture, rod


class ConnectingRod(Joint):
    """Connecting rod: a massless rod keeps the distance of M and N.

    The constraint is (MN.MN - L^2)/(2 L) = 0, which has the size of a length; its multiplier is the force along the rod where
    the distance is L, positive where the rod pushes.
    """

    drawing = Drawing(
        line((-0.65, 0), (0.65, 0), width=0.16),
        circle(-0.65, 0, 0.2, fill=0.85),
        circle(0.65, 0, 0.2, fill=0.85),
        circle(-0.65, 0, 0.08, fill=1.0),
        circle(0.65, 0, 0.08, fill=1.0),
    )
    picture = picture(rod("M", "N"))
    starts_N = {"x": 1.0}

    def constraint(self, M, N):
        MN = N.point - M.point
        length = self.parameter("length", 1.0, "m", "length of the rod", above=0)
        return [(MN.dot(MN) - length**2) / (2 * length)]

    def validity(self, M, N):
        MN = N.point - M.point
        return [(MN.dot(MN), "M lies apart from N, since the rod has no direction where they coincide")]
