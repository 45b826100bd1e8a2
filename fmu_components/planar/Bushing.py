"""Spring and damper in three directions."""

from fmu_components.declare.component import Component
from fmu_components.declare.differentiate import efforts_of
from fmu_components.declare.drawings import BUSHING
from fmu_components.declare.picture import bush, picture
from fmu_components.declare.ports import PLANAR, Side


class Bushing(Component):
    """Bushing: springs and dampers between two frames of the plane, along the axes of M and about their normal.

    The translation is MN along the axes of M, the rotation the angle of N less that of M. Forces and torques are those of the energy stored, so
    that none is created or lost.
    """

    drawing = BUSHING
    picture = picture(bush("M", "N"))

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on body i")
        N = self.port("N", PLANAR, Side.EFFORT, "on body j")
        MN = N.point - M.point
        rates, efforts, energy = [], [], 0
        for name, suffix, along, value in (
            ("translation.", "x", "along the axis x of M", MN.dot(M.x_axis)),
            ("translation.", "y", "along the axis y of M", MN.dot(M.y_axis)),
            ("rotation.", "", "of N against M", N.theta - M.theta),
        ):
            unit, stiffness, damping, force, start = (
                ("m", "N/m", "N.s/m", "N", 1e4) if suffix else ("rad", "N.m/rad", "N.m.s/rad", "N.m", 100.0)
            )
            k = self.parameter(f"{name}k{suffix}", start, stiffness, f"stiffness {along}", at_least=0, nominal=start)
            b = self.parameter(f"{name}b{suffix}", 0.0, damping, f"viscous damping {along}", at_least=0)
            shown = suffix or "q"
            q = self.output(f"{name}{shown}", value, unit, f"{name[:-1]} {along}")
            qd = self.output(f"{name}{shown}d", self.D(q), f"{unit}/s", f"rate of {name}{shown}")
            rates.append(qd)
            efforts.append(
                self.output(f"{name}effort{suffix}", -k * q - b * qd, force, f"spring and damper on {name}{shown}, towards larger values")
            )
            energy += k * q**2 / 2
        for port in (M, N):
            self.gives(port, *efforts_of(rates, efforts, port, self.partial))
        self.output("energy", energy, "J", "energy stored in the springs")
        self.output(
            "power", sum(rate * effort for rate, effort in zip(rates, efforts, strict=True)), "W", "power that all give to the bodies"
        )
