"""Reasons why a mechanism cannot be assembled: the first group that does not close, its gap, and values that would close it."""

from __future__ import annotations

import numpy as np

from coupling.analysis.branches import Enumeration
from coupling.analysis.closing import ENOUGH, Fit, Row, Springs, closed, relaxed
from coupling.analysis.search import Assembly
from coupling.errors import listed
from coupling.live.violations import described

_LOOSE, _TIGHT = 1e-6, 1e-3


def unclosed(assembly: Assembly, start: np.ndarray, others: Enumeration | None) -> str:
    """Returns the error sentence, with numbers."""
    fit = assembly.fit
    x, _ = relaxed(fit, Springs(fit, 1.0, start, _LOOSE), start, limit=300, enough=1e-12)
    reversed_ = [a for a, value in zip(assembly.senses, assembly.values_at(assembly.senses, x), strict=True) if value <= 0]
    if fit.worst(x) <= ENOUGH and reversed_:
        names = listed(dict.fromkeys(assembly.session.built.parts[a.part].name for a in reversed_))
        return (
            f"the start cannot be assembled: {names} can only be closed the wrong way round, with axes reversed; "
            "guess the attitude of one of the bodies there, or turn its port"
        )
    return f"the start cannot be assembled: {_group(assembly, x, others)}{_held(assembly, x)}"


def _group(assembly: Assembly, x: np.ndarray, others: Enumeration | None) -> str:
    """Names the group that stays open, and the gap: spread over its joints, and at one joint with all others closed."""
    fit, session, parts = assembly.fit, assembly.session, assembly.session.built.parts
    rows, joints = fit.hard[: len(assembly.rows)], [row.address.part for row in assembly.rows]
    off = fit.values(x)[0][: len(rows)] * np.array([row.scale for row in rows])
    open_ = np.abs(off) > ENOUGH * fit.sizes[: len(rows)]
    if others and others.open:
        inside = {row.address.part for row in (*others.open.rows, *others.open.surplus)} & set(joints)
        bodies = list(dict.fromkeys(parts[int(assembly.positions.part[m])].name for m in others.open.moves))
    else:
        inside = {joints[i] for i in range(len(rows)) if open_[i]}
        bodies = list(
            dict.fromkeys(
                parts[p].name for p in sorted(frozenset[int]().union(*(assembly._of[r.address] for r in rows if r.address.part in inside)))
            )
        )
    worst = sorted(range(len(rows)), key=lambda i: -abs(off[i]))
    values = ", ".join(described(session, rows[i].address, off[i]) for i in worst[:8] if open_[i])
    names = listed(dict.fromkeys(parts[p].name for p in joints if p in inside))
    gap = _gap(assembly, x, inside)
    return f"{listed(bodies)} {'does' if len(bodies) == 1 else 'do'} not close at {names or 'the held values'}{gap}; spread over all joints: {values or 'nothing'}"


def _gap(assembly: Assembly, x: np.ndarray, inside: set[int]) -> str:
    """Returns the gap at one joint while all others are closed."""
    fit, parts = assembly.fit, assembly.session.built.parts
    best: tuple[float, int] | None = None
    for joint in sorted(inside)[:6]:
        hard = [Row(r.address, r.value, r.scale * (1.0 if r.address.part == joint else _TIGHT), r.turn) for r in fit.hard]
        weighted = Fit(assembly.positions, hard, (), fit.senses)
        y, _ = relaxed(weighted, Springs(weighted, 1.0, x, _LOOSE * 1e-3), x, limit=300, enough=1e-14)
        off = weighted.values(y)[0]
        scales = np.array([r.scale for r in hard])
        own = np.array([r.address.part == joint for r in hard])
        if np.abs((off * scales)[~own]).max(initial=0.0) > 1e-3 * fit.positions.size:
            continue
        size = float(np.linalg.norm((off * scales)[own]))
        if best is None or size < best[0]:
            best = size, joint
    if best is None:
        return ""
    unit = next(
        (
            assembly.session.built.parts[r.address.part].fmu.by_reference[r.address.reference].unit or ""
            for r in fit.hard
            if r.address.part == best[1]
        ),
        "",
    )
    return f": {best[0]:.4g} {unit}".rstrip() + f" is missing if only '{parts[best[1]].name}' stays open"


def _held(assembly: Assembly, x: np.ndarray) -> str:
    """Says which held values keep the mechanism from closing."""
    session = assembly.session
    gauge = set(session.built.gauge)
    names, helps = [], []
    relevant = [int(s) for s in np.flatnonzero(assembly.held) if s in assembly.concerned and s not in gauge]
    for state in relevant:
        names.append(session.label(state))
    for target in assembly.targets:
        if target.held:
            names.append(target.name)
    for state in relevant[:12] if len(relevant) <= 12 else ():
        there = assembly.without(state)
        y, _ = relaxed(there.fit, Springs(there.fit, 1.0, x, _LOOSE), x, limit=300, enough=1e-12)
        y, met = closed(there.fit, y)
        if met and there.valid(y):
            helps.append(f"'{session.label(state)}' = {x[state]:.4g} cannot be reached; {y[state]:.5g} is one that closes all joints")
    if helps:
        return "; " + "; ".join(helps[:3])
    if not names:
        return "; nothing is held: look at the lengths there"
    return f"; {listed(names)} {'is' if len(names) == 1 else 'are'} held, and letting go of {'it' if len(names) == 1 else 'any'} does not help: look at the lengths there"
