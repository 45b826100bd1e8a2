"""Starting where constraints hold: first positions are assembled, and then velocities."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from coupling.analysis.search import Assembled, Assembly, Open, Wish
from coupling.analysis.speeds import Speeds
from coupling.analysis.unclosed import unclosed
from coupling.errors import InitialStateError
from coupling.live.session import Session
from coupling.options import TOLERANCE
from coupling.plan.graph import Address


def assemble(session: Session, guesses: Collection[tuple[int, str]] = (), wish: Wish | None = None) -> Assembled:
    """The states at which the constraints hold.

    What the user set is held; the others, among them those of ``guesses``, go where joints and guesses put them.
    """
    session.touching = frozenset()
    found = _assembled(session, guesses, wish or Wish())
    session.touching = _inside(found)
    return _assembled(session, guesses, wish or Wish()) if session.touching else found


def _inside(found: Assembled) -> frozenset[tuple[int, int]]:
    """The unilateral constraints that are violated in a pose which was found without any of them."""
    each = [(s.part, s.given.multiplier, s.given.position) for s in found.assembly.session.built.switched if s.given.kind == "unilateral"]
    gaps = [(part, multiplier, Address(part, 0, position)) for part, multiplier, position in each if position is not None]
    if not gaps:
        return frozenset()
    values = found.assembly.values_at([address for _, _, address in gaps], found.x)
    return frozenset((part, multiplier) for (part, multiplier, _), gap in zip(gaps, values, strict=True) if gap < -TOLERANCE)


def _assembled(session: Session, guesses: Collection[tuple[int, str]], wish: Wish) -> Assembled:
    assembly = Assembly(session, guesses, wish)
    try:
        found = assembly.found()
    except Open as error:
        raise InitialStateError(unclosed(assembly, error.start, error.others)) from None
    speeds = Speeds(session, assembly.held, assembly.wish.velocities, assembly.quick)
    x = speeds.assembled(found.x)
    found = replace(found, x=x, quickened=speeds.moved())
    if not x[list(assembly.speeds)].any():
        return found
    return replace(found, others=tuple(replace(each, x=speeds.tried(each.x)) for each in found.others))
