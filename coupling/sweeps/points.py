"""Points of a sweep in the order of their numbers, made one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import Any

import numpy as np

from coupling.checks import is_word
from coupling.errors import BuildError, listed, shown
from coupling.sampling import Sample

Point = tuple[Any, ...]
"""A value for each name."""
_WANTED = "give values by name, such as {'rod.m': [1.0, 2.0]}, a sample, or mappings such as {'rod.m': 1.0} one after the other"


@dataclass(frozen=True)
class Points:
    names: tuple[str, ...]
    values: Iterator[Point]
    count: int | None
    """Number of points; None if it is unknown before the end."""


def points_of(given: Any, combine: str | None) -> Points:
    """Returns the points that a user means; raises BuildError if they are none."""
    if combine is not None and not is_word(combine, ("grid", "zip")):
        raise BuildError(
            f"combine = {shown(combine)} is unknown; choose 'grid' for all combinations, or 'zip' for values that belong together"
        )
    if hasattr(given, "columns") and hasattr(given, "to_dict"):  # a data frame of pandas, whose rows are points
        given = Sample(given.to_dict("list"))
    if isinstance(given, Mapping):
        return _of_columns(given, combine or ("zip" if isinstance(given, Sample) else "grid"))
    if isinstance(given, str) or not isinstance(given, Iterable) or (isinstance(given, np.ndarray) and not given.ndim):
        raise BuildError(f"a sweep over {shown(given)} is refused: {_WANTED}")
    if combine is not None:
        raise BuildError(
            f"combine = {shown(combine)} is for values by name, and a list of mappings is a list of points already; leave it out"
        )
    return _of_mappings(iter(given))


def _of_columns(given: Mapping[Any, Any], combine: str) -> Points:
    columns = [_column(name, values) for name, values in given.items()]
    if not columns:
        raise BuildError(f"a sweep over nothing is refused: {_WANTED}")
    sizes = [len(each) for each in columns]
    if combine == "grid":
        return Points(tuple(given), product(*columns), prod(sizes))
    if len(set(sizes)) > 1:
        said = ", ".join(f"{size} of '{name}'" for name, size in zip(given, sizes, strict=True))
        raise BuildError(
            f"values that belong together have to be as many of each: there are {said}; choose combine='grid' for all combinations"
        )
    return Points(tuple(given), zip(*columns, strict=True), sizes[0])


def _column(name: Any, values: Any) -> Sequence[Any]:
    if not isinstance(name, str):
        raise BuildError(f"a sweep has {shown(name)} for a name; give full names of variables, such as 'rod.m'")
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise BuildError(f"'{name}': {shown(values)} is refused: give a list of values; values common to all runs go into start_values")
    found = [_plain(each) for each in values]
    if not found:
        raise BuildError(f"'{name}' has no values; give at least one")
    return found


def _of_mappings(given: Iterator[Any]) -> Points:
    first = next(given, None)
    if first is None:
        raise BuildError(f"a sweep over nothing is refused: {_WANTED}")
    names = _names(0, first)

    def values() -> Iterator[Point]:
        for number, each in enumerate(chain([first], given)):
            if set(_names(number, each)) != set(names):
                raise BuildError(
                    f"point {number} has {listed(each)}, and point 0 has {listed(names)}; give values of the same names at each point"
                )
            yield tuple(_plain(each[name]) for name in names)

    return Points(names, values(), None)


def _names(number: int, point: Any) -> tuple[str, ...]:
    if not isinstance(point, Mapping) or not all(isinstance(name, str) for name in point):
        raise BuildError(f"point {number} is {shown(point)}: {_WANTED}")
    return tuple(point)


def _plain(value: Any) -> Any:
    """Returns numbers of NumPy as those of Python, which look the same on every machine."""
    return value.item() if isinstance(value, np.generic) else value
