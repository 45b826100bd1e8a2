"""Words for constraints that hold in some modes only: contacts, friction, couplings that are let go.

Off means that the residual is the multiplier itself, so that the equations keep full rank. Who couples FMUs chooses the modes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import sympy
from sympy import Abs, And, Eq, Max, Not, Piecewise

from fmu_components.declare.component import Component
from fmu_components.declare.declaration import DeclarationError, Range, Role, Switched, Variable, falls
from fmu_components.declare.functions import InSI

Law = Callable[[sympy.Expr, sympy.Expr], sympy.Expr]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a constraint stands in its joint: its levels by name, its multiplier, and what the compliant mode has."""

    part: Component
    index: int
    unit: str
    """Of the multiplier."""
    given: sympy.Symbol
    """The multiplier in ideal mode."""
    ideal: sympy.Symbol
    position: sympy.Symbol | None
    velocity: sympy.Symbol
    acceleration: sympy.Symbol
    stiffness: sympy.Expr
    damping: sympy.Expr
    slip: sympy.Expr
    """The speed at which regularised friction has grown to 71 % of itself."""

    def named(self, what: str) -> str:
        return f"{what}[{self.index}]"

    @property
    def spring(self) -> sympy.Expr:
        """What a spring and a damper across the constraint pull with."""
        pull = self.damping * self.velocity
        return pull if self.position is None else self.stiffness * self.position + pull

    def mode(self, least: int, most: int, text: str) -> sympy.Symbol:
        text = f"mode of constraint {self.index} in ideal mode: {text}"
        return self.part._add(Variable(self.named("mode"), Role.DISCRETE_INPUT, "", text, 0, "integer", Range(least, most)))

    def watch(self, *rows: tuple[sympy.Expr, sympy.Basic], text: str) -> str:
        """One event, in each mode at that mode's own indicator; in compliant mode none. Its indicator by name."""
        masked = Piecewise((1, Not(self.ideal)), *((InSI(value), condition) for value, condition in rows))
        self.part.when(falls(masked), {}, text)
        relation = self.part._draft.events[-1].relation
        return f"{relation}.indicator"

    def listed(self, kind: str, **names: str | None) -> None:
        """Adds it to what whoever couples the joint is told."""
        position = None if self.position is None else str(self.position)
        levels = {"velocity": str(self.velocity), "acceleration": str(self.acceleration), "position": position}
        self.part._draft.switched.append(
            Switched(kind, str(self.given), self.named("residual"), mode=self.named("mode"), **levels, **names)  # type: ignore[arg-type]
        )


@dataclass(frozen=True)
class Always:
    """A constraint that holds in any case."""

    equation: sympy.Expr
    pulls: ClassVar[bool] = True
    """Whether it has a damper in compliant mode, and at position level a spring."""
    springs: ClassVar[bool] = True
    slips: ClassVar[bool] = False

    def residual(self, place: Place, holding: sympy.Expr) -> sympy.Expr:
        """Declares the variables of the modes; returns the residual, which is ``holding`` where the equation is in force, and in compliant mode."""
        return holding

    def compliant(self, place: Place) -> sympy.Expr:
        """The multiplier in compliant mode."""
        return -place.spring


@dataclass(frozen=True)
class Unilateral(Always):
    """See :func:`unilateral`."""

    restitution: sympy.Expr

    def residual(self, place: Place, holding: sympy.Expr) -> sympy.Expr:
        mode = place.mode(0, 1, "0 open, 1 closed")
        open_now = Eq(mode, 0)
        gap = place.velocity if place.position is None else place.position
        indicator = place.watch((gap, open_now), (place.given, sympy.true), text=f"constraint {place.index} may close or open")
        place.listed("unilateral", indicator=indicator, restitution=_named(place, self.restitution))
        return Piecewise((InSI(place.given), And(place.ideal, open_now)), (holding, True))

    def compliant(self, place: Place) -> sympy.Expr:
        push = Max(0, -place.spring)
        return push if place.position is None else Piecewise((0, place.position > 0), (push, True))


