"""The ModelStructure of a component: its unknowns, and the knowns that each depends on, as the FMI versions count them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from fmu_components.declare.declaration import Role
from fmu_components.export.table import Dependency, VariableTable
from fmu_components.export.xml_text import Element, element


@dataclass(frozen=True)
class ListedUnknown:
    """One entry of a list, with its dependencies in the order of their value references."""

    reference: int
    dependencies: tuple[Dependency, ...] | None
    """Dependencies of the unknown; None if it may depend on everything."""


class Lists(Protocol):
    """The unknowns of a model, in lists as FMI has them."""

    @property
    def outputs(self) -> list[ListedUnknown]: ...
    @property
    def derivatives(self) -> list[ListedUnknown]: ...
    @property
    def indicators(self) -> list[ListedUnknown]: ...
    @property
    def initial(self) -> list[ListedUnknown]: ...


class DaeLists(Lists, Protocol):
    """The same while the importer solves for the algebraic variables."""

    @property
    def residuals(self) -> list[ListedUnknown]: ...


class ModelStructure:
    """The lists for one FMI version: in ideal mode as the manifest declares them, otherwise as the model description does."""

    def __init__(self, table: VariableTable, fmi: int, ideal: bool = False) -> None:
        self._table, self._fmi = table, fmi
        # The switch is an ordinary parameter in FMI 2: the declared structure has to hold in both of its positions.
        self._switched = True if ideal else None if fmi == 2 else False
        self._knowns = {Role.TIME, Role.STATE, Role.INPUT, Role.DISCRETE_INPUT}
        if fmi == 3:
            self._knowns |= {Role.PARAMETER, Role.DISCRETE}  # FMI 2 counts these among the knowns of the initialisation only
        if ideal or fmi == 2:
            self._knowns |= {Role.ALGEBRAIC}
        self._initial_knowns = self._knowns | {Role.PARAMETER, Role.DISCRETE, Role.ALGEBRAIC} | (set() if ideal else {Role.SWITCH})

    @property
    def outputs(self) -> list[ListedUnknown]:
        return self._list(self._table.references(Role.OUTPUT), self._knowns)

    @property
    def derivatives(self) -> list[ListedUnknown]:
        """Derivatives in the order of the states, which is that of every array of states."""
        return self._list([self._table.reference(f"der({state.name})") for state in self._table.with_role(Role.STATE)], self._knowns)

    @property
    def indicators(self) -> list[ListedUnknown]:
        return self._list(self._table.references(Role.INDICATOR), self._knowns)

    @property
    def residuals(self) -> list[ListedUnknown]:
        """Residuals. Their knowns in the layered standard include the parameters, but no discrete states."""
        return self._list(map(self._table.reference, self._table.residuals), self._knowns - {Role.DISCRETE} | {Role.PARAMETER})

    @property
    def initial(self) -> list[ListedUnknown]:
        """Unknowns of the initialisation. Only ``constant`` and ``dependent`` are allowed there: parameters may still change."""
        unknowns = self._list(self._table.references(Role.DERIVATIVE, Role.OUTPUT), self._initial_knowns)
        return [ListedUnknown(unknown.reference, tuple(map(_initially, unknown.dependencies or ()))) for unknown in unknowns]

    def _list(self, references: Iterable[int], knowns: set[Role]) -> list[ListedUnknown]:
        return [ListedUnknown(reference, self._dependencies(reference, knowns)) for reference in references]

    def _dependencies(self, unknown: int, knowns: set[Role]) -> tuple[Dependency, ...]:
        found = {d.known: d.kind for d in self._table.dependencies(unknown, self._switched, knowns)}
        for indicator in self._watched(unknown):
            for d in self._table.dependencies(indicator, self._switched, knowns - {Role.TIME}):
                found.setdefault(d.known, "dependent")
        real = self._table.variable(unknown).type == "real"
        return tuple(
            Dependency(known + place, found[known] if real else "dependent")
            for known in sorted(found)
            for place in range(self._table.variable(known).size if self._fmi == 2 else 1)  # an array is one variable in FMI 3
        )

    def _watched(self, unknown: int) -> list[int]:
        """The indicators of all relations that an unknown depends on: at an event, it changes with whatever they depend on.

        That is no dependence on time, which both versions declare for a derivative that differs from zero.
        """
        found: list[int] = []
        open_now = [unknown]
        while open_now:
            for d in self._table.dependencies(open_now.pop(), self._switched, (Role.RELATION,)):
                indicator = self._table.reference(self._table.variable(d.known).partner or "")
                if indicator not in found:
                    found.append(indicator)
                    open_now.append(indicator)
        return found


def _initially(dependency: Dependency) -> Dependency:
    return dependency if dependency.kind == "constant" else Dependency(dependency.known, "dependent")


def fmi3_lists(structure: Lists) -> list[Element]:
    """The lists in the form of FMI 3, which the manifest of the layered standard shares."""
    lists = {
        "Output": structure.outputs,
        "ContinuousStateDerivative": structure.derivatives,
        "InitialUnknown": structure.initial,
        "EventIndicator": structure.indicators,
    }
    return [fmi3_unknown(tag, unknown) for tag, unknowns in lists.items() for unknown in unknowns]


def fmi3_unknown(tag: str, unknown: ListedUnknown) -> Element:
    """Variables are referred to by their value references."""
    return _unknown(tag, "valueReference", unknown)


def fmi2_lists(structure: Lists, places: Mapping[int, int]) -> list[Element]:
    """The lists in the form of FMI 2, which has none for event indicators and forbids empty ones. Variables are referred to by their places."""
    lists = {"Outputs": structure.outputs, "Derivatives": structure.derivatives, "InitialUnknowns": structure.initial}
    return [
        element(tag, children=[_unknown("Unknown", "index", unknown, places) for unknown in unknowns])
        for tag, unknowns in lists.items()
        if unknowns
    ]


def _unknown(tag: str, key: str, unknown: ListedUnknown, places: Mapping[int, int] | None = None) -> Element:
    """An absent list means a dependence on everything, so that an empty one is written too."""

    def number(reference: int) -> int:
        return places[reference] if places else reference

    if unknown.dependencies is None:
        return element(tag, {key: number(unknown.reference)})
    return element(
        tag,
        {
            key: number(unknown.reference),
            "dependencies": " ".join(str(number(d.known)) for d in unknown.dependencies),
            "dependenciesKind": " ".join(d.kind for d in unknown.dependencies) or None,
        },
    )
