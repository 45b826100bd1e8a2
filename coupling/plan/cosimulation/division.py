"""The part of a co-simulation that is integrated between communication points: Model Exchange instances with states, and what drives
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coupling.errors import BuildError
from coupling.fmus import Fmu
from coupling.plan.graph import Address, Part


@dataclass(frozen=True)
class Division:
    """The instances that are integrated between the points, and their inputs from outside."""

    inner: tuple[int, ...]
    """Model Exchange instances, except joints that take part of their motion from Co-Simulation instances. The multipliers of these joints
    are solved for at the points, and their forces extrapolated to both sides."""
    fed: Mapping[Address, Sequence[Address]]
    """Inputs of these instances with their sources outside."""


def divide(parts: Sequence[Part], sources: Mapping[Address, Sequence[Address]]) -> Division | None:
    """Returns the division of a co-simulation. Returns None where nothing has to be integrated, since all states are those of Co-Simulation
    instances."""
    if not any(part.stepped for part in parts) or not any(part.states for part in parts):
        return None
    _refuse_angles(parts, sources)
    at_boundary = {
        target.part
        for target, given in sources.items()
        if parts[target.part].dae
        and not parts[target.part].states
        and any(parts[s.part].stepped for s in given)
        and not _is_load(parts[target.part].fmu, target.reference)
    }
    inner = tuple(i for i, part in enumerate(parts) if not part.stepped and i not in at_boundary)
    inside = set(inner)
    fed = {
        target: outside
        for target, given in sources.items()
        if target.part in inside and _moves(parts, target) and (outside := [s for s in given if s.part not in inside])
    }
    return Division(inner, fed)


def counts_turns(fmu: Fmu) -> bool:
    """Says whether an FMU is a joint whose only states count the turns of its angles. They follow the motion at the joint, and move
    nothing."""
    return fmu.dae is not None and bool(fmu.states) and all(fmu.by_reference[r].gauge for r in fmu.states)


def _refuse_angles(parts: Sequence[Part], sources: Mapping[Address, Sequence[Address]]) -> None:
    """Refuses joints with angle states at Co-Simulation instances. Their multipliers are solved for at the points, and their states would
    have to be integrated between them."""
    for target, given in sources.items():
        joint = parts[target.part]
        other = next((parts[s.part] for s in given if parts[s.part].stepped), None)
        if other is not None and not joint.stepped and counts_turns(joint.fmu):
            raise BuildError(
                f"'{joint.name}' ({joint.fmu.model_name}) counts the turns of its angle by a state, for which co-simulation has no place, and is "
                f"connected to '{other.name}', which runs in Co-Simulation; give '{other.name}' the kind 'me'"
            )


def _is_load(fmu: Fmu, reference: int) -> bool:
    """Says whether an input of a joint is a signal on which its forces depend, and none of its constraints. The joint can then be solved
    between the points."""
    variable, dae = fmu.by_reference[reference], fmu.dae
    if dae is None or any(variable.name in terminal.members.values() for terminal in fmu.terminals.values()):
        return False
    levels = {each for c in dae.constraints for each in (c.residual, c.position, c.velocity, c.acceleration)}
    unknowns = [u for u in (*dae.structure.outputs, *dae.structure.residuals) if u.reference in levels]
    return all(u.dependencies is not None and reference not in (known for known, _ in u.dependencies) for u in unknowns)


def _moves(parts: Sequence[Part], address: Address) -> bool:
    return address.type == 0 and parts[address.part].fmu.by_reference[address.reference].variability == "continuous"
