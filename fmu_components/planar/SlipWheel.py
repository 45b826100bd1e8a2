"""Tyre on the plane itself."""

from sympy import Max

from fmu_components.declare.adhesion import speeds
from fmu_components.declare.icon import Drawing, line
from fmu_components.planar.FrictionWheel import FrictionWheel
from fmu_components.planar.IdealWheel import WHEEL


class SlipWheel(FrictionWheel):
    """Tyre: it stands upright on the plane, rolls along the axis x of M, and friction grows with its slip relative to how fast it rolls.

    As FrictionWheel, with speeds of slip for adhesion and sliding that are in proportion to radius times the speed of the axle, and not less than
    two given ones.
    """

    drawing = Drawing(
        *WHEEL,
        line((0, 0), (0, 0.75), width=0.12),
        line((-0.5, -0.8), (-0.3, -0.45), (0.1, -0.55), (0.6, -0.55)),
        line((-0.6, -0.8), (0.7, -0.8), width=0.04),
    )

    def speeds(self, rolling):
        least, slowest = speeds(self, ", when the wheel hardly rolls")
        grip = self.parameter("adhesion.slip", 0.04, "", "slip over rolling speed at which friction is greatest", above=0, nominal=0.1)
        slide = self.parameter("sliding.slip", 0.12, "", "slip over rolling speed from which on all slides", above=0, nominal=0.1)
        self.require(slide - grip, "sliding.slip is greater than adhesion.slip")
        return Max(least, grip * rolling), Max(slowest, slide * rolling)
