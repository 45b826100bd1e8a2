"""Rope over pulleys in the plane."""

from fmu_components.declare.icon import Drawing, arc, box, circle, line
from fmu_components.declare.rope import RopeOverPulleys


class PulleyRope(RopeOverPulleys):
    """Rope over pulleys: a massless rope of constant length from M over the points A and B to N.

    The pulleys are points on bodies, without friction and radius; for one pulley A and B are the same. The constraint is
    length - |MA| - |AB| - ratio |BN| = 0, its multiplier the tension; between B and N the rope pulls `ratio` times, as a tackle does. It holds both
    ways, so that a negative tension says that a real rope would be slack.
    """

    drawing = Drawing(
        line((-0.6, -0.5), (-0.6, 0.3)),
        arc(-0.35, 0.3, 0.25, 90, 180),
        line((-0.35, 0.55), (0.35, 0.55)),
        arc(0.35, 0.3, 0.25, 0, 90),
        line((0.6, 0.3), (0.6, -0.5)),
        circle(-0.35, 0.3, 0.25),
        circle(0.35, 0.3, 0.25),
        box(-0.75, -0.8, -0.45, -0.5, fill=0.85),
        box(0.45, -0.8, 0.75, -0.5, fill=0.85),
    )
