"""Spring and damper in six directions."""

from sympy import diag

from fmu_components.declare.component import Component
from fmu_components.declare.differentiate import efforts_of
from fmu_components.declare.drawings import BUSHING
from fmu_components.declare.picture import bush, picture
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import rotation_vector, vector


class Bushing(Component):
    """Bushing: springs and dampers between two frames in six directions, along the axes of M and about them.

    The translation is MN along the axes of M. The rotation is the vector of the turn of N against M, its axis times its angle, along the axes of M,
    up to half a turn, where that axis changes over. Forces and torques are those of the energy stored, so that none is created or lost: where
    stiffnesses differ, torques bend the axis of a large turn as it must be.
    """

    drawing = BUSHING
    picture = picture(bush("M", "N"))

    def declare(self):
        M = self.port("M", SPATIAL, Side.EFFORT, "on body i")
        N = self.port("N", SPATIAL, Side.EFFORT, "on body j")
        coordinates = {
            "translation": ("m", "N/m", "N.s/m", "N", M.R.T * (N.point - M.point), 1e4),
            "rotation": ("rad", "N.m/rad", "N.m.s/rad", "N.m", rotation_vector(self, M, N), 100.0),
        }
        rates, efforts, energy = [], [], 0
        for name, (unit, stiffness, damping, force, value, start) in coordinates.items():
            about = {"translation": "along", "rotation": "about"}[name]
            k = vector(self, self.parameter, f"{name}.k%", (start,) * 3, stiffness, f"stiffness {about} the axis % of M", at_least=0)
            b = vector(self, self.parameter, f"{name}.b%", (0,) * 3, damping, f"viscous damping {about} the axis % of M", at_least=0)
            q = vector(self, self.output, f"{name}.%", value, unit, f"{name} {about} the axis % of M")
            qd = vector(self, self.output, f"{name}.%d", [self.D(each) for each in q], f"{unit}/s", f"rate of {name}.%")
            effort = -diag(*k) * q - diag(*b) * qd
            efforts += vector(self, self.output, f"{name}.effort%", effort, force, f"spring and damper on {name}.%, towards larger values")
            rates += qd
            energy += q.dot(diag(*k) * q) / 2
        for port in (M, N):
            self.gives(port, *efforts_of(rates, efforts, port, self.partial))
        self.output("energy", energy, "J", "energy stored in the springs")
        self.output(
            "power", sum(rate * effort for rate, effort in zip(rates, efforts, strict=True)), "W", "power that all give to the bodies"
        )
