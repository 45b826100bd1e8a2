"""The constraint violations of a system, at the state of its instances."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from coupling.errors import InitialStateError, listed
from coupling.live.scales import scales
from coupling.live.session import Session
from coupling.options import TOLERANCE, Run, Scheme, tolerance_of_fit
from coupling.plan.cosimulation.capabilities import most_degrees, unable
from coupling.plan.degrees import in_degrees
from coupling.plan.graph import Address
from coupling.plan.projection import projectable
from coupling.record import Record, in_force

LEVELS = ("position", "velocity")


def check_start_state(session: Session, changed: Collection[tuple[int, str]] = ()) -> None:
    """Refuses a start at which a constraint is violated, as by lengths that are ``changed`` in this run alone."""
    for each in session.built.switched:
        if (depth := session.inside(each)) > 0:
            part = session.built.parts[each.part]
            variable = part.fmu.by_reference[each.given.position or 0]
            raise InitialStateError(
                f"'{part.name}' starts {depth:.4g} {variable.unit} inside ({variable.name} = {-depth:.4g} {variable.unit}, at most {TOLERANCE * session.length:.4g} {variable.unit}); "
                "move it, or use initial='assemble'"
            )
    violated: list[str] = []
    joints, at_most = set(), TOLERANCE
    for level in LEVELS:
        addresses = constraints_at(session, level)
        values, allowed = values_of(session, addresses), TOLERANCE * scales(session, addresses)
        for place in np.flatnonzero(~(np.abs(values) <= allowed)).tolist():
            at_most = at_most if violated else float(allowed[place])
            violated.append(described(session, addresses[place], float(values[place])))
            joints.add(addresses[place].part)
    if violated:
        shown = ", ".join(violated[:12]) + (f" and {len(violated) - 12} more" if len(violated) > 12 else "")
        parts = session.built.parts
        names = [f"{parts[i].name}.{name}" for i, name in changed if parts[i].fmu.variables[name].causality == "parameter"]
        why = (
            f"; with {listed(names)} of this run the states no longer fit: initial='assemble' assembles anew, and so does "
            "initial=system.assemble(), from that pose"
        )
        given = [(part.name, name, value) for part, start in zip(parts, session.built.start, strict=True) for name, value in start.items()]
        given += [(parts[i].name, name, value) for (i, name), value in session.running.values.items()]
        degrees = "".join(f"; {each}" for each in in_degrees({part.name: part.fmu for part in parts}, given))
        raise InitialStateError(
            f"the start violates constraints: {shown} (at most {at_most:.4g} is allowed){degrees}; correct the start values, use "
            f"initial='assemble' to have the states moved that you did not set, or initial='relax' to leave it to the stabilisation{why if names else ''}{_given_apart(session, joints)}"
        )


def _given_apart(session: Session, joints: Collection[int]) -> str:
    """Returns a remedy for motions that instances without a pose prescribe, which assembly does not know; empty where there are none."""
    parts, wires = session.built.parts, session.schedule.graph.wires
    apart = {
        session.named(target.part, target.reference): parts[source.part].name
        for target, sources in wires.items()
        for source in sources
        if target.part in joints and parts[source.part].fmu.model_exchange is None
    }
    if not apart:
        return ""
    return (
        f"; {listed(dict.fromkeys(apart.values()))} offers Co-Simulation alone and takes no part in assembly: give {listed(apart)} as start values for it, "
        "as they are at the start"
    )


def violated(session: Session, record: Record, loose: Collection[str] = ()) -> list[str]:
    """Returns the worst violation of a run that is more than its tolerance allows, as a sentence; ``loose`` are levels that nothing keeps.

    The violation is the recorded one, or the present one where it was not recorded. A start that is violated on purpose may take its time.
    """
    column, last = session.program.column_of, record.rows[-1:]
    worst, sentence = 1.0, ""
    for level in LEVELS if len(last) else ():
        found = constraints_at(session, level)
        allowed = _allowed(session.run, level) * scales(session, found)
        places = [column.get(session.named(each.part, each.reference)) for each in found]
        recorded = [place for place in places if place is not None]
        if len(recorded) == len(places) and (not places or _within(record.rows, recorded, allowed)):
            continue
        for address, now, place, most in zip(found, values_of(session, found), places, allowed.tolist(), strict=True):
            if place is None:
                if not abs(now) > worst * most:
                    continue
                times, values = last[:, 0], now[None]
            else:
                rows = last if session.run.initial == "relax" else record.rows
                off = record.off.get(session.built.parts[address.part].name, record.off.get(record.columns[place - 1].name, ()))
                times, values = rows[:, 0], rows[:, place] * in_force(len(record.rows), off)[-len(rows) :] if off else rows[:, place]
            row = int(np.abs(values).argmax())
            if level not in loose and abs(values[row]) > worst * most:
                worst = abs(values[row]) / most
                sentence = (
                    f"a constraint is violated: {described(session, address, values[row])} at t = {times[row]:.6g} s, where {most:.4g} is allowed; "
                    f"{_remedy(session)}"
                )
    return [sentence] if sentence else []


def _within(rows: np.ndarray, places: Sequence[int], allowed: np.ndarray) -> bool:
    """Returns True where no value of some columns is greater than the least that is allowed of one."""
    found = rows.take(places, axis=1)
    greatest = np.maximum.reduce(np.absolute(found, out=found).ravel(), initial=0.0)  # of a matrix it takes six times as long
    return bool(greatest <= allowed.min(initial=np.inf))


def _allowed(run: Run, level: str) -> float:
    """Returns the tolerance in the units of the constraints. Violations are drawn back within tenths of a second, so that velocities are
    off by more."""
    tolerance = tolerance_of_fit(run) if run.communication_step is None else max(TOLERANCE, run.coupling.tolerance)
    return tolerance if level == "position" else 10 * tolerance


def _remedy(session: Session) -> str:
    run = session.run
    if run.index3:
        return "choose a smaller step_size"
    if run.communication_step is not None:
        return finer_coupling(session)
    if run.stabilisation == "projection":
        return "choose a smaller rtol"
    if run.initial == "relax":
        return "choose greater baumgarte.alpha and baumgarte.beta of its joint, or initial='assemble'"
    free = run.form == "multipliers" and projectable(session.schedule)
    projection = ", or stabilisation='projection'" if free else ""
    return f"choose a smaller rtol, or greater baumgarte.alpha and baumgarte.beta of its joint{projection}"


def finer_coupling(session: Session, stable: bool = True) -> str:
    """Returns what makes a co-simulation more accurate, of what the instances can do; extrapolation makes nothing ``stable``."""
    scheme = session.run.coupling
    remedies = ["a smaller communication_step" if scheme.step_control == "fixed" else "a smaller Scheme(tolerance=...)"]
    if not scheme.name.startswith("implicit"):
        if stable and scheme.extrapolation < max(most_degrees(session.built), default=0):
            remedies.append("a higher Scheme(extrapolation=...)")
        if scheme.step_control != "power" and not unable(session.built, "save_state"):
            remedies.append("scheme='implicit'" + (" and leave extrapolation out" if scheme.extrapolation != Scheme.extrapolation else ""))
    return f"choose {', '.join(remedies[:-1])}{', or ' if len(remedies) > 1 else ''}{remedies[-1]}"


Touching = frozenset[tuple[int, int]]
"""Unilateral constraints that an assembly asks for, by instance and multiplier."""


def constraints_at(session: Session, level: str, touching: Touching | None = None) -> Sequence[Address]:
    """Returns the constraints at a level, of all FMUs whose algebraic variables are solved for."""
    lasting = session.built.lasting(level)
    if lasting is not None:
        return lasting
    return [Address(part, 0, reference) for part, reference, _ in constraints_with_multipliers(session, level, touching)]


def constraints_with_multipliers(session: Session, level: str, touching: Touching | None = None) -> Iterator[tuple[int, int, int]]:
    """Yields the constraints of joints in force: instance, value reference, and that of the multiplier. ``touching``: of constraints that
    depend on modes, these alone."""
    for i, constraint, switched in session.built.constraints:
        reference, multiplier = constraint.at(level), constraint.multiplier
        if reference is None or not session.in_force(i):
            continue
        if not switched or (session.holds(i, multiplier) if touching is None else (i, multiplier) in touching):
            yield i, reference, multiplier


def values_of(session: Session, addresses: Sequence[Address]) -> np.ndarray:
    """Returns the values of outputs as the instances have them now."""
    return session.readings(tuple(addresses)).read()[1].copy()


def follow_gauge(session: Session, x: np.ndarray) -> None:
    """Sets the gauge states among ``x`` to the values that they follow at the state of the instances; they are then farthest from another
    value."""
    gauge = session.built.gauge
    if gauge:
        x[list(gauge)] = values_of(session, list(gauge.values()))


def gauge_starts(session: Session) -> dict[tuple[int, str], float]:
    """Returns the gauge states where a session begins, by part and name."""
    parts = session.built.parts
    named = [(i, part.fmu.by_reference[reference].name) for i, part in enumerate(parts) for reference in part.states]
    return {named[number]: float(session.x[number]) for number in session.built.gauge}


def described(session: Session, address: Address, value: float) -> str:
    """Returns a value with its name and unit."""
    unit = session.built.parts[address.part].fmu.by_reference[address.reference].unit or ""
    return f"{session.named(address.part, address.reference)} = {value:.4g} {unit}".rstrip()
