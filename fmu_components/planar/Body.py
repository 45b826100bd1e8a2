"""Rigid bodies in the plane with one to five connecting points (Part II, equations 1 to 5)."""

from __future__ import annotations

from sympy import Rational

from fmu_components.declare.family import with_points
from fmu_components.declare.icon import circle
from fmu_components.declare.picture import body
from fmu_components.declare.planar_rigid import PlanarRigid

_NO_MASS = "a link without mass is a planar.MasslessLink1, MasslessLink2 or MasslessLink3"
_NO_INERTIA = "a mass without moment of inertia is a planar.PointMass1"


class _Body(PlanarRigid):
    """Rigid body.

    States are the absolute position and velocity of the mass centre and the angle of the body. The wrench at each point acts
    on the body, in the absolute frame, about the point.
    """

    picture = body("x", "y", "theta")

    def declare(self) -> None:
        m = self.parameter("m", 1.0, "kg", "mass", above=0, otherwise=_NO_MASS)
        I = self.parameter("I", 1.0, "kg.m2", "moment of inertia about the mass centre", above=0, otherwise=_NO_INERTIA)  # noqa: E741
        gx = self.parameter("gx", 0.0, "m/s2", "gravity along the absolute x axis", nominal=10)
        gy = self.parameter("gy", -9.81, "m/s2", "gravity along the absolute y axis", nominal=10)
        q, v = self.place("body", "the mass centre")
        total, placed = self.wrench(q, "body")
        for velocity, rate in zip(v, (gx + total[0] / m, gy + total[1] / m, total[2] / I), strict=True):
            self.rate(velocity, rate)
        for port, *coordinates in placed:
            self.moves(port, *coordinates)
        x, y, _ = q
        vx, vy, omega = v
        self.output("energy.kinetic", Rational(1, 2) * (m * (vx**2 + vy**2) + I * omega**2), "J", "kinetic energy")
        self.output("energy.potential", -m * (gx * x + gy * y), "J", "potential energy in the field of gravity, zero at the origin")


Body1, Body2, Body3, Body4, Body5 = (with_points(_Body, "Body", n, circle(0, 0, 0.2, fill=0.75)) for n in range(1, 6))
