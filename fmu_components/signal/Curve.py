"""Function of a signal by a table."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, axes, circle, line

_CURVE = ((-0.5, -0.4), (-0.2, 0.2), (0.2, 0.35), (0.6, 0.6))


class Curve(Component):
    """Characteristic curve: y is a function of u by the table `curve`, linear or monotone cubic between its points.

    Beyond the points y keeps the value of the end. A table of the kind "periodic linear" or "periodic cubic" is repeated, such as the gas
    force of an engine over two turns of its crank. In a closed loop no event is needed at corners: the solvers' error control finds them.
    """

    drawing = Drawing(*axes(-0.6), line(*_CURVE), *(circle(x, y, 0.09, fill=0.85) for x, y in _CURVE))

    def declare(self):
        curve = self.table("curve", ((0, 1), (0, 1)), ("", ""), "y by u")
        self.output("y", curve(self.input("u", 0.0, "", "the signal at which the curve is read")), "", "value of the curve")
