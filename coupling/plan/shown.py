"""The appearance that a user gives a body, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """A shape on a body, in place of the default one."""

    name: str
    """Name of an instance, or of a port of one."""
    shape: str = ""
    """Shape as an object of JSON, as ``pictures.solids`` writes it; empty where nothing is to be drawn."""
    colour: str = ""
    """Colour ``#rrggbb``; empty for that of the body."""
