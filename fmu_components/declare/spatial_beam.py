"""Motion of uniform beams in space to second order in the amplitudes, where bending in two planes and twist meet.

Strains are linear in the amplitudes: curvatures and rate of twist are those of the shapes. Turns of sections do not commute. Therefore places and
turns have parts of second order, from the Magnus series of the turn along the beam. Their mean and their mean turn are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, Matrix, Poly, Rational, Symbol, eye, factorial, horner

from fmu_components.declare.beam import XI, legendre, mean, shortening
from fmu_components.declare.component import Component
from fmu_components.declare.picture import Deformed
from fmu_components.declare.space import AXES, vector

_LINE = 17
"""Points of the centre line in pictures."""
_TERMS = 8
"""Terms of the series of sine and cosine, which are exact to 1e-15 for turns of one radian."""


@dataclass(frozen=True)
class Amplitudes:
    """Amplitudes, as columns, of bending along y, bending along z, stretch and twist; or their rates."""

    y: Matrix
    z: Matrix
    stretch: Matrix
    twist: Matrix

    @property
    def all(self) -> Matrix:
        """Returns one column of all of them."""
        return Matrix([*self.y, *self.z, *self.stretch, *self.twist])


@dataclass(frozen=True)
class Shapes:
    """Shapes of bending, which is the same in both planes, of stretch and of twist."""

    bend: Sequence[Poly]
    stretch: Sequence[Poly]
    twist: Sequence[Poly]

    @property
    def short(self) -> list[list[Poly]]:
        """Returns the displacements along the beam by bending, times the length, less their means."""
        return [[each - mean(each) for each in row] for row in shortening(self.bend, 0)]

    def place(self, at: int, q: Amplitudes, L: Expr) -> Matrix:
        """Returns the displacement of the end at -1 or 1."""
        short = _values(self.short, at)
        coupled = _values([[_pulled(each, shape).lateral for shape in self.bend] for each in self.twist], at)
        P, U = _row(self.bend, at), _row(self.stretch, at)
        along = U.dot(q.stretch) + (q.y.dot(short * q.y) + q.z.dot(short * q.z)) / L
        return Matrix([along, P.dot(q.y) - _bilinear(q.twist, coupled, q.z), P.dot(q.z) + _bilinear(q.twist, coupled, q.y)])

    def turn(self, at: int, q: Amplitudes, L: Expr) -> Matrix:
        """Returns the rotation vector of the section at the end at -1 or 1.

        The mean frame is turned against the section in the middle by a rotation of second order, which precedes that of the first order.
        Both together make a part of third order. Without this part twist would be of order two in the length.
        """
        slope, T = _row([2 * each.diff(XI) for each in self.bend], at), _row(self.twist, at)
        first = Matrix([T.dot(q.twist), -slope.dot(q.z) / L, slope.dot(q.y) / L])
        return first + self._turned(at, q, L) + self._turned(0, q, L).cross(first) / 2

    def _turned(self, at: int, q: Amplitudes, L: Expr) -> Matrix:
        """Returns the part of second order of the rotation vector."""
        coupled = _values([[_pulled(each, shape).turning for shape in self.bend] for each in self.twist], at)
        crossed = _values([[_crossed(a, b) for b in self.bend] for a in self.bend], at)
        along_y, along_z = (_bilinear(q.twist, coupled, each) / L for each in (q.y, q.z))
        return Matrix([_bilinear(q.z, crossed, q.y) / L**2, -along_y, -along_z])


def centre_line(bending: int, stretches: int) -> Deformed:
    """Returns the centre line in pictures, of a beam of unit length. It moves by the shapes alone: parts of second order are left out."""
    points = [Rational(2 * k, _LINE - 1) - 1 for k in range(_LINE)]
    kinds = [("bend.y", 1, bending, 2), ("bend.z", 2, bending, 2), ("stretch", 0, stretches, 1)]
    moves = [(f"{name}[{k + 1}]", axis, legendre(k + first)) for name, axis, count, first in kinds for k in range(count)]
    shapes = [[[float(each.eval(at)) if a == axis else 0.0 for a in range(3)] for at in points] for _, axis, each in moves]
    return Deformed([name for name, _, _ in moves], [[float(at) / 2, 0.0, 0.0] for at in points], shapes, lines=[list(range(_LINE))])


@dataclass(frozen=True)
class _Pulled:
    """Parts of second order by a shape of twist and one of bending: the displacement across the beam, and the turn times the length."""

    lateral: Poly
    turning: Poly


def _pulled(twist: Poly, bend: Poly) -> _Pulled:
    slope = bend.diff(XI)
    drawn = (twist.diff(XI) * slope).integrate()
    lateral = (twist * slope - drawn).integrate()
    tilt = 3 * mean(lateral * legendre(1))  # removed, so that the mean frame does not turn
    lateral = lateral - tilt * legendre(1)
    return _Pulled(lateral - mean(lateral), twist * slope - 2 * (drawn + tilt))


def _crossed(along_z: Poly, along_y: Poly) -> Poly:
    """Returns the turn about the beam, times the square of the length, by bending in both planes."""
    turned = 2 * (along_z.diff(XI, XI) * along_y.diff(XI) - along_z.diff(XI) * along_y.diff(XI, XI)).integrate()
    return turned - mean(turned)


def _values(shapes: Sequence[Sequence[Poly]], at: int) -> Matrix:
    return Matrix(len(shapes), len(shapes[0]) if shapes else 0, [each.eval(at) for row in shapes for each in row])


def _row(shapes: Sequence[Poly], at: int) -> Matrix:
    return Matrix(1, len(shapes), [each.eval(at) for each in shapes])


def _bilinear(a: Matrix, table: Matrix, b: Matrix) -> Expr:
    return a.dot(table * b) if len(a) else Rational(0)


@dataclass(frozen=True)
class Turned:
    """The rotation by a rotation vector t, whose angle is the length of t."""

    t: Matrix
    first: Expr
    """(1 - cos |t|)/|t|^2."""
    second: Expr
    """(|t| - sin |t|)/|t|^3."""
    omega: Matrix
    """Angular velocity."""
    matrix: Matrix

    def work(self, torque: Matrix) -> Matrix:
        """Returns the torque on the rotation vector that does the work of a ``torque``."""
        turned = self.t.cross(torque)
        return torque - self.first * turned + self.second * self.t.cross(turned)


def turned(part: Component, name: str, t: Matrix, rate: Matrix) -> Turned:
    """Declares the rotation of an end by a rotation vector ``t`` that changes with ``rate``."""
    change = part.local(f"{name}.turn.square.rate", 2 * t.dot(rate), "1/s", f"rate of the square of the turn of {name}")
    square = part.local(f"{name}.turn.square", t.dot(t), "", f"square of the turn of {name}", rate=change)
    sine, first, second = (_series(part, f"{name}.turn.factor[{k}]", square, change, k) for k in (1, 2, 3))
    turning = t.cross(rate)
    omega = rate + first * turning + second * t.cross(turning)
    changes = vector(
        part, part.local, f"{name}.spin%.rate", omega.applyfunc(part.D), "rad/s2", f"rate of the spin of {name} about the axis %"
    )
    spin = [
        part.local(f"{name}.spin{axis}", each, "rad/s", f"angular velocity of {name} in the mean frame about its axis {axis}", rate=by)
        for axis, each, by in zip(AXES, omega, changes, strict=True)
    ]
    across = Matrix([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
    entries = eye(3) + sine * across + first * across**2
    matrix = Matrix(
        3,
        3,
        lambda i, j: part.local(
            f"{name}.turn.R{i + 1}{j + 1}", entries[i, j], "", f"{AXES[i]} of the axis {AXES[j]} of the section at {name} in the mean frame"
        ),
    )
    return Turned(t, first, second, Matrix(spin), matrix)


def _series(part: Component, name: str, square: Symbol, change: Expr, order: int) -> Symbol:
    """Declares the sum of (-square)^k/(2 k + order)!: sin(a)/a, (1 - cos a)/a^2 and (a - sin a)/a^3 of the angle a by their order."""
    x = Symbol("x")
    series = sum((-x) ** k / factorial(2 * k + order) for k in range(_TERMS))
    rate = horner(series.diff(x)).subs(x, square) * change
    text = f"series of order {order} in the square of the turn"
    return part.local(name, horner(series).subs(x, square), "", text, rate=part.local(f"{name}.rate", rate, "1/s", f"rate of the {text}"))
