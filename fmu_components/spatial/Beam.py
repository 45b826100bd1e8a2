"""Flexible beams in space, in their mean frame, with Legendre polynomials as shapes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from sympy import Abs, Expr, Matrix, Symbol, diag, zeros

from fmu_components.declare.beam import POINTS, XI, greater, legendre, mean, means, stiffness
from fmu_components.declare.component import Component
from fmu_components.declare.functions import Magnitude
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.orders import by_name, of_order
from fmu_components.declare.picture import Picture, elastic
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import AXES, attitude, axes_of_port, quaternion_rate, rotation_matrix, vector
from fmu_components.declare.spatial_beam import Amplitudes, Shapes, centre_line, turned


@dataclass(frozen=True)
class _Moving:
    """A vector that depends on the amplitudes, with its rate and its slopes: a column for each amplitude."""

    value: Matrix
    rate: Matrix
    slopes: Matrix


class _Beam(Component):
    """Flexible beam in space with {order} bending shapes in each plane.

    The beam is uniform, and straight without load. Its ends p1 and p2 take any joint; their attitude is that of the section. The states are the
    place and the attitude of the mean frame, in which p1 lies at -L/2 and p2 at L/2 along x, and amplitudes: bend.y[k] times the Legendre
    polynomial k + 1 is the deflection along y, and twist[k] times the polynomial k the turn of the section. The strains are linear in the
    amplitudes, without shear. Places and turns of the ends are of second order: bending draws the ends together, and twist turns the
    planes of bending. Therefore tension and rotation stiffen the beam, and pressure, bending and torque soften it.

    One beam is right to a thousandth of its length while it bends by at most 6 % of its length from its chord. Beams joined by spatial.Weld
    bend further: with as many shapes of twist as of bending, half the length leaves a sixteenth of the error. The catalogue has two of each;
    the function SpatialBeam(bending, stretch, twist) makes other numbers of shapes.
    """

    drawing = Drawing(
        line((-0.85, 0.2), (-0.45, -0.05), (0, -0.15), (0.45, -0.05), (0.85, 0.2), width=0.14),
        line((-0.7, 0.45), (-0.4, 0.26), (0, 0.18), (0.4, 0.26), (0.7, 0.45), width=0.06),
        circle(-0.85, 0.2, 0.14, fill=1.0),
        circle(0.85, 0.2, 0.14, fill=1.0),
    )
    sizes: ClassVar[tuple[int, ...]]
    fewest = (1, 0, 0)
    greatest_bend: ClassVar[float] = 0.06
    """Deflection from the chord, by the length, up to which the place of an end is right to about a thousandth of the length."""

    def symbol(self) -> Picture:
        """Returns the centre line by its shapes in the mean frame."""
        return Picture((elastic(centre_line(*self.sizes[:2]), "L"),), (*AXES, "q0", "q1", "q2", "q3"))

    def declare(self) -> None:
        bending, stretches, twists = self.sizes
        shapes = Shapes(*([legendre(k + first) for k in range(n)] for n, first in ((bending, 2), (stretches, 1), (twists, 1))))
        L, m, tau, g = self._section()
        r = vector(self, self.state, "%", (0, 0, 0), "m", "absolute % of the mean frame, whose origin is the mass centre")
        quaternion = [
            self.state(f"q{i}", float(i == 0), "", f"component {i} of the quaternion of the mean frame’s attitude") for i in range(4)
        ]
        v = vector(self, self.state, "v%", (0, 0, 0), "m/s", "absolute % velocity of the mass centre")
        omega = vector(self, self.state, "omega%", (0, 0, 0), "rad/s", "angular velocity of the mean frame about the absolute % axis")
        self.require(sum(each**2 for each in quaternion), "the quaternion (q0, q1, q2, q3) is not zero")
        R = attitude(self, rotation_matrix(quaternion), omega)
        q, rates = self._amplitudes("", ""), self._amplitudes(".rate", "/s")
        accelerations = [Symbol(str(each).replace(".rate", ".acceleration"), real=True) for each in rates.all]
        changes = [*v, *quaternion_rate(quaternion, omega), *rates.all, *accelerations]
        for state, rate in zip([*r, *quaternion, *q.all, *rates.all], changes, strict=True):
            self.rate(state, rate)
        w = vector(self, self.output, "w%", R.T * omega, "rad/s", "angular velocity about the mean frame’s axis %")
        J, slopes = self._inertia(shapes, q)
        C, C_rate = self._coupled(shapes, q), self._coupled(shapes, rates)

        force, torque, modal, placed = zeros(3, 1), zeros(3, 1), zeros(len(q.all), 1), []
        for name, at, text in (("p1", -1, "first"), ("p2", 1, "second")):
            port = self.port(name, SPATIAL, Side.MOTION, f"{text} end of the beam")
            frame = axes_of_port(self, name, "frame of the section")
            pressed, twisted = (
                vector(self, self.local, f"{name}.{what}.%", R.T * Matrix(efforts), unit, f"{what} along the mean frame’s axis %")
                for what, efforts, unit in (("force", port.efforts[:3], "N"), ("torque", port.efforts[3:], "N.m"))
            )
            u = self._moving(f"{name}.u%", Matrix([at * L / 2, 0, 0]) + shapes.place(at, q, L), q, rates, "m", f"% of {name}")
            t = self._moving(f"{name}.t%", shapes.turn(at, q, L), q, rates, "rad", f"turn of {name} about the axis %")
            turn = turned(self, name, t.value, t.rate)
            work = vector(self, self.local, f"{name}.work.%", turn.work(twisted), "N.m", f"torque on the turn of {name} about the axis %")
            force += Matrix(port.efforts[:3])
            torque += twisted + u.value.cross(pressed)
            modal += u.slopes.T * pressed + t.slopes.T * work
            placed.append((port, r + self._arm(name, R, u, omega), omega + R * turn.omega, R * (turn.matrix * frame)))

        K, mass = self._stiffness(shapes), self._masses(shapes)
        forces = modal - K * (q.all + tau * rates.all)
        forces += Matrix([(w.T * slope * w)[0] / 2 for slope in slopes]) - 2 * C_rate.T * w
        alone = Matrix(
            [
                self.local(f"{each}.force", value / own, f"{self._unit(each)}/s2", f"force on {each} of a frame at rest, by its mass")
                for each, value, own in zip(q.all, forces, mass, strict=True)
            ]
        )
        change = sum((slope * rate for slope, rate in zip(slopes, rates.all, strict=True)), zeros(3, 3))
        moment = torque - change * w - w.cross(J * w + C * rates.all) - C * alone
        alpha = self._solved(J - C * diag(*(1 / each for each in mass)) * C.T, moment)
        for state, rate in zip([*v, *omega], [*(g + force / m), *(R * alpha)], strict=True):
            self.rate(state, rate)
        for each, own, by_itself, column in zip(accelerations, mass, alone, C.T.tolist(), strict=True):
            value, name = by_itself - Matrix(column).dot(alpha) / own, str(each)
            self.local(name, value, f"{self._unit(name)}/s2", f"second time derivative of {name.replace('.acceleration', '')}")
        for port, place, speed, axes in placed:
            self.moves(port, *place, *speed, *axes)

        relative = sum(own * rate**2 for own, rate in zip(mass, rates.all, strict=True)) / 2
        self.output("energy.kinetic", (m * v.dot(v) + w.dot(J * w)) / 2 + w.dot(C * rates.all) + relative, "J", "kinetic energy")
        self.output("energy.elastic", q.all.dot(K * q.all) / 2, "J", "elastic energy")
        self.output("energy.potential", -m * g.dot(r), "J", "potential energy in the field of gravity, zero at the origin")
        self._deformation(shapes, q, rates)

    def _section(self) -> tuple[Expr, Expr, Expr, Matrix]:
        """Declares the parameters of the beam; returns length, mass, damping and gravity."""
        L = self.parameter("L", 1.0, "m", "length", above=0)
        A = self.parameter("A", 1e-4, "m2", "area of the section", above=0, nominal=1e-4)
        Iy = self.parameter("Iy", 1e-9, "m4", "second moment of area about the axis y, for bending along z", above=0, nominal=1e-9)
        Iz = self.parameter("Iz", 1e-9, "m4", "second moment of area about the axis z, for bending along y", above=0, nominal=1e-9)
        E = self.parameter("E", 2.1e11, "Pa", "Young's modulus", above=0, nominal=1e11)
        if self.sizes[2]:
            It = self.parameter("It", 1.7e-9, "m4", "torsion constant of the section: Iy + Iz if it is round", above=0, nominal=1e-9)
            G = self.parameter("G", 8e10, "Pa", "shear modulus", above=0, nominal=1e11)
            self.local("twisting", G * It / L, "N.m/rad", "unit of the stiffness in twist, G It / L")
        rho = self.parameter("rho", 7850.0, "kg/m3", "density", above=0, nominal=1e3)
        tau = self.parameter(
            "tau", 0.0, "s", "damping: the stress of a rate of strain, by its modulus; 1e-5 is usual for steel", at_least=0
        )
        for axis in "yz":
            self.parameter(
                f"fibre.{axis}", 0.005, "m", f"distance of the outer fibre from the centre line, along {axis} of the beam", nominal=0.01
            )
        g = vector(self, self.parameter, "g%", (0, 0, -9.81), "m/s2", "gravity along the absolute % axis", nominal=10)
        m = self.local("m", rho * A * L, "kg", "mass")
        for axis, I in (("y", Iz), ("z", Iy)):  # noqa: E741
            self.local(f"bending.{axis}", E * I / L**3, "N/m", f"unit of the stiffness in bending along {axis}")
        if self.sizes[1]:
            self.local("stretching", E * A / L, "N/m", "unit of the stiffness in stretch, E A / L")
        self.local("polar", rho * (Iy + Iz) * L, "kg.m2", "moment of inertia about the straight beam")
        return L, m, tau, g

    def _amplitudes(self, ending: str, per: str) -> Amplitudes:
        """Declares the amplitudes of all shapes, or their rates, as states."""
        columns = []
        kinds = (("bend.y", "bending shape"), ("bend.z", "bending shape"), ("stretch", "axial shape"), ("twist", "twisting shape"))
        for (name, text), count in zip(kinds, (self.sizes[0], *self.sizes), strict=True):
            columns.append(
                [
                    self.state(
                        f"{name}{ending}[{k}]",
                        0.0,
                        f"{self._unit(name)}{per}",
                        f"rate of {name}[{k}]" if ending else f"amplitude of {text} {k}{f' along {name[-1]}' if name < 'c' else ''}",
                        nominal=1.0 if ending else 0.01,
                        elastic=True,
                    )
                    for k in range(1, count + 1)
                ]
            )
        return Amplitudes(*(Matrix(len(each), 1, each) for each in columns))

    @staticmethod
    def _unit(amplitude: Expr | str) -> str:
        return "rad" if str(amplitude).startswith("twist") else "m"

    def _masses(self, shapes: Shapes) -> list[Expr]:
        """Returns the modal masses; shapes of one kind are orthogonal to each other."""
        bend, stretch, twist = (
            each * Matrix([mean(shape**2) for shape in some]) if some else Matrix(0, 1, [])
            for each, some in ((self["m"], shapes.bend), (self["m"], shapes.stretch), (self["polar"], shapes.twist))
        )
        return [*bend, *bend, *stretch, *twist]

    def _stiffness(self, shapes: Shapes) -> Matrix:
        """Returns the stiffness of all amplitudes."""
        bend = stiffness(shapes.bend, 2)
        parts = [self["bending.y"] * bend, self["bending.z"] * bend]
        parts += [self["stretching"] * stiffness(shapes.stretch, 1)] if shapes.stretch else []
        parts += [self["twisting"] * stiffness(shapes.twist, 1)] if shapes.twist else []
        return diag(*parts)

    def _inertia(self, shapes: Shapes, q: Amplitudes) -> tuple[Matrix, list[Matrix]]:
        """Declares the tensor of inertia; returns it with its slopes by the amplitudes. That of sections counts for the straight beam alone."""
        L, m, n = self["L"], self["m"], len(shapes.bend)
        own = diag(*(mean(each**2) for each in shapes.bend))
        shortened = 2 * Matrix(n, n, lambda i, j: mean(shapes.short[i][j] * legendre(1)) / 2)
        stretched = 2 * L / 2 * Matrix(1, len(shapes.stretch), [mean(each * legendre(1)) for each in shapes.stretch])
        squares = [each.dot(own * each) for each in (q.y, q.z)]
        along = L**2 / 12 + stretched.dot(q.stretch) + sum(each.dot(shortened * each) for each in (q.y, q.z))
        along += sum(mean(each**2) * a**2 for each, a in zip(shapes.stretch, q.stretch, strict=True))
        mixed = [-q.stretch.dot(means(shapes.stretch, shapes.bend) * each) if shapes.stretch else 0 for each in (q.y, q.z)]
        crossed = -q.y.dot(own * q.z)
        entries = Matrix([[sum(squares), *mixed], [mixed[0], along + squares[1], crossed], [mixed[1], crossed, along + squares[0]]])
        slopes = [(m * entries.diff(each)).applyfunc(lambda entry: entry.expand()) for each in q.all]
        upper = {
            (a, b): self.local(
                f"J{AXES[a]}{AXES[b]}",
                m * entries[a, b] + (self["polar"] if a == b == 0 else 0),
                "kg.m2",
                f"entry {AXES[a]}{AXES[b]} of the tensor of inertia about the mass centre",
            )
            for a in range(3)
            for b in range(a, 3)
            if entries[a, b] != 0
        }
        return Matrix(3, 3, lambda a, b: upper.get((min(a, b), max(a, b)), 0)), slopes

    def _coupled(self, shapes: Shapes, q: Amplitudes) -> Matrix:
        """Returns the moment of momentum by the rate of each amplitude, or by its rate of change where the rates are given."""
        m, masses = self["m"], [mean(each**2) for each in shapes.bend]
        mixed = m * means(shapes.stretch, shapes.bend) if shapes.stretch else Matrix(0, len(masses), [])
        columns = [[-m * own * z, 0, each] for own, z, each in zip(masses, q.z, mixed.T * q.stretch, strict=True)]
        columns += [[m * own * y, -each, 0] for own, y, each in zip(masses, q.y, mixed.T * q.stretch, strict=True)]
        columns += [[0, z, -y] for y, z in zip(mixed * q.y, mixed * q.z, strict=True)]
        columns += [[0, 0, 0] for _ in q.twist]
        return Matrix(columns).T

    def _moving(self, name: str, value: Matrix, q: Amplitudes, rates: Amplitudes, unit: str, text: str) -> _Moving:
        slopes = Matrix.hstack(*(value.diff(each) for each in q.all))
        change = slopes * rates.all
        second = vector(
            self,
            self.local,
            f"{name}.acceleration",
            change.applyfunc(self.D),
            f"{unit}/s2",
            f"acceleration of the {text}, in the mean frame",
        )
        rate = Matrix(
            [
                self.local(
                    f"{name.replace('%', axis)}.rate",
                    each,
                    f"{unit}/s",
                    f"rate of the {text.replace('%', axis)}, in the mean frame",
                    rate=by,
                )
                for axis, each, by in zip(AXES, change, second, strict=True)
            ]
        )
        named = [
            self.local(name.replace("%", axis), each, unit, f"{text.replace('%', axis)}, in the mean frame", rate=change)
            for axis, each, change in zip(AXES, value, rate, strict=True)
        ]
        return _Moving(Matrix(named), rate, slopes)

    def _arm(self, name: str, R: Matrix, u: _Moving, omega: Matrix) -> Matrix:
        """Declares the arm of an end in the absolute frame, with its rate."""
        symbols = Matrix([Symbol(f"{name}.arm{axis}", real=True) for axis in AXES])
        for symbol, equation, rate, axis in zip(symbols, R * u.value, omega.cross(symbols) + R * u.rate, AXES, strict=True):
            self.local(str(symbol), equation, "m", f"absolute {axis} of {name} from the mass centre", rate=rate)
        return symbols

    def _solved(self, entries: Matrix, moment: Matrix) -> Matrix:
        """Declares the angular acceleration about the axes of the mean frame."""
        named = vector(self, self.local, "moment.%", moment, "N.m", "torque less that of the shapes about the mean frame’s axis %")
        S = zeros(3, 3)
        for a in range(3):
            for b in range(a, 3):
                entry = entries[a, b].expand()
                if entry != 0:
                    axes = f"{AXES[a]}{AXES[b]}"
                    S[a, b] = S[b, a] = self.local(f"S{axes}", entry, "kg.m2", f"entry {axes} of the tensor of inertia that turns")
        det = self.local("S.det", S.det(), "kg3.m6", "determinant of the tensor of inertia that turns")
        solved = S.cofactor_matrix() * named / det
        return vector(self, self.local, "alpha%", solved, "rad/s2", "angular acceleration about the mean frame’s axis %")

    def _deformation(self, shapes: Shapes, q: Amplitudes, rates: Amplitudes) -> None:
        """Declares deflection, moments and strains as outputs."""
        L, tau, away = self["L"], self["tau"], []
        for at in POINTS[1:-1]:
            row = Matrix([[each.eval(at) - ((1 - at) * each.eval(-1) + (1 + at) * each.eval(1)) / 2 for each in shapes.bend]])
            away.append((row.dot(q.y), row.dot(q.z)))
        for axis, value in zip("yz", away[1], strict=True):
            self.output(f"middle.{axis}", value, "m", f"deflection of the middle from the chord along {axis}", nominal=0.01)
        self.output(
            "bent",
            Magnitude(*(reduce(greater, map(Abs, each)) for each in zip(*away, strict=True))) / L,
            "",
            "greatest deflection from the chord by the length, of both planes together",
            nominal=0.01,
            holds=(None, self.greatest_bend),
            beyond="bends by {percent} of its length: cut it into {times} pieces",
        )
        for number, at in enumerate(POINTS, 1):
            curved, place = Matrix([[4 * each.diff(XI, XI).eval(at) for each in shapes.bend]]), f"at {float(1 + at) / 2:g} of the length"
            strain = -sum(self[f"fibre.{axis}"] * curved.dot(each) for axis, each in (("y", q.y), ("z", q.z))) / L**2
            for about, axis, sign, each, rate in (("y", "z", -1, q.z, rates.z), ("z", "y", 1, q.y, rates.y)):
                moment = sign * self[f"bending.{axis}"] * L * curved.dot(each + tau * rate)
                self.output(f"moment.{about}[{number}]", moment, "N.m", f"bending moment about {about} {place}")
            if shapes.twist:
                wound = Matrix([[2 * each.diff(XI).eval(at) for each in shapes.twist]])
                self.output(f"torque[{number}]", self["twisting"] * wound.dot(q.twist + tau * rates.twist), "N.m", f"torque {place}")
            if shapes.stretch:
                strain += Matrix([[2 * each.diff(XI).eval(at) for each in shapes.stretch]]).dot(q.stretch) / L
            self.output(f"strain[{number}]", strain, "", f"strain of the outer fibre {place}", nominal=1e-3)


class Beam(_Beam):
    __doc__ = (_Beam.__doc__ or "").format(order="two")
    sizes = (2, 0, 2)


def SpatialBeam(bending: int, stretch: int = 0, twist: int = 2) -> type[Component]:
    """Returns the component class of a flexible beam in space with this number of ``bending`` shapes in each of two planes, of axial shapes
    for its ``stretch``, and of shapes for its ``twist``. The catalogue has spatial.Beam with 2, 0 and 2. Other numbers raise DeclarationError."""
    return of_order(_Beam, bending, stretch, twist)


def __getattr__(name: str) -> type[Component]:
    return by_name(_Beam, name)
