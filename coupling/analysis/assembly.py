"""Assembly of a start at which the constraints hold: first of positions, and then of velocities."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from coupling.analysis.search import Assembled, Assembly, Open, Wish
from coupling.analysis.speeds import Speeds
from coupling.analysis.unclosed import unclosed
from coupling.errors import InitialStateError
from coupling.live.session import Session
from coupling.live.violations import Touching
from coupling.names import resolve
from coupling.options import TOLERANCE
from coupling.plan.definition import Definition
from coupling.plan.graph import Address


def assemble(session: Session, guesses: Collection[tuple[int, str]] = (), wish: Wish | None = None) -> Assembled:
    """Returns the states at which the constraints hold.

    Values that the user set are held. The others, among them those of ``guesses``, go where joints and guesses put them.
    """
    found = _assembled(session, guesses, wish or Wish(), frozenset())
    touching = _inside(found)
    return _assembled(session, guesses, wish or Wish(), touching) if touching else found


def at_pose(
    session: Session,
    definition: Definition,
    pose: Mapping[str, Any],
    near: Mapping[tuple[int, str], Any],
    values: Mapping[tuple[int, str], Any],
) -> dict[tuple[int, str], Any]:
    """Returns start values at the pose nearest to one that is given, where ``values`` of one run change lengths or states.

    ``near`` are the start values at the pose that is given. The session has started with both.
    """
    number = {part.name: i for i, part in enumerate(session.built.parts)}
    held = getattr(pose, "held", {})
    states = {(number[resolve(name, number)[0]], resolve(name, number)[1]) for name in held if name in pose}
    if held:  # velocities too
        states |= {(number[each.name], name) for each in definition.instances for name, _ in each.start}
    wish = Wish(hold={name: value for name, value in held.items() if name not in pose}, alternatives=False, near=True)
    found = assemble(session, near.keys() - values.keys() - states, wish)
    return {**near, **found.changes()}


def _inside(found: Assembled) -> Touching:
    """Returns the unilateral constraints that are violated in a pose which was found without any of them."""
    each = [(s.part, s.given.multiplier, s.given.position) for s in found.assembly.session.built.switched if s.given.kind == "unilateral"]
    gaps = [(part, multiplier, Address(part, 0, position)) for part, multiplier, position in each if position is not None]
    if not gaps:
        return frozenset()
    values = found.assembly.values_at([address for _, _, address in gaps], found.x)
    least = -TOLERANCE * found.assembly.session.length
    return frozenset((part, multiplier) for (part, multiplier, _), gap in zip(gaps, values, strict=True) if gap < least)


def _assembled(session: Session, guesses: Collection[tuple[int, str]], wish: Wish, touching: Touching) -> Assembled:
    assembly = Assembly(session, guesses, wish, touching)
    try:
        found = assembly.found()
    except Open as error:
        raise InitialStateError(unclosed(assembly, error.start, error.others)) from None
    speeds = Speeds(session, assembly.held, assembly.wish.velocities, assembly.quick, touching)
    x = speeds.assembled(found.x)
    found = replace(found, x=x, quickened=speeds.moved())
    if not x[list(assembly.speeds)].any():
        return found
    return replace(found, others=tuple(replace(each, x=speeds.tried(each.x)) for each in found.others))
