"""Contact between two masses on a line that gives way."""

from fmu_components.declare.component import Component
from fmu_components.declare.contact import contact_force
from fmu_components.declare.icon import Drawing, arc, line
from fmu_components.declare.ports import TRANSLATIONAL, Side


class CompliantContact(Component):
    """Contact that gives way (Hunt and Crossley): N is pushed up where N.s - M.s is less than `gap`, by k depth^n (1 + c rate).

    The damping c follows from the coefficient of restitution `e` at the speed `speed`, whatever the masses; it grows from 0
    with the depth, so that the force is continuous, and it never pulls.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.5, 0)),
        arc(-0.75, 0, 0.7, -40, 40),
        line((0.9, 0), (0.5, 0)),
        arc(0.75, 0, 0.7, 140, 220),
    )

    def declare(self):
        M = self.port("M", TRANSLATIONAL, Side.EFFORT, "lower side")
        N = self.port("N", TRANSLATIONAL, Side.EFFORT, "upper side")
        gap = self.parameter("gap", 0.0, "m", "N.s - M.s at which they touch")
        force = contact_force(self, gap - (N.s - M.s), M.v - N.v)
        self.gives(M, -force)
        self.gives(N, force)
