"""Drives of whole arrays, divided into those of their elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from coupling.errors import BuildError, shown


def elements_of(name: str, dimensions: Sequence[int], value: Any) -> list[Any]:
    """Returns the values that drive the elements of an array, as ``drive`` takes them, in the order of the standard.

    The value is that of all elements at all times, an array of constants, a function of time that returns arrays, or a table. A row of the
    table has a time and an array, or the time and all elements one after the other.
    """
    size = math.prod(dimensions)
    if isinstance(value, Mapping) and "value" in value:
        return [{**value, "value": each} for each in elements_of(name, dimensions, value["value"])]
    if callable(value):
        return [partial(_element, value, i, name, tuple(dimensions)) for i in range(size)]
    constants = _shaped(value, dimensions)
    if constants is not None:
        return constants
    rows = _rows(value, dimensions)
    if rows is None:
        raise BuildError(
            f"'{name}' cannot be driven by {shown(value)}: it is an array of {_written(dimensions)}; give as many values, a function of time that "
            f"returns them, or a table whose rows have a time and {size} values"
        )
    return [[(time, values[i]) for time, values in rows] for i in range(size)]


def _written(dimensions: Sequence[int]) -> str:
    return " x ".join(map(str, dimensions))


def _shaped(value: Any, dimensions: Sequence[int]) -> list[Any] | None:
    """Returns the elements of a value of the shape of an array, of its flat form, or of a scalar; None for all other values."""
    try:
        given = np.array(value, dtype=object)
    except ValueError:  # lists of different lengths
        return None
    if given.ndim == 0:
        return [value] * math.prod(dimensions)
    fits = given.shape == tuple(dimensions) or (given.ndim == 1 and given.size == math.prod(dimensions))
    fits = fits and not any(isinstance(each, list | tuple | np.ndarray) for each in given.flat)
    return [_plain(each) for each in given.flat] if fits else None


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _rows(value: Any, dimensions: Sequence[int]) -> list[tuple[Any, list[Any]]] | None:
    """Returns the rows of a table: each time, and the elements at that time; None for a value that is no such table."""
    if not isinstance(value, list | tuple | np.ndarray):
        return None
    found = []
    for row in value:
        if not isinstance(row, list | tuple | np.ndarray) or len(row) < 2:
            return None
        values = _shaped(row[1] if len(row) == 2 and np.ndim(row[1]) else row[1:], dimensions)
        if values is None:
            return None
        found.append((_plain(row[0]), values))
    return found or None


def _element(function: Callable[[float], Any], place: int, name: str, dimensions: tuple[int, ...], t: float) -> Any:
    """Returns one element of the array that a function returns."""
    found = _shaped(function(t), dimensions)
    if found is None:
        raise BuildError(
            f"the function that drives '{name}' did not return an array of {_written(dimensions)} at t = {t:.9g} s; return one"
        )
    return found[place]
