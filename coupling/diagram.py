"""The diagram of a system as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coupling.errors import BuildError, shown
from coupling.pictures.diagram.graph import graph_of
from coupling.pictures.diagram.paint import Picture, picture_of
from coupling.pictures.diagram.sheet import sheet
from coupling.pictures.diagram.svg import svg
from coupling.plan.definition import Definition
from coupling.result import drawn, file_path, written


def system_diagram(system: Any, path: Path | str, signals: bool = True, depth: int | None = None) -> Path:
    """Writes instances as icons with ports, and the wires between them, as SVG, PNG or PDF. Nothing is built or run; the system may be unfinished.

    Without ``signals`` there are neither wires of single variables nor instances that have no other ports. Systems that are included have
    frames of their own, and are one box each where they lie more than ``depth`` deep: with 0 all of them.
    """
    target = file_path(path, ".svg")
    picture = diagram_of(system.definition, signals, depth)
    if target.suffix != ".svg":
        return drawn(sheet(picture), target, picture.name)
    with written(target, "diagram"):
        target.write_text(svg(picture), encoding="utf-8", newline="\n")
    return target


def diagram_of(definition: Definition, signals: bool = True, depth: int | None = None) -> Picture:
    """What is drawn; what cannot be is refused."""
    if not definition.instances:
        raise BuildError(f"the system '{definition.name}' is empty, and there is nothing to draw; add instances first")
    if not isinstance(signals, bool):
        raise BuildError(f"diagram: signals = {shown(signals)} is refused: give True or False")
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 0):
        raise BuildError(f"diagram: depth = {shown(depth)} is refused: give 0, 1, 2 ..., or None to show all that is included")
    graph = graph_of(definition, signals, depth)
    if not graph.nodes:
        raise BuildError(f"diagram: the system '{definition.name}' has nothing but signals; leave signals=False out")
    return picture_of(graph)
