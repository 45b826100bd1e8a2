"""The way from a program to a session at its start: instances initialised, values passed on, events settled, loops solved."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from coupling.errors import StartError, shown
from coupling.kernel import library
from coupling.kernel.fmi.instance import WARNING, Element, Instance, LoadedLibrary, SizeLimit, StartRefusal, StartStage, Stepping, View
from coupling.kernel.fmi.instances import Together
from coupling.kernel.fmi.texts import number_of
from coupling.kernel.hosts.hosted import HostDied
from coupling.kernel.platform.own import Library
from coupling.kernel.system.status import Status
from coupling.live.dependencies import check_dependencies, check_states
from coupling.live.derivatives.jacobians import StartRefused, add_jacobians, check_status
from coupling.live.enforcement import begin_enforcement, schedule_enforcement
from coupling.live.failures import describe, reason
from coupling.live.isolation.guards import NO_GUARDS, Guards
from coupling.live.isolation.lost_processes import lost_at_start
from coupling.live.libraries import library_of
from coupling.live.program import Program
from coupling.live.running import Running
from coupling.live.scales import scales_of_projection
from coupling.live.session import Session
from coupling.live.successive import begin_in_order
from coupling.live.switching import begin_switching, name_modes
from coupling.live.violations import check_start_state, follow_gauge
from coupling.plan.cosimulation.unsolvable import unsolvable
from coupling.plan.definition import Value
from coupling.plan.drives import TextDrive
from coupling.plan.graph import Address, Part
from coupling.progress import noticed

StartValues = Mapping[tuple[int, str], Value]
"""Start values by the number of an instance and the name of its variable; they override those of the definition."""

_MOST_ROUNDS, _STILL = 1000, 1e-13
"""Limit of the rounds in which inputs are passed on at the start, and their largest change in the last round, relative to their size."""


def start(program: Program, running: Running, library: Library = library) -> Session:
    """Returns a session at the start of a run; ``library``: of the process in which it is."""
    instances: list[Instance] = []
    libraries: dict[Path, LoadedLibrary] = {}
    guards = NO_GUARDS if library.is_elsewhere else Guards(running.run, program.built.parts)
    try:
        with _undivided() as look, guards.named(instances):
            for index, part in enumerate(program.built.parts):
                instances.append(_instantiated(program, index, part, library, guards, libraries, running.run.isolation.sandbox))
                look()
        session = Session(program, instances, running, library=library, guards=guards)
    except BaseException:
        for instance in instances:
            instance.free()
        guards.end()
        raise
    with _freed_on_failure(session):
        _begin(session)
    return session


def start_again(session: Session, running: Running) -> None:
    """Brings a session that has run to the start of another run, as if it were new; frees it where that fails."""
    with _freed_on_failure(session):
        session.begin(running)
        _begin(session, reset=True)


@contextmanager
def _undivided() -> Iterator[Callable[[], None]]:
    """Delays Ctrl-C until an FMU has returned, and its result is known to the code that frees it: until the yielded function is called."""
    with noticed(running=False) as pressed:

        def look() -> None:
            if pressed():
                raise KeyboardInterrupt

        yield look


@contextmanager
def _freed_on_failure(session: Session) -> Iterator[None]:
    try:
        with session.guards.named(session.instances):
            yield
    except HostDied as error:
        session.free()
        raise lost_at_start(session.kernel.library, error.death) from None
    except BaseException:
        session.free()
        raise


def _begin(session: Session, reset: bool = False) -> None:
    changed: dict[int, dict[str, Value]] = {}
    for (index, name), value in session.running.values.items():
        changed.setdefault(index, {})[name] = value
    for _, drive in session.built.drives:
        for text in drive.texts if isinstance(drive, TextDrive) else ():
            number_of(text, session.kernel.library)
    with _undivided() as look:
        if session.together:
            _enter_together(session, session.together, changed, reset)
        for index in () if session.together else range(len(session.instances)):
            _enter_initialization(session, index, changed.get(index, {}), reset)
            look()
    begin_enforcement(session)
    _initialise(session, reset)
    if session.inner and not session.running.assembling:
        add_jacobians(session.inner)
        session.inner.kernel.set_sizes(scales_of_projection(session.inner))
        _prepare_loops(session.inner)


# -- instances ---------------------------------------------------------------------------------------------------------------------


def _instantiated(
    program: Program, index: int, part: Part, library: Library, guards: Guards, libraries: dict[Path, LoadedLibrary], sandbox: bool
) -> Instance:
    fmu = part.fmu
    try:
        views, elements = [View(*each) for each in fmu.views], [Element(*each) for each in part.elements]
        limits = [SizeLimit(v.reference, v.max_size, v.name) for v in fmu.variables.values() if v.max_size is not None]
        stepping = _stepping(program, index, part)
        loaded = library_of(part, library, guards.of(part), libraries, sandbox)
        made = Instance(
            loaded, part.name, fmu.token, fmu.resources, stepping, views=views, elements=elements, limits=limits, logging=part.logging
        )
    except HostDied as error:
        raise lost_at_start(library, error.death, part) from None
    except RuntimeError as error:
        said = reason(part, " ".join(str(error).split()))
        raise StartError(f"'{part.name}' ({fmu.path.name}) cannot be instantiated{said}; see the FMU's documentation") from None
    if library.is_elsewhere:
        library.instances[made.handle] = part
    return made


def _stepping(program: Program, index: int, part: Part) -> Stepping | None:
    """Returns the options with which a Co-Simulation instance is made; None for Model Exchange."""
    if not part.stepped:
        return None
    updated = part.interface.intermediate_update
    references = np.array([a.reference for a in program.built.schedule.arriving if a.part == index] if updated else [], dtype=np.uintc)
    events = part.interface.event_mode
    return Stepping(events, part.interface.early_return or (events and part.interface.might_return_early), references)


def _enter_together(session: Session, together: Together, changed: Mapping[int, Mapping[str, Value]], reset: bool) -> None:
    run = session.run
    for index in session.given.differ(changed):
        together.give(index, session.given.give(index, changed.get(index, {}), in_place=True))
    if refusal := together.start(run.rtol, run.start_time, run.stop_time, reset=reset):
        _refuse(session, *refusal)


def _enter_initialization(session: Session, index: int, changed: Mapping[str, Value], reset: bool) -> None:
    run = session.run
    values = session.given.give(index, changed, in_place=False)
    refusal = session.instances[index].start(values, run.rtol, run.start_time, run.stop_time, reset=reset)
    if refusal is not None:
        _refuse(session, index, refusal)


def _refuse(session: Session, index: int, refusal: StartRefusal) -> None:
    """Says what an instance has not accepted."""
    values = session.given.last(index)
    action = _STAGES[refusal.stage]
    if refusal.stage is StartStage.SETTING:
        _, _, value = values.given[refusal.value]
        action = f"setting '{values.names[refusal.value]}' = " + (
            f"'{value}'" if isinstance(value, str) else shown(value) if isinstance(value, bytes) else f"{value:g}"
        )
    check_status(session, index, refusal.status, action)


_STAGES = {
    StartStage.RESETTING: "resetting",
    StartStage.CONFIGURING: "setting its structural parameters",
    StartStage.SETTING: "setting a start value",
    StartStage.ENTERING: "entering Initialization Mode",
}


# -- the system --------------------------------------------------------------------------------------------------------------------


def _initialise(session: Session, reset: bool) -> None:
    kernel, t, assembling = session.kernel, session.run.start_time, session.running.assembling
    for loop in session.schedule.loops:  # iterations begin where the FMUs do
        kernel.slots[loop.first : loop.first + len(loop.unknowns)] = _finite(session, loop.unknowns)
    if arriving := session.schedule.arriving:
        first = session.schedule.first_end
        kernel.slots[first : first + len(arriving)] = _finite(session, arriving)
    _exchange_at_first(session)
    name_modes(session)
    _leave_initialization(session, stepped=False, anyhow=assembling)
    add_jacobians(session)
    if session.steppers:
        _leave_to_repetition(session)
        _settle_inputs(session, solving=not assembling)
        _leave_initialization(session, stepped=True)
        kernel.set_ready()
    switches = bool(session.built.switched) and session.built.reading is not None
    kernel.set_open(assembling or switches)  # modes are not chosen yet
    settled = kernel.settle(session.x)
    kernel.set_open(False)
    if settled is not Status.DONE and session.run.initial == "check":
        check_start_state(session)  # what cannot be solved may be a start that makes no sense
    _done(session, settled, "passing the initial event")
    if assembling:
        return
    kernel.set_sizes(scales_of_projection(session))
    begin_in_order(session)
    _prepare_loops(session)
    schedule_enforcement(session)
    if switches:
        _done(session, begin_switching(session, t), "choosing the modes of joints")
    _done(session, kernel.evaluate(t, session.x), "evaluating the start")
    if session.built.gauge:
        follow_gauge(session, session.x)
        _done(session, kernel.evaluate(t, session.x), "evaluating the start")
    if not reset and check_states(session):
        _done(session, kernel.evaluate(t, session.x), "evaluating the start")
    check_dependencies(session)


def _finite(session: Session, addresses: Sequence[Address]) -> np.ndarray:
    """Returns the values that the instances have; 0 where a value is not finite, or an instance gives none."""
    statuses, values = session.readings(tuple(addresses)).read()
    if all(map(math.isfinite, values.tolist())) and max(statuses.tolist(), default=0) <= WARNING:
        return values
    return np.where(np.isfinite(values) & (statuses <= WARNING), values, 0.0)


def _exchange_at_first(session: Session) -> None:
    kernel, action = session.kernel, "passing on the values before the start"
    exchanged = kernel.exchange(session.run.start_time)
    if exchanged is not Status.DONE and kernel.failure.instance >= 0:  # what the FMU itself requires says more than a nan
        index, failure = kernel.failure.instance, describe(session)
        check_status(session, index, session.instances[index].exit_initialization(), "leaving Initialization Mode")
        raise StartError(f"the start fails when {action}: {failure}")
    _done(session, exchanged, action)


def _leave_initialization(session: Session, stepped: bool, anyhow: bool = False) -> None:
    """Makes instances leave Initialization Mode. ``anyhow``: requirements of an instance on others need not be true yet; it starts with
    inputs of its own where it refuses theirs."""
    for index, status in _leaving(session, stepped):
        try:
            check_status(session, index, status, "leaving Initialization Mode")
        except StartRefused:
            changed = {name: value for (i, name), value in session.running.values.items() if i == index}
            if not (anyhow and _starts_alone(session, index, changed)):
                raise
        if said := session.instances[index].said:
            session.running.warn(index, said)


def _leaving(session: Session, stepped: bool) -> Iterator[tuple[int, int]]:
    """Makes instances leave Initialization Mode, one after the other. Yields number and status; a call for all yields only instances with
    something to report."""
    if session.together and not session.steppers:
        yield from session.together.exit_initialization()
        return
    for index, instance in enumerate(session.instances):
        if session.built.parts[index].stepped == stepped:
            yield index, instance.exit_initialization()


def _starts_alone(session: Session, index: int, changed: Mapping[str, Value]) -> bool:
    """Says whether an instance starts with its own inputs, without the others."""
    _enter_initialization(session, index, changed, reset=True)
    return session.instances[index].exit_initialization() <= WARNING


def _leave_to_repetition(session: Session) -> None:
    """Leaves loops whose multipliers cannot be solved for at a point to schemes that repeat steps."""
    for number, loop in enumerate(session.schedule.loops):
        reason = unsolvable(session.schedule, loop)
        if reason is None:
            continue
        if not session.running.repeats:
            part, why = reason
            raise StartError(
                f"the scheme '{session.run.coupling.name}' cannot solve for '{session.named(*loop.unknowns[0][::2])}': '{session.built.parts[part].name}' {why}; "
                "choose scheme='implicit', which finds out by repeated steps"
            )
        session.kernel.hold(number, [True] * (len(loop.unknowns) - loop.torn) + [False] * loop.torn)


def _settle_inputs(session: Session, solving: bool) -> None:
    """Finds the inputs of Co-Simulation instances at the start, in Initialization Mode, where values can be set and got at will."""
    kernel, arriving = session.kernel, session.schedule.arriving
    inputs, moved = slice(session.schedule.first_end, session.schedule.first_end + len(arriving)), math.inf
    for _ in range(_MOST_ROUNDS):
        before, moved_before = kernel.slots[inputs].copy(), moved
        _done(session, kernel.exchange(session.run.start_time, solving=solving), "passing on the values before the start")
        status, moved = kernel.hand_over()
        _done(session, status, "setting inputs before the start")
        if moved <= _STILL:
            return
        # A small force that is the difference of large ones jitters by their rounding.
        if moved >= moved_before and np.abs(kernel.slots[inputs] - before).max() <= _STILL * np.abs(before).max():
            return
    part, _, reference = arriving[int(np.abs(kernel.slots[inputs] - before).argmax())]
    raise StartError(
        f"the start fails: '{session.named(part, reference)}' does not come to rest when inputs are passed around {_MOST_ROUNDS} times; "
        "check the start values, or break the ring of instances that depend on each other at once"
    )


def _prepare_loops(session: Session) -> None:
    session.kernel.set_damping(session.run.rtol)
    session.kernel.set_fast(session.program.shortcuts and any(loop.followers is not None for loop in session.schedule.loops))


def _done(session: Session, status: Status, action: str) -> None:
    if status is not Status.DONE:
        if session.running.raised:
            raise session.running.raised
        raise StartError(f"the start fails when {action}: {describe(session)}")
