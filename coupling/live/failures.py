"""The endings of a run, each in a sentence with its remedy. One function makes each outcome; others describe what kernel and FMUs
report."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from coupling.errors import listed
from coupling.files import remedy
from coupling.kernel.events.changes import conflicting
from coupling.kernel.fmi.instance import STATUS, WARNING
from coupling.kernel.system.status import Status
from coupling.live import switched_failures as switched
from coupling.live.created_energy import TOLERABLE, created_energy
from coupling.live.isolation.lost_processes import died, ending_of
from coupling.live.until import until_met
from coupling.live.unwritten import total
from coupling.live.violations import finer_coupling
from coupling.options import Index3, Run, tolerance_of_fit
from coupling.outcome import KEPT, Ending, Outcome
from coupling.plan.kinds import ACCELERATIONS
from coupling.progress import TimeIsUp


def outcome(session: Session, status: Status, t: float) -> Outcome:
    """Returns the outcome of a run that the kernel left with a status at a time; raises what a function of the user's raised."""
    if isinstance(session.running.raised, KeyboardInterrupt):
        return interrupted(session, t)
    guarded = session.guards.lost_by(session.instances) if status is not Status.DONE else None
    if guarded is not None:
        return died(t, *guarded)
    if session.running.raised is not None:
        raise session.running.raised
    return _ended(session, status, t)


@total
def _ended(session: Session, status: Status, t: float) -> Outcome:
    if status is Status.DONE:
        return completed(session)
    if status is Status.UNTIL:
        return until_met(session, t)
    if status is Status.PAUSED:
        return too_many_steps(session, t)
    if status is Status.STEP_TOO_SMALL and Status(session.kernel.failure.kind) is Status.DONE:
        return step_too_small(session, t)
    if status is Status.BEYOND_LIMIT:
        return beyond_limit(session, t)
    if status is Status.CHATTERING:
        return chattering(session, t)
    if status is Status.NO_MEMORY:
        return out_of_memory(t)
    if status is Status.NO_ROOM:
        return no_room(session, t)
    ending, remedy = _REMEDIES.get(Status(session.kernel.failure.kind), (Ending.SOLVER_FAILED, ""))
    if ending is Ending.NOT_SOLVED and switched.jams(session):
        remedy = ""
    given = _given_wrongly(session) if ending is Ending.FMU_FAILED else []
    if given:
        remedy = f"it received no finite number for {listed(given)}: check the source of this value, and the start values"
    return _described(session, t, ending, remedy)


_REMEDIES = {
    Status.FMU_FAILED: (Ending.FMU_FAILED, "see the FMU's documentation for the cause"),
    Status.NOT_FINITE: (Ending.NOT_FINITE, "check the range of validity of the component that computes it, and the start values"),
    Status.NOT_SOLVED: (Ending.NOT_SOLVED, "check the start values; another solution branch may be nearer"),
    Status.CONTRADICTORY: (
        Ending.CONTRADICTORY,
        "remove one of the constraints or, where links align in passing, raise baumgarte.alpha and baumgarte.beta of their joints",
    ),
    Status.UNFIT: (Ending.CONTRADICTORY, "add it where it fits"),
    Status.CONFLICT: (Ending.CONTRADICTORY, "remove one of them"),
    Status.NO_FORCES: (Ending.CONTRADICTORY, ""),
    Status.UNSETTLED_MODES: (Ending.CHATTERING, ""),
    Status.UNFIT_MODE: (Ending.CONTRADICTORY, ""),
    Status.PRESCRIBED: (Ending.CONTRADICTORY, ""),
    Status.UNSETTLED: (Ending.CHATTERING, "check the conditions of its events"),
    Status.TERMINATED: (Ending.TERMINATED, ""),
}


def _given_wrongly(session: Session) -> list[str]:
    """Returns the inputs and states of a failed instance that are not finite: then the cause lies before it."""
    part, schedule, values = session.kernel.failure.instance, session.schedule, session.kernel.slots
    if part < 0:
        return []
    inputs = [address for address in schedule.graph.wires if address.part == part]
    sources = {address: [slot for slot in schedule.sources(address) if slot < len(values)] for address in inputs}
    wrong = [address for address, slots in sources.items() if not all(math.isfinite(values[slot]) for slot in slots)]
    first = session.built.parts[part].first_state
    states = [slot for slot in range(first, first + len(session.built.parts[part].states)) if not math.isfinite(values[slot])]
    return [*(session.built.named(part, address.reference) for address in wrong), *map(session.program.label, states)]


