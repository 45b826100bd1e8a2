"""Rope between two points."""

from fmu_components.declare.ports import PLANAR
from fmu_components.declare.slack_rope import RopeJoint


class Rope(RopeJoint):
    """Rope: the points M and N are at most `length` apart.

    The multiplier is the tension, at least 0. An impact gives back the share `e` of the speed at which it becomes taut.
    """

    kind = PLANAR
