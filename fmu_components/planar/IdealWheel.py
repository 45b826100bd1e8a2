"""Wheel that rolls on the plane itself."""

from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import picture, tyre
from fmu_components.declare.ports import PLANAR, ROTATIONAL, Side

WHEEL = (box(-0.6, -0.25, 0.6, 0.25, fill=0.85), *(line((x, -0.25), (x, 0.25), width=0.04) for x in (-0.45, -0.15, 0.15, 0.45)))


class IdealWheel(Joint):
    """Ideal wheel: it stands upright on the plane and rolls along the axis x of M, without slipping along it or across.

    The plane is seen from above: M is where the wheel touches it, on the vehicle. The axle turns forwards with a positive speed. The constraints are
    at velocity level: along x the velocity is radius times that of the axle, along y it is 0. The multipliers are the forces on the vehicle along x
    and y of M; the axle gets the torque of the former. The inertia of the wheel belongs to what is connected at the axle.
    """

    drawing = Drawing(*WHEEL, line((0, 0), (0, 0.75), width=0.12), line((0.6, 0), (0.85, 0)), arrowhead(0.9, 0, 0))
    picture = picture(tyre("M", "radius"))

    def ends(self):
        return [
            self.port("axle", ROTATIONAL, Side.EFFORT, "axle, which turns forwards"),
            self.port("M", PLANAR, Side.EFFORT, "wheel on the vehicle, which rolls along x"),
        ]

    def velocity_constraint(self, axle, M):
        radius = self.parameter("radius", 0.3, "m", "radius of the wheel", above=0, nominal=0.1)
        return [M.velocity.dot(M.x_axis) - radius * axle.w, M.velocity.dot(M.y_axis)]
