"""Ways to solve a machine with elastic bodies, and how near each comes to the others."""

from __future__ import annotations

from typing import Any

from coupling.options import Index3

OPTIONS: list[tuple[dict[str, Any], float]] = [
    ({"evaluation": "fmus", "solver": "dop853"}, 1e-9),
    ({"evaluation": "compiled", "solver": "dop853"}, 1e-9),
    ({"solver": "ida"}, 1e-7),
    ({"solver": "cvode"}, 1e-7),
    ({"solver": Index3(step_size=1e-4)}, 5e-5),
    ({"solver": "dop853", "stabilisation": "projection"}, 1e-9),
]
"""Options of a run, and the difference that is allowed."""
