"""States that a user sets while a run waits: the others stay, except velocities, which follow by impulses of the joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coupling.analysis.speeds import Speeds
from coupling.errors import BuildError, InitialStateError, listed
from coupling.kernel.system.status import Status
from coupling.live.scales import scales
from coupling.live.violations import constraints_at, described, values_of
from coupling.options import TOLERANCE
from coupling.steering.targets import Target

if TYPE_CHECKING:
    from coupling.live.session import Session


def with_states(session: Session, x: np.ndarray, given: Sequence[tuple[Target, float]]) -> np.ndarray:
    """Returns the states ``x`` with those that were set; refuses values that contradict a joint."""
    x = x.copy()
    for target, value in given:
        assert target.state is not None
        x[target.state] = value
    _check_positions(session, x, [target for target, _ in given])
    if not constraints_at(session, "velocity"):
        return x
    held = np.ones(len(x), dtype=bool)
    speeds = Speeds(session, held, {}, (), frozenset())
    moving = [state for state in speeds.moving if all(state != target.state for target, _ in given)]
    held[moving] = False
    speeds.held = held
    try:
        return speeds.assembled(x)
    except InitialStateError:
        names = listed(target.name for target, _ in given)
        raise BuildError(
            f"{names} cannot have such values together: no velocities satisfy the joints with them; set fewer states"
        ) from None


def _check_positions(session: Session, x: np.ndarray, given: Sequence[Target]) -> None:
    """Refuses positions that violate a joint."""
    addresses = constraints_at(session, "position")
    if not addresses:
        return
    kernel = session.kernel
    if kernel.evaluate(kernel.time, x) is not Status.DONE:
        raise BuildError(f"{listed(each.name for each in given)} cannot have such values: the system cannot be evaluated there")
    off, sizes = values_of(session, addresses), scales(session, addresses)
    worst = int(np.argmax(np.abs(off) / sizes))
    if abs(off[worst]) > TOLERANCE * sizes[worst]:
        joint = session.built.parts[addresses[worst].part].name
        raise BuildError(
            f"{listed(each.name for each in given)} cannot be set: '{joint}' would be violated, {described(session, addresses[worst], off[worst])}; "
            "set all states that move with it at once, or a velocity"
        )
