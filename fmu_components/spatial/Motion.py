"""Given motion of a frame in space."""

from sympy import Matrix, cos, sin

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arrowhead, circle, line
from fmu_components.declare.picture import picture, square
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import AXES


class Motion(Component):
    """Point and frame whose motion in space is given by signals, whatever wrench that takes.

    The frame is turned by yaw about z, then by pitch about its axis y, then by roll about its axis x: R = Rz Ry Rx. Each coordinate,
    its rate and its acceleration are inputs that belong together: what drives a coordinate gives all three. One that nothing drives
    stays at its value.
    """

    drawing = Drawing(
        line((-0.8, -0.5), (-0.3, 0.15), (0.3, 0.1), (0.62, 0.4), width=0.08),
        arrowhead(0.75, 0.53, 45, 0.3, width=0.08),
        line((-0.3, 0.15), (-0.3, 0.75), width=0.05),
        line((-0.3, 0.15), (-0.75, -0.05), width=0.05),
        circle(-0.3, 0.15, 0.14, fill=1.0),
    )
    picture = picture(square("p1"))

    def declare(self):
        p1 = self.port("p1", SPATIAL, Side.MOTION, "the point with the prescribed motion")
        place = [self.signal(axis, "m", f"absolute {axis} of the point", rates=2) for axis in AXES]
        turns = {"roll": "its axis x, as pitch has left it", "pitch": "its axis y, as yaw has left it", "yaw": "the absolute axis z"}
        roll, pitch, yaw = (self.signal(name, "rad", f"turn of the frame about {text}", rates=2) for name, text in turns.items())
        droll, dpitch, dyaw = (self[f"{name}.rate"] for name in turns)
        (cr, sr), (cp, sp), (cy, sy) = ((cos(angle), sin(angle)) for angle in (roll, pitch, yaw))
        R = Matrix(
            [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ]
        )
        omega = [cy * cp * droll - sy * dpitch, sy * cp * droll + cy * dpitch, dyaw - sp * droll]
        self.moves(p1, *place, *omega, *R)
        F = [
            self.output(f"F{a}", -effort, "N", f"force that the source gives along the absolute {a} axis")
            for a, effort in zip(AXES, p1.efforts[:3], strict=True)
        ]
        C = [
            self.output(f"C{a}", -effort, "N.m", f"torque that the source gives about the point, along {a}")
            for a, effort in zip(AXES, p1.efforts[3:], strict=True)
        ]
        velocity = [self[f"{axis}.rate"] for axis in AXES]
        power = sum(effort * rate for effort, rate in zip([*F, *C], [*velocity, *omega], strict=True))
        self.output("power", power, "W", "power that the source gives")
