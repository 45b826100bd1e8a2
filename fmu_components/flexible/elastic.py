"""Parts of the equations that elastic bodies share: displacements and turns of their points, and sums over shapes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import sympy
from sympy import Matrix, eye, zeros

from fmu_components.declare.component import Component
from fmu_components.declare.functions import Magnitude
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.space import AXES, rotation_matrix, vector
from fmu_components.flexible.drawn import Drawn
from fmu_components.flexible.integrals import Point
from fmu_components.flexible.mesh import Array

_NOTHING = 1e-13
"""A number of the data that is rounding."""
_TRUSTED = 0.1
"""Spin, in parts of the first frequency, up to which a body without geometric stiffness is trusted."""
SMALL = 1e-2
"""Amplitude and velocity that count as usual, in parts of the size."""


def number(value: float) -> sympy.Expr:
    """Returns a number of the data, 0 where it is rounding."""
    return sympy.Float(float(value), 17) if abs(float(value)) > _NOTHING else sympy.Integer(0)


def dot(numbers: Iterable[float], symbols: Iterable[sympy.Expr]) -> sympy.Expr:
    """Returns the sum of products."""
    return sympy.Add(*(number(a) * b for a, b in zip(numbers, symbols, strict=True)))


def _cross(a: Matrix) -> Matrix:
    return Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


class Elastic(Component):
    """Base of elastic bodies in space, whose shapes are over the axes of one frame."""

    data: ClassVar[Any]
    stress: ClassVar[dict[str, Array]]
    surface: ClassVar[Drawn]
    title: ClassVar[str]
    text: ClassVar[str]
    """First line and states of the documentation of its classes."""
    frame_name: ClassVar[str] = "mean frame"
    """The frame over whose axes the shapes are."""
    drawing = Drawing(
        line((-0.75, 0.0), (-0.4, 0.22), (0.0, 0.3), (0.4, 0.22), (0.75, 0.0), width=0.22),
        circle(-0.75, 0.0, 0.14, fill=1.0),
        circle(0.75, 0.0, 0.14, fill=1.0),
    )

    def scales(self) -> tuple[sympy.Symbol, sympy.Symbol, sympy.Symbol, list[sympy.Symbol], Matrix]:
        """Declares mass, size, first frequency and damping, which begin at those of the data, and gravity."""
        d = self.data
        return (
            self.parameter("m", d.mass, "kg", "mass", above=0),
            self.parameter("L", d.size, "m", "length by which all lengths scale", above=0),
            self.parameter("omega1", d.first, "rad/s", "first angular frequency, by which all scale", above=0),
            [self.parameter(f"zeta[{k}]", 0.0, "", f"damping ratio of shape {k}", at_least=0) for k in range(1, len(d.frequencies) + 1)],
            vector(self, self.parameter, "g%", (0, 0, -9.81), "m/s2", "gravity along the absolute % axis", nominal=10),
        )

    def amplitudes(self) -> tuple[Matrix, Matrix]:
        """Declares the amplitudes of the shapes and their rates as states."""
        usual, numbers = SMALL * self.data.size, range(1, len(self.data.frequencies) + 1)
        e = [self.state(f"shape[{k}]", 0.0, "m", f"amplitude of shape {k}", nominal=usual, elastic=True) for k in numbers]
        rates = [self.state(f"shape.rate[{k}]", 0.0, "m/s", f"rate of shape {k}", nominal=usual, elastic=True) for k in numbers]
        return Matrix(e), Matrix(rates)

    def shown(self, origin: Matrix, R: Matrix, L: sympy.Symbol, e: Matrix, s: list[sympy.Symbol], rates: Matrix) -> None:
        """Declares the places of named points and the named stresses as outputs."""
        for name, point in self.data.points.items():
            u, _, _ = self.displaced(f"at.{name}", point, L, e, s, rates)
            vector(self, self.output, f"at.{name}.%", origin + R * u, "m", f"absolute % of the point {name}")
        if self.stress:
            unit = self.parameter("stress.scale", 1.0, "Pa", "stress by which all stresses scale", above=0)
            for name, row in self.stress.items():
                self.output(f"stress.{name}", unit * dot(row * self.data.size, s), "Pa", f"stress {name}", nominal=1e6)

    def trusted(self, omega: Matrix, first: sympy.Symbol) -> None:
        """Declares the spin as an output; a run warns where it is too fast for a body without geometric stiffness."""
        if not self.data.stiffened and len(self.data.frequencies):
            self.output(
                "spin",
                Magnitude(*omega) / first,
                "",
                "angular velocity by the first angular frequency",
                nominal=0.1,
                holds=(None, _TRUSTED),
                beyond="turns at {value*omega1} rad/s, its first frequency is {omega1} rad/s and no geometric stiffness was given: "
                "what it does is not to be trusted above {bound*omega1} rad/s",
            )

    def inertia(self, m: sympy.Symbol, L: sympy.Symbol, s: list[sympy.Symbol], rates: Matrix) -> tuple[Matrix, list[Matrix], Matrix]:
        """Returns the tensor of inertia, its derivative by each amplitude over mass and size, and its rate."""
        d, n = self.data, len(s)
        J, rate, slope = zeros(3, 3), zeros(3, 3), [zeros(3, 3) for _ in range(n)]
        for a in range(3):
            for b in range(a, 3):
                axes = f"{AXES[a]}{AXES[b]}"
                second = [
                    self.local(
                        f"J{axes}.part[{k + 1}]",
                        dot(d.J2[k, :, a, b], s),
                        "",
                        f"part of shape {k + 1} in entry {axes} of the tensor of inertia",
                    )
                    for k in range(n)
                ]
                grown = sympy.Add(number(d.J0[a, b]), *(s[k] * (number(d.J1[k, a, b]) + second[k]) for k in range(n)))
                J[a, b] = J[b, a] = self.local(
                    f"J{axes}", m * L**2 * grown, "kg.m2", f"entry {axes} of the tensor of inertia about the mass centre"
                )
                for k in range(n):
                    slope[k][a, b] = slope[k][b, a] = number(d.J1[k, a, b]) + 2 * second[k]
                change = m * L * sympy.Add(*(slope[k][a, b] * rates[k] for k in range(n)))
                rate[a, b] = rate[b, a] = self.local(f"J{axes}.rate", change, "kg.m2/s", f"rate of entry {axes} of the tensor of inertia")
        return J, slope, rate

    def coupled(self, name: str, m: sympy.Symbol, table: Array, amplitudes: Matrix, unit: str, text: str) -> Matrix:
        """Returns m times the sum of the ``table`` over its first index, times the ``amplitudes``: a row for each axis.

        The sums are local variables without m, so that their slopes are numbers.
        """
        return m * Matrix(
            3,
            len(amplitudes),
            lambda a, k: self.local(
                f"{name}{AXES[int(a)]}[{k + 1}]", dot(table[:, k, a], amplitudes), unit, text.format(axis=AXES[int(a)], shape=k + 1)
            ),
        )

    def displaced(
        self, name: str, point: Point, L: sympy.Symbol, e: Matrix, s: list[sympy.Symbol], rates: Matrix
    ) -> tuple[Matrix, Matrix, list[Matrix]]:
        """Returns the place of a point in the frame of the shapes, its rate, and its change by each amplitude."""
        n = len(s)
        columns = [zeros(3, 1) for _ in range(n)]
        place, moving = zeros(3, 1), zeros(3, 1)
        for a in range(3):
            bent = sympy.Integer(0)
            for k in range(n):
                columns[k][a] = number(point.moves[a, k])
                if point.shortens is not None:
                    half = self.local(
                        f"{name}.short{AXES[a]}[{k + 1}]",
                        dot(point.shortens[a, k], s),
                        "",
                        f"half of the change of the {AXES[a]} of {name} by shape {k + 1}, of second order",
                    )
                    columns[k][a] += 2 * half
                    bent += half * e[k]
            place[a] = L * number(point.place[a]) + dot(point.moves[a], e) + bent
            moving[a] = sympy.Add(*(columns[k][a] * rates[k] for k in range(n)))
        rate = vector(self, self.local, f"{name}.u%.rate", moving, "m/s", f"rate of the % of {name} in the {self.frame_name}")
        u = Matrix(
            [
                self.local(f"{name}.u{axis}", place[a], "m", f"{axis} of {name} in the {self.frame_name}", rate=rate[a])
                for a, axis in enumerate(AXES)
            ]
        )
        return u, rate, columns

    def turned(
        self, name: str, point: Point, L: sympy.Symbol, s: list[sympy.Symbol], rates: Matrix, torque: Matrix, frame: Matrix
    ) -> tuple[Matrix, Matrix, Matrix]:
        """Returns the frame of a port in that of the shapes, its angular velocity there, and the work of the ``torque`` per amplitude.

        The turn is that of the quaternion (1, t/2), which is a rotation whatever the size of t.
        """
        turns = point.turns
        assert turns is not None
        rate = vector(
            self,
            self.local,
            f"{name}.t%.rate",
            [dot(row, rates) / L for row in turns],
            "rad/s",
            f"rate of the turn of {name} about the {self.frame_name}’s axis %",
        )
        t = Matrix(
            [
                self.local(
                    f"{name}.t{axis}", dot(turns[a], s), "rad", f"turn of {name} about the {self.frame_name}’s axis {axis}", rate=rate[a]
                )
                for a, axis in enumerate(AXES)
            ]
        )
        tangent = (eye(3) + _cross(t) / 2) / self.local(
            f"{name}.stretch", 1 + t.dot(t) / 4, "", f"square of the length of the quaternion of {name}"
        )
        work = vector(
            self,
            self.local,
            f"{name}.turning.%",
            tangent.T * torque,
            "N.m",
            f"torque on the turn of {name} about the {self.frame_name}’s axis %",
        )
        turned = rotation_matrix([sympy.Integer(1), *(t / 2)]) * frame
        return turned, tangent * rate, Matrix([dot(turns[:, k], work) / L for k in range(len(s))])

    def arm(self, name: str, R: Matrix, u: Matrix, rate: Matrix, omega: Matrix) -> Matrix:
        """The arm of a port in the absolute frame, by name, with its rate."""
        symbols = Matrix([sympy.Symbol(f"{name}.arm{a}", real=True) for a in AXES])
        for symbol, equation, change, axis in zip(symbols, R * u, omega.cross(symbols) + R * rate, AXES, strict=True):
            self.local(str(symbol), equation, "m", f"absolute {axis} of {name} from the mass centre", rate=change)
        return symbols
