"""The kind of each instance in a run: Model Exchange or Co-Simulation."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from coupling.errors import BuildError, listed
from coupling.fmus import Fmu
from coupling.fmus.ports import needs_partner
from coupling.names import resolve
from coupling.plan.definition import Definition, InstanceDefinition

ACCELERATIONS = ("m/s2", "rad/s2")
"""Units of unknowns that are no multipliers."""


class Mode(Enum):
    """The way in which the instances of a definition are run."""

    CONTINUOUS = "all in Model Exchange, integrated together"
    COUPLED = "at communication points, those that can in Co-Simulation"
    UNSTEPPED = "all in Model Exchange, to find the start of a co-simulation, where nothing steps"
    PROJECTED = "all in Model Exchange, integrated together, with states that are moved onto the constraints"
    PROJECTED_BETWEEN = "at communication points, between which the states that are integrated are moved onto the constraints among them"

    @property
    def integrated(self) -> bool:
        """True if one solver integrates all states."""
        return self in (Mode.CONTINUOUS, Mode.PROJECTED)

    @property
    def coupled(self) -> bool:
        """True if the run has communication points."""
        return self in (Mode.COUPLED, Mode.PROJECTED_BETWEEN)


def possible_modes(definition: Definition) -> list[Mode]:
    """Returns the modes for runs that the kinds of instances allow."""
    kinds = set(_kinds(definition, Mode.COUPLED).values())
    forced = {each.kind for each in definition.instances}
    coupled = [Mode.COUPLED] if "cs" in kinds else []
    continuous = "cs" not in forced and not (definition.unknown_accelerations and coupled)
    return [*([Mode.CONTINUOUS] if continuous else []), *coupled]


def kinds_of(definition: Definition, mode: Mode) -> dict[str, str]:
    """Returns the kind of each instance: the one that was given, or the one that suits the run."""
    kinds = _kinds(definition, mode)
    _check(kinds, definition, mode)
    return kinds


def _kinds(definition: Definition, mode: Mode) -> dict[str, str]:
    kinds = {each.name: _kind(each, mode) for each in definition.instances}
    if not mode.coupled:
        return kinds
    fmus = {each.name: each.fmu.fmu for each in definition.instances}
    free = {each.name for each in definition.instances if each.kind is None and each.fmu.fmu.model_exchange}
    for pair in definition.connections:
        ends = [resolve(text, fmus) for text in pair]
        for (name, port), (other, _) in (ends, ends[::-1]):
            if other in free and kinds.get(name) == "me" and is_carried(fmus[name]):
                terminal = fmus[name].terminals.get(port)
                if terminal and needs_partner(fmus[name], terminal):
                    kinds[other] = "me"
    _keep_whole(kinds, definition, fmus, free)
    return kinds


def _keep_whole(kinds: dict[str, str], definition: Definition, fmus: Mapping[str, Fmu], free: set[str]) -> None:
    """Keeps parts without mass integrated together with the parts that joints hold them to. At communication points alone their
    accelerations would not follow."""
    pairs = [tuple(resolve(text, fmus)[0] for text in pair) for pair in definition.connections]
    beside: dict[str, set[str]] = {}
    for a, b in pairs:
        beside.setdefault(a, set()).add(b)
        beside.setdefault(b, set()).add(a)
    for name in (each for each, kind in kinds.items() if kind == "me" and is_massless(fmus[each])):
        for joint in beside.get(name, ()):
            if joint in fmus and _is_solved_for(fmus[joint]):
                kinds.update(dict.fromkeys(beside[joint] & free, "me"))


def is_massless(fmu: Fmu) -> bool:
    """Says whether an FMU is massless: its own accelerations are unknowns, for which efforts balance. It gives motion to all that it is
    connected with."""
    algebraic = fmu.dae.algebraic if fmu.dae is not None else ()
    return any(fmu.by_reference[r].unit in ACCELERATIONS for r in algebraic) and not _is_solved_for(fmu)


def is_carried(fmu: Fmu) -> bool:
    """Says whether an FMU takes its motion from another one, answers with a force at once, and has states of its own. An example is a block
    of a joint and a body. Stepped by itself, it would exchange motion and force with its carrier at communication points alone."""
    return _is_solved_for(fmu) and any(not fmu.by_reference[r].gauge for r in fmu.states)


def _is_solved_for(fmu: Fmu) -> bool:
    """Says whether an FMU leaves unknowns to the master, and takes motion."""
    solved = fmu.dae is not None and bool(fmu.dae.algebraic)
    return solved and any(needs_partner(fmu, port) for port in fmu.terminals.values())


def _kind(instance: InstanceDefinition, mode: Mode) -> str:
    if mode is Mode.UNSTEPPED:
        if instance.fmu.fmu.model_exchange is None:
            raise BuildError(
                f"'{instance.name}' cannot be assembled: it offers no Model Exchange, and others take their motion from it; give start values, such as "
                "start_values=dict(pose) with the pose of the rest, and use initial='check' or 'relax'"
            )
        return "me"
    if instance.kind or mode.integrated:
        return instance.kind or "me"
    stepped, whole = instance.stepped.fmu, instance.fmu.fmu
    solved = whole.model_exchange is not None and _is_solved_for(whole)
    solved = solved or (whole.model_exchange is not None and is_massless(whole))
    return "cs" if stepped.co_simulation and stepped.states and not solved else "me"


def _check(kinds: Mapping[str, str], definition: Definition, mode: Mode) -> None:
    stepped = [name for name, kind in kinds.items() if kind == "cs"]
    if stepped and mode.integrated:
        raise BuildError(f"'{stepped[0]}' runs in Co-Simulation; give simulate a communication_step, in seconds")
    if mode.coupled and not stepped:
        carried = [each.name for each in definition.instances if each.kind is None and is_carried(each.fmu.fmu)]
        why = "all of them have no states, or are of kind 'me'"
        if carried:
            runs = "runs" if len(carried) == 1 else "run"
            why = f"{listed(carried)} {runs} in Model Exchange together with {'its' if len(carried) == 1 else 'their'} bodies"
        raise BuildError(
            f"a communication_step is given, but no instance runs in Co-Simulation: {why}; leave it out, or add instances of kind 'cs'"
        )
