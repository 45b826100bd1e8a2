"""Drawings for the icons of components: ``drawing = Drawing(box(-1, -1, 1, 1), circle(0, 0, 0.5))``."""

from fmu_components.declare.icon import (
    Circle,
    Drawing,
    Line,
    arc,
    arrowhead,
    axes,
    box,
    circle,
    damper,
    gearwheel,
    ground,
    line,
    spring,
)

__all__ = ["Circle", "Drawing", "Line", "arc", "arrowhead", "axes", "box", "circle", "damper", "gearwheel", "ground", "line", "spring"]
