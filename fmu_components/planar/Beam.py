"""Flexible beams in the plane, in their mean frame, with Legendre polynomials as shapes."""

from __future__ import annotations

from sympy import Matrix, Symbol, cos, sin

from fmu_components.declare.beam import UniformBeam, legendre, mean, means, shortening, stiffness
from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.orders import by_name, catalogued, of_order
from fmu_components.declare.ports import PLANAR, Side


class _Beam(UniformBeam):
    """Flexible beam in the plane with {order} bending shapes."""

    drawing = Drawing(
        line((-0.85, 0.2), (-0.45, -0.05), (0, -0.15), (0.45, -0.05), (0.85, 0.2), width=0.14),
        circle(-0.85, 0.2, 0.14, fill=1.0),
        circle(0.85, 0.2, 0.14, fill=1.0),
    )

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
        rotary = m * (means(P, P) + Matrix(n, n, lambda i, j: mean(short[i][j] * legendre(1))))
        by_bend = Matrix(
            [self.local(f"J.bend[{k + 1}]", each, "kg.m", f"half the slope of J by bend[{k + 1}]") for k, each in enumerate(rotary * bend.q)]
        )
        apart = m * L * Matrix(stretches, 1, [mean(each * legendre(1)) for each in U])
        axial = m * means(U, U)
        by_stretch = apart / 2 + axial * stretch.q
        J = self.local(
            "J",
            m * L**2 / 12 + by_bend.dot(bend.q) + (apart + axial * stretch.q).dot(stretch.q),
            "kg.m2",
            "moment of inertia about the mass centre, deformed",
        )

        c, s = cos(theta), sin(theta)
        force, torque, placed = Matrix([0, 0]), 0, []
        on_bend, on_stretch = Matrix.zeros(n, 1), Matrix.zeros(stretches, 1)
        for name, at, text in (("p1", -1, "first"), ("p2", 1, "second")):
            port = self.port(name, PLANAR, Side.MOTION, f"{text} end of the beam")
            end = self.end(name, at, at * L / 2, P, short, bend, U, stretch)
            fx = self.local(f"{name}.force.along", c * port.Fx + s * port.Fy, "N", "force along the beam")
            fy = self.local(f"{name}.force.across", c * port.Fy - s * port.Fx, "N", "force across the beam")
            force += Matrix([port.Fx, port.Fy])
            torque += port.Cz + end.along * fy - end.across * fx
            on_bend += end.by_bend.T * Matrix([fx, fy, port.Cz])
            on_stretch += end.by_stretch.T * fx
            placed.append((port, end))
        for velocity, g_along, along in zip((vx, vy), g, force, strict=True):
            self.rate(velocity, g_along + along / m)

        # Forces of the shapes by stiffness, by the wrenches at the ends, and by the rotation of the frame.
        coupling = m * means(U, P)
        K, KA = unit * stiffness(P, 2), self["E"] * A / L * stiffness(U, 1)
        on_bend += omega**2 * by_bend - K * (bend.q + tau * bend.rate) - 2 * omega * coupling.T * stretch.rate
        on_stretch += omega**2 * by_stretch - KA * (stretch.q + tau * stretch.rate) + 2 * omega * coupling * bend.rate
        shapes = [("bend", bend, on_bend, coupling.T * stretch.q, m * means(P, P)), ("stretch", stretch, on_stretch, -coupling * bend.q, axial)]
        turned = 2 * omega * (by_bend.dot(bend.rate) + by_stretch.dot(stretch.rate))
        inertia, moment, pending = J, torque - turned, []
        for name, moving, forces, carried, mass in shapes:
            for k in range(len(forces)):
                per = self.local(f"{name}.force[{k + 1}]", forces[k] / mass[k, k], "m/s2", f"force on {name}[{k + 1}] by its mass")
                inertia -= carried[k] ** 2 / mass[k, k]
                moment -= carried[k] * per
                pending.append((f"{name}.acceleration[{k + 1}]", per - carried[k] * alpha / mass[k, k]))
        self.local("alpha", moment / inertia, "rad/s2", "angular acceleration of the mean frame")
        for name, acceleration in pending:
            self.local(name, acceleration, "m/s2", f"second time derivative of {name.replace('.acceleration', '')}")
        for port, end in placed:
            along, across = end.turned(c, s)
            self.moves(port, x + along, y + across, theta + end.slope)

        moving = m * (vx**2 + vy**2) + J * omega**2
        for _, moved, _, carried, mass in shapes:
            moving += (moved.rate.T * mass * moved.rate)[0] + 2 * omega * carried.dot(moved.rate) if len(mass) else 0
        elastic = [(bend.q.T * K * bend.q)[0], *(stretch.q.T * KA * stretch.q if stretches else ())]
        self.output("energy.kinetic", moving / 2, "J", "kinetic energy")
        self.output("energy.elastic", sum(elastic) / 2, "J", "elastic energy")
        self.output("energy.potential", -m * (g[0] * x + g[1] * y), "J", "potential energy in the field of gravity, zero at the origin")
        self.deformation(P, bend, U, stretch)

    def _frame(self, name: str, rate: str, unit: str):
        text = "angle" if unit == "rad" else name
        q = self.state(name, 0.0, unit, f"absolute {text} of the mean frame, whose origin is the mass centre")
        v = self.state(rate, 0.0, f"{unit}/s", f"absolute velocity of {name}")
        self.rate(q, v)
        return q, v


def Beam(bending: int, stretch: int = 0) -> type[Component]:
    """Returns the component class of a flexible beam in the plane with this number of ``bending`` shapes and of axial shapes for its
    ``stretch``. The catalogue has planar.Beam2 to Beam5 without stretch. Other numbers raise DeclarationError."""
    return of_order(_Beam, bending) if stretch == 0 else of_order(_Beam, bending, stretch)


def __getattr__(name: str) -> type[Component]:
    return by_name(_Beam, name)


catalogued(_Beam, 5, least=2)
