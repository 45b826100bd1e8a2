"""Toothed belt or chain between two wheels."""

from sympy import pi, sin

from fmu_components.declare.icon import Drawing, gearwheel, line
from fmu_components.declare.lossy_mesh import LossyMesh
from fmu_components.declare.ports import ROTATIONAL


class ToothedBelt(LossyMesh):
    """Toothed belt or chain: the wheels M and N have whole numbers of teeth at one pitch, and cannot slip.

    The speed of the belt is teeth pitch/(2 pi) times the angular velocity of a wheel. Multiplier 1 is the pull of the belt against M.
    M needs load/`efficiency` when it drives, and bears load `back` when it is driven. Both wheels turn in one direction.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        gearwheel(-0.5, 0, 0.25, 9),
        gearwheel(0.4, 0, 0.42, 15),
        line((-0.54, 0.3), (0.33, 0.47), width=0.1),
        line((-0.54, -0.3), (0.33, -0.47), width=0.1),
    )

    def velocity_constraint(self, M, N):
        teeth_M, teeth_N = (self.parameter(f"teeth_{name}", 20.0, "", f"number of teeth of the wheel {name}", above=0) for name in "MN")
        pitch = self.parameter("pitch", 0.0127, "m", "distance of the teeth along the belt", above=0, nominal=0.01)
        self.expect(
            1e-6 - sin(pi * teeth_M) ** 2 - sin(pi * teeth_N) ** 2, "the numbers of teeth are whole, since belts and chains have one pitch"
        )
        efficiency = self.parameter("efficiency", 0.98, "", "power at N over power at M, when M drives", above=0, at_most=1)
        back = self.parameter("back", 0.98, "", "power at M over power at N, when N drives", at_most=1)
        speed_M, speed_N = (teeth * pitch / (2 * pi) * wheel.w for teeth, wheel in ((teeth_M, M), (teeth_N, N)))
        self.output("speed", speed_N, "m/s", "speed of the belt")
        return [speed_M - speed_N, self.rubs(speed_M, efficiency, back, "N")]
