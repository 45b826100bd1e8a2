"""Spring and damper in series."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, damper, line, spring
from fmu_components.declare.ports import TRANSLATIONAL, Side


class SeriesSpringDamper(Component):
    """Spring and damper in series between two masses on a line (Maxwell): k (q - rest - creep) = b creep'.

    Here q is N.s - M.s, and creep is the extension of the damper. A quick motion finds a spring, a slow one a damper. A constant extension
    relaxes with the time constant b/k.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.75, 0)),
        spring(-0.75, 0.0, 0),
        *damper(0.0, 0.75, 0),
        line((0.75, 0), (0.9, 0)),
    )

    def declare(self):
        M = self.port("M", TRANSLATIONAL, Side.EFFORT, "first mass")
        N = self.port("N", TRANSLATIONAL, Side.EFFORT, "second mass")
        k = self.parameter("k", 1000.0, "N/m", "stiffness", above=0, nominal=1000)
        b = self.parameter("b", 100.0, "N.s/m", "viscous damping", above=0, nominal=100)
        rest = self.parameter("rest", 0.0, "m", "N.s - M.s at rest, without creep")
        creep = self.state("creep", 0.0, "m", "extension of the damper")
        q = self.output("q", N.s - M.s, "m", "position of N relative to M")
        pull = self.output("tension", k * (q - rest - creep), "N", "force with which they pull N towards M")
        self.rate(creep, pull / b)
        self.gives(M, pull)
        self.gives(N, -pull)
        self.output("energy", k * (q - rest - creep) ** 2 / 2, "J", "energy stored in the spring")
        self.output("loss", pull**2 / b, "W", "power dissipated in the damper")
