"""Massless rod between two points."""

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.picture import picture, rod
from fmu_components.declare.space import SpatialJoint


class Rod(SpatialJoint):
    """Rod: a massless rod keeps the distance of M and N.

    The constraint is (MN.MN - L^2)/(2 L) = 0, which has the size of a length; its multiplier is the force along the rod where
    the distance is L, positive where the rod pushes.
    """

    drawing = Drawing(line((-0.7, -0.3), (0.7, 0.3), width=0.14), circle(-0.7, -0.3, 0.2, fill=0.85), circle(0.7, 0.3, 0.2, fill=0.85))
    picture = picture(rod("M", "N"))
    starts_N = {"x": 1.0}

    def constraint(self, M, N):
        MN = N.point - M.point
        length = self.parameter("length", 1.0, "m", "length of the rod", above=0)
        return [(MN.dot(MN) - length**2) / (2 * length)]

    def validity(self, M, N):
        MN = N.point - M.point
        return [(MN.dot(MN), "M lies apart from N, since the rod has a direction")]
