"""Rows of the kernel for the bordered equations of implicit steps. They hold the derivatives of the states' derivatives and of the
quantities that the unknowns of the loops keep at zero. Each quantity is taken at the highest level that its instance gives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from coupling.kernel.rows.rows import NONE, WHOLE, RowBuilder, Rows
from coupling.live.derivatives.jacobians import motions_of, turns_of
from coupling.live.derivatives.linearise import ALWAYS, MINUS_ONE, ONE, Plan, plan_of
from coupling.live.session import Session
from coupling.plan.graph import Address
from coupling.plan.jacobian import CallKind
from coupling.plan.kept import OF_RESIDUAL, Kept, kept_at_zero

_OF_VELOCITIES = ("m/s", "rad/s")


def bordered_rows(session: Session) -> Rows:
    """Returns the rows of a session with those of its bordered equations."""
    return session.once("bordered rows", lambda: _bordered_rows(session, kept_at_zero(session.built)))


def _bordered_rows(session: Session, kept: Sequence[Kept]) -> Rows:
    builder, parts = RowBuilder.of(session.rows), session.built.parts
    velocity_of = [i for i, each in enumerate(kept) if each.position and each.velocity]
    derivatives = [Address(i, 0, u.reference) for i, part in enumerate(parts) for u in part.structure.derivatives]
    wanted = [*derivatives, *(each.row for each in kept), *(v for i in velocity_of if (v := kept[i].velocity))]
    plan = plan_of(session, [each.unknown for each in kept], wanted)
    places, terms = _add_calls(session, builder, plan)
    factors = {ONE: 1.0, MINUS_ONE: -1.0, **dict(plan.constants)}
    levels, entries = plan.numbered
    sums = []
    for level in levels:
        products = [
            (factors.get(t, 1.0), places.get(t, 0), int(e)) for t, e in zip(level.terms.tolist(), level.entries.tolist(), strict=True)
        ]
        sums += [products[a:b] for a, b in zip(level.starts, [*level.starts[1:], len(products)], strict=True)]
    rows, columns, chosen = plan.pattern
    order = np.lexsort((columns, rows))
    pattern = np.searchsorted(rows[order], np.arange(len(wanted) + 1)), columns[order], np.array([0, *entries])[chosen[order]]
    moving = _moving(session, kept, rows, columns)
    builder.set_bordered((len(kept), terms), sums, [x.tolist() for x in pattern], [each.level for each in kept], velocity_of, moving)
    read: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for i, address in enumerate(wanted[len(derivatives) :]):
        if i >= len(kept) or kept[i].level != OF_RESIDUAL:
            read[address.part].append((address.reference, i))
    for part, items in read.items():
        builder.add_level(part, *zip(*items, strict=True))
    return builder.rows()


def _add_calls(session: Session, builder: RowBuilder, plan: Plan) -> tuple[dict[int, int], int]:
    """Returns where the kernel keeps each term, and how many it has."""
    places: dict[int, int] = {}
    terms = 1
    for group, index, unknowns, knowns, first in plan.calls:
        part = session.built.parts[index]
        places |= {first + i: terms + i for i in range(len(unknowns))}
        builder.add_derivative(
            WHOLE,
            CallKind.DIRECTIONAL if part.interface.directional_derivatives else CallKind.CENTRAL,
            index,
            at_events=group != ALWAYS,
            unknowns=unknowns,
            knowns=knowns,
            seed=[1.0] * len(knowns),
            first=terms,
            known_slot=part.states.index(knowns[0]) if knowns[0] in part.states else NONE,
            nominal=abs(part.fmu.by_reference[knowns[0]].nominal) or 1.0,
        )
        terms += len(unknowns)
    return places, terms


def _moving(session: Session, kept: Sequence[Kept], rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Returns which states are velocities of a mechanism: rates of other states, or of quaternions. Where instances do not say so, the
    states that multipliers move count."""
    n, parts = session.built.states, session.built.parts
    units = [part.fmu.by_reference[reference].unit for part in parts for reference in part.states]
    found = np.zeros(n, dtype=bool)
    for _, velocity in motions_of(session):
        found[velocity] = units[velocity] in _OF_VELOCITIES
    for omega, _ in turns_of(session):
        found[omega : omega + 3] = True
    multipliers = np.array([n + i for i, each in enumerate(kept) if each.level != OF_RESIDUAL])
    moved = rows[(rows < n) & np.isin(columns, multipliers)]
    for part in parts:
        if not part.interface.directional_derivatives:
            found[[i for i in moved if 0 <= i - part.first_state < len(part.states)]] = True
    return found
