"""Elastic bodies in space: the equations of a body that moves by shapes, in its mean frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import sympy
from sympy import Matrix, eye, zeros

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.picture import Picture, ball, picture, rod
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import AXES, attitude, quaternion_rate, rotation_matrix, vector
from fmu_components.flexible.integrals import Numbers, Point
from fmu_components.flexible.mesh import Array

_NOTHING = 1e-13
"""A number of the data that is rounding."""
_TRUSTED = 0.1
"""Spin, in parts of the first frequency, up to which a body without geometric stiffness is trusted."""
_SMALL = 1e-2
"""Amplitude and velocity that count as usual, in parts of the size."""


def _number(value: float) -> sympy.Expr:
    return sympy.Float(float(value), 17) if abs(float(value)) > _NOTHING else sympy.Integer(0)


def _dot(numbers: Iterable[float], symbols: Iterable[sympy.Expr]) -> sympy.Expr:
    return sympy.Add(*(_number(a) * b for a, b in zip(numbers, symbols, strict=True)))


def _cross(a: Matrix) -> Matrix:
    return Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


class FlexibleBody(Component):
    """Base of elastic bodies in space, whose classes ``flexible_body`` returns."""

    data: ClassVar[Numbers]
    stress: ClassVar[dict[str, Array]]
    drawing = Drawing(
        line((-0.75, 0.0), (-0.4, 0.22), (0.0, 0.3), (0.4, 0.22), (0.75, 0.0), width=0.22),
        circle(-0.75, 0.0, 0.14, fill=1.0),
        circle(0.75, 0.0, 0.14, fill=1.0),
    )

    def symbol(self) -> Picture:
        """Returns rods between the ports, or a ball at the only one."""
        first, *others = self.data.ports
        return picture(*(rod(first, each) for each in others)) if others else picture(ball(first))

    def declare(self) -> None:
        d = self.data
        n = len(d.frequencies)
        m = self.parameter("m", d.mass, "kg", "mass", above=0)
        L = self.parameter("L", d.size, "m", "length by which all lengths scale", above=0)
        first = self.parameter("omega1", d.first, "rad/s", "first angular frequency, by which all scale", above=0)
        zeta = [self.parameter(f"zeta[{k + 1}]", 0.0, "", f"damping ratio of shape {k + 1}", at_least=0) for k in range(n)]
        g = vector(self, self.parameter, "g%", (0, 0, -9.81), "m/s2", "gravity along the absolute % axis", nominal=10)
        r = vector(self, self.state, "%", (0, 0, 0), "m", "absolute % of the mass centre")
        q = [self.state(f"q{i}", float(i == 0), "", f"component {i} of the quaternion of the mean frame’s attitude") for i in range(4)]
        v = vector(self, self.state, "v%", (0, 0, 0), "m/s", "absolute % velocity of the mass centre")
        omega = vector(self, self.state, "omega%", (0, 0, 0), "rad/s", "angular velocity of the mean frame about the absolute % axis")
        usual = _SMALL * d.size
        e = Matrix([self.state(f"shape[{k + 1}]", 0.0, "m", f"amplitude of shape {k + 1}", nominal=usual) for k in range(n)])
        rates = Matrix([self.state(f"shape.rate[{k + 1}]", 0.0, "m/s", f"rate of shape {k + 1}", nominal=usual) for k in range(n)])
        self.require(sum(each**2 for each in q), "the quaternion (q0, q1, q2, q3) is not zero")
        R = attitude(self, rotation_matrix(q), omega)
        for state, rate in zip([*r, *q, *e], [*v, *quaternion_rate(q, omega), *rates], strict=True):
            self.rate(state, rate)
        w = vector(self, self.output, "w%", R.T * omega, "rad/s", "angular velocity about the mean frame’s axis %")
        s = [self.local(f"s[{k + 1}]", e[k] / L, "", f"amplitude of shape {k + 1} over the size") for k in range(n)]
        J, slope, rate_of_J = self._inertia(m, L, s, rates)
        C = self._matrix("C", m, d.C, e, "kg.m", "coupling of the turn about {axis} with the rate of shape {shape}")
        coupled = self._matrix("C.rate", m, d.C, rates, "kg.m/s", "rate of the coupling of the turn about {axis} with shape {shape}")

        force, torque, modal, placed = zeros(3, 1), zeros(3, 1), zeros(n, 1), []
        for name, point in d.ports.items():
            port = self.port(name, SPATIAL, Side.MOTION, f"port {name} of the body", torque_free=point.turns is None)
            pressed = vector(
                self, self.local, f"{name}.force.%", R.T * Matrix(port.efforts[:3]), "N", "force along the mean frame’s axis %"
            )
            twisted = vector(
                self, self.local, f"{name}.torque.%", R.T * Matrix(port.efforts[3:]), "N.m", "torque about the mean frame’s axis %"
            )
            u, u_rate, per_shape = self._displaced(name, point, L, e, s, rates)
            force += Matrix(port.efforts[:3])
            torque += twisted + u.cross(pressed)
            modal += Matrix([column.dot(pressed) for column in per_shape])
            turning, frame = zeros(3, 1), Matrix(3, 3, [_number(x) for x in point.frame.ravel()])
            if point.turns is not None:
                frame, turning, work = self._turned(name, point, L, s, rates, twisted, frame)
                modal += work
            placed.append((port, r + self._arm(name, R, u, u_rate, omega), omega + R * turning, R * frame))

        forces = [
            self.local(
                f"shape.force[{k + 1}]",
                modal[k]
                - m * (_number(d.frequencies[k]) * first) ** 2 * e[k]
                - 2 * m * zeta[k] * _number(d.frequencies[k]) * first * rates[k]
                + m * L * (w.T * slope[k] * w)[0] / 2
                - 2 * w.dot(coupled[:, k]),
                "N",
                f"force on shape {k + 1} of a frame at rest",
            )
            for k in range(n)
        ]
        moment = vector(
            self,
            self.local,
            "moment.%",
            torque - rate_of_J * w - w.cross(J * w + C * rates) - C * Matrix(forces) / m,
            "N.m",
            "torque less gyroscopic torque and that of the shapes about the mean frame’s axis %",
        )
        alpha = self._solved(J - C * C.T / m, moment)
        for state, rate in zip([*v, *omega], [*(g + force / m), *(R * alpha)], strict=True):
            self.rate(state, rate)
        for k in range(n):
            self.rate(rates[k], (forces[k] - C[:, k].dot(alpha)) / m)
        for port, place, turn, frame in placed:
            self.moves(port, *place, *turn, *frame)
        for name, point in d.points.items():
            u, _, _ = self._displaced(f"at.{name}", point, L, e, s, rates)
            vector(self, self.output, f"at.{name}.%", r + R * u, "m", f"absolute % of the point {name}")
        for name, row in self.stress.items():
            self.output(f"stress.{name}", _dot(row, e), "Pa", f"stress {name}")
        kinetic = (m * v.dot(v) + w.dot(J * w) + m * rates.dot(rates)) / 2 + w.dot(C * rates)
        elastic = sum(m * (_number(d.frequencies[k]) * first * e[k]) ** 2 for k in range(n)) / 2
        self.output("energy.kinetic", kinetic, "J", "kinetic energy")
        self.output("energy.elastic", elastic, "J", "elastic energy")
        self.output("energy.potential", -m * g.dot(r), "J", "potential energy in the field of gravity, zero at the origin")
        if not d.stiffened and n:
            self.expect(
                (_TRUSTED * first) ** 2 - omega.dot(omega),
                "the body turns slower than a tenth of its first frequency, since no geometric stiffness was given; faster, it is not to be trusted",
            )

    def _inertia(self, m: sympy.Symbol, L: sympy.Symbol, s: list[sympy.Symbol], rates: Matrix) -> tuple[Matrix, list[Matrix], Matrix]:
        """Returns the tensor of inertia, its derivative by each amplitude over mass and size, and its rate."""
        d, n = self.data, len(s)
        J, rate, slope = zeros(3, 3), zeros(3, 3), [zeros(3, 3) for _ in range(n)]
        for a in range(3):
            for b in range(a, 3):
                axes = f"{AXES[a]}{AXES[b]}"
                second = [
                    self.local(
                        f"J{axes}.part[{k + 1}]",
                        _dot(d.J2[k, :, a, b], s),
                        "",
                        f"part of shape {k + 1} in entry {axes} of the tensor of inertia",
                    )
                    for k in range(n)
                ]
                grown = sympy.Add(_number(d.J0[a, b]), *(s[k] * (_number(d.J1[k, a, b]) + second[k]) for k in range(n)))
                J[a, b] = J[b, a] = self.local(
                    f"J{axes}", m * L**2 * grown, "kg.m2", f"entry {axes} of the tensor of inertia about the mass centre"
                )
                for k in range(n):
                    slope[k][a, b] = slope[k][b, a] = _number(d.J1[k, a, b]) + 2 * second[k]
                change = m * L * sympy.Add(*(slope[k][a, b] * rates[k] for k in range(n)))
                rate[a, b] = rate[b, a] = self.local(f"J{axes}.rate", change, "kg.m2/s", f"rate of entry {axes} of the tensor of inertia")
        return J, slope, rate

    def _matrix(self, name: str, m: sympy.Symbol, table: Array, amplitudes: Matrix, unit: str, text: str) -> Matrix:
        """Returns m times the sum of the ``table`` over its first index, times the ``amplitudes``: a row for each axis."""
        n = len(amplitudes)
        return Matrix(
            3,
            n,
            lambda a, k: self.local(
                f"{name}{AXES[int(a)]}[{k + 1}]", m * _dot(table[:, k, a], amplitudes), unit, text.format(axis=AXES[int(a)], shape=k + 1)
            ),
        )

    def _displaced(
        self, name: str, point: Point, L: sympy.Symbol, e: Matrix, s: list[sympy.Symbol], rates: Matrix
    ) -> tuple[Matrix, Matrix, list[Matrix]]:
        """Returns the place of a point in the mean frame, its rate, and its change by each amplitude."""
        n = len(s)
        columns = [zeros(3, 1) for _ in range(n)]
        place, moving = zeros(3, 1), zeros(3, 1)
        for a in range(3):
            bent = sympy.Integer(0)
            for k in range(n):
                columns[k][a] = _number(point.moves[a, k])
                if point.shortens is not None:
                    half = self.local(
                        f"{name}.short{AXES[a]}[{k + 1}]",
                        _dot(point.shortens[a, k], s),
                        "",
                        f"half of the change of the {AXES[a]} of {name} by shape {k + 1}, of second order",
                    )
                    columns[k][a] += 2 * half
                    bent += half * e[k]
            place[a] = L * _number(point.place[a]) + _dot(point.moves[a], e) + bent
            moving[a] = sympy.Add(*(columns[k][a] * rates[k] for k in range(n)))
        rate = vector(self, self.local, f"{name}.u%.rate", moving, "m/s", f"rate of the % of {name} in the mean frame")
        u = Matrix(
            [
                self.local(f"{name}.u{axis}", place[a], "m", f"{axis} of {name} in the mean frame", rate=rate[a])
                for a, axis in enumerate(AXES)
            ]
        )
        return u, rate, columns

    def _turned(
        self, name: str, point: Point, L: sympy.Symbol, s: list[sympy.Symbol], rates: Matrix, torque: Matrix, frame: Matrix
    ) -> tuple[Matrix, Matrix, Matrix]:
        """Returns the frame of a port in the mean frame, its angular velocity there, and the work of the ``torque`` per amplitude.

        The turn is that of the quaternion (1, t/2), which is a rotation whatever the size of t.
        """
        turns = point.turns
        assert turns is not None
        rate = vector(
            self,
            self.local,
            f"{name}.t%.rate",
            [_dot(row, rates) / L for row in turns],
            "rad/s",
            f"rate of the turn of {name} about the mean frame’s axis %",
        )
        t = Matrix(
            [
                self.local(f"{name}.t{axis}", _dot(turns[a], s), "rad", f"turn of {name} about the mean frame’s axis {axis}", rate=rate[a])
                for a, axis in enumerate(AXES)
            ]
        )
        tangent = (eye(3) + _cross(t) / 2) / self.local(
            f"{name}.stretch", 1 + t.dot(t) / 4, "", f"square of the length of the quaternion of {name}"
        )
        work = vector(
            self, self.local, f"{name}.turning.%", tangent.T * torque, "N.m", f"torque on the turn of {name} about the mean frame’s axis %"
        )
        turned = rotation_matrix([sympy.Integer(1), *(t / 2)]) * frame
        return turned, tangent * rate, Matrix([_dot(turns[:, k], work) / L for k in range(len(s))])

    def _arm(self, name: str, R: Matrix, u: Matrix, rate: Matrix, omega: Matrix) -> Matrix:
        """The arm of a port in the absolute frame, by name, with its rate."""
        symbols = Matrix([sympy.Symbol(f"{name}.arm{a}", real=True) for a in AXES])
        for symbol, equation, change, axis in zip(symbols, R * u, omega.cross(symbols) + R * rate, AXES, strict=True):
            self.local(str(symbol), equation, "m", f"absolute {axis} of {name} from the mass centre", rate=change)
        return symbols

    def _solved(self, entries: Matrix, moment: Matrix) -> Matrix:
        """Returns the angular acceleration about the axes of the mean frame."""
        upper = {
            (a, b): self.local(
                f"S{AXES[a]}{AXES[b]}", entries[a, b], "kg.m2", f"entry {AXES[a]}{AXES[b]} of the tensor of inertia that turns"
            )
            for a in range(3)
            for b in range(a, 3)
        }
        S = Matrix(3, 3, lambda a, b: upper[min(a, b), max(a, b)])
        det = self.local("S.det", S.det(), "kg3.m6", "determinant of the tensor of inertia that turns")
        return vector(
            self, self.local, "alpha%", S.cofactor_matrix() * moment / det, "rad/s2", "angular acceleration about the mean frame’s axis %"
        )


def described(data: Numbers, name: str) -> str:
    """Returns mass, size and first frequencies of a body in words."""
    hertz = data.frequencies * data.first / (2 * np.pi)
    return (
        f"{name}: {data.mass:.6g} kg, {data.size:.6g} m long, {len(hertz)} shapes of {', '.join(f'{each:.4g}' for each in hertz[:4])}"
        f"{' and more' if len(hertz) > 4 else ''} Hz"
    )


def class_of(data: Numbers, name: str, stress: dict[str, Array]) -> type[Any]:
    """Returns the component class of a body; its data, not its name, tells it from others in the cache."""
    doc = (
        f"Elastic body in space with the {'port' if len(data.ports) == 1 else 'ports'} {', '.join(data.ports)}.\n\n"
        f"{described(data, name)}. States are the position and velocity of the mass centre, the attitude and angular velocity of the mean frame, "
        f"and the amplitudes of the shapes. {'Geometric stiffness is included.' if data.stiffened else 'Geometric stiffness was not given.'}"
    )
    made = {"__doc__": doc, "__module__": "jourdain", "__qualname__": f"class_of.<locals>.{name}", "data": data, "stress": stress}
    return type(name, (FlexibleBody,), made)
