"""Rope over pulleys in space."""

from fmu_components.declare.ports import SPATIAL
from fmu_components.declare.rope import RopeOverPulleys


class PulleyRope(RopeOverPulleys):
    """Rope over pulleys in space: a massless rope of constant length from M over the points A and B to N.

    The pulleys are points on bodies, without friction and radius; for one pulley A and B are the same. The constraint is
    length - |MA| - |AB| - ratio |BN| = 0, its multiplier the tension; between B and N the rope pulls `ratio` times, as a tackle does. It holds both
    ways, so that a negative tension says that a real rope would be slack.
    """

    kind = SPATIAL
