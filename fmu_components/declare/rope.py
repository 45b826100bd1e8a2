"""A rope over pulleys, in the plane and in space."""

from __future__ import annotations

from typing import Any

import sympy

from fmu_components.declare.icon import Drawing, arc, box, circle, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import picture, rod
from fmu_components.declare.ports import Side


class RopeOverPulleys(Joint):
    """Base of both; points are vectors of two or three coordinates."""

    drawing = Drawing(
        line((-0.6, -0.5), (-0.6, 0.3)),
        arc(-0.35, 0.3, 0.25, 90, 180),
        line((-0.35, 0.55), (0.35, 0.55)),
        arc(0.35, 0.3, 0.25, 0, 90),
        line((0.6, 0.3), (0.6, -0.5)),
        circle(-0.35, 0.3, 0.25),
        circle(0.35, 0.3, 0.25),
        box(-0.75, -0.8, -0.45, -0.5, fill=0.85),
        box(0.45, -0.8, 0.75, -0.5, fill=0.85),
    )
    starts_N = {"x": 1.0}

    picture = picture(rod("M", "A"), rod("B", "N"))

    def ends(self) -> list[Any]:
        return [
            self.port("M", self.kind, Side.EFFORT, "end of the rope, on body i", {"x": -1.0}),
            self.port("A", self.kind, Side.EFFORT, "pulley to which the rope runs from M"),
            self.port("B", self.kind, Side.EFFORT, "pulley from which it runs on to N; may be the same point as A"),
            self.port("N", self.kind, Side.EFFORT, "end of the rope, on body j", self.starts_N),
        ]

    def constraint(self, M: Any, A: Any, B: Any, N: Any) -> list[sympy.Expr]:
        length = self.parameter("length", 2.0, "m", "length of the rope: |MA| + |AB| + ratio |BN|", above=0)
        ratio = self.parameter("ratio", 1.0, "", "number of falls of the rope between B and N", above=0)
        least = self.parameter("smoothing", 1e-12, "m", "distance of A and B below which they are one point", above=0, nominal=1e-12)

        def distance(P: Any, Q: Any, smoothing: sympy.Expr = 0) -> sympy.Expr:
            """Names the distance and its rate, which keeps the expressions that use it short."""
            PQ, name, text = Q.point - P.point, f"{P.name}{Q.name}", f"distance of {P.name} and {Q.name}"
            root = sympy.Symbol(f"{name}.root", real=True)
            rate = PQ.dot(Q.velocity - P.velocity) / root
            self.local(str(root), sympy.sqrt(PQ.dot(PQ) + smoothing**2), "m", text, rate=rate)
            return self.coordinate(name, root - smoothing, "m", text)

        return [length - distance(M, A) - distance(A, B, least) - ratio * distance(B, N)]

    def validity(self, M: Any, A: Any, B: Any, N: Any) -> list[tuple[sympy.Expr, str]]:
        parts = (("M", "A", A.point - M.point), ("N", "B", N.point - B.point))
        return [(d.dot(d), f"{end} lies apart from {pulley}, since the rope has a direction there") for end, pulley, d in parts]

    def declare(self) -> None:
        super().declare()
        self.output("tension", self["multiplier[1]"], "N", "tension of the rope, negative where it would have to push", holds=(0, None))
