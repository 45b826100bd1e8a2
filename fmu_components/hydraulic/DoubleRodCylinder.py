"""Cylinder with a rod on both sides."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.hydraulic.Cylinder import Cylinder


class DoubleRodCylinder(Cylinder):
    """Double-rod cylinder: as Cylinder, with a second rod through chamber 1; rods of one diameter make it act alike both ways.

    Oil that enters at A pushes towards growing positions of the flange, oil at B back. The piston's position is that of the flange less `offset`.
    Both rods are one piece: `tail` is the diameter of that through chamber 1.
    """

    drawing = Drawing(
        line((-0.6, -0.9), (-0.6, -0.38)),
        line((0.4, 0.9), (0.4, 0.38)),
        box(-0.7, -0.38, 0.5, 0.38, fill=0.92),
        box(-0.2, -0.36, 0.0, 0.36, fill=0.6),
        line((-0.9, 0), (-0.2, 0), width=0.12),
        line((0.0, 0), (0.9, 0), width=0.16),
    )

    def rods(self, piston):
        rods = [
            self.parameter(name, 0.035, "m", f"diameter of the rod through chamber {k}", at_least=0, nominal=0.1)
            for k, name in ((1, "tail"), (2, "rod"))
        ]
        for rod in rods:
            self.require(piston - rod, f"{rod} is thinner than the piston")
        return rods
