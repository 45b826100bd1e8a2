"""Point follower on a cam whose profile is a table."""

from math import cos, pi

from sympy import Abs

from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.functions import InSI
from fmu_components.declare.icon import Drawing, circle
from fmu_components.declare.picture import picture, pin
from fmu_components.declare.tables import Item
from fmu_components.planar.CamFollower import CamFollower

_POINTS = 72
_ROUNDED = 1e-4
"""Difference of the table from one turn, in rad, as of angles that a file gives with four decimals."""


class TableCam(CamFollower):
    """Cam follower by a table: the point N follows a profile about M with the radius base + lift(angle), by the table `lift`.

    The table covers one turn of the cam, in rad, and its last value is the first one again: it is of the kind "periodic smooth". Slope and
    curvature of the profile are continuous, therefore forces do not jump. A table of the kind "periodic cubic" rises and falls with its
    points only, but forces jump there. A negative multiplier means that a real follower would lift off.
    """

    drawing = Drawing(*CamFollower.drawing.shapes, *(circle(x, y, 0.06, fill=0.0) for x, y in ((-0.35, 0.4), (-0.75, 0.0), (-0.35, -0.4))))
    picture = picture(pin("N"))

    def profile(self, angle):
        """Declares the table, and returns the radius of the cam in a direction of its frame."""
        base = self.parameter("base", 0.05, "m", "radius of the base circle, to which the lift is added", at_least=0, nominal=0.05)
        angles = [2 * pi * k / _POINTS for k in range(_POINTS + 1)]
        lifts = [0.005 * (1 - cos(each)) for each in angles[:-1]]
        lift = self.table("lift", (angles, [*lifts, lifts[0]]), ("rad", "m"), "lift of the profile by angle", kind="periodic smooth")
        if lift.kind not in ("periodic smooth", "periodic cubic"):
            raise DeclarationError(f"the table 'lift' of {self._name} has kind = '{lift.kind}'; give 'periodic smooth' or 'periodic cubic'")
        turn = Item(-1, lift.arrays[0]) - Item(0, lift.arrays[0])
        self.require(_ROUNDED - Abs(InSI(turn) - 2 * pi), "the angles of lift are in rad and cover one turn, 2 pi")
        return base + lift(angle)
