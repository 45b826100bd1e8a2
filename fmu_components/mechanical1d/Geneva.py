"""Geneva drive."""

from sympy import Piecewise, cos, pi, sin

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL


class Geneva(Joint):
    """External Geneva drive: a pin on the crank M turns the wheel N by one slot each turn, and locks it in between.

    The pin is in a slot while cos(M.phi) > sin(pi/slots), and on the line of centres at M.phi = 0. It enters along the slot, without a
    jump of the velocity. The multiplier is the torque on N, from the pin or from the locking disc.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        circle(-0.45, 0, 0.38, fill=0.85),
        circle(0.38, 0, 0.5, fill=0.85),
        line((0.18, 0.0), (-0.12, 0.0), width=0.12),
        line((0.38, 0.2), (0.38, 0.5), width=0.12),
        line((0.58, 0.0), (0.88, 0.0), width=0.12),
        line((0.38, -0.2), (0.38, -0.5), width=0.12),
        circle(-0.16, 0, 0.08, fill=0.0),
        circle(0.38, 0, 0.07, fill=0.0),
    )

    def velocity_constraint(self, M, N):
        s = sin(pi / self.parameter("slots", 4.0, "", "number of slots", at_least=3))
        engaged = self.relation("engaged", cos(M.phi) - s, "whether the pin is in a slot")
        ratio = s * (cos(M.phi) - s) / (1 + s**2 - 2 * s * cos(M.phi))
        return [N.w + Piecewise((ratio * M.w, engaged), (0, True))]