def _described(session: Session, t: float, ending: Ending, remedy: str) -> Outcome:
    said = "; ".join(filter(None, [f"stopped at t = {t:.9g} s: {describe(session)}", remedy]))
    return Outcome(ending, f"{said}. {KEPT}")


def completed(session: Session) -> Outcome:
    return Outcome(Ending.COMPLETED, f"completed at t = {session.run.stop_time:.9g} s")


@total
def interrupted(session: Session, t: float, by: KeyboardInterrupt | None = None) -> Outcome:
    """Returns the outcome after Ctrl-C, which may have come too late, or have ended a call of an FMU in another process."""
    if t >= session.run.stop_time:
        return completed(session)
    if isinstance(by, TimeIsUp):
        return Outcome(
            Ending.OUT_OF_TIME,
            f"stopped at t = {t:.9g} s after max_seconds = {session.run.max_seconds:g} s; raise max_seconds, loosen rtol, or choose an earlier "
            f"stop_time. {KEPT}",
        )
    guarded = session.guards.lost_by(session.instances)
    if guarded is not None and ending_of(guarded.death) is Ending.INTERRUPTED:
        return died(t, *guarded)
    return Outcome(Ending.INTERRUPTED, f"interrupted at t = {t:.9g} s. {KEPT}")


def out_of_memory(t: float) -> Outcome:
    return Outcome(Ending.SOLVER_FAILED, f"stopped at t = {t:.9g} s: memory ran out; record fewer outputs, or less often. {KEPT}")


def no_room(session: Session, t: float) -> Outcome:
    error = OSError(session.kernel.rows_file_error, os.strerror(session.kernel.rows_file_error))
    advice = remedy(error, "choose another path")
    sentence = (
        f"stopped at t = {t:.9g} s: '{session.running.rows_file}' takes no more rows: {error.strerror}; record less often, or {advice}"
    )
    return Outcome(Ending.STORAGE_FAILED, f"{sentence}. {KEPT}")


def too_many_steps(session: Session, t: float) -> Outcome:
    run, stiff = session.run, stiffness(session)
    if run.communication_step is not None and run.coupling.step_control != "fixed":
        remedy = f"or loosen Scheme(tolerance={run.coupling.tolerance:g})"
    elif run.communication_step is not None:
        remedy = f"or choose a longer communication_step than {run.communication_step:g} s"
    elif run.index3:
        remedy = f"or choose a longer step_size than {run.index3.step_size:g} s"
    elif stiff:
        remedy = f"or, since {stiff}, choose solver='cvode'"
    else:
        remedy = f"loosen rtol = {run.rtol:g}, or, if the system is stiff, choose solver='cvode'"
    sentence = f"stopped at t = {t:.9g} s after max_steps = {run.max_steps} steps; raise max_steps, {remedy}. {KEPT}"
    return Outcome(Ending.TOO_MANY_STEPS, sentence)


def step_too_small(session: Session, t: float) -> Outcome:
    worst = session.kernel.runge_kutta.worst
    name = f"'{session.program.label(worst)}'" if worst >= 0 else "all states together"
    return Outcome(
        Ending.STEP_TOO_SMALL,
        f"stopped at t = {t:.9g} s: the step size fell below the resolution of numbers because of {name}; its derivative may have a "
        f"singularity or a jump without an event there{too_fine(session.run)}. {KEPT}",
    )


_FINE = 1e-9
"""A relative tolerance below which rounding can make steps fail."""


def too_fine(run: Run) -> str:
    """Returns the end of a sentence on steps that became too small: the tolerances that rounding may miss."""
    fine = [f"rtol = {run.rtol:g}"] * (run.rtol < _FINE) + ["atol"] * (run.atol is not None)
    return f", or {' or '.join(fine)} be too small" if fine else ""


