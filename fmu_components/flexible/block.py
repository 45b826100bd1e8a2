"""Elastic bodies in space that are clamped to their parent, as one block."""

from __future__ import annotations

from typing import ClassVar

import sympy
from sympy import Matrix, zeros

from fmu_components.declare.picture import Picture, elastic, picture, square
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import AXES, attitude, vector
from fmu_components.flexible.elastic import Elastic, dot, number
from fmu_components.flexible.integrals import RootedNumbers


class WeldedFlexibleBody(Elastic):
    """Base of elastic blocks in space, whose classes ``flexible_body`` returns where it is given a ``root``."""

    data: ClassVar[RootedNumbers]
    frame_name = "frame of the root"
    title = "Elastic body in space that is clamped to its parent at {root}, with {ports}"
    text = "States are the amplitudes of the shapes, which leave the root at rest. It has no unknowns."

    def symbol(self) -> Picture:
        """Returns the deformed surface in the frame of the root."""
        root = self.data.root
        return picture(square(root), elastic(self.surface.deformed(self.data.size), "L", root))

    def declare(self) -> None:
        d = self.data
        n = len(d.frequencies)
        P = self.port(d.root, SPATIAL, Side.EFFORT, "the root on the parent")
        m, L, first, zeta, g = self.scales()
        e, rates = self.amplitudes()
        for state, rate in zip(e, rates, strict=True):
            self.rate(state, rate)
        R = attitude(self, P.R, P.omega)
        w = vector(self, self.local, "w%", R.T * P.omega, "rad/s", "angular velocity about the axis % of the root")
        fall = vector(
            self,
            self.local,
            "a%",
            R.T * (P.velocity.applyfunc(self.D) - g),
            "m/s2",
            "acceleration of the root less gravity, along its axis %",
        )
        alpha = vector(
            self, self.local, "alpha%", R.T * P.omega.applyfunc(self.D), "rad/s2", "angular acceleration about the axis % of the root"
        )
        s = [self.local(f"s[{k + 1}]", e[k] / L, "", f"amplitude of shape {k + 1} over the size") for k in range(n)]
        S, slope = self._first_moment(m, L, e, s)
        J, bend, rate_of_J = self.inertia(m, L, s, rates)
        turning = self.coupled(
            "C", m, d.C, e, "m", "part of the amplitudes in the moment of momentum of shape {shape} about {axis}, over the mass"
        )
        H = Matrix(3, n, lambda a, k: m * L * number(d.H[int(a), int(k)])) + turning
        coupled = self.coupled(
            "C.rate", m, d.C, rates, "m/s", "rate of the moment of momentum of shape {shape} about {axis}, over the mass"
        )

        force, torque, modal, placed = zeros(3, 1), zeros(3, 1), zeros(n, 1), []
        for name, point in d.ports.items():
            port = self.port(name, SPATIAL, Side.MOTION, f"port {name} of the body", torque_free=point.turns is None)
            pressed = vector(self, self.local, f"{name}.force.%", R.T * Matrix(port.efforts[:3]), "N", "force along the axis % of the root")
            twisted = vector(
                self, self.local, f"{name}.torque.%", R.T * Matrix(port.efforts[3:]), "N.m", "torque about the axis % of the root"
            )
            u, u_rate, per_shape = self.displaced(name, point, L, e, s, rates)
            force += pressed
            torque += twisted + u.cross(pressed)
            modal += Matrix([column.dot(pressed) for column in per_shape])
            spin, frame = zeros(3, 1), Matrix(3, 3, [number(x) for x in point.frame.ravel()])
            if point.turns is not None:
                frame, spin, work = self.turned(name, point, L, s, rates, twisted, frame)
                modal += work
            placed.append((port, P.point + self.arm(name, R, u, u_rate, P.omega), P.omega + R * spin, R * frame))

        accelerations = []
        for k in range(n):
            stiff = number(d.frequencies[k]) * first
            push = (
                modal[k]
                - m * stiff**2 * e[k]
                - 2 * m * zeta[k] * stiff * rates[k]
                - slope[:, k].dot(fall)
                - H[:, k].dot(alpha)
                + m * L * (w.T * bend[k] * w)[0] / 2
                - 2 * w.dot(coupled[:, k])
            )
            accelerations.append(self.local(f"shape.acceleration[{k + 1}]", push / m, "m/s2", f"second derivative of amplitude {k + 1}"))
            self.rate(rates[k], accelerations[k])
        speed = vector(
            self, self.local, "S%.rate", slope * rates, "kg.m/s", "rate of the first moment of mass along the axis % of the root"
        )
        change = slope * Matrix(accelerations) + self._curved(m, L, rates)
        pulled = m * fall + alpha.cross(S) + w.cross(w.cross(S)) + 2 * w.cross(speed) + change - force
        twisted = S.cross(fall) + J * alpha + H * Matrix(accelerations) + rate_of_J * w + w.cross(J * w + H * rates) - torque
        self.gives(P, *-(R * pulled), *-(R * twisted))
        for port, place, turn, frame in placed:
            self.moves(port, *place, *turn, *frame)
        self.shown(P.point, R, L, e, s, rates)
        self.trusted(P.omega, first)
        v = R.T * P.velocity
        kinetic = (m * v.dot(v) + w.dot(J * w) + m * rates.dot(rates)) / 2 + v.dot(w.cross(S) + speed) + w.dot(H * rates)
        self.output("energy.kinetic", kinetic, "J", "kinetic energy")
        self.output("energy.elastic", sum(m * (number(d.frequencies[k]) * first * e[k]) ** 2 for k in range(n)) / 2, "J", "elastic energy")
        self.output("energy.potential", -g.dot(m * P.point + R * S), "J", "potential energy in the field of gravity, zero at the origin")

    def _first_moment(self, m: sympy.Symbol, L: sympy.Symbol, e: Matrix, s: list[sympy.Symbol]) -> tuple[Matrix, Matrix]:
        """Returns the first moment of mass about the root and its derivative by each amplitude."""
        d, n = self.data, len(s)
        half = zeros(3, n)
        if d.S2 is not None:
            for a, axis in enumerate(AXES):
                for k in range(n):
                    text = f"half of the second-order part of shape {k + 1} in the first moment along {axis}"
                    half[a, k] = self.local(f"S{axis}.part[{k + 1}]", dot(d.S2[a, k], s), "", text)
        values = [m * (number(d.S0[a]) * L + sympy.Add(*(e[k] * (number(d.S1[a, k]) + half[a, k]) for k in range(n)))) for a in range(3)]
        S = vector(self, self.local, "S%", values, "kg.m", "first moment of mass about the root along its axis %")
        return S, Matrix(3, n, lambda a, k: m * (number(d.S1[int(a), int(k)]) + 2 * half[a, k]))

    def _curved(self, m: sympy.Symbol, L: sympy.Symbol, rates: Matrix) -> Matrix:
        """Returns the part of the second derivative of the first moment that is quadratic in the rates."""
        S2 = self.data.S2
        if S2 is None:
            return zeros(3, 1)
        n = len(rates)
        return Matrix([2 * m / L * sympy.Add(*(rates[k] * dot(S2[a, k], rates) for k in range(n))) for a in range(3)])
