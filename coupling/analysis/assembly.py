"""Starting where constraints hold: first positions are assembled, and then velocities."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from coupling.analysis.search import Assembled, Assembly, Open, Wish
from coupling.analysis.speeds import Speeds
from coupling.analysis.unclosed import unclosed
from coupling.errors import InitialStateError
from coupling.live.session import Session


def assemble(session: Session, guesses: Collection[tuple[int, str]] = (), wish: Wish | None = None) -> Assembled:
    """The states at which the constraints hold.

    What the user set is held; the others, among them those of ``guesses``, go where joints and guesses put them.
    """
    assembly = Assembly(session, guesses, wish or Wish())
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