@total
def step_not_solved(session: Session, t: float, worst: int, change: float) -> Outcome:
    """Returns the outcome of a solver with fixed steps whose Newton iteration did not converge."""
    run, part = session.run.index3, session.built.part_of_state(worst)
    assert run
    remedy = "choose a smaller step_size (a half is usually enough)"
    if run.newton_limit < Index3.newton_limit:
        remedy = f"raise newton_limit (the default is {Index3.newton_limit})"
    unit = part.fmu.by_reference[part.states[worst - part.first_state]].unit
    return Outcome(
        Ending.NOT_SOLVED,
        f"stopped at t = {t:.9g} s: a step of {run.step_size:g} s has not been solved in {run.newton_limit} Newton "
        f"iterations. '{session.program.label(worst)}' still changes by {abs(change):.3g}{f' {unit}' if unit else ''}; {remedy}. {KEPT}",
    )


@total
def step_contradictory(session: Session, t: float, joints: Sequence[str], worst: Address, left: float) -> Outcome:
    """Returns the outcome of a solver with fixed steps whose joints contradict each other; ``left`` is the worst violation."""
    unit = session.built.parts[worst.part].fmu.by_reference[worst.reference].unit or ""
    names = " and ".join(f"'{each}'" for each in joints) if len(joints) == 2 else listed(joints)
    who = f"the joints {names} contradict each other: no positions satisfy {'both' if len(joints) == 2 else 'all of them'}"
    if len(joints) == 1:
        who = f"{names} contradicts itself: no positions satisfy it"
    return Outcome(
        Ending.CONTRADICTORY,
        f"stopped at t = {t:.9g} s: {who}, {left:.3g}{f' {unit}' if unit else ''} are left; remove one of them, or mend their values. {KEPT}",
    )


def _coupling_beyond_limit(session: Session, t: float, slot: int) -> Outcome:
    """Returns the outcome of a co-simulation in which a value of a Co-Simulation instance has passed its limit."""
    run, row = session.run, next(each for each in session.kernel.bounds[::-1] if each["slot"] == slot)
    address = next(each for each, place in session.program.limited.items() if place == slot)
    unit = session.built.parts[address.part].fmu.by_reference[address.reference].unit
    unit = f" {unit}" if unit else ""
    assert run.communication_step is not None and run.value_limit
    unstable = f"the coupling is unstable at communication_step = {run.communication_step:g} s"
    if created_energy(session)[1] > TOLERABLE:
        cause = f"With scheme = '{run.coupling.name}' {unstable}; {finer_coupling(session, stable=False)}, check gains and signs"
    else:
        cause = f"The system is unstable there; if a smaller step gives another value, {unstable}. Check gains, signs and drives"
    return Outcome(
        Ending.BEYOND_LIMIT,
        f"stopped at t = {t:.9g} s: '{session.program.label(slot)}' is {row['worst']:.4g}{unit}, more than value_limit = {run.value_limit:g} times "
        f"{row['high'] / run.value_limit:g}{unit}, the largest of its nominal value, its start value and 1. {cause}, or choose another value_limit "
        f"(None switches it off). {KEPT}",
    )


def beyond_limit(session: Session, t: float) -> Outcome:
    """Returns the outcome of a run that a state has left beyond any physical scale."""
    slot, kernel, factor = session.kernel.failure.slot, session.kernel, session.run.value_limit
    if slot >= kernel.states:
        return _coupling_beyond_limit(session, t, slot - kernel.states)
    part = session.built.part_of_state(slot)
    unit = part.fmu.by_reference[part.states[slot - part.first_state]].unit
    unit = f" {unit}" if unit else ""
    assert kernel.limits is not None and factor
    return Outcome(
        Ending.BEYOND_LIMIT,
        f"stopped at t = {t:.9g} s: '{session.program.label(slot)}' is {kernel.present[slot]:.4g}{unit}, more than value_limit = {factor:g} times "
        f"{kernel.limits[slot] / factor:g}{unit}, the largest of its nominal value, its start value and 1. The system is unstable there; check gains, "
        f"signs and start values, or choose another value_limit (None switches it off). {KEPT}",
    )


def chattering(session: Session, t: float) -> Outcome:
    failure = session.kernel.failure
    if failure.slot >= 0:
        return Outcome(
            Ending.CHATTERING,
            f"stopped at t = {t:.9g} s: the derivative of '{session.program.label(failure.slot)}' jumps from one sign to the other there, again "
            f"and again, without an event (chattering). Let its FMU signal an event, or give its model a state in which it rests. {KEPT}",
        )
    joint = switched.without_end(session, failure.index)
    if joint:
        return Outcome(Ending.CHATTERING, f"stopped at t = {t:.9g} s: {joint}. {KEPT}")
    return Outcome(
        Ending.CHATTERING,
        f"stopped at t = {t:.9g} s: {session.program.indicator_name(failure.index)} causes events without end there (chattering); give its "
        f"condition a hysteresis, or its model a state in which it rests. {KEPT}",
    )


