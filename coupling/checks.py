"""Kinds of values that options have: one check for each kind, whose callers say what is refused and the remedy."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeGuard

import numpy as np

from coupling.errors import shown

EXACT = 2.0**53
"""Greatest whole number up to which doubles hold all whole numbers."""


def is_number(value: Any) -> TypeGuard[float]:
    """Says whether a value is a number of double precision, which may be infinite or NaN. Booleans are none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_word(value: Any, known: Collection[str]) -> TypeGuard[str]:
    """Says whether a value is one of the known words. Arrays are compared with none."""
    return isinstance(value, str) and value in known


def names_in(value: Any) -> list[str] | None:
    """Returns a name, or several names, as a list; None for any other value."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable) or (isinstance(value, np.ndarray) and not value.ndim):
        return None
    found = list(value)
    return found if all(isinstance(each, str) for each in found) else None


def checked_names(option: str, value: Any) -> list[str]:
    """Returns names of variables in a result as a list; refuses other values by ValueError."""
    found = names_in(value)
    if found is None:
        raise ValueError(f"{option} = {shown(value)} is refused: give a list of names, such as ['rod.theta', '*.omega']")
    return found


def check_truth(option: str, value: Any) -> None:
    """Refuses a value that is neither True nor False by ValueError."""
    if not isinstance(value, bool):
        raise ValueError(f"{option} = {shown(value)} is refused: give True or False")


def numbers_in(value: Any) -> np.ndarray | None:
    """Returns a sequence of numbers as an array of doubles; None for any other value."""
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if found.ndim == 1 and not isinstance(value, str | bytes) else None
