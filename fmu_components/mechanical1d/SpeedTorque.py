"""Torque of a load that depends on its speed."""

from sympy import Abs, Max, tanh

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, axes, line
from fmu_components.declare.ports import ROTATIONAL, Side


class SpeedTorque(Component):
    """Torque of a load by its speed w: -(steady sign(w) + linear w + quadratic w |w| + power w/max(w^2, slow^2)).

    A hoist has a steady torque, a fan a quadratic one. A winder or a lathe takes a constant power, with a torque inverse to the speed. The
    sign is tanh(w/slow), and below the speed `slow` the inverse torque is proportional to w. Therefore nothing is held at rest: use
    RotationalFriction for loads that stick.
    """

    drawing = Drawing(
        *axes(-0.6), line((-0.6, -0.5), (-0.2, -0.4), (0.2, -0.1), (0.5, 0.4)), line((-0.5, 0.5), (-0.3, 0.1), (0.0, -0.1), (0.6, -0.3))
    )

    def declare(self):
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "the shaft of the load")
        steady = self.parameter("steady", 0.0, "N.m", "torque that does not depend on speed", at_least=0)
        linear = self.parameter("linear", 0.0, "N.m.s/rad", "torque per speed", at_least=0)
        quadratic = self.parameter("quadratic", 0.0, "N.m.s2/rad2", "torque per speed squared", at_least=0)
        power = self.parameter("power", 0.0, "W", "power that is taken at all speeds above slow", at_least=0)
        slow = self.parameter("slow", 0.1, "rad/s", "speed below which the torque goes to zero", above=0, nominal=0.1)
        w = flange.w
        share = steady * tanh(w / slow) + linear * w + quadratic * Abs(w) * w + power * w / Max(w**2, slow**2)
        torque = self.output("torque", -share, "N.m", "torque on the shaft")
        self.gives(flange, torque)
        self.output("loss", -torque * w, "W", "power that the load takes")
