"""Values that several options have: numbers, words, degrees of extrapolation, orders of joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coupling.checks import is_number, is_word
from coupling.errors import BuildError, shown
from coupling.names import either

INDEPENDENT_FIRST = "independent first"


def number(name: str, value: Any) -> float:
    """Returns a number as a float; refuses everything else."""
    if is_number(value):
        return float(value)
    if isinstance(value, int) and not isinstance(value, bool):
        raise BuildError(f"{name} = {shown(value)} is refused: it is too large for a number of double precision")
    raise BuildError(f"{name} = {shown(value)} is refused: it must be a number")


_SLOWEST = 1e-9
"""Least factor of real time: a simulated second then takes 30 years."""


def real_time_of(value: Any) -> float | None:
    """Returns a factor of real time as a float, or None for a run that does not wait; refuses everything else."""
    factor = None if value is None else number("real_time", value)
    if factor is not None and not _SLOWEST <= factor < np.inf:
        raise BuildError(f"real_time = {factor:g} is refused: give simulated seconds per second of the clock, such as 1.0, or None")
    return factor


def check_word(name: str, value: Any, known: Sequence[str]) -> None:
    """Raises BuildError for a value that is not among the known words."""
    if not is_word(value, known):
        raise BuildError(f"{name} = {shown(value)} is unknown; choose {either([repr(each) for each in known])}")


def check_degree(degree: Any, whose: str = "") -> Any:
    """Returns a degree of extrapolation, or None if an instance is given none; refuses everything else."""
    if degree is None and whose:
        return None
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or degree not in (0, 1, 2):
        raise BuildError(f"extrapolation = {shown(degree)}{whose} is refused: inputs are extrapolated by polynomials of degree 0, 1 or 2")
    return int(degree)


def check_order(order: Any) -> None:
    """Refuses a value that cannot name joints in an order."""
    if order is None or (isinstance(order, str) and order == INDEPENDENT_FIRST):
        return
    if isinstance(order, str) or not isinstance(order, Sequence) or not all(isinstance(each, str) for each in order):
        raise BuildError(
            f"order = {shown(order)} is refused: give the names of joints, such as ['plane', 'grip'], or '{INDEPENDENT_FIRST}'"
        )
    for name in order:
        if list(order).count(name) > 1:
            raise BuildError(f"order: '{name}' is named twice; name each joint once")
