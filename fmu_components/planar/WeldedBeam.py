"""Flexible beams in the plane as blocks of a tree: clamped to their parent, without rigid states."""

from __future__ import annotations

import sympy
from sympy import Matrix, Poly, cos, jacobi_poly, sin

from fmu_components.declare.beam import XI, Amplitudes, UniformBeam, mean, means, shortening, stiffness
from fmu_components.declare.component import Component
from fmu_components.declare.declaration import Role, Variable
from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.orders import by_name, catalogued, of_order
from fmu_components.declare.picture import bent, picture
from fmu_components.declare.ports import PLANAR, Side

_NONE = Amplitudes(*(Matrix.zeros(0, 1) for _ in range(3)))


class _WeldedBeam(UniformBeam):
    """Flexible beam in the plane, clamped to its parent, as one block with {order} bending shapes.

    Motion comes in at P, and a wrench goes back. Children hang on C1, the free end. The beam lies along the axis x of P, and has no
    rigid states: the states are amplitudes bend[k] of the shapes (1 + xi)^2 P(xi)/4, in which P is the Jacobi polynomial k - 1 for (0, 4) and
    xi runs from -1 at P to 1 at C1. They are zero at P together with their slopes, 1 at C1, and orthogonal.

    The bending moment is E I v'' and is left without shear. Bending draws the end towards P by half the integral of v'^2 (second-order
    shortening), therefore tension and rotation stiffen the beam, and pressure softens it. One beam is right to about a thousandth of its length
    while it bends by at most 2 % of its length from its chord. A planar.Beam bends three times as far, since its frame turns along.
    """

    drawing = Drawing(
        box(-0.95, -0.45, -0.75, 0.45, fill=0.75),
        line((-0.75, -0.15), (-0.3, -0.12), (0.15, 0.0), (0.55, 0.17), (0.8, 0.3), width=0.14),
        circle(0.8, 0.3, 0.14, fill=1.0),
    )

    greatest_bend = 0.02
    picture = picture(bent("P", "C1", "L", clamped="P.angle"))

    def declare(self) -> None:
        (n,) = self.sizes
        P = self.port("P", PLANAR, Side.EFFORT, "the clamped end on the parent")
        L, _, m, unit, tau, g = self.section()
        direction = self.parameter("P.angle", 0.0, "rad", "direction of the axis of P in the beam's frame")
        bend = self.amplitudes("bend", n, "bending shape")
        shapes = [Poly((1 + XI) ** 2 / 4, XI) * jacobi_poly(k, 0, 4, XI, polys=True) for k in range(n)]
        mass = m * means(shapes, shapes)  # diagonal
        theta = P.theta - direction
        c, s = cos(theta), sin(theta)
        C = self.port("C1", PLANAR, Side.MOTION, "the free end, where a child may hang")
        short = shortening(shapes, -1)
        tip = self.end("C1", 1, L, shapes, short, bend, (), _NONE)

        # First moment and moment of inertia about P, of second order in the amplitudes, with their slopes.
        straight = Poly(1 + XI, XI)
        drawn = m / L * Matrix(n, n, lambda i, j: mean(short[i][j]))
        rotary = m * (means(shapes, shapes) + Matrix(n, n, lambda i, j: mean(straight * short[i][j])))
        half_x, half_J = self._halves("first", "kg", "first.x", drawn * bend.q), self._halves("J", "kg.m", "J", rotary * bend.q)
        by_y, by_turn = m * Matrix([mean(each) for each in shapes]), m * L / 2 * Matrix([mean(straight * each) for each in shapes])
        first_x = self.local("first.x", m * L / 2 + half_x.dot(bend.q), "kg.m", "first moment about P along the beam")
        first_y = self.local("first.y", by_y.dot(bend.q), "kg.m", "first moment about P across the beam")
        J = self.local("J", m * L**2 / 3 + half_J.dot(bend.q), "kg.m2", "moment of inertia about P, deformed")

        omega, alpha = P.omega, P.alpha
        ax, ay = P.ax - g[0], P.ay - g[1]
        a_along = self.local("against.along", c * ax + s * ay, "m/s2", "acceleration of P against free fall, along the beam")
        a_across = self.local("against.across", c * ay - s * ax, "m/s2", "acceleration of P against free fall, across the beam")
        on_end = Matrix([c * C.Fx + s * C.Fy, c * C.Fy - s * C.Fx, C.Cz])
        K = unit * stiffness(shapes, 2)
        forces = tip.by_bend.T * on_end - K * (bend.q + tau * bend.rate) + omega**2 * half_J
        forces -= 2 * a_along * half_x + a_across * by_y + alpha * by_turn
        self._accelerations(mass, forces)

        rate_x, rate_y = 2 * half_x.dot(bend.rate), by_y.dot(bend.rate)
        carried = 2 * (half_x.dot(bend.acceleration) + bend.rate.dot(drawn * bend.rate))
        along = m * a_along - alpha * first_y - omega**2 * first_x - 2 * omega * rate_y + carried - on_end[0]
        across = m * a_across + alpha * first_x - omega**2 * first_y + 2 * omega * rate_x + by_y.dot(bend.acceleration) - on_end[1]
        torque = J * alpha + 2 * omega * half_J.dot(bend.rate) + first_x * a_across - first_y * a_along + by_turn.dot(bend.acceleration)
        torque -= C.Cz + tip.along * on_end[1] - tip.across * on_end[0]
        along = self.local("P.force.along", along, "N", "force of the parent along the beam")
        across = self.local("P.force.across", across, "N", "force of the parent across the beam")
        self.gives(P, -(c * along - s * across), -(s * along + c * across), -torque)
        x, y = tip.turned(c, s)
        self.moves(C, P.x + x, P.y + y, theta + tip.slope)

        v_along, v_across = c * P.vx + s * P.vy, c * P.vy - s * P.vx
        moving = m * (v_along**2 + v_across**2) / 2 + J * omega**2 / 2 + bend.rate.dot(mass * bend.rate) / 2
        moving += v_across * (omega * first_x + rate_y) - v_along * (omega * first_y - rate_x) + omega * by_turn.dot(bend.rate)
        height = g[0] * (m * P.x + c * first_x - s * first_y) + g[1] * (m * P.y + s * first_x + c * first_y)
        self.output("energy.kinetic", moving, "J", "kinetic energy")
        self.output("energy.elastic", bend.q.dot(K * bend.q) / 2, "J", "elastic energy")
        self.output("energy.potential", -height, "J", "potential energy in the field of gravity, zero at the origin")
        self.deformation(shapes, bend, (), _NONE)

    def _halves(self, name: str, unit: str, of: str, values: Matrix) -> Matrix:
        """Declares half the slopes of a quantity by the amplitudes."""
        text = f"half the slope of {of} by bend"
        return Matrix([self.local(f"{name}.bend[{k + 1}]", value, unit, f"{text}[{k + 1}]") for k, value in enumerate(values)])

    def _accelerations(self, mass: Matrix, forces: Matrix) -> None:
        """Declares the accelerations of the amplitudes: unknowns of the importer in ideal mode, otherwise solved for here."""
        ideal = self.switch(
            "ideal", False, "ideal mode: bend.given is set from outside such that the residuals vanish; otherwise the block solves for it"
        )
        for k, each in enumerate(forces, 1):
            own, residual = mass[k - 1, k - 1], f"bend.residual[{k}]"
            text = f"acceleration of bend[{k}], used in ideal mode"
            given = self._add(Variable(f"bend.given[{k}]", Role.ALGEBRAIC, "m/s2", text, 0.0, order=3, partner=residual))
            force = self.local(f"bend.force[{k}]", each, "N", f"force on bend[{k}]")
            self.output(residual, force - own * given, "N", f"force on bend[{k}] that is left over: zero for the right bend.given")
            chosen = sympy.Piecewise((given, ideal), (force / own, True))
            self.local(f"bend.acceleration[{k}]", chosen, "m/s2", f"second time derivative of bend[{k}] in effect")


def WeldedBeam(bending: int) -> type[Component]:
    """Returns the component class of a flexible beam as a block with this number of ``bending`` shapes. The catalogue has
    planar.WeldedBeam2 and WeldedBeam3. Other numbers raise DeclarationError."""
    return of_order(_WeldedBeam, bending)


def __getattr__(name: str) -> type[Component]:
    return by_name(_WeldedBeam, name)


catalogued(_WeldedBeam, 3, least=2)
