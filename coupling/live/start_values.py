"""The start values of a session's instances, as the kernel takes them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import is_

from coupling.kernel.fmi.instance import StartValues, is_kept
from coupling.plan.build import Built
from coupling.plan.definition import Value
from coupling.plan.graph import Part, type_code


class GivenValues:
    """Start values of instances from run to run: they are made anew where a run changes other variables than the run before."""

    def __init__(self, built: Built) -> None:
        self._built = built
        self._given: dict[int, tuple[Mapping[str, Value], StartValues]] = {}
        """The values of the last run alone, and all of its values, by instance."""
        self._last: Mapping[int, Mapping[str, Value]] | None = None
        """The values of the last run alone, by instance; None before the first run."""

    def differ(self, changed: Mapping[int, Mapping[str, Value]]) -> set[int]:
        """Returns the instances with other values than in the last run, before a run that changes some."""
        last, self._last = self._last, changed
        if last is None:
            return set(range(len(self._built.parts)))
        return {index for index in {*last, *changed} if not _same(last.get(index, {}), changed.get(index, {}))}

    def give(self, index: int, changed: Mapping[str, Value], in_place: bool) -> StartValues:
        """Returns all values of an instance in a run that changes some; ``in_place``: C may have numbers changed where they are."""
        part = self._built.parts[index]
        before, values = self._given.get(index, ({}, None))
        if values is None or not (in_place and changed.keys() == before.keys() and _are_numbers(part, changed)):
            if values is None or repr(before) != repr(changed):  # which tells 0.0 from -0.0
                values = _made(part, {**self._built.start[index], **changed})
        elif changed:
            values.change({name: float(value) for name, value in changed.items()})
        self._given[index] = changed, values
        return values

    def last(self, index: int) -> StartValues:
        """Returns the values that an instance was given last."""
        return self._given[index][1]


def _same(last: Mapping[str, Value], changed: Mapping[str, Value]) -> bool:
    """Tells whether all values are the same objects; equal ones may still be another zero or another type."""
    return [*last] == [*changed] and all(map(is_, last.values(), changed.values()))


def _are_numbers(part: Part, changed: Mapping[str, Value]) -> bool:
    """Tells whether values are numbers that are set as all others are."""
    return not any(is_kept(value) or part.fmu.variables[name].causality == "structuralParameter" for name, value in changed.items())


def _made(part: Part, values: Mapping[str, Value]) -> StartValues:
    """Returns values with structural parameters first, and among them what hands the algebraic variables to the master."""
    fmu = part.fmu
    structural: list[tuple[str, Value]] = list(fmu.structural.items())
    if part.dae and part.dae.switch is not None:
        switch = next(v.name for v in fmu.variables.values() if v.type == "boolean" and v.reference == part.dae.switch)
        structural.append((switch, True))
    given = [*structural, *((name, value) for name, value in values.items() if fmu.variables[name].causality != "structuralParameter")]
    return StartValues([_typed(part, name, value) for name, value in given], [name for name, _ in given], len(structural))


def _typed(part: Part, name: str, value: Value) -> tuple[int, int, float | int | str | bytes]:
    """Returns a start value with its type and its reference, as the kernel takes it."""
    variable = part.fmu.variables[name]
    exact = value if isinstance(value, str | bytes) else int(value) if variable.type == "integer" else float(value)
    return type_code(variable, part.fmu.version), variable.reference, exact
