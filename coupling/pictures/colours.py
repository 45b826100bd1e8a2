"""The colours of bodies and of signals, the same in plots, pictures and pages."""

from __future__ import annotations

LIGHT = ("#398ceb", "#d57629", "#3fa567", "#8a60bf", "#ad3a4b", "#359aa5", "#93752c", "#697784")
"""On white, in the order in which they are given away."""
DARK = ("#2aa4f1", "#f3a157", "#62bf7e", "#a175c4", "#dd708f", "#59c3cf", "#af9534", "#8499af")
"""The same ones on a dark page."""
EVENT = "#c9780a"
