"""Icons that a part of the plane shares with the one in space."""

from fmu_components.declare.icon import Drawing, arrowhead, box, circle, line, spring

DRAG = Drawing(
    circle(0.25, 0, 0.4, fill=0.85),
    *(line((-0.85, y), (-0.3, y)) for y in (-0.4, 0.0, 0.4)),
    *(arrowhead(-0.3, y, 0, 0.2) for y in (-0.4, 0.0, 0.4)),
    circle(0.25, 0, 0.1, fill=1.0),
)

BUSHING = Drawing(
    circle(0, 0, 0.8, fill=0.85),
    circle(0, 0, 0.3, fill=1.0),
    spring(-0.8, -0.3, 0.0),
    spring(0.3, 0.8, 0.0),
    line((0, 0.3), (0, 0.8), width=0.1),
    line((0, -0.8), (0, -0.3), width=0.1),
)

FOLLOWER = Drawing(
    line((-0.5, -0.7), (0.2, -0.5), (0.0, 0.1), (-0.7, -0.1), (-0.5, -0.7), fill=0.85),
    line((-0.25, -0.3), (0.55, 0.45), width=0.12),
    arrowhead(0.6, 0.5, 43, 0.34, width=0.12),
    box(-0.33, -0.38, -0.17, -0.22, fill=1.0),
)
