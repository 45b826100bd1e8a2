"""Joints that come into force and go during a run: what is scheduled, and what has happened."""

from __future__ import annotations

import numpy as np

from coupling.errors import listed
from coupling.kernel.events import changes
from coupling.kernel.events.changes import Passed, Switch
from coupling.live.scales import scales_of_unknowns
from coupling.live.session import Session
from coupling.options import tolerance_of_fit
from coupling.plan.enforced import Intervals
from coupling.record import Change


def begin_enforcement(session: Session) -> None:
    """Puts in force what is so at the start."""
    start = session.run.start_time
    for part, intervals in session.built.enforced.items():
        on = any(begin <= start < end for begin, end in intervals)
        for _, loop, unknown in session.unknowns_of(part):
            changes.switch(session.kernel, loop, unknown, on)


def schedule_enforcement(session: Session) -> None:
    """Tells the kernel what is to happen after the start."""
    if scheduled := _scheduled(session):
        switches = [switch for _, switch in scheduled]
        changes.schedule(session.kernel, session.rows, switches, tolerance_of_fit(session.run), scales_of_unknowns(session))


def _scheduled(session: Session) -> list[tuple[int, Switch]]:
    """Returns the scheduled changes of joints with the numbers of their instances, in the order of time."""
    found = [
        (part, Switch(time, loop, unknown, on))
        for part, intervals in session.built.enforced.items()
        for time, on in _switches(session, intervals)
        for _, loop, unknown in session.unknowns_of(part)
    ]
    return sorted(found, key=lambda each: each[1].time)


def _switches(session: Session, intervals: Intervals) -> list[tuple[float, bool]]:
    run = session.run
    times = [(time, on) for begin, end in intervals for time, on in ((begin, True), (end, False))]
    return [(time, on) for time, on in times if run.start_time < time <= run.stop_time]


def changes_of(session: Session) -> tuple[Change, ...]:
    """Returns the changes so far, joint by joint."""
    built = session.built
    if not built.enforced:
        return ()
    found = []
    names, scheduled = session.multipliers, _scheduled(session)
    for each in changes.passed(session.kernel, len(session.off)):
        impulses = {name: float(value) for name, value in zip(names, each.impulse, strict=True) if name}
        for part, time, on in _at(session, each):
            own = [row for row, (of, _) in zip(each.heirs, scheduled[each.first :], strict=False) if of == part]
            heirs = _parts(session, np.any(own, axis=0)) if not on else ()
            found.append(Change(time, built.parts[part].name, "added" if on else "removed", impulses, each.lost, heirs))
    return tuple(found)


def _at(session: Session, each: Passed) -> list[tuple[int, float, bool]]:
    """Returns the joints that changed at one time."""
    return [
        (part, time, on)
        for part, intervals in session.built.enforced.items()
        for time, on in _switches(session, intervals)
        if time == each.time
    ]


def off_rows(session: Session, rows: int) -> dict[str, tuple[tuple[int, int], ...]]:
    """Returns the rows of the record in which joints are not in force, as ranges."""
    if not session.built.enforced:
        return {}
    start, passed = session.run.start_time, changes.passed(session.kernel, len(session.off))
    found = {}
    for part, intervals in session.built.enforced.items():
        row = {each.time: each.row for each in passed}
        first, spans = 0 if not any(begin <= start < end for begin, end in intervals) else None, []
        for time, on in sorted(_switches(session, intervals)):
            if time not in row:
                break
            if on and first is not None:
                spans.append((first, row[time]))
            first = None if on else row[time]
        if first is not None:
            spans.append((first, rows))
        found[session.built.parts[part].name] = tuple(spans)
    return found


def _parts(session: Session, marked: np.ndarray) -> tuple[str, ...]:
    """Returns the instances of marked unknowns."""
    addresses = [address for loop in session.schedule.loops for address in loop.unknowns]
    return tuple(dict.fromkeys(session.built.parts[a.part].name for a, is_marked in zip(addresses, marked, strict=True) if is_marked))


def jumps(session: Session) -> list[str]:
    """Returns a warning on each joint that was added with velocities that did not fit; a note would be too little where energy is lost."""
    found: list[str] = []
    if not session.built.enforced:
        return found
    names, sizes = session.multipliers, scales_of_unknowns(session)
    for each in changes.passed(session.kernel, len(session.off)):
        for part, time, on in _at(session, each):
            own = [place for place, _, _ in session.unknowns_of(part)]
            worst = max(own, key=lambda place: abs(each.velocity[place]) / sizes[place])
            if not on or abs(each.velocity[worst]) <= 10 * tolerance_of_fit(session.run) * sizes[worst]:
                continue
            velocity, impulse = _units(session, part, names[worst])
            found.append(
                f"'{session.built.parts[part].name}' was added at t = {time:.6g} s with a velocity of {each.velocity[worst]:.6g} {velocity}: an impulse of "
                f"{each.impulse[worst]:.6g} {impulse} made it hold, and {each.lost:.6g} J were lost; if you expected none, let the velocities agree there"
            )
    return found


def takeovers(session: Session) -> list[str]:
    """Returns a note on each joint that carries the load of another one, since it repeated that joint."""
    return [
        f"'{each.joint}' was removed at t = {each.time:.6g} s; {listed(each.heirs)}, which repeated its constraints, "
        f"{'carries' if len(each.heirs) == 1 else 'carry'} its load from then on"
        for each in changes_of(session)
        if each.heirs
    ]


def _units(session: Session, part: int, multiplier: str) -> tuple[str, str]:
    """Returns the units of a constraint's velocity and of an impulse of its multiplier."""
    fmu = session.built.parts[part].fmu
    variable = fmu.variables[multiplier.removeprefix(f"{session.built.parts[part].name}.")]
    constraint = next(c for c in (fmu.dae.constraints if fmu.dae else ()) if c.multiplier == variable.reference)
    velocity = None if constraint.velocity is None else fmu.by_reference[constraint.velocity].unit
    return velocity or "", f"{variable.unit or ''}.s".lstrip(".")
