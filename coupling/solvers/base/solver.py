"""What a solver is, and all there are by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coupling.kernel.tableau import Tableau
from coupling.outcome import Outcome
from coupling.registry import Registry


@dataclass(frozen=True)
class Solver:
    """Runs a system from start to stop."""

    integrate: Callable[[Any, Any], Outcome]
    tableau: Tableau | None = None
    """Of an explicit Runge-Kutta method, which can also integrate between communication points."""
    holds: bool = False
    """Whether it holds constraints by itself, whatever their stabilisation."""


SOLVERS: Registry[Solver] = Registry("solver", "coupling.solvers")
