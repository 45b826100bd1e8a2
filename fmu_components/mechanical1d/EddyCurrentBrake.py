"""Eddy-current brake."""

from sympy import Abs

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, box, line
from fmu_components.declare.ports import ROTATIONAL, Side


class EddyCurrentBrake(Component):
    """Eddy-current brake: the torque against the slip w = N.w - M.w is 2 peak x/(1 + x^2) excitation^2, with x = w/critical.

    It grows in proportion to a slow slip, is greatest at the critical one, and falls beyond. It holds nothing at rest. The excitation is the
    current by its rated value.
    """

    drawing = Drawing(
        line((-0.9, 0), (0.9, 0), width=0.12),
        box(-0.08, -0.7, 0.08, 0.7, fill=0.85),
        box(-0.4, 0.35, -0.18, 0.7, fill=0.5),
        box(0.18, 0.35, 0.4, 0.7, fill=0.5),
        arc(0, -0.45, 0.3, 30, 330),
        arrowhead(0.26, -0.3, 120),
    )

    def declare(self):
        M = self.port("M", ROTATIONAL, Side.EFFORT, "the magnets, usually the ground")
        N = self.port("N", ROTATIONAL, Side.EFFORT, "the shaft with the disc")
        peak = self.parameter("peak", 10.0, "N.m", "greatest torque at the rated current", at_least=0, nominal=10)
        critical = self.parameter("critical", 100.0, "rad/s", "slip of the greatest torque", above=0, nominal=100)
        excitation = self.input("excitation", 1.0, "", "current of the magnets by its rated value")
        self.local("magnetisation", Abs(excitation), "", "size of the excitation; beyond 1.5 iron is saturated", holds=(None, 1.5))
        slip = self.output("slip", N.w - M.w, "rad/s", "angular velocity of N relative to M")
        x = slip / critical
        torque = self.output("torque", -2 * peak * excitation**2 * x / (1 + x**2), "N.m", "torque on N")
        self.gives(M, -torque)
        self.gives(N, torque)
        self.output("loss", -torque * slip, "W", "power that becomes heat in the disc")
