"""Double-acting cylinder."""

from sympy import Max, pi, tanh

from fmu_components.declare.component import Component
from fmu_components.declare.end_stops import EndStops
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.ports import HYDRAULIC, TRANSLATIONAL, Side


class Cylinder(Component):
    """Double-acting cylinder with a rod on one side: oil that enters at A pushes the rod out, oil at B draws it in.

    The piston's position is that of the flange less `offset`: 0 with the rod drawn in, `stroke` with it out. Each chamber has its
    pressure as a state; its volume has a part that stays, of which a hose is part. Oil, wall and hose yield together:
    1/bulk = 1/`bulk.oil` + (share of the chamber in the volume)/`bulk.wall` + (share of what stays)/`bulk.hose`.

    Where less than `stop.length` is left of a chamber, a spring and a damper push the piston back, and never pull at it. The run
    warns of a piston beyond the ends of its stroke.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.7, 0)),
        line((0, 0.9), (0, 0.38)),
        box(-0.7, -0.38, 0.5, 0.38, fill=0.92),
        box(-0.35, -0.36, -0.15, 0.36, fill=0.6),
        line((-0.15, 0), (0.9, 0), width=0.16),
    )

    def rods(self, piston):
        """The diameters of the rods in the two chambers."""
        rod = self.parameter("rod", 0.035, "m", "diameter of the rod", at_least=0, nominal=0.1)
        self.require(piston - rod, "the rod is thinner than the piston")
        return 0, rod

    def declare(self):
        A = self.port("A", HYDRAULIC, Side.MOTION, "chamber 1, which pushes the rod out")
        flange = self.port("flange", TRANSLATIONAL, Side.EFFORT, "the rod", {"s": 0.2})
        B = self.port("B", HYDRAULIC, Side.MOTION, "chamber 2, which draws the rod in")
        piston = self.parameter("piston", 0.08, "m", "diameter of the piston", above=0, nominal=0.1)
        rod1, rod2 = self.rods(piston)
        stroke = self.parameter("stroke", 0.4, "m", "length of the stroke", above=0)
        offset = self.parameter("offset", 0.0, "m", "position of the flange when the rod is drawn in")
        stays1 = self.parameter("hose1.volume", 5e-5, "m3", "volume of chamber 1 that stays, and of its hose", above=0, nominal=1e-4)
        stays2 = self.parameter("hose2.volume", 5e-5, "m3", "volume of chamber 2 that stays, and of its hose", above=0, nominal=1e-4)
        oil = self.parameter("bulk.oil", 1.5e9, "Pa", "bulk modulus of the oil", above=0, nominal=1e9)
        wall = self.parameter("bulk.wall", 3.15e10, "Pa", "bulk modulus that the wall would have alone", above=0, nominal=1e10)
        hose = self.parameter("bulk.hose", 1.5e8, "Pa", "bulk modulus that the hoses would have alone", above=0, nominal=1e8)
        leakage = self.parameter("leakage", 0.0, "m3/s.Pa", "leakage past the piston per pressure drop", at_least=0, nominal=1e-12)
        viscous = self.parameter("viscous", 1e3, "N.s/m", "friction per speed", at_least=0, nominal=1e3)
        coulomb = self.parameter("coulomb", 0.0, "N", "friction that does not grow with speed", at_least=0, nominal=100)
        slip = self.parameter("slip", 1e-3, "m/s", "speed at which that has grown to tanh(1) = 76 % of itself", above=0, nominal=1e-3)
        stops = EndStops.of(self, 1e7, 5e3)
        p1 = self.state("p1", 1e5, "Pa", "absolute pressure in chamber 1", nominal=1e6, holds=(0, None))
        p2 = self.state("p2", 1e5, "Pa", "absolute pressure in chamber 2", nominal=1e6, holds=(0, None))

        position = self.output("position", flange.s - offset, "m", "position of the piston, from 0 to the stroke", holds=(0, None))
        self.local("left", stroke - position, "m", "length of the stroke that is left", holds=(0, None))
        v = flange.v
        area1, area2 = (
            self.local(f"area{k}", pi * (piston**2 - rod**2) / 4, "m2", f"area of the piston in chamber {k}")
            for k, rod in ((1, rod1), (2, rod2))
        )
        leak = self.local("leak", leakage * (p1 - p2), "m3/s", "leakage from chamber 1 to chamber 2")

        def chamber(number, area, length, stays, pressure, flow):
            """Gives the rate of the pressure, for the flow in excess of what the motion takes."""
            swept = area * Max(length, 0)  # a stop that gives way does not turn the volume negative
            volume = self.local(f"volume{number}", swept + stays, "m3", f"volume of chamber {number} with its hose")
            softness = 1 / oil + swept / volume / wall + stays / volume / hose
            bulk = self.local(f"bulk{number}", 1 / softness, "Pa", f"effective bulk modulus of chamber {number}")
            self.rate(pressure, bulk / volume * flow)

        excess1, excess2 = A.q - area1 * v - leak, B.q + area2 * v + leak
        chamber(1, area1, position, stays1, p1, excess1)
        chamber(2, area2, stroke - position, stays2, p2, excess2)
        push1, dissipated1, stored1 = stops.at(1, position, v)
        push2, dissipated2, stored2 = stops.at(2, stroke - position, -v)
        friction = self.local("friction", viscous * v + coulomb * tanh(v / slip), "N", "friction against the motion")

        self.moves(A, p1)
        self.moves(B, p2)
        force = self.output("force", p1 * area1 - p2 * area2 - friction + push1 - push2, "N", "force that pushes the rod out")
        self.gives(flange, force)
        self.output("compression", p1 * excess1 + p2 * excess2, "W", "power that goes into the compression of the oil")
        self.output("energy", stored1 + stored2, "J", "energy stored in the end stops")
        self.output("loss", leak * (p1 - p2) + friction * v + dissipated1 + dissipated2, "W", "power dissipated")
        self.require(p1, "the absolute pressure p1 is greater than 0")
        self.require(p2, "the absolute pressure p2 is greater than 0")
        self.require(position, "the piston lies inside the stroke: flange.s is greater than offset")
        self.require(stroke - position, "the piston lies inside the stroke: flange.s is less than offset + stroke")
