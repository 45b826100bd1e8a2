"""Wheel with dry friction on the plane itself."""

from sympy import Abs, Max

from fmu_components.declare.adhesion import coefficients, friction_per_slip, speeds
from fmu_components.declare.component import Component
from fmu_components.declare.functions import Magnitude
from fmu_components.declare.icon import Drawing, arrowhead, line
from fmu_components.declare.picture import picture, tyre
from fmu_components.declare.ports import PLANAR, ROTATIONAL, Side
from fmu_components.planar.IdealWheel import WHEEL


class FrictionWheel(Component):
    """Wheel with dry friction: it stands upright on the plane, rolls along the axis x of M, and friction acts against its slip.

    The plane is seen from above: M is where the wheel touches it, on the vehicle. The slip is the velocity of M less radius times the speed of the
    axle along x. Friction grows with the speed of slip up to adhesion and falls to sliding; in between are cubic curves. It is in proportion to the
    load, and to what is added to it by a signal.
    """

    drawing = Drawing(*WHEEL, line((0, 0), (0, 0.75), width=0.12), line((0.6, -0.45), (-0.5, -0.45)), arrowhead(-0.55, -0.45, 180))
    picture = picture(tyre("M", "radius"))

    def speeds(self, rolling):
        """The speeds of slip of the friction law, of which the latter may depend on the speed at which the wheel rolls."""
        return speeds(self)

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "wheel on the vehicle, which rolls along x")
        axle = self.port("axle", ROTATIONAL, Side.EFFORT, "axle, which turns forwards")
        radius = self.parameter("radius", 0.3, "m", "radius of the wheel", above=0, nominal=0.1)
        weight = self.parameter("load", 1000.0, "N", "normal force at rest", at_least=0, nominal=1000)
        load = self.output("normal", Max(0, weight + self.input("transfer", 0.0, "N", "normal force beside the load")), "N", "normal force")
        along = self.output("slip.x", M.velocity.dot(M.x_axis) - radius * axle.w, "m/s", "velocity of the wheel’s contact along x of M")
        across = self.output("slip.y", M.velocity.dot(M.y_axis), "m/s", "velocity of the wheel’s contact along y of M")
        speed = self.output("slip.speed", Magnitude(along, across), "m/s", "speed of slip")
        adhesion, sliding = self.speeds(radius * Abs(axle.w))
        peak, final = coefficients(self)
        pull = self.local("pull", load * friction_per_slip(speed, adhesion, sliding, peak, final), "N.s/m", "friction per speed of slip")
        self.gives(M, *(-pull * (along * M.x_axis + across * M.y_axis)), 0)
        self.gives(axle, radius * pull * along)
        self.output("force.x", -pull * along, "N", "force on the vehicle along x of M")
        self.output("force.y", -pull * across, "N", "force on the vehicle along y of M")
        self.output("loss", pull * speed**2, "W", "power dissipated")
