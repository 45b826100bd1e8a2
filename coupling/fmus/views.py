"""Variables under additional value references: the elements of arrays, and values in SI base units.

An FMU knows its arrays as wholes, and each variable in one unit. The master knows only scalars, and connects variables of different units
in SI base units. Value references that the FMU does not use represent them; the kernel translates them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import NamedTuple

from coupling.fmus.constraints import read_constraints
from coupling.fmus.errors import Source
from coupling.fmus.manifest import MANIFEST, Dae
from coupling.fmus.structure import Structure, Unknown
from coupling.fmus.units import Unit
from coupling.fmus.variables import FmuVariable

_LARGEST = 2**32
_MOST_ELEMENTS = 1_000_000
"""Largest number of elements of all arrays of an FMU; each is a variable."""
_NUMBERS = ("real", "integer", "boolean")


class View(NamedTuple):
    """References from ``first`` on, one for each element of a variable."""

    first: int
    size: int
    own: int
    """The reference by which the FMU knows the variable."""
    array: bool
    factor: float = 1.0
    """A value in base units is factor * own + offset."""
    offset: float = 0.0
    start: tuple[float, ...] | None = None
    """Start values of an array; None if the FMU does not give them."""


class Element(NamedTuple):
    """A variable that a function of the standard gives as an element of a vector; its value is factor * element + offset."""

    reference: int
    vector: int
    """Number of the vector: 0 for the states, 1 for their derivatives, 2 for the event indicators."""
    place: int
    factor: float = 1.0
    offset: float = 0.0


def elements_of_vectors(lists: Iterable[Sequence[int]], views: Sequence[View], own: Mapping[int, int]) -> Iterator[Element]:
    """Yields the elements of the vectors, by the references of the variables and by those that stand for them with a factor."""
    found: dict[int, Element] = {}
    for vector, references in enumerate(lists):
        for place, reference in enumerate(references):
            if reference >= 0:  # an event indicator of FMI 2 is no variable
                found.setdefault(reference, Element(reference, vector, place))
    yield from found.values()
    for seen, reference in own.items():
        if reference in found:
            view = next(each for each in views if 0 <= seen - each.first < each.size)
            yield found[reference]._replace(reference=seen, factor=view.factor, offset=view.offset)


class Free:
    """References that an FMU does not use: the widest gap among those that it does."""

    def __init__(self, used: Iterable[int], source: Source) -> None:
        ends = sorted({-1, *used, _LARGEST})
        self._source = source
        self._room, self._next = max((after - before - 1, before + 1) for before, after in pairwise(ends))

    def take(self, count: int) -> int:
        """Reserves ``count`` references and returns the first one."""
        if count > self._room:
            raise self._source.broken(f"leaves no {count} value references free for the elements of its arrays")
        self._room -= count
        self._next += count
        return self._next - count


def subscripts(dimensions: Sequence[int]) -> Iterator[str]:
    """Returns ``[1,1]``, ``[1,2]`` ... of all elements, in the order of the standard."""
    return (f"[{','.join(map(str, each))}]" for each in product(*(range(1, size + 1) for size in dimensions)))


def has_elements(variable: FmuVariable) -> bool:
    """Says whether a variable is an array whose elements are variables; clocks are not."""
    return bool(variable.dimensions) and variable.type != "clock"


class Elements:
    """The arrays of an FMU, and their elements as variables."""

    def __init__(self, listed: Sequence[FmuVariable], free: Free, source: Source) -> None:
        self._listed, self._source = listed, source
        self.arrays = {v.name: v for v in listed if has_elements(v)}
        count = sum(math.prod(v.dimensions) for v in self.arrays.values())
        if count > _MOST_ELEMENTS:
            largest = max(self.arrays.values(), key=lambda v: math.prod(v.dimensions))
            shape = " x ".join(map(str, largest.dimensions))
            raise source.unsuitable(
                f"has arrays of {count} elements together, '{largest.name}' of {shape}, and no more than {_MOST_ELEMENTS} can be followed",
                "export it with smaller arrays, or give smaller values to its structural parameters",
            )
        self.views: list[View] = []
        self._first: dict[int, int] = {}
        for variable in self.arrays.values():
            if variable.reference in self._first:  # an alias
                continue
            size = math.prod(variable.dimensions)
            self._first[variable.reference] = free.take(size)
            start = variable.start if isinstance(variable.start, tuple) and variable.type in _NUMBERS else None
            numbers = None if start is None else tuple(float(value) for value in start)
            self.views.append(View(self._first[variable.reference], size, variable.reference, True, start=numbers))
        self._size = {view.own: view.size for view in self.views}

    def references(self, reference: int) -> range:
        """Returns the references of the elements of an array; for a scalar, its own."""
        first = self._first.get(reference)
        return range(reference, reference + 1) if first is None else range(first, first + self._size[reference])

    def variables(self, listed: Iterable[FmuVariable]) -> Iterator[FmuVariable]:
        """Yields all variables, elements in the places of their arrays."""
        for variable in listed:
            if not has_elements(variable):
                yield variable
                continue
            references = self.references(variable.reference)
            starts: Sequence[object] = variable.start if isinstance(variable.start, tuple) else [None] * len(references)
            state = self.arrays.get(variable.derivative or "")
            derives = variable.derivative is not None and state is not None and state.dimensions == variable.dimensions
            for reference, subscript, start in zip(references, subscripts(variable.dimensions), starts, strict=True):
                yield replace(
                    variable,
                    name=f"{variable.name}{subscript}",
                    reference=reference,
                    start=start,  # type: ignore[arg-type]  # an element of a tuple of values
                    dimensions=(),
                    derivative=f"{variable.derivative}{subscript}" if derives else None,
                )

    def names(self, name: str) -> list[str]:
        """Returns the names of the elements of an array; for a scalar, its own."""
        array = self.arrays.get(name)
        return [name] if array is None else [f"{name}{each}" for each in subscripts(array.dimensions)]

    def unknowns(self, listed: Iterable[Unknown]) -> tuple[Unknown, ...]:
        """Returns a list of unknowns, element by element. Each depends on all elements of the arrays on which its array depends."""
        if not self.arrays:
            return tuple(listed)
        return tuple(each for unknown in listed for each in self._of_unknown(unknown))

    def _of_unknown(self, unknown: Unknown) -> Iterator[Unknown]:
        pairs, names = unknown.dependencies, unknown.knowns
        if pairs is not None and any(reference in self._first for reference, _ in pairs):
            pairs = tuple((each, kind) for reference, kind in pairs for each in self.references(reference))
        if names is not None and any(name in self.arrays for name in names):
            names = tuple(each for name in names for each in self.names(name))
        for reference, name in zip(self.references(unknown.reference), self.names(unknown.name), strict=True):
            yield Unknown(reference, pairs, name, names)

    def dae(self, dae: Dae | None) -> Dae | None:
        """Returns a DAE mode, element by element: the first element of an algebraic array is chosen for the first of its residuals."""
        if dae is None or not self.arrays:
            return dae
        algebraic = tuple(each for reference in dae.algebraic for each in self.references(reference))
        structure = self.structure(dae.structure)
        if len(algebraic) != len(structure.residuals):
            raise self._source.broken(
                f"declares {len(algebraic)} algebraic variables but {len(structure.residuals)} residuals in its {MANIFEST}"
            )
        named = {v.name: v for v in self.variables(self._listed)}
        return Dae(dae.switch, algebraic, structure, read_constraints(algebraic, structure.residuals, named), notes=dae.notes)

    def structure(self, own: Structure) -> Structure:
        return Structure(*map(self.unknowns, (own.outputs, own.derivatives, own.indicators, own.residuals)))


def base_views(
    variables: Iterable[FmuVariable], units: Mapping[str, Unit], elements: Elements, free: Free
) -> tuple[list[View], dict[int, int]]:
    """Returns views in SI base units of all real variables in other units, and the references of these by those of the variables."""
    views: list[View] = []
    found: dict[int, int] = {}
    array_of = {view.first + i: view for view in elements.views for i in range(view.size)}
    for variable in variables:
        unit = units.get(variable.unit or "")
        if variable.type != "real" or variable.reference in found or unit is None or unit.exponents is None:
            continue
        offset = 0.0 if variable.relative else unit.offset
        if (unit.factor, offset) == (1.0, 0.0):
            continue
        seen = array_of.get(variable.reference) or View(variable.reference, 1, variable.reference, False)
        factor, offset = unit.factor * seen.factor, unit.factor * seen.offset + offset  # a negated alias has a factor of its own
        views.append(seen._replace(first=free.take(seen.size), factor=factor, offset=offset))
        found |= {seen.first + i: views[-1].first + i for i in range(seen.size)}
    return views, found
