"""A shaft without inertia."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, line
from fmu_components.declare.massless import solved_from_outside
from fmu_components.declare.ports import ROTATIONAL, Side


class MasslessShaft(Component):
    """Shaft without inertia: the torques at its flange balance at any time.

    It connects what gives torque with what gives torque, such as a motor with a gear. Its acceleration is the one for which the torques balance,
    so that one of them has to depend on it: that of a gear or a rigid coupling.
    """

    drawing = Drawing(line((-0.9, 0), (0.6, 0), width=0.12), arc(0.6, 0, 0.4, -60, 60), arrowhead(0.8, 0.35, 150))

    def declare(self):
        phi = self.state("phi", 0.0, "rad", "angle")
        w = self.state("w", 0.0, "rad/s", "angular velocity")
        flange = self.port("flange", ROTATIONAL, Side.MOTION, "the shaft")
        self.rate(phi, w)
        solved_from_outside(self, {"alpha": (w, "angular acceleration", flange.tau)})
        self.moves(flange, phi)
