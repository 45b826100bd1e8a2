"""Checks of the arguments of elastic bodies, before any of them is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import ArpackError


class MeshError(ValueError):
    """The error for matrices, nodes and ports that describe no free elastic body; the message names the item and the remedy."""


def check_word(option: str, value: object, choices: tuple[str, ...], means: str) -> None:
    """Refuses a value that is none of the ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise MeshError(f"the {option} is {value!r}; give {means}")


def check_name(what: str, name: object) -> None:
    """Refuses a name that cannot be that of a variable or of a class."""
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii() or len(name) > 100:
        raise MeshError(f"{what} is called {str(name)[:40]!r}; give a name of letters, digits and underscores")


def check_names(what: str, given: object) -> None:
    """Refuses what is no mapping from names."""
    if not isinstance(given, Mapping):
        raise MeshError(f"{what}s = {str(given)[:40]!r} is refused: give a mapping with a name for each {what}")
    for name in given:
        check_name(f"a {what}", name)


def check_count(option: str, value: object, least: int) -> None:
    """Refuses a value that is no number of shapes."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise MeshError(f"{option} = {str(value)[:40]} is refused: give a whole number of at least {least}")


def real_array(what: str, given: Any) -> NDArray[np.float64]:
    """Returns an array of real numbers, dense."""
    try:
        array = np.asarray(given)
        if array.dtype.kind in "iufbO":
            return np.array(array, float)
    # NumPy and the objects that it converts raise many errors; the sentence below stands for all.
    except (TypeError, ValueError, OverflowError):
        pass
    raise MeshError(f"{what} is no array of real numbers, but {type(given).__name__}; give numbers")


def matrix_of(what: str, given: Any) -> Any:
    """Returns a sparse matrix of real numbers."""
    if not sparse.issparse(given):
        given = real_array(what, given)
        if given.ndim != 2:
            raise MeshError(f"{what} has the shape {given.shape}; give a square matrix")
    elif given.dtype.kind not in "iufb" or given.ndim != 2:
        raise MeshError(f"{what} has entries of the type {given.dtype}; give a matrix of real numbers")
    return sparse.coo_matrix(given, dtype=float)  # unlike columns, entries need no memory for a shape that is too large


@contextmanager
def decomposed() -> Iterator[None]:
    """Raises MeshError for matrices without a decomposition."""
    try:
        with np.errstate(all="ignore"):
            yield
    except (np.linalg.LinAlgError, ArpackError, RuntimeError) as error:
        if type(error) is RuntimeError and "singular" not in str(error):  # of the function for the geometric stiffness
            raise
        raise MeshError(
            f"K and M have no free modes ({str(error)[:60]}): give stiffness and mass of one free body, in the units of its mesh"
        ) from None
