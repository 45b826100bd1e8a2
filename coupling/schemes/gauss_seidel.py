"""Explicit coupling one after another (Gauss-Seidel): each instance already gets what those before it have come to.

The order is that in which they were added. Multipliers are solved for at the points, and extrapolated over the step as in ``explicit``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coupling.outcome import Outcome
from coupling.schemes.course import follow

if TYPE_CHECKING:
    from coupling.master import Master
    from coupling.options import Run

NAMES = ("gauss-seidel",)


def couple(name: str, master: Master, run: Run) -> Outcome:
    """Runs the system by explicit steps, one instance after another."""
    return follow(master, run)
