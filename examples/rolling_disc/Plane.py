"""A joint for one stage of the rolling disc; this file is all that it takes."""

from jourdain import Joint


class Plane(Joint):
    """Plane: N stays above the axis of M by a radius, as the centre of a disc that touches it."""

    def constraint(self, M, N):
        radius = self.parameter("radius", 0.3, "m", "radius of the disc", above=0)
        return [(N.point - M.point).dot(M.y_axis) - radius]
