"""Permanent-magnet synchronous motor."""

from sympy import Rational

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.ports import ROTATIONAL, Side


class PMSM(Component):
    """Permanent-magnet synchronous motor in the frame of its rotor, with reluctance torque.

    Voltages and currents along the axes d and q are amplitudes of the phases, so that the power is 3/2 (vd id + vq iq). The torque is
    3/2 pole_pairs (flux iq + (Ld - Lq) id iq). The inertia of the rotor is that of the shaft that is connected.
    """

    drawing = Drawing(
        circle(0, 0, 0.7, fill=0.85),
        circle(0, 0, 0.45, fill=1.0),
        box(-0.12, 0.05, 0.12, 0.35, fill=0.0),
        box(-0.12, -0.35, 0.12, -0.05, fill=0.7),
        line((-0.7, 0), (-0.9, 0), width=0.16),
    )

    def declare(self):
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "the shaft")
        vd = self.input("vd", 0.0, "V", "voltage along the axis d, that of the magnets")
        vq = self.input("vq", 0.0, "V", "voltage along the axis q")
        pole_pairs = self.parameter("pole_pairs", 4.0, "", "pairs of poles", above=0)
        flux = self.parameter("flux", 0.01, "Wb", "flux of the magnets through a phase", at_least=0, nominal=0.01)
        Ld = self.parameter("Ld", 2e-4, "H", "inductance along d", above=0, nominal=1e-4)
        Lq = self.parameter("Lq", 2e-4, "H", "inductance along q", above=0, nominal=1e-4)
        R = self.parameter("R", 0.05, "Ohm", "resistance of a phase", above=0, nominal=0.1)
        id_ = self.state("id", 0.0, "A", "current along d")
        iq = self.state("iq", 0.0, "A", "current along q")
        w = self.local("w", pole_pairs * flange.w, "rad/s", "electrical angular velocity")
        self.rate(id_, (vd - R * id_ + w * Lq * iq) / Ld)
        self.rate(iq, (vq - R * iq - w * (Ld * id_ + flux)) / Lq)
        three_halves = Rational(3, 2)
        self.gives(flange, three_halves * pole_pairs * (flux + (Ld - Lq) * id_) * iq)
        self.output("current.d", id_, "A", "current along d")
        self.output("current.q", iq, "A", "current along q")
        self.output("speed", flange.w, "rad/s", "angular velocity of the shaft")
        self.output("energy", three_halves * (Ld * id_**2 + Lq * iq**2) / 2, "J", "energy stored in the field of the currents")
        self.output("loss", three_halves * R * (id_**2 + iq**2), "W", "power that becomes heat")
        self.output("taken", three_halves * (vd * id_ + vq * iq), "W", "electrical power taken")
        self.output("power", flange.tau * flange.w, "W", "power given to the shaft")
