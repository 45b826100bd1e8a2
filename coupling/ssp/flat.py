"""Content of an SSP package without its nesting: components, wires, values and appearance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from coupling.fmus import Fmu
from coupling.plan.definition import Name
from coupling.plan.transformations import Affine

Box = tuple[float, float, float, float]
"""Coordinates x1, y1, x2, y2 of two corners, x to the right and y upwards."""


@dataclass(frozen=True)
class Component:
    """An FMU in its place."""

    fmu: Fmu
    kind: str | None = None
    """Kind of the FMU: ``me``, ``cs``, or None for either."""
    start: Mapping[str, Any] = field(default_factory=dict)
    box: Box | None = None
    """Box in the coordinates of the outermost system."""
    inserted: bool = False
    """True if the component stands for an operation that SSP cannot express."""


@dataclass(frozen=True)
class Flat:
    """A whole package."""

    name: str
    components: Mapping[str, Component]
    """Components by full names, such as ``left.crank``."""
    wires: Mapping[tuple[Name, Name], Affine]
    """Conversion of values between output and input, in the units of both FMUs."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``simulate``."""
    annotations: tuple[tuple[str, str], ...] = ()
    """Annotations of other tools on the whole: type and XML."""
    notes: tuple[str, ...] = ()
