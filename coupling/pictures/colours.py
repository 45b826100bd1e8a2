"""The colours of bodies and of signals, the same in plots, pictures and pages."""

from __future__ import annotations

LIGHT = ("#398ceb", "#d57629", "#3fa567", "#8a60bf", "#ad3a4b", "#359aa5", "#93752c", "#697784")
"""Colours on white, in the order of their use."""
DARK = ("#2aa4f1", "#f3a157", "#62bf7e", "#a175c4", "#dd708f", "#59c3cf", "#af9534", "#8499af")
"""The same colours on a dark page."""
EVENT = "#c9780a"
DOMAINS = {
    "planar": "#1d6fb8",
    "spatial": "#0b7a75",
    "rotational": "#8e44ad",
    "translational": "#1e8449",
    "hydraulic": "#c0392b",
    "electrical": "#b9770e",
    "pneumatic": "#2e86c1",
    "thermal": "#d35400",
    "signal": "#5d6d7e",
    "other": "#7a4a2b",
}
"""Colours of wires in diagrams, and of ports in icons, by the kind of port; ``signal`` for single variables, ``other`` for foreign
kinds."""
DARK_DOMAINS = {
    "planar": "#5aa9f0",
    "spatial": "#35b8ae",
    "rotational": "#c08be0",
    "translational": "#57bd80",
    "hydraulic": "#f0776a",
    "electrical": "#e0a84a",
    "pneumatic": "#6cb6e8",
    "thermal": "#f39a5b",
    "signal": "#9fb0c0",
    "other": "#c99a78",
}
"""The same colours on a dark page."""
OTHER = "other"


def hue(number: int) -> str:
    """Returns the colour of a body by its number."""
    return LIGHT[number % len(LIGHT)] if number >= 0 else "#8a97a5"


def mixed(colour: str, share: float, other: str) -> str:
    """Returns a colour with a share of another one."""
    pairs = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * (1 - share) + b * share):02x}" for a, b in pairs)


def edge(colour: str) -> str:
    """Returns the colour of the edge of an area."""
    return mixed(colour, 0.45, "#0b1520")


def face(colour: str, share: float = 0.12) -> str:
    """Returns the colour of an area on white paper."""
    return mixed(colour, share, "#ffffff")
