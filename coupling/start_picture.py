"""The start of a system as a picture, before any run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coupling.fmus import level_of
from coupling.options import TOLERANCE


def start_picture(
    system: Any, path: Path | str, initial: Any = "relax", start_values: Mapping[str, Any] | None = None, names: bool = True
) -> Path:
    """Writes the start to ``path``, before any run, as SVG, PNG or PDF; joints with open positions are red. The system can still
    change. Returns the path; another suffix raises ValueError.

    ``initial="assemble"`` shows the assembled pose. ``start_values`` are as in ``simulate``; ``names`` shows those of bodies.
    """
    result = system.of(system.definition).simulate(0.0, initial=initial, start_values=start_values)
    bad = {
        name.removesuffix(f".{column.variable}")
        for name, column in zip(result.names, result._record.columns, strict=True)
        if level_of(column.variable) == "position" and not abs(result[name][0]) <= TOLERANCE
    }
    found: Path = result._drawn(result.time[:1].tolist(), path, names, bad=bad)
    return found
