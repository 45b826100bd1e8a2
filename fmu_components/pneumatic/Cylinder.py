"""Pneumatic double-acting cylinder."""

from sympy import Max, pi, tanh

from fmu_components.declare.component import Component
from fmu_components.declare.end_stops import EndStops
from fmu_components.declare.gas import ATMOSPHERE, polytropic, thermal_pressure
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import PNEUMATIC, TRANSLATIONAL, Side


class Cylinder(Component):
    """Pneumatic double-acting cylinder with a rod on one side: gas that enters at A pushes the rod out, gas at B draws it in.

    Each chamber follows p' = exponent (gas.R gas.T flow - p V')/V. Its volume V is its area times its length plus a dead volume, which
    includes tubes. The rod bears p1 area1 - p2 area2 - ambient (area1 - area2), less friction. The piston's position is that of the flange
    less `offset`: 0 with the rod drawn in, `stroke` with it out.

    If less than `stop.length` is left of a chamber, a spring and a damper push the piston back, and never pull at it. The run warns of a
    piston beyond the ends of its stroke.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.7, 0)),
        line((0, 0.9), (0, 0.38)),
        box(-0.7, -0.38, 0.5, 0.38, fill=0.92),
        box(-0.35, -0.36, -0.15, 0.36, fill=0.6),
        line((-0.15, 0), (0.9, 0), width=0.16),
        arrowhead(-0.45, 0, 0, 0.2),
    )

    def declare(self):
        A = self.port("A", PNEUMATIC, Side.MOTION, "chamber 1, which pushes the rod out")
        flange = self.port("flange", TRANSLATIONAL, Side.EFFORT, "the rod", {"s": 0.05})
        B = self.port("B", PNEUMATIC, Side.MOTION, "chamber 2, which draws the rod in")
        piston = self.parameter("piston", 0.032, "m", "diameter of the piston", above=0, nominal=0.1)
        rod = self.parameter("rod", 0.012, "m", "diameter of the rod", at_least=0, nominal=0.1)
        self.require(piston - rod, "the rod is thinner than the piston")
        stroke = self.parameter("stroke", 0.1, "m", "length of the stroke", above=0)
        offset = self.parameter("offset", 0.0, "m", "position of the flange when the rod is drawn in")
        dead1, dead2 = (
            self.parameter(f"dead{k}", 1e-5, "m3", f"volume of chamber {k} that stays, and of its tube", above=0, nominal=1e-5)
            for k in (1, 2)
        )
        RT = thermal_pressure(self)
        exponent = polytropic(self)
        ambient = self.parameter("ambient", ATMOSPHERE, "Pa", "absolute pressure around the rod", at_least=0, nominal=1e5)
        leakage = self.parameter("leakage", 0.0, "kg/s.Pa", "mass flow past the piston by pressure drop", at_least=0, nominal=1e-9)
        viscous = self.parameter("viscous", 50.0, "N.s/m", "friction per speed", at_least=0, nominal=100)
        coulomb = self.parameter("coulomb", 0.0, "N", "friction that does not grow with speed", at_least=0, nominal=10)
        slip = self.parameter("slip", 1e-3, "m/s", "speed at which that has grown to tanh(1) = 76 % of itself", above=0, nominal=1e-3)
        stops = EndStops.of(self, 1e6, 1e3)
        p1, p2 = (self.state(f"p{k}", ATMOSPHERE, "Pa", f"absolute pressure in chamber {k}", nominal=1e5, holds=(0, None)) for k in (1, 2))
        position = self.output("position", flange.s - offset, "m", "position of the piston, from 0 to the stroke", holds=(0, None))
        self.local("left", stroke - position, "m", "length of the stroke that is left", holds=(0, None))
        v = flange.v
        area1 = self.local("area1", pi * piston**2 / 4, "m2", "area of the piston in chamber 1")
        area2 = self.local("area2", pi * (piston**2 - rod**2) / 4, "m2", "area of the piston in chamber 2")
        leak = self.local("leak", leakage * (p1 - p2), "kg/s", "leakage from chamber 1 to chamber 2")

        for number, area, length, dead, p, flow, speed in (
            (1, area1, position, dead1, p1, A.mass_flow - leak, v),
            (2, area2, stroke - position, dead2, p2, B.mass_flow + leak, -v),
        ):
            swept = area * Max(length, 0)  # a stop that gives way does not turn the volume negative
            volume = self.local(f"volume{number}", swept + dead, "m3", f"volume of chamber {number} with its tube", nominal=1e-4)
            self.rate(p, exponent * (RT * flow - p * area * speed) / volume)
            self.require(p, f"the absolute pressure {p} is greater than 0")
        push1, dissipated1, stored1 = stops.at(1, position, v)
        push2, dissipated2, stored2 = stops.at(2, stroke - position, -v)
        friction = self.local("friction", viscous * v + coulomb * tanh(v / slip), "N", "friction against the motion")

        self.moves(A, p1)
        self.moves(B, p2)
        drive = p1 * area1 - p2 * area2 - ambient * (area1 - area2)
        force = self.output("force", drive - friction + push1 - push2, "N", "force that pushes the rod out")
        self.gives(flange, force)
        self.output("energy", stored1 + stored2, "J", "energy stored in the end stops")
        self.output("loss", friction * v + dissipated1 + dissipated2, "W", "power dissipated by friction and end stops")
        self.require(position, "the piston lies inside the stroke: flange.s is greater than offset")
        self.require(stroke - position, "the piston lies inside the stroke: flange.s is less than offset + stroke")
