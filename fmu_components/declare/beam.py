"""Uniform flexible beams in the plane: shapes with their exact integrals, and what beams in all frames share.

Shapes are polynomials of the place along the beam, which is -1 at its first end and 1 at its second end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

from sympy import Abs, Expr, Matrix, Poly, Rational, Symbol, legendre_poly

from fmu_components.declare.component import Component

XI = Symbol("xi")
POINTS = (-1, Rational(-1, 2), 0, Rational(1, 2), 1)
"""Places at which moments and strains are outputs; those between the ends also show the deflection."""


def legendre(degree: int) -> Poly:
    """Returns the Legendre polynomial of a ``degree``."""
    return legendre_poly(degree, XI, polys=True)


def mean(shape: Poly) -> Expr:
    """Returns the mean of a polynomial over the beam."""
    whole = shape.integrate()
    return (whole.eval(1) - whole.eval(-1)) / 2


def means(shapes: Sequence[Poly], others: Sequence[Poly]) -> Matrix:
    """Returns the means of the products of ``shapes``, by row, and ``others``, by column."""
    return Matrix(len(shapes), len(others), lambda i, j: mean(shapes[i] * others[j]))


def stiffness(shapes: Sequence[Poly], derivative: int) -> Matrix:
    """Returns the stiffness matrix of ``shapes``: of bending with the second ``derivative``, by E I / L^3, of stretch with the first, by
    E A / L."""
    strained = [each.diff(*[XI] * derivative) for each in shapes]
    return 4**derivative * means(strained, strained)


def shortening(shapes: Sequence[Poly], start: int) -> list[list[Poly]]:
    """Returns the axial displacements, times the length, by which bending of second order shortens a beam, zero at ``start``.

    A beam that keeps the length of its centre line comes closer to the start by half the square of its slope.
    """
    slopes = [shape.diff(XI) for shape in shapes]
    found = [[(-a * b).integrate() for b in slopes] for a in slopes]
    return [[each - each.eval(start) for each in row] for row in found]


def greater(a: Expr, b: Expr) -> Expr:
    """Returns the greater of two expressions. SymPy's own function has slopes of nested conditions."""
    return (a + b + Abs(a - b)) / 2


@dataclass(frozen=True)
class Amplitudes:
    """The amplitudes of shapes, with their rates and accelerations, as columns."""

    q: Matrix
    rate: Matrix
    acceleration: Matrix


@dataclass(frozen=True)
class End:
    """An end of a beam in the beam's frame: its place, the angle of its centre line, and their slopes."""

    along: Expr
    across: Expr
    slope: Expr
    by_bend: Matrix
    """Slopes by the amplitudes of bending: rows along and across the beam, and of the angle."""
    by_stretch: Matrix
    """Slopes of the place along the beam by the amplitudes of stretch, as a row."""

    def turned(self, c: Expr, s: Expr) -> tuple[Expr, Expr]:
        """Returns the place from the origin of the frame along the absolute axes, by cosine and sine of the angle of the frame."""
        return c * self.along - s * self.across, s * self.along + c * self.across


