"""What an SSP package says, without its nesting: components, wires, values, and what comes with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from coupling.fmus import Fmu
from coupling.plan.definition import Name
from coupling.plan.transformations import Affine

Box = tuple[float, float, float, float]
"""x1, y1, x2, y2 of two corners, x to the right and y upwards."""


@dataclass(frozen=True)
class Component:
    """An FMU in its place."""

    fmu: Fmu
    kind: str | None = None
    """``me``, ``cs``, or either."""
    start: Mapping[str, Any] = field(default_factory=dict)
    box: Box | None = None
    """In the coordinates of the outermost system."""
    inserted: bool = False
    """Whether it stands for what SSP has no words for."""


@dataclass(frozen=True)
class Flat:
    """A whole package."""

    name: str
    components: Mapping[str, Component]
    """By full names, such as ``left.crank``."""
    wires: Mapping[tuple[Name, Name], Affine]
    """What becomes of values between output and input, in the units of both FMUs."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``simulate``."""
    annotations: tuple[tuple[str, str], ...] = ()
    """Those of other tools on the whole: type and XML."""
    notes: tuple[str, ...] = ()