def stiffness(session: Session) -> str:
    """Returns the warning of stiffness that an explicit method has found; empty where it found none."""
    count, state, since = session.kernel.stiffness()
    return f"the problem looks stiff from t = {since:.3g} s on because of '{session.program.label(state)}'" if count else ""


# -- what the kernel found ---------------------------------------------------------------------------------------------------------


def describe(session: Session) -> str:
    """Returns the failure that the kernel last found, by the names of its instances and variables."""
    failure = session.kernel.failure
    kind, at = Status(failure.kind), f"at t = {failure.time:.9g} s"
    if kind in _DESCRIPTIONS:
        return _DESCRIPTIONS[kind](session, at)
    return f"{kind.name.lower().replace('_', ' ')} {at}"


def _fmu_failed(session: Session, at: str) -> str:
    f = session.kernel.failure
    part, message = session.built.parts[f.instance], session.instances[f.instance].message
    references = [f.references[i] for i in range(f.count)] if f.references else []
    names = [session.built.named(f.instance, reference) for reference in references]
    what = (f.action or b"").decode() + (f" '{names[0]}'" if names else "") + (f" and {len(names) - 1} more" if len(names) > 1 else "")
    if len(names) > 1 and f.action == b"getting":
        what = "getting " + _which_fails(session, f.instance, names, references)
    status = STATUS[f.status] if 0 <= f.status < len(STATUS) else f"status {f.status}"
    return f"'{part.name}' ({part.fmu.path.name}) returned '{status}' {at} when {what}{reason(part, message)}"


def reason(part: Part, message: str) -> str:
    """Returns what an instance reported when it failed, or how to make it report more."""
    if message:
        return f": {message}"
    more = "though its logging is on" if part.logging else f"add('{part.name}', ..., logging=True) may give the reason"
    return f"; it did not say why, {more}"


def _which_fails(session: Session, part: int, names: Sequence[str], references: Sequence[int]) -> str:
    for name, reference in zip(names, references, strict=True):
        status, values = session.instances[part].get(0, [reference])
        if status > WARNING or not math.isfinite(values[0]):
            return f"'{name}'"
    return f"'{names[0]}' and {len(names) - 1} more"


def _not_finite(session: Session, at: str) -> str:
    slot = session.kernel.failure.slot
    if slot in session.schedule.drive_slot.values():
        return f"the function that drives '{session.program.label(slot)}' gave no finite number {at}"
    return f"'{session.program.label(slot)}' is not a finite number {at}"


def _unknowns_shown(session: Session) -> str:
    loop = session.schedule.loops[session.kernel.failure.index]
    names = [session.built.named(a.part, a.reference) for a in loop.unknowns]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _not_solved(session: Session, at: str) -> str:
    if joint := switched.jams(session):
        return switched.jammed(session, joint)
    return f"the equations for {_unknowns_shown(session)} {at} have no solution that the iteration finds"


def _contradictory(session: Session, at: str) -> str:
    f = session.kernel.failure
    owner = session.schedule.loops[f.index].residuals[f.slot]
    name = session.built.named(owner.part, owner.reference)
    loose = uncarried(session, f.index)
    if loose:
        parts = listed(dict.fromkeys(session.built.parts[a.part].name for a in loose))
        return (
            f"nothing carries {parts} {at}: nothing there has mass or a joint to react the applied force ('{name}' cannot vanish); {CARRY}"
        )
    redundant, _ = participants(session, f.index)
    partners = f" (it takes part in a redundancy of {listed(redundant)}; remove one of them, or mend their values)" if redundant else ""
    return f"the equations for {_unknowns_shown(session)} contradict each other {at}: '{name}' cannot vanish{partners}"


def _of_constraint(session: Session, level: str) -> tuple[str, str, float, str]:
    """Returns the constraint that failed: its joint, its name at a level, its value there, and the unit."""
    f, built = session.kernel.failure, session.built
    owner, reading = session.schedule.loops[f.index].residuals[f.slot], built.reading
    dae = built.parts[owner.part].dae
    assert dae and reading  # none but constraints that are read come into force
    reference = next(c.at(level) for c in dae.constraints if c.residual == owner.reference)
    variable = built.parts[owner.part].fmu.by_reference[reference or 0]
    slot = next(getattr(held, level) for held in reading.constraints if (held.loop, held.unknown) == (f.index, f.slot))
    return built.parts[owner.part].name, variable.name, float(session.kernel.slots[slot]), variable.unit or ""


