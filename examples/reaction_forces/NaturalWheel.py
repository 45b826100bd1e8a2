"""Constraints of a wheel in natural coordinates."""

from sympy import Matrix

from jourdain import Joint
from jourdain.declare import SPATIAL, Side


class NaturalWheel(Joint):
    """Wheel in natural coordinates: the centre P, and the tips of its unit vectors, as seen from the origin.

    Six constraints keep the vectors at right angles and of length 1, and one keeps P at its height above the plane z = 0. The last three let
    the wheel roll: the velocity of P is r X' X^T n, where X has the vectors as columns. The one along n repeats the height.
    """

    def ends(self):
        where = {"P": (0, 0, 0.5), "u": (1, 0, 0), "v": (0, 1, 0), "w": (0, 0, 1)}
        return [
            self.port(name, SPATIAL, Side.EFFORT, f"point {name}", dict(zip("xyz", place, strict=True))) for name, place in where.items()
        ]

    def constraint(self, P, u, v, w):
        one = self.parameter("unit", 1.0, "m", "length of the unit vectors", above=0)
        radius = self.parameter("radius", 0.5, "m", "radius of the wheel", above=0)
        lengths = [each.point.dot(each.point) - one**2 for each in (u, v, w)]
        angles = [a.point.dot(b.point) for a, b in ((u, v), (u, w), (v, w))]
        return [*lengths, *angles, P.point[2] - radius]

    def velocity_constraint(self, P, u, v, w):
        across = sum((each.velocity * each.point[2] for each in (u, v, w)), Matrix([0, 0, 0])) / self["unit"] ** 2
        return list(P.velocity - self["radius"] * across)
