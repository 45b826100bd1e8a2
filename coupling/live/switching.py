"""Joints whose constraints depend on modes, in a run: how it begins with them, and what has happened."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

from coupling.errors import StartError
from coupling.kernel.events import switching
from coupling.kernel.events.switching import ModeChange, Strike
from coupling.kernel.system.status import Status
from coupling.live.scales import rest_velocity, scales_of_switched
from coupling.live.session import Session
from coupling.live.switched_failures import compliant
from coupling.options import tolerance_of_fit
from coupling.plan.switched import MODES, Switched
from coupling.record import Change

_MANY_HITS = 3
"""Number of hits before a rest that are worth a warning."""


def begin_switching(session: Session, t: float) -> Status:
    """Chooses the modes of the start."""
    run = session.run
    switching.begin(
        session.kernel,
        session.rows,
        simultaneous=run.contacts.impacts == "simultaneous",
        impulse=run.contacts.painleve == "impulse",
        rest=rest_velocity(session),
        allowed=tolerance_of_fit(run),
        sizes=scales_of_switched(session),
    )
    return switching.switch_at_start(session.kernel, t, session.x)


def name_modes(session: Session) -> None:
    """Writes the modes once before an instance leaves Initialization Mode, by which it knows that it has a master that chooses them."""
    for each in session.built.switched:
        if each.given.kind != "holds_while":
            reference, type_ = each.given.mode.reference, session.built.mode_type(each)
            if session.instances[each.part].set(type_, [reference], [0.0]) > 1:
                raise StartError(f"'{session.built.parts[each.part].name}' refuses its mode {each.given.mode.name}; build the FMU again")


def _places(session: Session) -> list[tuple[int, Switched]]:
    """Returns the switched constraints with their places among the unknowns of all loops."""
    first = [0, *accumulate(len(loop.unknowns) for loop in session.schedule.loops)]
    return [(first[each.loop] + each.unknown, each) for each in session.built.switched]


def switches_of(session: Session) -> list[Change]:
    """Modes that changed, and impacts, in the order of time."""
    if not session.switches:
        return []
    built, found, strikes, places = session.built, [], _strikes(session), _places(session)
    joints = [(place, name) for place, name in enumerate(session.multipliers if strikes else ()) if name]
    for struck in strikes:
        impulse = struck.impulse.tolist()
        impulses = {name: impulse[place] for place, name in joints}
        for part in dict.fromkeys(each.part for place, each in places if impulse[place] != 0):
            found.append(Change(struck.time, built.parts[part].name, "hit", impulses, struck.lost))
    for change in switching.mode_changes(session.kernel):
        each = built.switched[change.item]
        names = MODES[each.given.kind]
        multiplier = built.parts[each.part].fmu.by_reference[each.given.multiplier].name
        before, after = (names.get(mode, f"mode {mode}") for mode in (change.before, change.after))
        what = f"{before} -> {after}"
        found.append(Change(change.time, built.parts[each.part].name, what, {}, 0.0, multiplier=multiplier))
    return sorted(found, key=lambda change: change.time)


def _strikes(session: Session) -> list[Strike]:
    return switching.strikes(session.kernel, sum(len(loop.unknowns) for loop in session.schedule.loops))


def not_held(session: Session, rows: int) -> dict[str, tuple[tuple[int, int], ...]]:
    """Returns the rows of the record in which a switched constraint does not hold, by the full names of its levels."""
    if not session.switches:
        return {}
    found, changes = {}, switching.mode_changes(session.kernel)
    for number, (place, each) in enumerate(_places(session)):
        own = [change for change in changes if change.item == number]
        first = own[0].before if own else None
        holds = (lambda mode: mode == 0) if each.given.kind == "friction" else bool
        now = not (session.off[place] or session.lawful[place])
        on, since, spans = now if first is None else holds(first), 0, []
        for change in own:
            if not on:
                spans.append((since, change.row))
            on, since = holds(change.after), change.row
        if not on:
            spans.append((since, rows))
        for reference in (each.given.position, each.given.velocity, each.given.acceleration):
            if reference is not None:
                found[session.named(each.part, reference)] = tuple(spans)
    return found


def impacts_warned(session: Session) -> list[str]:
    """Returns warnings on unintended loss of energy, on constraints that came to rest, and on impacts that have two solutions."""
    if not session.switches:
        return []
    return [*_locked(session), *_rests(session), *_two_solutions(session), *_shared(session), *_undetermined(session)]


def _locked(session: Session) -> list[str]:
    found = []
    locks = [(place, each) for place, each in _places(session) if each.given.kind == "holds_while"]
    for struck in _strikes(session) if locks else ():
        for place, each in locks:
            speed = struck.velocity[place]
            if abs(speed) > 10 * tolerance_of_fit(session.run) and struck.impulse[place]:
                unit = session.built.parts[each.part].fmu.by_reference[each.given.velocity].unit or ""
                unit = "rad/s" if unit == "1/s" else unit
                found.append(
                    f"an impact on '{session.built.parts[each.part].name}' at t = {struck.time:.6g} s took {struck.lost:.6g} J: it locked with {abs(speed):.6g} {unit} "
                    "between its sides; if you expected none, let the speeds agree"
                )
    return found


def _rests(session: Session) -> list[str]:
    hits: Counter[int] = Counter()
    rest = {number: change.time for number, change in _last_closed(session).items()}
    found, strikes, slowest = [], _strikes(session) if rest else [], rest_velocity(session)
    for number, (place, each) in enumerate(_places(session)):
        hits[number] = sum(struck.impulse[place] != 0 and struck.velocity[place] < -slowest for struck in strikes)
        if number in rest and hits[number] >= _MANY_HITS:
            found.append(
                f"'{session.built.parts[each.part].name}' was hit {hits[number]} times, and rests from t = {rest[number]:.6g} s on: below "
                f"{slowest:g} {session.built.parts[each.part].fmu.by_reference[each.given.velocity].unit or ''} impacts are plastic (rest_velocity)"
            )
    return found


def _last_closed(session: Session) -> dict[int, ModeChange]:
    last = {change.item: change for change in switching.mode_changes(session.kernel)}
    return {item: change for item, change in last.items() if change.after == 1 and session.built.switched[item].given.kind == "unilateral"}


def _two_solutions(session: Session) -> list[str]:
    notes = switching.notes(session.kernel)
    if notes.two < 0:
        return []
    part = session.built.parts[session.built.switched[notes.two].part]
    return [
        f"'{part.name}' has two solutions at t = {notes.two_time:.6g} s, sliding and lifting off (Painlevé: its friction of {notes.two_mu:.4g} is too great "
        f"for its slope); it {'keeps sliding' if notes.two_closed else 'lifts off'}"
    ]


def _undetermined(session: Session) -> list[str]:
    notes = switching.notes(session.kernel)
    if notes.several < 0:
        return []
    part = session.built.parts[session.built.switched[notes.several].part]
    return [
        f"'{part.name}' and others carry one load that rigid bodies cannot share out from t = {notes.several_time:.6g} s on. As few of them as possible carry it, and the others touch without a "
        f"force. The motion depends on the shares only if their friction differs; if shares matter, {compliant(session)}"
    ]


def _shared(session: Session) -> list[str]:
    notes = switching.notes(session.kernel)
    if notes.shared < 0:
        return []
    part = session.built.parts[session.built.switched[notes.shared].part]
    return [
        f"'{part.name}' and others carry one load that rigid bodies cannot share out: with the smallest reactions it reaches its limit from t = {notes.shared_time:.6g} s "
        "on. The motion does not depend on the shares, but the joint that yields first does"
    ]
