"""Explicit coupling (Jacobi): at each point all instances get what arrives there, and step at once.

Multipliers are solved for at the points, from residuals at acceleration level. Over the step, inputs go on as polynomials through the
last points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coupling.outcome import Outcome
from coupling.schemes.course import follow

if TYPE_CHECKING:
    from coupling.master import Master
    from coupling.options import Run


def couple(name: str, master: Master, run: Run) -> Outcome:
    """Runs the system by explicit steps."""
    return follow(master, run)