class UniformBeam(Component):
    """Base of uniform flexible beams in the plane, whose number of shapes is structural."""

    sizes: ClassVar[tuple[int, ...]]
    greatest_bend: ClassVar[float]
    """Deflection from the chord, by the length, up to which the place of an end is right to about a thousandth of the length."""

    def section(self) -> tuple[Any, ...]:
        """Declares the parameters of the beam; returns length, area, mass, unit of the bending stiffness, damping and gravity."""
        L = self.parameter("L", 1.0, "m", "length", above=0)
        A = self.parameter("A", 1e-4, "m2", "area of the section", above=0, nominal=1e-4)
        I = self.parameter("I", 1e-9, "m4", "second moment of area of the section", above=0, nominal=1e-9)  # noqa: E741
        E = self.parameter("E", 2.1e11, "Pa", "Young's modulus", above=0, nominal=1e11)
        rho = self.parameter("rho", 7850.0, "kg/m3", "density", above=0, nominal=1e3)
        tau = self.parameter(
            "tau", 0.0, "s", "damping: the stress of a rate of strain, by Young's modulus; 1e-5 is usual for steel", at_least=0
        )
        self.parameter("fibre", 0.005, "m", "distance of the outer fibre from the centre line, towards y of the beam", nominal=0.01)
        g = Matrix(
            [
                self.parameter(f"g{a}", start, "m/s2", f"gravity along the absolute {a} axis", nominal=10)
                for a, start in (("x", 0.0), ("y", -9.81))
            ]
        )
        m = self.local("m", rho * A * L, "kg", "mass")
        return L, A, m, self.local("bending", E * I / L**3, "N/m", "unit of the bending stiffness, E I / L^3"), tau, g

    def amplitudes(self, name: str, count: int, text: str) -> Amplitudes:
        """Declares amplitudes and their rates as states. Their accelerations are symbols of variables that are declared later."""
        columns = [
            [self.state(f"{name}[{k + 1}]", 0.0, "m", f"amplitude of {text} {k + 1}", nominal=0.01, elastic=True) for k in range(count)],
            [self.state(f"{name}.rate[{k + 1}]", 0.0, "m/s", f"rate of {name}[{k + 1}]", elastic=True) for k in range(count)],
            [Symbol(f"{name}.acceleration[{k + 1}]", real=True) for k in range(count)],
        ]
        for q, rate, acceleration in zip(*columns, strict=True):
            self.rate(q, rate)
            self.rate(rate, acceleration)
        return Amplitudes(*(Matrix(count, 1, each) for each in columns))

    def end(
        self,
        name: str,
        at: int,
        start: Expr,
        shapes: Sequence[Poly],
        short: Sequence[Sequence[Poly]],
        bend: Amplitudes,
        axial: Sequence[Poly],
        stretch: Amplitudes,
    ) -> End:
        """Declares the place of an end, which is at ``start`` on the straight beam, with its rates."""
        n, L = len(shapes), self["L"]
        pairs = Matrix(n, n, lambda i, j: short[i][j].eval(at))
        shorter = [
            self.local(
                f"{name}.shortening[{k + 1}]", value / L, "", f"half the change of place along the beam by bend[{k + 1}]", rate=rate / L
            )
            for k, (value, rate) in enumerate(zip(pairs * bend.q, pairs * bend.rate, strict=True))
        ]
        half = Matrix(1, n, shorter)
        lateral = Matrix([[shape.eval(at) for shape in shapes]])
        turning = Matrix([[2 * shape.diff(XI).eval(at) / L for shape in shapes]])
        pulled = Matrix(1, len(axial), [shape.eval(at) for shape in axial])
        along = self._moving(
            f"{name}.along",
            start + half.dot(bend.q) + pulled.dot(stretch.q),
            2 * half.dot(bend.rate) + pulled.dot(stretch.rate),
            "along the beam",
        )
        across = self._moving(f"{name}.across", lateral.dot(bend.q), lateral.dot(bend.rate), "across the beam")
        return End(along, across, turning.dot(bend.q), Matrix.vstack(2 * half, lateral, turning), pulled)

    def _moving(self, name: str, place: Expr, rate: Expr, text: str) -> Expr:
        acceleration = self.local(f"{name}.acceleration", self.D(rate), "m/s2", f"acceleration {text}, in the frame of the beam")
        velocity = self.local(f"{name}.rate", rate, "m/s", f"velocity {text}, in the frame of the beam", rate=acceleration)
        return self.local(name, place, "m", f"place {text}, in the frame of the beam", rate=velocity)

    def deformation(self, shapes: Sequence[Poly], bend: Amplitudes, axial: Sequence[Poly], stretch: Amplitudes) -> None:
        """Declares deflection, moments and strains as outputs."""
        L, fibre, tau = self["L"], self["fibre"], self["tau"]
        bent = []
        for at in POINTS[1:-1]:
            chord = [((1 - at) * shape.eval(-1) + (1 + at) * shape.eval(1)) / 2 for shape in shapes]
            bent.append(sum((shape.eval(at) - base) * q for shape, base, q in zip(shapes, chord, bend.q, strict=True)))
        self.output("middle", bent[1], "m", "deflection of the middle from the chord", nominal=0.01)
        self.output(
            "bent",
            reduce(greater, map(Abs, bent)) / L,
            "",
            "greatest deflection from the chord by the length",
            nominal=0.01,
            holds=(None, self.greatest_bend),
            beyond="bends by {percent} of its length: cut it into {times} pieces",
        )
        for number, at in enumerate(POINTS, 1):
            curved = Matrix([[4 * shape.diff(XI, XI).eval(at) for shape in shapes]])
            pulled = Matrix(1, len(axial), [2 * shape.diff(XI).eval(at) for shape in axial])
            place = f"at {float(1 + at) / 2:g} of the length"
            moment = self["bending"] * L * curved.dot(bend.q + tau * bend.rate)
            self.output(f"moment[{number}]", moment, "N.m", f"bending moment {place}")
            self.output(
                f"strain[{number}]",
                pulled.dot(stretch.q) / L - fibre * curved.dot(bend.q) / L**2,
                "",
                f"strain of the outer fibre {place}",
                nominal=1e-3,
            )
