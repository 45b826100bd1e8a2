"""The abilities of instances of a co-simulation, beyond those of every FMU."""

from __future__ import annotations

from coupling.fmus import Fmu, Interface
from coupling.plan.build import Built
from coupling.plan.graph import Part, most_degree


def degree(part: Part) -> int:
    """Returns the degree of the polynomials that a Co-Simulation instance's inputs can follow within a step, and may follow by the user's
    options."""
    interface = part.interface
    able = interface.interpolates_inputs if part.fmu.version < 3 else interface.intermediate_update
    return part.most if able else 0


def most_degrees(built: Built) -> list[int]:
    """Returns the highest degree of the polynomial of each input that arrives, at Co-Simulation instances and at instances integrated
    between the points."""
    return [most_degree(built.schedule.graph, address) for address in (*built.schedule.arriving, *built.schedule.fed)]


def unable(built: Built, ability: str) -> list[str]:
    """Returns the instances that lack an ability: of Co-Simulation, and where states are saved of Model Exchange with events."""
    found = [name for name, interface in _interfaces(built, ability == "variable_step") if not getattr(interface, ability)]
    if ability == "save_state" and built.inner:
        found += [p.name for p in built.inner.parts if p.structure.indicators and not p.interface.save_state]
    return found


def returns_early(built: Built) -> bool:
    """Says whether an instance may end a step at an event of its own."""
    return any(interface.event_mode and interface.might_return_early for _, interface in _interfaces(built))


def asks_returns(built: Built) -> bool:
    """Says whether an instance ends its step at an intermediate update if it is asked to."""
    return any(interface.early_return and interface.intermediate_update for _, interface in _interfaces(built))


def is_lone(built: Built) -> bool:
    """Says whether one Co-Simulation instance steps alone, by the steps of the run."""
    return [part.step for part in built.parts if part.stepped] in ([None], [0.0])


def _interfaces(built: Built, following: bool = False) -> list[tuple[str, Interface]]:
    """Returns the interfaces of all FMUs that run in Co-Simulation, each with the name of its first instance. ``following`` excludes
    instances with steps of their own."""
    first: dict[Fmu, Part] = {}
    for part in built.parts:
        if part.stepped and not (following and part.step):
            first.setdefault(part.fmu, part)
    return [(part.name, part.interface) for part in first.values()]
