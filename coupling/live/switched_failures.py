"""Messages on joints whose constraints depend on modes, where rigid bodies give no answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from coupling.errors import listed
from coupling.kernel.events import switching
from coupling.live.scales import rest_velocity
from coupling.options import TOLERANCE
from coupling.plan.switched import MODES

if TYPE_CHECKING:
    from coupling.live.session import Session


def compliant(session: Session, others: Sequence[str] = ()) -> str:
    """Returns the remedy of compliant joints: all joints that switch, since no velocity can jump in Co-Simulation, and ``others``."""
    joints = list(dict.fromkeys([*(session.built.parts[each.part].name for each in session.built.switched), *others]))
    return f"add {listed(joints)} with kind='cs', which makes {'it' if len(joints) == 1 else 'them'} compliant, and give simulate a communication_step"


def _joint(session: Session) -> tuple[str, str]:
    """Returns the joint of the switched multiplier that failed, and what it keeps from falling below 0: its position or its velocity."""
    each = session.built.switched[session.kernel.failure.index]
    part = session.built.parts[each.part]
    kept = each.given.position if each.given.position is not None else each.given.velocity
    return part.name, "" if kept is None else part.fmu.by_reference[kept].name


def no_forces(session: Session, at: str) -> str:
    if session.built.switched[session.kernel.failure.index].given.kind == "friction":
        return jammed(session, _joint(session)[0])
    notes = switching.notes(session.kernel)
    less = f"mu below {0.995 * notes.below:.3g}" if notes.below > 0 else "less friction"  # rounding must not lead above it
    sliding = f"sliding with mu = {notes.mu:.4g}" if notes.mu > 0 else "sliding with its friction"
    return (
        f"no forces satisfy the contact of '{_joint(session)[0]}' (Painlevé: {sliding} pushes it into the ground without end); use {less} there, "
        "contacts=Contacts(painleve='impulse'), or planar.CompliantContact"
    )


def jams(session: Session) -> str:
    """Returns the joint among equations without a solution whose friction follows its own load; empty where there is none."""
    built = session.built
    pushing = {(each.part, each.given.multiplier) for each in built.switched if each.given.kind == "unilateral"}
    for each in built.switched:
        loads = [reference for reference in each.given.depends if (each.part, reference) not in pushing]
        if each.given.kind == "friction" and loads and each.loop == session.kernel.failure.index:
            return built.parts[each.part].name
    return ""


def jammed(session: Session, joint: str) -> str:
    """Returns why rigid bodies have no motion where friction grows with the load that it brings about."""
    return (
        f"no forces satisfy the friction of '{joint}', which grows with its own load: it jams; use less friction or more inertia on the side that "
        f"drives, or {compliant(session)}"
    )


def unsettled_modes(session: Session, at: str) -> str:
    switched = session.built.switched
    joints = listed(dict.fromkeys(session.built.parts[each.part].name for each in switched))
    rubs = any(each.given.kind == "friction" and each.given.depends for each in switched)
    why = "their friction depends on reactions too strongly" if rubs else "rounding decides which joint holds"
    return f"the modes of {joints} do not settle: {why}; {compliant(session)}"


def prescribed(session: Session, at: str) -> str:
    """Returns why a unilateral constraint cannot be kept, where no force can move what comes together there."""
    joint, kept = _joint(session)
    return f"motions that are prescribed violate '{joint}': {kept} falls below 0, which no force can prevent; change these motions, or {compliant(session)}"


def unfit_mode(session: Session, at: str) -> str:
    joint, position = _joint(session)
    part = session.built.parts[session.built.switched[session.kernel.failure.index].part]
    allowed = TOLERANCE * (session.length if part.fmu.variables[position].unit == "m" else 1.0)
    return f"'{joint}' cannot hold from now on, {position} is more than {allowed:.4g} off; let it hold where it fits"


def without_end(session: Session, indicator: int) -> str:
    """Returns the message on the joint that owns an event indicator; empty where no switched joint does."""
    first = 0
    for number, part in enumerate(session.built.parts):
        for each in session.built.switched:
            if each.part == number and each.given.indicator is not None and first + each.given.indicator == indicator:
                return _without_end(session, part.name, each.given.kind)
        first += len(part.structure.indicators)
    return ""


def _without_end(session: Session, joint: str, kind: str) -> str:
    modes = [name for mode, name in MODES[kind].items() if mode in (0, 1)]
    remedy = compliant(session)
    if kind != "friction":
        remedy = f"give contacts=Contacts(rest_velocity=...) more than {rest_velocity(session):g} m/s, or {remedy}"
    return f"'{joint}' changes without end between {modes[1]} and {modes[0]}; {remedy}"


def shares(session: Session, multipliers: Sequence[str], among: Sequence[str]) -> str:
    """Returns what is said where friction depends on multipliers that are not determined, of joints ``among`` which the load is shared out."""
    built = session.built
    joints = {
        built.parts[each.part].name: None
        for each in built.switched
        if any(built.named(each.part, reference) in multipliers for reference in each.given.depends)
    }
    if not joints:
        return ""
    return (
        f"{listed(joints)} {'carry' if len(joints) > 1 else 'carries a share of'} one load that rigid bodies cannot share out, and "
        f"{'their' if len(joints) > 1 else 'its'} friction depends on the shares: the smallest reactions are taken; if the friction matters, "
        f"{compliant(session, among)}"
    )
