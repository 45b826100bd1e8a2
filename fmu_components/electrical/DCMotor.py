"""Direct-current motor."""

from fmu_components.declare.component import Component
from fmu_components.declare.heat import by_temperature
from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.ports import ELECTRICAL, ROTATIONAL, Side


class DCMotor(Component):
    """Direct-current motor with a constant field: L i' = v - R i - k w, and the torque k i on its shaft.

    The inertia of the rotor is that of the shaft that is connected. As a generator it works the same way.
    """

    drawing = Drawing(
        circle(0, 0, 0.55, fill=0.85),
        box(-0.15, 0.5, 0.15, 0.75, fill=0.0),
        box(-0.15, -0.75, 0.15, -0.5, fill=0.0),
        line((-0.22, -0.25), (-0.22, 0.25), (0, -0.05), (0.22, 0.25), (0.22, -0.25)),
        line((0.55, 0), (0.9, 0), width=0.16),
    )

    def declare(self):
        pin = self.port("pin", ELECTRICAL, Side.EFFORT, "the armature")
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "the shaft")
        R = by_temperature(self, self.parameter("R", 0.5, "Ohm", "resistance of the armature", above=0))
        L = self.parameter("L", 1e-3, "H", "inductance of the armature", above=0, nominal=1e-3)
        k = self.parameter("k", 0.05, "N.m/A", "torque per current, which is voltage per angular velocity", nominal=0.1)
        i = self.state("i", 0.0, "A", "current")
        emf = self.output("emf", k * flange.w, "V", "voltage that the rotation induces")
        self.rate(i, (pin.v - R * i - emf) / L)
        self.gives(pin, -i)
        self.gives(flange, k * i)
        self.output("current", i, "A", "current")
        self.output("energy", L * i**2 / 2, "J", "energy stored in the field of the armature")
        self.output("loss", R * i**2, "W", "power that becomes heat")
        self.output("power", flange.tau * flange.w, "W", "power given to the shaft")
