"""Joints: a declaration of the constraint alone; residuals, wrenches and both modes follow from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy

from fmu_components.declare import units
from fmu_components.declare.component import Component
from fmu_components.declare.declaration import DeclarationError, Role, Variable
from fmu_components.declare.differentiate import ConstraintLevels, efforts_of
from fmu_components.declare.functions import Magnitude, Unwrapped
from fmu_components.declare.picture import Picture, joint_picture
from fmu_components.declare.ports import PLANAR, SPATIAL, PortKind, Side
from fmu_components.declare.switched import Always, Place


@dataclass(frozen=True)
class Angle:
    """A relative coordinate whose sine and cosine are known, and which counts turns.

    Away from the constraint these may be multiples of sine and cosine: the angle is that of the direction (cosine, sine).
    """

    sine: sympy.Expr
    cosine: sympy.Expr
    speed: sympy.Expr
    """Its rate where the constraint holds."""


_COMPLIANCE = {
    "position": "compliant mode: stiffness of the spring across the constraint",
    "velocity": "compliant mode: damping across the constraint",
}


class Joint(Component):
    """Base of all joints between a port M of body i and a port N of body j.

    A subclass states ``constraint`` (expressions of the port coordinates that the joint keeps at zero) or ``velocity_constraint``
    (expressions of coordinates and velocities that it keeps at zero), or both. ``freedoms`` gives the relative coordinates along its free
    directions. These methods receive the ports of the joint as ``ends``, usually M and N.
    """

    kind: ClassVar[PortKind] = PLANAR
    kinds: ClassVar[tuple[PortKind, PortKind] | None] = None
    """Port kinds of M and N, where they differ."""
    starts_N: ClassVar[Mapping[str, float]] = {}
    """Start values of the motion of N, for joints that are not valid where M and N coincide."""

    def ends(self) -> Sequence[Any]:
        """Returns the ports, which every method below is given in this order: M and N, unless a subclass has others."""
        of_M, of_N = self.kinds or (self.kind, self.kind)
        first, second = ("on body i", "on body j") if of_M in (PLANAR, SPATIAL) else ("first side", "second side")
        return [self.port("M", of_M, Side.EFFORT, first), self.port("N", of_N, Side.EFFORT, second, self.starts_N)]

    def constraint(self, *ends: Any) -> Sequence[sympy.Expr | Always]:
        """Returns constraints at position level: expressions of the port coordinates, or words of ``switched`` that hold one."""
        return []

    def velocity_constraint(self, *ends: Any) -> Sequence[sympy.Expr | Always]:
        """Returns constraints at velocity level that are not the derivative of a position constraint, such as rolling."""
        return []

    def freedoms(self, *ends: Any) -> Mapping[str, sympy.Expr | Angle]:
        """Returns the relative coordinate along each free direction, by name, in m or rad."""
        return {}

    def validity(self, *ends: Any) -> Sequence[tuple[sympy.Expr, str]]:
        """Returns expressions that must be positive at the start for the joint to be valid. The sentence of each follows 'it is required
        that'."""
        return []

    def loads(self, *ends: Any) -> Sequence[tuple[sympy.Expr, sympy.Expr]]:
        """Returns further efforts as pairs of a rate and an effort; rate times effort is power."""
        return []

    def actuation(self, name: str, coordinate: sympy.Expr) -> sympy.Expr:
        """Returns the effort of an actuator along the freedom ``name`` with its ``coordinate``, beside spring and damper."""
        return sympy.Integer(0)

    def multiplier(self, k: int) -> sympy.Symbol:
        """Returns the multiplier of constraint ``k`` (from 1) in effect, for limits of friction that depend on it."""
        return sympy.Symbol(f"multiplier[{k}]", real=True)

    def symbol(self) -> Picture | None:
        """Returns the picture that follows from the joint's freedoms."""
        kinds = {port.name: port.kind for port in self._draft.ports}
        placed = kinds.get("M") is kinds.get("N") and kinds.get("M") in (PLANAR, SPATIAL)
        return joint_picture(self._draft.variables, kinds["M"] is SPATIAL) if placed else None

    @classmethod
    def constrains(cls) -> bool:
        """Says whether the joint has a constraint. A joint without one has freedoms only, for measuring and for springs and dampers."""
        return cls.constraint is not Joint.constraint or cls.velocity_constraint is not Joint.velocity_constraint

    def declare(self) -> None:
        """Declares ports, constraints and outputs from the methods above."""
        ends = self.ends()
        positional, rated = self._stated(self.constraint, ends), self._stated(self.velocity_constraint, ends)
        levels = [
            *(ConstraintLevels.of_position(each.equation, self.D) for each in positional),
            *(ConstraintLevels.of_velocity(each.equation, self.D) for each in rated),
        ]
        efforts: list[sympy.Expr] = list(self._multipliers(levels, [*positional, *rated])) if levels else []
        forms = [level.velocity for level in levels]
        freedoms = self.freedoms(*ends)
        if not levels and not freedoms:
            raise DeclarationError(
                f"{self._name}: a joint needs at least one equation; return it from constraint() or velocity_constraint()"
            )
        for name, relative in freedoms.items():
            rate, effort = self._freedom(name, relative if isinstance(relative, Angle) else sympy.sympify(relative))
            forms.append(rate)
            efforts.append(effort)
        for rate, effort in self.loads(*ends):
            forms.append(rate)
            efforts.append(effort)
        for port in ends:
            self.gives(port, *efforts_of(forms, efforts, port, self.partial))
        self._require(ends)
        last = ends[-1]
        if levels and last.kind in (PLANAR, SPATIAL):
            force = [effort for effort, quantity in zip(last.efforts, last.kind.effort, strict=True) if quantity.unit == "N"]
            self.output("reaction", Magnitude(*force), "N", "magnitude of the force on body j")

    def _require(self, ends: Sequence[Any]) -> None:
        """Requires the validity conditions. Those that depend on the motion become outputs too, and the assembly of a system can watch
        them."""
        number = 0
        for expression, text in self.validity(*ends):
            self.require(expression, text)
            if any(self._draft.variables[str(symbol)].port for symbol in expression.free_symbols):
                number += 1
                self.output(f"validity[{number}]", expression, self._unit_of(expression), f"positive where {text.partition(',')[0]}")

    def _stated(self, constraint: Callable[..., Sequence[sympy.Expr | Always]], ends: Sequence[Any]) -> list[Always]:
        """The equations that a method of the subclass states, if they are of its level."""
        found = constraint(*ends)
        if not isinstance(found, (list, tuple)):
            raise DeclarationError(f"{self._name}: {constraint.__name__}() must return a list of expressions, but returned {found!r}")
        highest = 0 if constraint.__name__ == "constraint" else 1
        stated = [each if isinstance(each, Always) else Always(sympy.sympify(each)) for each in found]
        for equation in (each.equation for each in stated):
            orders = [self._draft.variables[str(s)].order for s in equation.free_symbols if self._draft.variables[str(s)].port]
            reached = {str(s) for s in equation.free_symbols}
            if not orders and not any(name.endswith(".q") for name in reached):
                raise DeclarationError(
                    f"{self._name}: the constraint '{equation}' does not depend on the motion of {' or '.join(port.name for port in ends)}"
                )
            if any(order > highest for order in orders):
                raise DeclarationError(
                    f"{self._name}: {constraint.__name__}() contains '{equation}', which is of a higher level; "
                    f"{'use velocity_constraint() for expressions that contain velocities' if highest == 0 else 'a constraint contains no accelerations'}"
                )
        return stated

    def _multipliers(self, levels: Sequence[ConstraintLevels], stated: Sequence[Always]) -> list[sympy.Symbol]:
        """The multipliers in effect; with them the residuals, the constraint at its levels, and the switch between modes."""
        alpha = beta = gamma = sympy.Integer(0)
        positional = [level for level in levels if level.position is not None]
        if positional:
            alpha = self.parameter(
                "baumgarte.alpha",
                5.0,
                "1/s",
                "Baumgarte stabilisation of the velocity: residual = DDf + 2 alpha Df + beta^2 f",
                at_least=0,
                nominal=5,
            )
            beta = self.parameter("baumgarte.beta", 5.0, "1/s", "Baumgarte stabilisation of the position", at_least=0, nominal=5)
        if len(positional) < len(levels):
            gamma = self.parameter(
                "baumgarte.gamma", 5.0, "1/s", "stabilisation of a velocity constraint: residual = Dg + gamma g", at_least=0, nominal=5
            )
        ideal = self.switch(
            "ideal",
            False,
            "ideal mode: lambda is set from outside such that the residuals vanish; "
            "otherwise the joint is compliant and computes its multipliers itself",
        )
        power = units.Dimension.of("W")
        lambda_units = [(power / (self.dimension_of(level.velocity) or units.NUMBER)).unit() for level in levels]
        stiffness = self._compliance(levels, lambda_units, "compliant.k", 1e4, "position", [each.springs for each in stated])
        damping = self._compliance(levels, lambda_units, "compliant.c", 100.0, "velocity", [each.pulls for each in stated])
        slip = self._slip([level.velocity for level, each in zip(levels, stated, strict=True) if each.slips])
        multipliers = []
        for index, (level, each, unit) in enumerate(zip(levels, stated, lambda_units, strict=True), start=1):
            given = self._algebraic(
                f"lambda[{index}]", unit, f"residual[{index}]", f"Lagrange multiplier of constraint {index}, used in ideal mode"
            )
            position = None
            if level.position is not None:
                position = self.output(
                    f"position[{index}]", level.position, self._unit_of(level.position), f"constraint {index} at position level"
                )
            velocity = self.output(
                f"velocity[{index}]", level.velocity, self._unit_of(level.velocity), f"constraint {index} at velocity level"
            )
            acceleration = self.output(
                f"acceleration[{index}]", level.acceleration, self._unit_of(level.acceleration), f"constraint {index} at acceleration level"
            )
            place = Place(
                part=self,
                index=index,
                unit=unit,
                given=given,
                ideal=ideal,
                position=position,
                velocity=velocity,
                acceleration=acceleration,
                stiffness=stiffness,
                damping=damping,
                slip=slip,
            )
            self.output(
                f"residual[{index}]",
                each.residual(place, ConstraintLevels(position, velocity, acceleration).residual(alpha, beta, gamma)),
                self._unit_of(level.acceleration),
                f"stabilised constraint {index}: zero for the right multipliers",
            )
            multipliers.append(
                self.output(
                    f"multiplier[{index}]",
                    sympy.Piecewise((given, ideal), (each.compliant(place), True)),
                    unit,
                    f"multiplier of constraint {index} in effect",
                )
            )
        return multipliers

    def _compliance(
        self,
        levels: Sequence[ConstraintLevels],
        lambda_units: Sequence[str],
        name: str,
        start: float,
        level: str,
        used: Sequence[bool],
    ) -> sympy.Expr:
        """A stiffness or damping shared by all constraints that use it; it has a unit where they all have the same."""
        found = {
            (units.Dimension.of(unit) / (self.dimension_of(getattr(each, level)) or units.NUMBER)).unit()
            for each, unit, used_here in zip(levels, lambda_units, used, strict=True)
            if used_here and getattr(each, level) is not None
        }
        if not found:
            return sympy.Integer(0)
        unit = found.pop() if len(found) == 1 else units.MIXED
        return self.parameter(name, start, unit, _COMPLIANCE[level], at_least=0, nominal=start)

    def _slip(self, slips: Sequence[sympy.Expr]) -> sympy.Expr:
        """The speed at which friction is regularised in compliant mode."""
        found = {self._unit_of(slip) for slip in slips}
        if not found:
            return sympy.Integer(0)
        unit = found.pop() if len(found) == 1 else units.MIXED
        text = "compliant mode: speed of slip at which friction has grown to 71 % of its limit"
        return self.parameter("compliant.vr", 1e-3, unit, text, above=0, nominal=1e-3)

    def _algebraic(self, name: str, unit: str, residual: str, text: str) -> sympy.Symbol:
        return self._add(Variable(name, Role.ALGEBRAIC, unit, text, 0.0, order=3, partner=residual))

    def _freedom(self, name: str, coordinate: sympy.Expr | Angle) -> tuple[sympy.Expr, sympy.Expr]:
        """A spring and a damper along a free direction; returns the rate of its coordinate and the effort along it."""
        angular = isinstance(coordinate, Angle) or self.dimension_of(coordinate) in (None, units.NUMBER)
        unit, stiffness, damping, force = ("rad", "N.m/rad", "N.m.s/rad", "N.m") if angular else ("m", "N/m", "N.s/m", "N")
        k = self.parameter(f"{name}.k", 0.0, stiffness, f"stiffness of the spring along the {name}", at_least=0)
        b = self.parameter(f"{name}.b", 0.0, damping, f"viscous damping along the {name}", at_least=0)
        rest = self.parameter(f"{name}.rest", 0.0, unit, f"value of {name}.q at which the spring is at rest")
        if isinstance(coordinate, Angle):
            q = self.angle(name, coordinate)
        elif coordinate == sympy.Symbol(f"{name}.q", real=True):  # as where the constraint contains it
            q = coordinate
        else:
            q = self.coordinate(name, coordinate, unit, f"relative coordinate along the {name}")
        qd = self.D(q)
        effort = self.output(
            f"{name}.effort", -k * (q - rest) - b * qd, force, f"spring and damper along the {name}, positive towards larger q"
        )
        self.output(f"{name}.energy", k * (q - rest) ** 2 / 2, "J", f"energy stored in the spring along the {name}")
        self.output(f"{name}.power", effort * qd, "W", f"power that spring and damper along the {name} give to the bodies")
        return qd, effort + self.actuation(name, q)

    def angle(self, name: str, angle: Angle) -> sympy.Symbol:
        """Declares an angle in rad as an output ``name`` with its rates, as by ``coordinate``, and the state by which it counts turns."""
        rates = self._draft.rates
        S, C = (
            self.local(f"{name}.{what}", equation, "", f"{what} of the {name}, if the constraint holds", rate=self.D(equation))
            for what, equation in (("sine", angle.sine), ("cosine", angle.cosine))
        )
        text = f"{name}.q as integrated, which distinguishes angles that differ by whole turns"
        turned = self.state(f"{name}.turned", 0.0, "rad", text, gauge=f"{name}.q")
        square = S**2 + C**2
        slope = C * rates[S] - S * rates[C]
        q = self.output(f"{name}.q", Unwrapped(S, C, turned), "rad", f"relative coordinate along the {name}; it counts turns")
        qd = self.output(f"{name}.qd", slope / square, "rad/s", f"rate of {name}.q")
        self.output(f"{name}.qdd", (self.D(slope) - qd * self.D(square)) / square, "rad/s2", f"second derivative of {name}.q")
        self.rate(turned, angle.speed)
        rates.update({q: qd, qd: self[f"{name}.qdd"]})
        return q


def same_direction(M: Any, N: Any) -> tuple[sympy.Expr, str]:
    """The validity of a constraint on the sine of the relative angle, which vanishes on two branches."""
    return sympy.cos(N.theta - M.theta), (
        "the axes of M and N point the same way (cos(N.theta - M.theta) > 0), since the constraint holds as well where they are opposite"
    )
