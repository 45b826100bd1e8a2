"""Spring and damper by tables, between rotational flanges."""

from fmu_components.declare.icon import Drawing, arc, arrowhead
from fmu_components.declare.ports import ROTATIONAL
from fmu_components.mechanical1d.TableSpring import TableSpring


class RotationalTableSpring(TableSpring):
    """Spring and damper by tables between two shafts: tension = force(q - rest) + damping(qd).

    The tables `force` and `damping` give torques and have any number of points. With q = N.phi - M.phi, a positive tension turns N towards
    M. Beyond a table its last value is held; a table of the kind "periodic cubic" repeats itself, as a detent does.
    """

    kind = ROTATIONAL
    names = ("phi", "w", "shaft", "shafts", "torque")
    units = ("rad", "rad/s", "N.m")
    usual = ((-0.5, 0.0, 0.5), (-50.0, 0.0, 50.0))
    drawing = Drawing(*TableSpring.drawing.shapes, arc(0, 0.15, 0.68, 50, 130), arrowhead(-0.44, 0.67, 220), arrowhead(0.44, 0.67, -40))