@dataclass(frozen=True)
class Friction(Always):
    """See :func:`friction`."""

    limit: sympy.Expr
    static: sympy.Expr | None
    law: Law | None
    pulls: ClassVar[bool] = False
    springs: ClassVar[bool] = False
    slips: ClassVar[bool] = True

    def residual(self, place: Place, holding: sympy.Expr) -> sympy.Expr:
        part, k = place.part, place.index
        mode = place.mode(-1, 1, "0 sticks, 1 and -1 slips with that sign of the velocity")
        slip = place.velocity
        speed = Piecewise((mode * slip, place.ideal), (Abs(slip), True))
        limit = part.output(
            place.named("limit"),
            self.limit if self.law is None else self.law(self.limit, speed),
            place.unit,
            f"multiplier of constraint {k} while it slips, without its sign",
        )
        static = limit
        if self.static is not None:
            static = part.output(place.named("static"), self.static, place.unit, f"multiplier up to which constraint {k} sticks")
        sticks = Eq(mode, 0)
        indicator = place.watch(
            (static - Abs(place.given), sticks),
            (sympy.Integer(1), self._unpressed(part)),
            (mode * slip, sympy.true),
            text=f"constraint {k} may slip, or end to slip",
        )
        place.listed("friction", indicator=indicator, limit=str(limit), static=None if self.static is None else str(static))
        return Piecewise((InSI(place.given + mode * limit), And(place.ideal, Not(sticks))), (holding, True))

    def _unpressed(self, part: Component) -> sympy.Basic:
        """Whether all contacts that the limit depends on are open: then nothing rubs, and a slip that reverses is no event."""
        pressing = {str(each) for each in self.limit.free_symbols if str(each).startswith("multiplier[")}
        contacts = {each.multiplier.replace("lambda", "multiplier"): each for each in part._draft.switched if each.kind == "unilateral"}
        if not pressing or not pressing <= contacts.keys():
            return sympy.false
        return And(*(Eq(part[contacts[each].mode], 0) for each in sorted(pressing)))

    def compliant(self, place: Place) -> sympy.Expr:
        limit = place.part[place.named("limit")]
        return -limit * place.velocity / sympy.sqrt(place.velocity**2 + place.slip**2)


@dataclass(frozen=True)
class HoldsWhile(Always):
    """See :func:`holds_while`."""

    condition: sympy.Symbol
    springs: ClassVar[bool] = False

    def residual(self, place: Place, holding: sympy.Expr) -> sympy.Expr:
        known = place.part._draft.variables.get(str(self.condition))
        if known is None or known.type != "boolean" or known.role not in (Role.DISCRETE, Role.RELATION, Role.DISCRETE_INPUT):
            raise DeclarationError(
                f"{place.part._name}: holds_while() was given the condition '{self.condition}', which is no Boolean that changes at events "
                f"only; declare it with relation(), discrete() or command()"
            )
        holds = Piecewise((1, self.condition), (0, True))
        place.part._add(
            Variable(place.named("mode"), Role.LOCAL, "", f"whether constraint {place.index} holds: 0 or 1", type="integer", equation=holds)
        )
        place.listed("holds_while")
        return Piecewise((InSI(place.given), And(place.ideal, Not(self.condition))), (holding, True))

    def compliant(self, place: Place) -> sympy.Expr:
        return Piecewise((-place.damping * place.velocity, self.condition), (0, True))


def unilateral(gap: sympy.Expr, restitution: sympy.Expr | float = 0) -> Unilateral:
    """A gap that does not become negative, and a multiplier that only pushes: one of the two is 0.

    An expression of coordinates is a contact, whose restitution is the share of the speed that an impact gives back; one of velocities
    is a freewheel.
    """
    return Unilateral(sympy.sympify(gap), sympy.sympify(restitution))


def friction(slip: sympy.Expr, limit: sympy.Expr | float, static: sympy.Expr | float | None = None, law: Law | None = None) -> Friction:
    """Dry friction: the slip stays 0 while the multiplier is at most ``static``; what slips has the multiplier -sign(slip) limit.

    Both may contain inputs, parameters and other multipliers of the joint; ``static`` is ``limit`` where it is not given. ``law`` takes
    the limit and the speed of the slip, which is not negative, and returns the limit at that speed.
    """
    return Friction(sympy.sympify(slip), sympy.sympify(limit), None if static is None else sympy.sympify(static), law)


def holds_while(condition: sympy.Symbol, equation: sympy.Expr) -> HoldsWhile:
    """A constraint that is in force while a Boolean of the component is true; else its multiplier is 0."""
    return HoldsWhile(sympy.sympify(equation), condition)


def _named(place: Place, restitution: sympy.Expr) -> str | None:
    """The variable that holds a coefficient of restitution; none where it is 0."""
    if restitution == 0:
        return None
    if str(restitution) in place.part._draft.variables:
        return str(restitution)
    return str(place.part.local(place.named("restitution"), restitution, "", f"coefficient of restitution of constraint {place.index}"))
