"""Explanation of one evaluation of a session that stands at a point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coupling.analysis.explanation import ConstraintRow, Evaluation
from coupling.errors import AnalysisError, BuildError, listed
from coupling.kernel.equations.fused import report
from coupling.kernel.system.factors import factors, verify
from coupling.kernel.system.status import Status
from coupling.live.failures import describe
from coupling.live.fused import BY_CODE, BY_INSTANCES, BY_TAPE
from coupling.live.session import Session
from coupling.live.successive import Constraint, Equations, constraints_of, sequence
from coupling.live.violations import values_of
from coupling.options import INDEPENDENT_FIRST
from coupling.plan.graph import Address
from coupling.plan.switched import MODES

_MOST = 1000
"""Greatest number of constraints among which redundant ones are sought one by one, in a time of the third power of their number."""
_NOTHING = 1e-9
"""Factors below this size are rounding."""


def evaluation(session: Session, t: float, x: np.ndarray, asked: bool) -> Evaluation:
    """Evaluates a session at a time and states as its run does, then by its FMUs.

    ``asked`` says whether the run names its way of evaluation. The session is at the same point afterwards.
    """
    kernel = session.kernel
    constraints = constraints_of(session)
    dx = np.zeros(len(x))
    _require(session, kernel.derivatives(t, x, dx), t)
    verified = verify(kernel, dx)
    if verified is not Status.RETRY:  # the FMUs say otherwise: the run goes on with these
        _require(session, verified, t)
    by_run, found = _unknowns(session), report(kernel)
    _require(session, kernel.evaluate(t, x), t)
    by_fmus = _unknowns(session)
    factored, missing = _factors(session)
    levels = {level: _read(session, [getattr(each, level) for each in constraints]) for level in ("position", "velocity")}
    modes = _modes(session)
    residual = np.zeros(len(by_fmus))
    _require(session, kernel.residuals(t, x, by_fmus, dx, residual), t)
    others = _relations(session, t, x, constraints)
    _require(session, kernel.evaluate(t, x), t)
    rows = tuple(
        ConstraintRow(
            joint=session.built.parts[each.part].name,
            multiplier=session.named(each.multiplier.part, each.multiplier.reference),
            value=float(by_run[each.place]),
            unit=_unit(session, each.multiplier),
            fmu_value=float(by_fmus[each.place]),
            position=levels["position"][i],
            position_unit=_unit(session, each.position),
            velocity=levels["velocity"][i],
            velocity_unit=_unit(session, each.velocity),
            residual=float(residual[each.place]),
            right_side=0.0 - float(others.residual[each.place]),  # no -0
            residual_unit=_unit(session, each.residual),
            **factored[each.place],
            independence=others.sine.get(each.place, math.nan),
            repeats=others.repeats.get(each.place, {}),
            redundant=each.place in others.repeats,
            mode=modes.get(each.multiplier, ""),
            in_force=not session.off[each.place],
        )
        for i, each in enumerate(constraints)
    )
    states = [Address(i, 0, r) for i, part in enumerate(session.built.parts) for r in part.states]
    named = [session.named(a.part, a.reference) for a in states]
    return Evaluation(
        system=session.built.name,
        time=t,
        states=dict(zip(named, map(float, x), strict=True)),
        units={name: _unit(session, a) for name, a in zip(named, states, strict=True)},
        evaluation=session.running.way.evaluated,
        reason=_reason(session, asked),
        handed_over=found.handed,
        by_fmus=found.by_rows,
        evaluations=found.evaluations,
        sequence=_sequence(session),
        joints=rows,
        deficiency=missing,
        unrelated=others.unrelated,
    )


def _require(session: Session, status: Status, t: float) -> None:
    if status is not Status.DONE:
        if session.running.raised:
            raise session.running.raised
        raise AnalysisError(f"explain: the system cannot be evaluated at t = {t:g} s: {describe(session)}")


def _unknowns(session: Session) -> np.ndarray:
    """Returns the unknowns of all loops, as the last evaluation has left them."""
    slots = [range(loop.first, loop.first + len(loop.unknowns)) for loop in session.schedule.loops]
    return session.kernel.slots[[slot for each in slots for slot in each]].copy() if slots else np.zeros(0)


def _unit(session: Session, address: Address | None) -> str:
    return "" if address is None else session.built.parts[address.part].fmu.by_reference[address.reference].unit or ""


def _read(session: Session, addresses: Sequence[Address | None]) -> list[float | None]:
    known = [each for each in addresses if each is not None]
    values = iter(values_of(session, known).tolist() if known else [])
    return [None if each is None else next(values) for each in addresses]


def _factors(session: Session) -> tuple[list[dict[str, Any]], int]:
    """Returns the fields of rows that the factorisation gives, by the places of unknowns, and the rank deficiency."""
    fields: list[dict[str, Any]] = []
    missing = 0
    for number, loop in enumerate(session.schedule.loops):
        found = factors(session.kernel, number, len(loop.unknowns))
        missing += max(found.deficiency, 0)
        for place in np.argsort(found.unknown).tolist():
            known = found.deficiency >= 0 and not session.off[len(fields)]
            pivot, share = (float(found.pivot[place]), float(found.share[place])) if known else (math.nan, math.nan)
            fields.append({"loop": number + 1, "place": place + 1, "pivot": pivot, "share": share, "damping": float(found.added[place])})
    return fields, missing


@dataclass(frozen=True)
class _Relations:
    """The relations of constraints to each other, by the places of unknowns."""

    residual: np.ndarray
    """Residuals without multipliers."""
    sine: Mapping[int, float]
    repeats: Mapping[int, Mapping[str, float]]
    """The multipliers that redundant ones repeat, with factors."""
    unrelated: str = ""
    """The reason why the last two are not known."""


def _relations(session: Session, t: float, x: np.ndarray, constraints: Sequence[Constraint]) -> _Relations:
    residual = np.zeros(len(session.off))
    if not constraints:
        return _Relations(residual, {}, {})
    if len(constraints) > _MOST:
        without = _unknowns(session)
        without[[each.place for each in constraints]] = 0
        _require(session, session.kernel.residuals(t, x, without, np.zeros(len(x)), residual), t)
        return _Relations(residual, {}, {}, f"which constraints repeat others is not sought among more than {_MOST}")
    equations = Equations(session)
    _require(session, equations.arrive(t, x), t)
    for each, value in zip(equations.constraints, equations.r.tolist(), strict=True):
        residual[each.place] = value
    try:
        equations.check_symmetry()
    except BuildError:
        return _Relations(residual, {}, {}, "the equations are not symmetric, and the repeated constraints are unknown")
    order = session.run.successive.order if session.run.successive else None
    taken = equations.take(None if order == INDEPENDENT_FIRST else sequence(session, order, equations.constraints))
    names = [session.named(each.multiplier.part, each.multiplier.reference) for each in equations.constraints]
    repeats = {
        each.place: {names[j]: float(factor) for j, factor in enumerate(taken.repeats[i]) if abs(factor) > _NOTHING}
        for i, each in enumerate(equations.constraints)
        if taken.redundant[i]
    }
    return _Relations(residual, {each.place: float(taken.sine[i]) for i, each in enumerate(equations.constraints)}, repeats)


def _modes(session: Session) -> dict[Address, str]:
    """Returns the modes of switched constraints, by their multipliers."""
    found = {}
    for each in session.built.switched:
        names = MODES[each.given.kind]
        if each.given.kind == "holds_while":
            mode = int(session.holds(each.part, each.given.multiplier))
        else:
            address = Address(each.part, session.built.mode_type(each), each.given.mode.reference)
            mode = int(values_of(session, [address])[0])
        found[Address(each.part, 0, each.given.multiplier)] = names.get(mode, f"mode {mode}")
    return found


def _reason(session: Session, asked: bool) -> str:
    """Returns the reason for the way in which derivatives are found."""
    program, (way, why) = session.program, session.running.way
    if why:
        return f"another way is not possible: {why}"
    if asked or way == BY_CODE:
        return "as asked"
    if way == BY_TAPE:
        return "all FMUs are of this library; compiled code runs only if a run asks for it"
    assert way == BY_INSTANCES
    others = [part.name for part in session.built.parts if not part.fmu.is_own]
    if others:
        return f"a tape runs only if a run asks for it, since {listed(others)} {'is' if len(others) == 1 else 'are'} not of this library"
    if not program.all_known:
        return f"there is no tape: {program.fused}"
    return "a tape runs only if a run asks for it, since it would take long to make for so many instances"


def _sequence(session: Session) -> str:
    """Returns the order in which a run takes the constraints."""
    asked = session.run.successive
    if asked is None:
        return "all constraints at once (minimum degree ordering)"
    order = asked.order if isinstance(asked.order, str) else listed(asked.order) if asked.order else "the order of add"
    return f"one constraint after the other (successive): {order}"
