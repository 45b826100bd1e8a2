"""Points at which to run: drawn from intervals and distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from coupling.errors import BuildError, shown
from coupling.options.calls import public_call

_METHODS = ("latin", "sobol", "halton", "random")


class Sample(dict[str, np.ndarray]):
    """Values of parameters by name; values at one place belong together, as ``sweep`` knows."""


@public_call
def sample(parameters: Mapping[str, Any], n: int, method: str = "latin", seed: int = 0) -> Sample:
    """Draws ``n`` points and returns them for ``sweep``. Refused intervals and options raise BuildError.

    ``parameters`` gives each name an interval ``(low, high)`` in which all values are equally likely, or a distribution with ``ppf``, such
    as ``scipy.stats.norm(1.0, 0.1)``. ``method`` is ``latin`` (Latin hypercube), ``sobol``, ``halton`` (both scrambled) or ``random``. The
    same ``seed`` gives the same points.
    """
    if not isinstance(parameters, Mapping) or not parameters:
        raise BuildError(f"sample: {shown(parameters)} is refused: give intervals or distributions by name, such as {{'rod.m': (1, 3)}}")
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise BuildError(f"sample: n = {shown(n)} is refused: give a whole number of points, of at least 1")
    if method not in _METHODS:
        raise BuildError(f"sample: method = {shown(method)} is unknown; choose 'latin', 'sobol', 'halton' or 'random'")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise BuildError(f"sample: seed = {shown(seed)} is refused: give a whole number of at least 0")
    if method == "sobol" and n & (n - 1):
        lower = 1 << (int(n).bit_length() - 1)
        raise BuildError(f"sample: n = {n} is refused: a Sobol sequence is even at powers of 2 alone; take {lower} or {2 * lower}")
    inverses = {name: _inverse(name, given) for name, given in parameters.items()}
    found = {
        name: np.asarray(inverse(u), dtype=float)
        for (name, inverse), u in zip(inverses.items(), _unit(len(parameters), n, method, seed), strict=True)
    }
    for name, values in found.items():
        if not np.isfinite(values).all():
            raise BuildError(
                f"sample: the distribution of '{name}' gives {values[~np.isfinite(values)][0]}; give one whose values are finite"
            )
    return Sample(found)


def _unit(dimensions: int, n: int, method: str, seed: int) -> np.ndarray:
    """Returns numbers between 0 and 1, a row for each parameter."""
    generator = np.random.default_rng(seed)
    if method == "random":
        return generator.random((n, dimensions)).T
    from scipy.stats import qmc

    engine = {"latin": qmc.LatinHypercube, "sobol": qmc.Sobol, "halton": qmc.Halton}[method]
    return engine(dimensions, rng=generator).random(n).T


def _inverse(name: Any, given: Any) -> Callable[[np.ndarray], np.ndarray]:
    """Returns the inverse of a cumulative distribution."""
    if not isinstance(name, str):
        raise BuildError(f"sample: {shown(name)} is no name; give full names of parameters, such as 'rod.m'")
    if callable(getattr(given, "ppf", None)):
        inverse: Callable[[np.ndarray], np.ndarray] = given.ppf
        return inverse
    try:
        low, high = (float(each) for each in given)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise BuildError(
            f"sample: '{name}': {shown(given)} is refused: give an interval such as (1.0, 3.0), or a distribution such as scipy.stats.norm(1.0, 0.1)"
        )
    return lambda u: low + (high - low) * u
