"""Given motion of a frame."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arrowhead, circle, line
from fmu_components.declare.picture import picture, square
from fmu_components.declare.ports import PLANAR, Side


class Motion(Component):
    """Point and axis whose motion is given by signals, whatever wrench that takes.

    Each coordinate, its rate and its acceleration are inputs that belong together: what drives a coordinate gives all three. One that
    nothing drives stays at its value.
    """

    drawing = Drawing(
        line((-0.8, -0.5), (-0.3, 0.15), (0.3, 0.1), (0.62, 0.4), width=0.08),
        arrowhead(0.75, 0.53, 45, 0.3, width=0.08),
        circle(-0.3, 0.15, 0.14, fill=1.0),
    )
    picture = picture(square("p1"))

    def declare(self):
        p1 = self.port("p1", PLANAR, Side.MOTION, "the point with the prescribed motion")
        words = {
            "x": ("m", "absolute x of the point"),
            "y": ("m", "absolute y of the point"),
            "theta": ("rad", "absolute angle of the axis"),
        }
        self.moves(p1, *(self.signal(name, unit, text, rates=2) for name, (unit, text) in words.items()))
        Fx = self.output("Fx", -p1.Fx, "N", "force that the source gives along the absolute x axis")
        Fy = self.output("Fy", -p1.Fy, "N", "force that the source gives along the absolute y axis")
        Cz = self.output("Cz", -p1.Cz, "N.m", "torque that the source gives about the point")
        power = Fx * self["x.rate"] + Fy * self["y.rate"] + Cz * self["theta.rate"]
        self.output("power", power, "W", "power that the source gives")
