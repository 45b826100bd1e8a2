"""Rotational inertia."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, box, line
from fmu_components.declare.ports import ROTATIONAL, Side


class Inertia(Component):
    """Inertia that turns about a fixed axis, under the sum of the torques at its flange."""

    drawing = Drawing(
        line((-0.9, 0), (0.6, 0), width=0.16), box(-0.25, -0.6, 0.25, 0.6, fill=0.85), arc(0.6, 0, 0.4, -60, 60), arrowhead(0.8, 0.35, 150)
    )

    def declare(self):
        I = self.parameter("I", 1.0, "kg.m2", "moment of inertia about the axis", above=0)  # noqa: E741
        phi = self.state("phi", 0.0, "rad", "angle")
        w = self.state("w", 0.0, "rad/s", "angular velocity")
        flange = self.port("flange", ROTATIONAL, Side.MOTION, "the shaft")
        self.rate(phi, w)
        self.rate(w, flange.tau / I)
        self.moves(flange, phi)
        self.output("energy.kinetic", I * w**2 / 2, "J", "kinetic energy")
