"""The choice of the variables of a system that are recorded."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from coupling.checks import names_in
from coupling.errors import BuildError, shown, with_article
from coupling.fmus import Fmu, FmuVariable
from coupling.names import matches
from coupling.plan.build import Built
from coupling.plan.connections import find_end

NUMERIC = ("real", "integer", "boolean")


def chosen(built: Built, outputs: Sequence[str] | None) -> list[tuple[int, str]]:
    """Returns the variables that a user's names and patterns mean, by the numbers of their instances; without any, the interesting ones."""
    wanted = names_of(outputs)
    by_fmu = {fmu: interesting(fmu) for fmu in dict.fromkeys(part.fmu for part in built.parts)}
    of_interest = [(i, name) for i, part in enumerate(built.parts) for name in by_fmu[part.fmu]]
    if wanted is None:
        return of_interest
    found: dict[tuple[int, str], None] = {}
    for each in wanted:
        found |= dict.fromkeys(_matching(built, each, of_interest) if "*" in each else _named(built, each, by_fmu))
    return list(found)


def names_of(outputs: Iterable[str] | None) -> tuple[str, ...] | None:
    """Returns the names that a user wants recorded, as data that can be compared; refuses values that are no names."""
    if outputs is None:
        return None
    wanted = names_in(outputs)
    if wanted is None:
        raise BuildError(f"outputs = {shown(outputs)} is refused: give a list of names, such as ['rod.theta', '*.omega']")
    return tuple(wanted)


def _matching(built: Built, pattern: str, of_interest: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Returns the interesting variables that match; where none does, all that match."""
    everything = (
        (i, v.name) for i, part in enumerate(built.parts) for v in part.fmu.variables.values() if _recordable(v) and v.type != "binary"
    )
    for names in (of_interest, everything):
        found = [(i, name) for i, name in names if matches(f"{built.parts[i].name}.{name}", pattern)]
        if found:
            return found
    raise BuildError(f"outputs: no variable matches '{pattern}'; * stands for any letters, as in '*.theta' or 'rod.*'")


def _named(built: Built, text: str, by_fmu: dict[Fmu, list[str]]) -> list[tuple[int, str]]:
    """Returns an instance's interesting variables, a port's members, or one variable."""
    fmus = {part.name: part.fmu for part in built.parts}
    number = {name: i for i, name in enumerate(fmus)}
    if text in fmus:
        return [(number[text], name) for name in by_fmu[fmus[text]]]
    end = find_end(text, fmus, "outputs: ")
    if end.array is not None:
        return [(number[end.instance], each.variable.name) for each in end.elements if each.variable]
    if end.variable is None:
        return [(number[end.instance], name) for name in end.terminal.members.values()] if end.terminal else []
    if not _recordable(end.variable):
        if end.variable.causality == "independent":
            raise BuildError(f"outputs: '{text}' is the time itself, which the result holds as .time; leave it out")
        kind = with_article(end.variable.fmi_type)
        raise BuildError(f"outputs: '{text}' is {kind}, which cannot be recorded; leave it out")
    return [(number[end.instance], end.variable.name)]


def recordable(built: Built) -> dict[str, tuple[str, ...]]:
    """Returns all variables that can be recorded, by instance."""
    fmus = dict.fromkeys(part.fmu for part in built.parts)
    names = {fmu: tuple(v.name for v in fmu.variables.values() if _recordable(v)) for fmu in fmus}
    return {part.name: names[part.fmu] for part in built.parts}


def _recordable(variable: FmuVariable) -> bool:
    return variable.type != "clock" and variable.causality != "independent"


def interesting(fmu: Fmu) -> list[str]:
    """Returns outputs, states and algebraic variables, then discrete variables inside. Binary data, which may be large, is left out."""
    special = set(fmu.states) | set(fmu.dae.algebraic if fmu.dae else ())
    own = [
        v.name
        for v in fmu.variables.values()
        if _recordable(v) and (v.causality == "output" or (v.reference in special and v.type == "real"))
    ]
    discrete = (v for v in fmu.variables.values() if v.causality == "local" and v.variability == "discrete" and v.initial != "calculated")
    found = dict.fromkeys([*own, *(v.name for v in discrete if _recordable(v))])
    return [name for name in found if fmu.variables[name].type != "binary"]


def bounded(built: Built) -> list[tuple[int, str]]:
    """Returns the quantities of this library's components that have a range, by the numbers of their instances."""
    by_fmu = {fmu: [v.name for v in fmu.variables.values() if is_bounded(v)] for fmu in dict.fromkeys(p.fmu for p in built.parts)}
    return [(i, name) for i, part in enumerate(built.parts) if part.fmu.is_own for name in by_fmu[part.fmu]]


def watched_by_rows(built: Built, ranged: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Returns those of them that rows have to show: all but the states that the kernel integrates, which it watches at every step."""
    integrates = not (built.inner or built.steppers)
    parts = built.parts
    return [(i, name) for i, name in ranged if not (integrates and parts[i].fmu.variables[name].reference in parts[i].states)]


def is_bounded(variable: FmuVariable) -> bool:
    """Returns whether a quantity that is calculated or integrated has a range."""
    ranged = math.isfinite(variable.minimum) or math.isfinite(variable.maximum)
    return ranged and variable.causality in ("output", "local") and variable.variability == "continuous" and not variable.dimensions
