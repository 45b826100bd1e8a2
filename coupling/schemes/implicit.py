"""Implicit coupling with constraints at both levels: the multipliers at the beginning and at the end of a step are free."""

from __future__ import annotations

from coupling.errors import BuildError
from coupling.live.session import Session
from coupling.plan.cosimulation.capabilities import degree
from coupling.schemes.base import failures
from coupling.schemes.base.constraint_level import ConstraintLevel
from coupling.schemes.base.implicit_step import ImplicitScheme
from coupling.schemes.base.scheme import SCHEMES


def refusal(session: Session) -> BuildError | None:
    """Returns the error for an instance whose inputs stay constant over a step, in which forces are linear here."""
    graph, parts = session.schedule.graph, session.built.parts
    multipliers = set(graph.algebraic)
    for address in session.schedule.arriving:
        part = parts[address.part]
        sources = [graph.node[source] for source in graph.wires.get(address, ())]
        if degree(part) == 0 and any(known in multipliers for source in sources for known in graph.before[source]):
            return failures.inputs_held(instance=part.name, by_user=not part.most)
    return None


# A force from A to B moves a point by h^2 (A/3 + B/6) and its velocity by h (A + B)/2. Forces may jump between steps.
LEVEL = ConstraintLevel(
    mean=(0, 1),
    mean_of_velocities=(0, 1),
    spread=(-6, 3),
    refused_controls={"power": failures.nothing_extrapolated},
    refusal=refusal,
)

SCHEMES.register("implicit", ImplicitScheme(LEVEL))
