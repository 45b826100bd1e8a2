"""Elastic bodies in space: the equations of a body that moves by shapes, in its mean frame."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sympy import Matrix, zeros

from fmu_components.declare.picture import Picture, elastic
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import AXES, attitude, quaternion_rate, rotation_matrix, vector
from fmu_components.flexible.drawn import NAME, Drawn
from fmu_components.flexible.elastic import Elastic, number
from fmu_components.flexible.integrals import Numbers
from fmu_components.flexible.mesh import Array


class FlexibleBody(Elastic):
    """Base of elastic bodies in space, whose classes ``flexible_body`` returns."""

    data: ClassVar[Numbers]
    title = "Elastic body in space with {ports}"
    text = "States are the position and velocity of the mass centre, the attitude and angular velocity of the mean frame, and the amplitudes of the shapes."

    def symbol(self) -> Picture:
        """Returns the deformed surface in the mean frame."""
        return Picture((elastic(self.surface.deformed(self.data.size), "L"),), (*AXES, "q0", "q1", "q2", "q3"))

    def declare(self) -> None:
        d = self.data
        n = len(d.frequencies)
        m, L, first, zeta, g = self.scales()
        r = vector(self, self.state, "%", (0, 0, 0), "m", "absolute % of the mass centre")
        q = [self.state(f"q{i}", float(i == 0), "", f"component {i} of the quaternion of the mean frame’s attitude") for i in range(4)]
        v = vector(self, self.state, "v%", (0, 0, 0), "m/s", "absolute % velocity of the mass centre")
        omega = vector(self, self.state, "omega%", (0, 0, 0), "rad/s", "angular velocity of the mean frame about the absolute % axis")
        e, rates = self.amplitudes()
        self.require(sum(each**2 for each in q), "the quaternion (q0, q1, q2, q3) is not zero")
        R = attitude(self, rotation_matrix(q), omega)
        for state, rate in zip([*r, *q, *e], [*v, *quaternion_rate(q, omega), *rates], strict=True):
            self.rate(state, rate)
        w = vector(self, self.output, "w%", R.T * omega, "rad/s", "angular velocity about the mean frame’s axis %")
        s = [self.local(f"s[{k + 1}]", e[k] / L, "", f"amplitude of shape {k + 1} over the size") for k in range(n)]
        J, slope, rate_of_J = self.inertia(m, L, s, rates)
        C = self.coupled("C", m, d.C, e, "m", "coupling of the turn about {axis} with the rate of shape {shape}, over the mass")
        coupled = self.coupled(
            "C.rate", m, d.C, rates, "m/s", "rate of the coupling of the turn about {axis} with shape {shape}, over the mass"
        )

        force, torque, modal, placed = zeros(3, 1), zeros(3, 1), zeros(n, 1), []
        for name, point in d.ports.items():
            port = self.port(name, SPATIAL, Side.MOTION, f"port {name} of the body", torque_free=point.turns is None)
            pressed = vector(
                self, self.local, f"{name}.force.%", R.T * Matrix(port.efforts[:3]), "N", "force along the mean frame’s axis %"
            )
            twisted = vector(
                self, self.local, f"{name}.torque.%", R.T * Matrix(port.efforts[3:]), "N.m", "torque about the mean frame’s axis %"
            )
            u, u_rate, per_shape = self.displaced(name, point, L, e, s, rates)
            force += Matrix(port.efforts[:3])
            torque += twisted + u.cross(pressed)
            modal += Matrix([column.dot(pressed) for column in per_shape])
            turning, frame = zeros(3, 1), Matrix(3, 3, [number(x) for x in point.frame.ravel()])
            if point.turns is not None:
                frame, turning, work = self.turned(name, point, L, s, rates, twisted, frame)
                modal += work
            placed.append((port, r + self.arm(name, R, u, u_rate, omega), omega + R * turning, R * frame))

        forces = [
            self.local(
                f"shape.force[{k + 1}]",
                modal[k]
                - m * (number(d.frequencies[k]) * first) ** 2 * e[k]
                - 2 * m * zeta[k] * number(d.frequencies[k]) * first * rates[k]
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
        self.shown(r, R, L, e, s, rates)
        kinetic = (m * v.dot(v) + w.dot(J * w) + m * rates.dot(rates)) / 2 + w.dot(C * rates)
        elastic = sum(m * (number(d.frequencies[k]) * first * e[k]) ** 2 for k in range(n)) / 2
        self.output("energy.kinetic", kinetic, "J", "kinetic energy")
        self.output("energy.elastic", elastic, "J", "elastic energy")
        self.output("energy.potential", -m * g.dot(r), "J", "potential energy in the field of gravity, zero at the origin")
        self.trusted(omega, first)

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


def described(data: Any, name: str) -> str:
    """Returns mass, mass centre, size and first frequencies of a body in words."""
    hertz = data.frequencies * data.first / (2 * np.pi)
    # Rounding of a centre on an axis is left out.
    centre = ", ".join(f"{each:.4g}" for each in np.round(data.centre / data.size, 9) * data.size + 0.0)
    return (
        f"{name}: {data.mass:.6g} kg with the centre ({centre}) m, {data.size:.6g} m long, {len(hertz)} shapes of {', '.join(f'{each:.4g}' for each in hertz[:4])}"
        f"{' and more' if len(hertz) > 4 else ''} Hz"
    )


def class_of(base: type[Elastic], data: Any, name: str, stress: dict[str, Array], surface: Drawn) -> type[Any]:
    """Returns the component class of a body; its data, not its name, tells it from others in the cache."""
    ports = f"the {'port' if len(data.ports) == 1 else 'ports'} {', '.join(data.ports)}"
    doc = (
        f"{base.title.format(ports=ports, root=getattr(data, 'root', ''))}.\n\n{described(data, name)}. {base.text} "
        f"{'Geometric stiffness is included.' if data.stiffened else 'Geometric stiffness was not given.'}{surface.thinned}"
    )
    made = {"__doc__": doc, "__module__": "jourdain", "__qualname__": f"class_of.<locals>.{name}", "data": data, "stress": stress}
    made["surface"] = surface
    made["resources"] = ((NAME, surface.file(base.frame_name, data.frequencies * data.first)),)
    return type(name, (base,), made)
