"""What a coupling scheme is, and all there are by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coupling.errors import BuildError
from coupling.outcome import Outcome
from coupling.registry import Registry


@dataclass(frozen=True)
class Scheme:
    """Couples Co-Simulation instances from start to stop."""

    couple: Callable[[Any, Any], Outcome]


SCHEMES: Registry[Scheme] = Registry("scheme", "coupling.schemes")

_REFUSED = {
    "implicit-position-linear": "constraints at position level with forces that are continuous and linear over the step are unstable, whatever "
    "the step (an error grows by 2 + sqrt(3) in every step); choose 'implicit-position', whose multipliers are constant over the step, "
    "'implicit-velocity', or 'implicit'"
}


def scheme_of(name: str) -> Scheme:
    """The coupling scheme of that name."""
    if name in _REFUSED:
        raise BuildError(f"the scheme '{name}' is refused: {_REFUSED[name]}")
    return SCHEMES[name]
