"""Flexible beams in the plane, in their mean frame, with Legendre polynomials as shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Matrix, Poly, Symbol, cos, sin

from fmu_components.declare.beam import Amplitudes, UniformBeam, legendre, mean, means, shortening, stiffness
from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.orders import by_name, catalogued, of_order
from fmu_components.declare.picture import Picture, bent
from fmu_components.declare.ports import PLANAR, Side


@dataclass(frozen=True)
class _Shapes:
    """Bending or axial shapes, which are orthogonal to each other, and what moves them."""

    name: str
    amplitudes: Amplitudes
    mass: Matrix
    forces: Matrix
    carried: Matrix
    """Angular momentum by their rates, which the frame takes over."""


class _Beam(UniformBeam):
    """Flexible beam in the plane with {order} bending shapes.

    The beam is uniform, and straight without load. Its ends p1 and p2 take any joint; their angle is that of the centre line. The states are
    the place and the angle of the mean frame, in which p1 lies at -L/2 and p2 at L/2 along x, and amplitudes: bend[k] times the Legendre
    polynomial k + 1 is the deflection. The bending moment is E I v'' and is left without shear. Bending draws the ends together by half the
    integral of v'^2 (second-order shortening), therefore tension and rotation stiffen the beam, and pressure softens it.

    One beam is right to a thousandth of its length while it bends by at most 6 % of its length from its chord. Beams joined by planar.Weld
    bend further: half the length leaves a sixteenth of the error. The function Beam(bending, stretch) makes other numbers of
    shapes, and axial shapes.
    """

    drawing = Drawing(
        line((-0.85, 0.2), (-0.45, -0.05), (0, -0.15), (0.45, -0.05), (0.85, 0.2), width=0.14),
        circle(-0.85, 0.2, 0.14, fill=1.0),
        circle(0.85, 0.2, 0.14, fill=1.0),
    )

    greatest_bend = 0.06
    picture = Picture((bent("p1", "p2", "L"),), ("x", "y", "theta"))

    def declare(self) -> None:
        n, stretches = (*self.sizes, 0)[:2]
        P, U = [legendre(k + 2) for k in range(n)], [legendre(k + 1) for k in range(stretches)]
        L, A, m, unit, tau, g = self.section()
        x, vx = self._frame("x", "vx", "m")
        y, vy = self._frame("y", "vy", "m")
        theta, omega = self._frame("theta", "omega", "rad")
        bend, stretch = self.amplitudes("bend", n, "bending shape"), self.amplitudes("stretch", stretches, "axial shape")
        alpha = Symbol("alpha", real=True)
        self.rate(omega, alpha)

        # The mean of the shortening is taken away, so that the origin stays at the mass centre.
        short = [[each - mean(each) for each in row] for row in shortening(P, 0)]
        J, by_bend, by_stretch = self._inertia(m * L, P, U, short, bend, stretch)

        c, s = cos(theta), sin(theta)
        force, torque, placed = Matrix([0, 0]), 0, []
        on_bend, on_stretch = omega**2 * by_bend, omega**2 * by_stretch
        for name, at, text in (("p1", -1, "first"), ("p2", 1, "second")):
            port = self.port(name, PLANAR, Side.MOTION, f"{text} end of the beam")
            end = self.end(name, at, at * L / 2, P, short, bend, U, stretch)
            along = self.local(f"{name}.force.along", c * port.Fx + s * port.Fy, "N", "force along the beam")
            across = self.local(f"{name}.force.across", c * port.Fy - s * port.Fx, "N", "force across the beam")
            force += Matrix([port.Fx, port.Fy])
            torque += port.Cz + end.along * across - end.across * along
            on_bend += end.by_bend.T * Matrix([along, across, port.Cz])
            on_stretch += end.by_stretch.T * along
            placed.append((port, end))
        for velocity, gravity, each in zip((vx, vy), g, force, strict=True):
            self.rate(velocity, gravity + each / m)

        K, KA, coupling = unit * stiffness(P, 2), self["E"] * A / L * stiffness(U, 1), m * means(U, P)
        on_bend -= K * (bend.q + tau * bend.rate) + 2 * omega * coupling.T * stretch.rate
        on_stretch += 2 * omega * coupling * bend.rate - KA * (stretch.q + tau * stretch.rate)
        shapes = (
            _Shapes("bend", bend, m * means(P, P), on_bend, coupling.T * stretch.q),
            _Shapes("stretch", stretch, m * means(U, U), on_stretch, -coupling * bend.q),
        )
        self._accelerations(alpha, J, torque - 2 * omega * (by_bend.dot(bend.rate) + by_stretch.dot(stretch.rate)), shapes)
        for port, end in placed:
            along, across = end.turned(c, s)
            self.moves(port, x + along, y + across, theta + end.slope)

        relative = sum(
            each.mass[k, k] * v**2 + 2 * omega * each.carried[k] * v for each in shapes for k, v in enumerate(each.amplitudes.rate)
        )
        self.output("energy.kinetic", (m * (vx**2 + vy**2) + J * omega**2 + relative) / 2, "J", "kinetic energy")
        self.output("energy.elastic", (bend.q.dot(K * bend.q) + stretch.q.dot(KA * stretch.q)) / 2, "J", "elastic energy")
        self.output("energy.potential", -m * (g[0] * x + g[1] * y), "J", "potential energy in the field of gravity, zero at the origin")
        self.deformation(P, bend, U, stretch)

    def _frame(self, name: str, rate: str, unit: str) -> tuple[Expr, Expr]:
        """Declares a coordinate of the mean frame and its rate."""
        what = "angle" if unit == "rad" else name
        q = self.state(name, 0.0, unit, f"absolute {what} of the mean frame, whose origin is the mass centre")
        v = self.state(rate, 0.0, f"{unit}/s", f"rate of {name}")
        self.rate(q, v)
        return q, v

    def _inertia(
        self, mL: Expr, P: Sequence[Poly], U: Sequence[Poly], short: Sequence[Sequence[Poly]], bend: Amplitudes, stretch: Amplitudes
    ) -> tuple[Expr, Matrix, Matrix]:
        """Declares the moment of inertia; returns it with halves of its slopes by the amplitudes."""
        L, n, m = self["L"], len(P), self["m"]
        rotary = means(P, P) + Matrix(n, n, lambda i, j: mean(short[i][j] * legendre(1)))
        halves = [
            self.local(f"J.bend[{k + 1}]", m * each, "kg.m", f"half the slope of J by bend[{k + 1}]")
            for k, each in enumerate(rotary * bend.q)
        ]
        apart, axial = mL * Matrix(len(U), 1, [mean(each * legendre(1)) for each in U]), m * means(U, U) * stretch.q
        deformed = Matrix(halves).dot(bend.q) + (apart + axial).dot(stretch.q)
        J = self.local("J", mL * L / 12 + deformed, "kg.m2", "moment of inertia about the mass centre, deformed")
        return J, Matrix(halves), apart / 2 + axial

    def _accelerations(self, alpha: Expr, inertia: Expr, torque: Expr, shapes: Sequence[_Shapes]) -> None:
        """Declares the accelerations of amplitudes and frame: shapes carry angular momentum, which is eliminated."""
        accelerations = {}
        for each in shapes:
            for k in range(len(each.forces)):
                mass, carried = each.mass[k, k], each.carried[k]
                alone = self.local(
                    f"{each.name}.force[{k + 1}]", each.forces[k] / mass, "m/s2", f"force on {each.name}[{k + 1}] by its mass"
                )
                inertia -= carried**2 / mass
                torque -= carried * alone
                accelerations[f"{each.name}.acceleration[{k + 1}]"] = alone - carried * alpha / mass
        self.local("alpha", torque / inertia, "rad/s2", "angular acceleration of the mean frame")
        for name, acceleration in accelerations.items():
            self.local(name, acceleration, "m/s2", f"second time derivative of {name.replace('.acceleration', '')}")


def Beam(bending: int, stretch: int = 0) -> type[Component]:
    """Returns the component class of a flexible beam in the plane with this number of ``bending`` shapes and of axial shapes for its
    ``stretch``. The catalogue has planar.Beam2 to Beam5 without stretch. Other numbers raise DeclarationError."""
    return of_order(_Beam, bending) if stretch == 0 else of_order(_Beam, bending, stretch)


def __getattr__(name: str) -> type[Component]:
    return by_name(_Beam, name)


catalogued(_Beam, 5, least=2)