def _unfit(session: Session, at: str) -> str:
    joint, name, value, unit = _of_constraint(session, "position")
    allowed = tolerance_of_fit(session.run) * (session.length if unit == "m" else 1.0)
    return f"'{joint}' cannot be added, {name} = {value:.4g} {unit} (at most {allowed:g} {unit} is allowed)"


def _conflict(session: Session, at: str) -> str:
    joint, name, value, unit = _of_constraint(session, "velocity")
    unknowns = [address for loop in session.schedule.loops for address in loop.unknowns]
    tied = conflicting(session.kernel, len(unknowns))
    partners = dict.fromkeys(session.built.parts[a.part].name for a, is_tied in zip(unknowns, tied, strict=True) if is_tied)
    others = listed(partners) if partners else "the other joints in force"
    return f"'{joint}' contradicts {others}: it repeats {'their' if len(partners) != 1 else 'its'} constraints, but asks for another velocity ({name} is {abs(value):.4g} {unit} apart)"


def _unsettled(session: Session, at: str) -> str:
    f = session.kernel.failure
    if f.instance < 0:
        return (
            f"'{session.program.label(f.slot)}' keeps changing {at} while the values are passed around, without any discrete update. Either discrete values count each other up, or an output "
            "depends on an input that its FMU's model structure does not list. Break the ring, correct the dependencies in modelDescription.xml, or leave them out"
        )
    return f"'{session.built.parts[f.instance].name}' asks for discrete updates without end {at}"


def _terminated(session: Session, at: str) -> str:
    instance = session.kernel.failure.instance
    message = session.instances[instance].message
    return f"'{session.built.parts[instance].name}' asked for the end {at}" + (f": {message}" if message else "")


_DESCRIPTIONS: dict[Status, Callable[[Session, str], str]] = {
    Status.FMU_FAILED: _fmu_failed,
    Status.NOT_FINITE: _not_finite,
    Status.NOT_SOLVED: _not_solved,
    Status.CONTRADICTORY: _contradictory,
    Status.UNFIT: _unfit,
    Status.CONFLICT: _conflict,
    Status.NO_FORCES: switched.no_forces,
    Status.UNSETTLED_MODES: switched.unsettled_modes,
    Status.UNFIT_MODE: switched.unfit_mode,
    Status.PRESCRIBED: switched.prescribed,
    Status.UNSETTLED: _unsettled,
    Status.TERMINATED: _terminated,
}


CARRY = "connect it with a body or a joint, or replace it by a body that has mass"


def uncarried(session: Session, loop: int) -> list[Address]:
    """Returns the accelerations that the equations of a loop leave open. They belong to points without mass, where no equation of a mass
    determines them."""
    members = session.schedule.loops[loop]
    _, undetermined, _, _ = session.kernel.deficiency(loop, len(members.unknowns), False)
    parts = session.built.parts
    return [
        a
        for a, weight in zip(members.unknowns, undetermined, strict=True)
        if weight > 1e-3 and parts[a.part].fmu.by_reference[a.reference].unit in ACCELERATIONS
    ]


def participants(session: Session, loop: int, passing: bool = False, named: Built | None = None) -> tuple[list[str], list[str]]:
    """Returns the instances whose equations are redundant, and the unknowns left open, at the worst deficiency of a loop; by the names in ``named``,
    or by those of the session."""
    members = session.schedule.loops[loop]
    _, undetermined, redundant, _ = session.kernel.deficiency(loop, len(members.unknowns), passing)
    built = named or session.built
    open_ = [built.named(a.part, a.reference) for a, weight in zip(members.unknowns, undetermined, strict=True) if weight > 1e-3]
    extra = [built.parts[a.part].name for a, weight in zip(members.residuals, redundant, strict=True) if weight > 1e-3]
    return list(dict.fromkeys(extra)), open_


if TYPE_CHECKING:
    from coupling.live.session import Session
    from coupling.plan.build import Built
    from coupling.plan.graph import Address, Part
