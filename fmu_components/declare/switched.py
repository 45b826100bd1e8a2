"""Words for constraints that hold in some modes only: contacts, friction, couplings that are let go.

Off means that the residual is the multiplier itself, so that the equations keep full rank. Who couples FMUs chooses the modes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import sympy
from sympy import Abs, And, Eq, Max, Not, Piecewise
from sympy.logic.boolalg import Boolean

from fmu_components.declare.component import Component
from fmu_components.declare.declaration import DeclarationError, Range, Role, Switched, Variable, falls
from fmu_components.declare.functions import InSI

Law = Callable[[sympy.Expr, sympy.Expr], sympy.Expr]
Limit: TypeAlias = sympy.Expr | float
Ways: TypeAlias = Limit | tuple[Limit, Limit]
"""A limit, or one against a positive slip and one against a negative slip."""
_CREEPING = 1e-6
"""Slip in SI units below which a constraint counts as sticking while other constraints hold it."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """The place of a constraint in its joint: its levels by name, its multiplier, and the parts of the compliant mode."""

    part: Component
    index: int
    unit: str
    """Unit of the multiplier."""
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
        """Returns the effort of a spring and a damper across the constraint."""
        pull = self.damping * self.velocity
        return pull if self.position is None else self.stiffness * self.position + pull

    def mode(self, least: int, most: int, text: str) -> sympy.Symbol:
        text = f"mode of constraint {self.index} in ideal mode: {text}"
        return self.part._add(Variable(self.named("mode"), Role.DISCRETE_INPUT, "", text, 0, "integer", Range(least, most)))

    def watch(self, *rows: tuple[sympy.Expr, sympy.Basic], text: str) -> str:
        """Declares an event, in each mode at that mode's own indicator, and without one in compliant mode. Returns the indicator's name."""
        masked = Piecewise((1, Not(self.ideal)), *rows)
        self.part.when(falls(masked), {}, text)
        relation = self.part._draft.events[-1].relation
        return f"{relation}.indicator"

    def listed(self, kind: str, **names: str | None) -> None:
        """Adds the constraint to the list that a coupling master reads."""
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
    """True where the constraint has a damper in compliant mode, and at position level a spring."""
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
        indicator = place.watch((InSI(gap), open_now), (InSI(place.given), sympy.true), text=f"constraint {place.index} may close or open")
        place.listed("unilateral", indicator=indicator, restitution=_named(place, self.restitution))
        return Piecewise((InSI(place.given), And(place.ideal, open_now)), (holding, True))

    def compliant(self, place: Place) -> sympy.Expr:
        push = Max(0, -place.spring)
        return push if place.position is None else Piecewise((0, place.position > 0), (push, True))


@dataclass(frozen=True)
class Friction(Always):
    """See :func:`friction`."""

    limit: tuple[sympy.Expr, ...]
    """Limit for both directions of the slip, or a limit for each."""
    static: tuple[sympy.Expr, ...]
    """The same at rest; empty where they are the limits in slipping."""
    law: Law | None
    pulls: ClassVar[bool] = False
    springs: ClassVar[bool] = False
    slips: ClassVar[bool] = True

    def residual(self, place: Place, holding: sympy.Expr) -> sympy.Expr:
        part, k = place.part, place.index
        text = "0 sticks, 1 and -1 slips with that sign of the velocity, 2 and -2 carries as much as -1 would, while others hold it"
        mode = place.mode(-2, 2, text)
        slip = place.velocity
        held = sympy.Or(Eq(mode, 2), Eq(mode, -2))
        speed = Piecewise((mode * slip, And(place.ideal, Not(held))), (Abs(slip), True))
        laws = [limit if self.law is None else self.law(limit, speed) for limit in self.limit]
        limits = _outputs(place, "limit", laws, f"multiplier of constraint {k} while it slips, without its sign")
        statics = _outputs(place, "static", self.static, f"multiplier up to which constraint {k} sticks") or limits
        sticks = Eq(mode, 0)
        left = statics[0] - Abs(place.given) if len(statics) == 1 else sympy.Min(statics[0] + place.given, statics[1] - place.given)
        # At a limit of 0, as of an open contact, slip is normal; it may be rounding alone.
        indicator = place.watch(
            (InSI(left), sticks),
            (_CREEPING - InSI(Abs(slip)), held),
            *((InSI(mode * slip), on) for on in _acting(part, mode, self.static or self.limit)),
            (sympy.Integer(1), sympy.true),
            text=f"constraint {k} may slip, or end to slip",
        )
        given: list[str | None] = [*(str(limit) for limit in limits), None]
        rests: list[str | None] = [*(str(each) for each in statics), None] if self.static else [None, None]
        place.listed("friction", indicator=indicator, limit=given[0], static=rests[0], limit_back=given[1], static_back=rests[1])
        carried = Piecewise((mode * _against(mode, statics) / 2, held), (mode * _against(mode, limits), True))
        return Piecewise((InSI(place.given + carried), And(place.ideal, Not(sticks))), (holding, True))

    def compliant(self, place: Place) -> sympy.Expr:
        limits = [place.part[place.named(name)] for name in ("limit", "limit_back")[: len(self.limit)]]
        return -_against(place.velocity, limits) * place.velocity / sympy.sqrt(place.velocity**2 + place.slip**2)


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


def friction(slip: sympy.Expr, limit: Ways, static: Ways | None = None, law: Law | None = None) -> Friction:
    """Dry friction: the slip stays 0 while the multiplier is at most ``static``; what slips has the multiplier -sign(slip) limit.

    Each may be a pair: the limit against a positive slip, and that against a negative one, as of a screw that carries a load. Limits may
    contain inputs, parameters and other multipliers of the joint, such as the load of the same mesh; they are not negative. ``static`` is
    ``limit`` where it is not given. ``law`` takes the limit and the speed of the slip, which is not negative, and returns the limit at that
    speed.
    """
    limits, statics = _ways(limit), () if static is None else _ways(static)
    if static is not None and len(statics) != len(limits):
        limits, statics = limits * (3 - len(limits)), statics * (3 - len(statics))
    return Friction(sympy.sympify(slip), limits, statics, law)


def holds_while(condition: sympy.Symbol, equation: sympy.Expr) -> HoldsWhile:
    """A constraint that is in force while a Boolean of the component is true; else its multiplier is 0."""
    return HoldsWhile(sympy.sympify(equation), condition)


def _ways(limit: Ways) -> tuple[sympy.Expr, ...]:
    if not isinstance(limit, tuple):
        return (sympy.sympify(limit),)
    if len(limit) != 2:
        raise DeclarationError(
            f"friction() was given {len(limit)} limits; give one, or a pair: against a positive slip, and against a negative one"
        )
    return tuple(map(sympy.sympify, limit))


def _outputs(place: Place, name: str, limits: Sequence[sympy.Expr], text: str) -> list[sympy.Symbol]:
    """Declares limits as outputs, the second of a pair by a name of its own."""
    if len(limits) < 2:
        return [place.part.output(place.named(name), limit, place.unit, text) for limit in limits]
    names = ((name, "against a positive slip"), (f"{name}_back", "against a negative slip"))
    return [
        place.part.output(place.named(each), limit, place.unit, f"{text}, {way}") for (each, way), limit in zip(names, limits, strict=True)
    ]


def _against(sign: sympy.Expr, limits: Sequence[sympy.Expr]) -> sympy.Expr:
    return limits[0] if len(limits) == 1 else Piecewise((limits[0], sign > 0), (limits[1], True))


def _acting(part: Component, mode: sympy.Symbol, limits: Sequence[sympy.Expr]) -> list[Boolean]:
    """The conditions under which slipping is watched: that the limit which acts is not 0."""
    if len(limits) == 1:
        return [_acts(part, limits[0])]
    return [And(way, _acts(part, limit)) for way, limit in zip((mode > 0, mode < 0), limits, strict=True)]


def _acts(part: Component, limit: sympy.Expr) -> Boolean:
    """Says whether friction has a limit other than 0 in ideal mode. It is true as well where the answer would need nested conditions."""
    names = [str(symbol) for symbol in limit.free_symbols]
    limit = limit.subs(
        {sympy.Symbol(name, real=True): part[name.replace("multiplier[", "lambda[")] for name in names if name.startswith("multiplier[")}
    )
    seen: set[sympy.Basic] = set()
    ahead: list[sympy.Basic] = [limit]
    while ahead:
        expression = ahead.pop()
        if expression.has(Piecewise):
            return sympy.true
        known = [part._draft.variables.get(str(symbol)) for symbol in expression.free_symbols - seen]
        seen |= expression.free_symbols
        ahead += [variable.equation for variable in known if variable is not None and variable.equation is not None]
    return limit > 0


def _named(place: Place, restitution: sympy.Expr) -> str | None:
    """The variable that holds a coefficient of restitution; none where it is 0."""
    if restitution == 0:
        return None
    if str(restitution) in place.part._draft.variables:
        return str(restitution)
    return str(place.part.local(place.named("restitution"), restitution, "", f"coefficient of restitution of constraint {place.index}"))
