"""What a user has a body look like, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shown:
    """A shape on a body, in place of what would be drawn by itself."""

    name: str
    """An instance, or a port of one."""
    shape: str = ""
    """An object of JSON, as ``pictures.solids`` writes it; empty where nothing is to be drawn."""
    colour: str = ""
    """``#rrggbb``; empty for that of the body."""
