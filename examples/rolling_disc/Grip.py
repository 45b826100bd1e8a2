"""A joint for the other stage of the rolling disc."""

from jourdain import Joint


class Grip(Joint):
    """Grip: the velocity of N along the axis of M is that of a disc that rolls there; where it comes to is nobody's concern."""

    def velocity_constraint(self, M, N):
        radius = self.parameter("radius", 0.3, "m", "radius of the disc", above=0)
        return [(N.velocity - M.velocity).dot(M.x_axis) + radius * N.omega]
