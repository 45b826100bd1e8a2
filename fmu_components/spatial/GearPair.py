"""A pair of gears in space: spur, helical or bevel gears."""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Abs, sqrt

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.picture import picture, wheel
from fmu_components.declare.space import SpatialJoint
from fmu_components.declare.units import rate_unit


def _outwards(M: Any, N: Any) -> tuple[sympy.Matrix, sympy.Expr]:
    """The vector from M to N without its part along the axis z of M, and its length."""
    MN = N.point - M.point
    across = MN - MN.dot(M.z_axis) * M.z_axis
    return across, sqrt(across.dot(across))


class GearPair(SpatialJoint):
    """Gear pair in space: the pitch circles about the axes z of M and N roll on each other, as of bevel gears, or of spur or helical gears.

    M and N are the centres of the pitch circles, and the axes z are parallel or cross. Other joints hold them, on the ground or on a moving
    carrier. The circles touch at the pitch point, radius_M from M towards the axis of N. There both have one velocity at right angles to the
    plane of the axes. The smaller gear of an internal pair has a negative radius. The constraint is at velocity level; its multiplier is the
    force at the teeth, which the bearings bear.
    """

    drawing = Drawing(
        line((-0.9, 0.45), (-0.5, 0.45), width=0.12),
        line((-0.5, 0.05), (-0.5, 0.85), (-0.15, 0.6), (-0.15, 0.3), (-0.5, 0.05), fill=0.85),
        line((-0.2, -0.1), (0.6, -0.1), (0.35, 0.25), (0.05, 0.25), (-0.2, -0.1), fill=0.85),
        line((0.2, -0.1), (0.2, -0.9), width=0.12),
        circle(0.2, -0.9, 0.06, fill=0.0),
    )
    starts_N = {"x": 0.1, "z": 0.1, "R11": 0.0, "R33": 0.0, "R13": 1.0, "R31": -1.0}
    picture = picture(wheel("M", "radius_M"), wheel("N", "radius_N"))

    def velocity_constraint(self, M, N):
        radius_M, radius_N = (
            self.parameter(
                f"radius_{name}", 0.1, "m", f"pitch radius of the gear on {name}; negative where it runs inside the other", nominal=0.1
            )
            for name in "MN"
        )
        MN = N.point - M.point
        a, b, c = (
            self._named(name, first.dot(second), unit, f"product of {text}")
            for name, first, second, unit, text in (
                ("along.M", MN, M.z_axis, "m", "MN and z_M"),
                ("along.N", MN, N.z_axis, "m", "MN and z_N"),
                ("cosine", M.z_axis, N.z_axis, "", "z_M and z_N"),
            )
        )
        off_M, off_N = (
            self._named(name, sqrt((MN - along * axis).dot(MN - along * axis)), "m", text)
            for name, along, axis, text in (
                ("off.M", a, M.z_axis, "distance of N from the axis z of M"),
                ("off.N", b, N.z_axis, "distance of M from the axis z of N"),
            )
        )
        arm = off_N * M.z_axis - (a - b * c) / off_N * MN
        return [(M.z_axis.cross(MN).dot(M.velocity - N.velocity) + radius_N * arm.dot(N.omega)) / off_M + radius_M * M.omega.dot(M.z_axis)]

    def _named(self, name: str, equation: sympy.Expr, unit: str, text: str) -> sympy.Symbol:
        """Declares a quantity and its rate by names, which keeps derivatives short."""
        rate = self.local(f"{name}.rate", self.D(equation), rate_unit(unit), f"rate of {name}")
        return self.local(name, equation, unit, text, rate=rate)

    def validity(self, M, N):
        (to_N, size_M), (to_M, size_N) = _outwards(M, N), _outwards(N, M)
        apart = M.point + self["radius_M"] / size_M * to_N - N.point - self["radius_N"] / size_N * to_M
        scale = 1e-3 * (Abs(self["radius_M"]) + Abs(self["radius_N"]))
        return [
            (Abs(self["radius_M"]), "radius_M is not 0"),
            (Abs(self["radius_N"]), "radius_N is not 0"),
            (size_M, "N lies apart from the axis z of M"),
            (size_N, "M lies apart from the axis z of N"),
            (scale**2 - apart.dot(apart), "the pitch circles about M and N touch at one point, to a thousandth of the radii"),
        ]
