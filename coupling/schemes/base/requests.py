"""Early returns that a run requests of Co-Simulation instances: where its condition holds, and where it should stop."""

from __future__ import annotations

from collections.abc import Callable

from coupling.kernel.cosimulation.within import look_within
from coupling.live.session import Session
from coupling.live.until import columns_of_until
from coupling.plan.cosimulation.capabilities import asks_returns


def request_returns(session: Session, look: Callable[[float, int], None]) -> None:
    """Requests returns from now on. ``look`` raises KeyboardInterrupt where the run should stop."""
    if not asks_returns(session.built):
        return
    stepper, columns, references = _watched(session)
    steps = session.kernel.course[1]

    def stops(t: float) -> float:
        try:
            look(t, steps)
        except KeyboardInterrupt:  # it is raised again at the next point, since it cannot pass through C
            return 1.0
        return 0.0

    look_within(session.kernel, stepper, columns, references, stops)


def _watched(session: Session) -> tuple[int, list[int], list[int]]:
    """Returns the number of the only instance of which the condition of the run has values, with their columns and references; -1 if it
    has others."""
    columns = [column for column in columns_of_until(session) if column]
    recorded, parts = session.program.recorded, session.built.parts
    addresses = [recorded[column - 1] for column in columns if column <= len(recorded)]
    owners = {address.part for address in addresses}
    if len(owners) != 1 or len(addresses) < len(columns):
        return -1, [], []
    (owner,) = owners
    part = parts[owner]
    real = all(part.fmu.by_reference[address.reference].type == "real" for address in addresses)
    if not (part.stepped and part.interface.early_return and real):
        return -1, [], []
    stepper = [i for i, each in enumerate(parts) if each.stepped].index(owner)
    return stepper, columns, [address.reference for address in addresses]
