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
    "signal": "#9fb0c0",
    "other": "#c99a78",
}
"""The same colours on a dark page."""
OTHER = "other"
