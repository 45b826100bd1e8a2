"""The diagram of a system as a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from coupling.errors import BuildError, shown
from coupling.files import file_path, written
from coupling.markup import DOUBTFUL, Markup, framed, noted, table, titled
from coupling.pictures.diagram.graph import graph_of
from coupling.pictures.diagram.paint import Picture, picture_of
from coupling.pictures.diagram.sheet import sheet
from coupling.pictures.diagram.svg import svg
from coupling.pictures.strokes import drawn
from coupling.plan.definition import Definition

_MOST, _LARGEST = 100, 180_000
"""Numbers of instances, and of bytes, beyond which a notebook shows no diagram."""


def system_diagram(system: Any, path: Path | str, signals: bool = True, depth: int | None = None) -> Path:
    """Writes instances as icons with ports, and the wires between them, to ``path`` as SVG, PNG or PDF. Returns the path.

    Nothing is built or run; the system may be unfinished. Without ``signals``, wires of single variables and instances without other ports
    are left out. Included systems have frames of their own. Those that lie more than ``depth`` deep are one box each: with 0 all of them. Another
    suffix raises ValueError.
    """
    target = file_path(path, ".svg")
    picture = diagram_of(system.definition, signals, depth)
    if target.suffix != ".svg":
        return drawn(sheet(picture), target, picture.name)
    with written(target, "diagram"):
        target.write_text(svg(picture), encoding="utf-8", newline="\n")
    return target


def system_html(system: Any) -> str:
    """Shows counts and the diagram in notebooks, without running any FMU. A diagram that is large or cannot be drawn is replaced by a
    table of models."""
    definition: Definition = system.definition
    fmus = [each.fmu.fmu for each in definition.instances]
    counts = ((len(fmus), "instances"), (len(definition.connections), "connections"), (sum(len(fmu.states) for fmu in fmus), "states"))
    told = titled(definition.name, ", ".join(f"{number} {what}" for number, what in counts))
    models = Counter(fmu.model_name for fmu in fmus)
    rows = table(("model", "instances"), ((model, str(number)) for model, number in models.most_common()), len(models))
    try:
        picture = svg(diagram_of(definition, headed=False)) if 0 < len(fmus) <= _MOST else ""
    except BuildError as error:
        return framed(told, noted(str(error), DOUBTFUL), rows)
    return framed(told, Markup(f'<div style="overflow-x:auto">{picture}</div>')) if 0 < len(picture) < _LARGEST else framed(told, rows)


def diagram_of(definition: Definition, signals: bool = True, depth: int | None = None, headed: bool = True) -> Picture:
    """Returns the picture of a system. An empty system or an option that is refused raises BuildError."""
    if not definition.instances:
        raise BuildError(f"the system '{definition.name}' is empty, and there is nothing to draw; add instances first")
    if not isinstance(signals, bool):
        raise BuildError(f"diagram: signals = {shown(signals)} is refused: give True or False")
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or depth < 0):
        raise BuildError(f"diagram: depth = {shown(depth)} is refused: give 0, 1, 2 ..., or None to show all that is included")
    graph = graph_of(definition, signals, depth)
    if not graph.nodes:
        raise BuildError(f"diagram: the system '{definition.name}' has nothing but signals; leave signals=False out")
    return picture_of(graph, headed)
