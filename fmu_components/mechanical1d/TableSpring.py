"""Spring and damper by tables, between translational flanges."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, axes, line
from fmu_components.declare.ports import TRANSLATIONAL, Side
from fmu_components.mechanical1d.SpringDamper1D import SpringDamper1D


class TableSpring(Component):
    """Spring and damper by tables between two masses on a line: tension = force(q - rest) + damping(qd).

    The tables `force` and `damping` have any number of points. With q = N.s - M.s, a positive tension pulls N towards M. Beyond a table
    its last value is held.
    """

    kind = TRANSLATIONAL
    names = ("s", "v", "mass", "masses", "force")
    units = ("m", "m/s", "N")
    usual = ((-0.1, 0.0, 0.1), (-100.0, 0.0, 100.0))
    drawing = Drawing(
        *SpringDamper1D.drawing.shapes,
        *axes(-0.85),
        line((-0.5, -0.85), (-0.2, -0.6), (0.1, -0.55), (0.5, 0.75), width=0.1),
    )

    def declare(self):
        place, rate, flange, flanges, effort = self.names
        length, speed, strength = self.units
        M = self.port("M", self.kind, Side.EFFORT, f"first {flange}")
        N = self.port("N", self.kind, Side.EFFORT, f"second {flange}")
        curve = self.table("force", self.usual, (length, strength), f"{effort} by deflection")
        damping = self.table("damping", ((-1.0, 1.0), (0.0, 0.0)), (speed, strength), f"{effort} by rate of deflection")
        rest = self.parameter("rest", 0.0, length, f"N.{place} - M.{place} at deflection 0")
        q = self.output("q", getattr(N, place) - getattr(M, place), length, "position of N relative to M")
        qd = self.output("qd", getattr(N, rate) - getattr(M, rate), speed, "velocity of N relative to M")
        pull = self.output("tension", curve(q - rest) + damping(qd), strength, f"{effort} with which spring and damper pull N towards M")
        self.gives(M, pull)
        self.gives(N, -pull)
        self.output("power", -pull * qd, "W", f"power that spring and damper give to the {flanges}")
