"""Lines, areas and words in pixels, written as SVG or drawn by Matplotlib (PNG, PDF)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from coupling.files import written

Point = tuple[float, float]


@dataclass(frozen=True)
class Stroke:
    """A line or an area: colours as ``#rrggbb``, empty for none; a width in pixels."""

    points: tuple[Point, ...]
    line: str = ""
    width: float = 1.0
    area: str = ""
    closed: bool = False
    radius: float = 0.0
    """Radius of a disc about the only point, in pixels."""
    alpha: float = 1.0
    dashed: bool = False
    rings: tuple[tuple[Point, ...], ...] = ()
    """Rings of an area with several edges, in place of points."""


@dataclass(frozen=True)
class Text:
    at: Point
    text: str
    colour: str
    size: float = 12.0
    anchor: str = "start"
    bold: bool = False


@dataclass
class Sheet:
    """Items of a drawing, from the back to the front; y grows downwards."""

    width: float
    height: float
    items: list[Stroke | Text] = field(default_factory=list)

    def path(
        self, points: Sequence[Point], line: str = "", width: float = 1.0, area: str = "", closed: bool = False, alpha: float = 1.0
    ) -> None:
        self.items.append(Stroke(tuple(points), line, width, area, closed or bool(area), 0.0, alpha))

    def area(self, rings: Sequence[Sequence[Point]], line: str, width: float, area: str) -> None:
        """Draws the area inside rings, counted by their turns; the line lies under it."""
        several = tuple(map(tuple, rings))
        self.items += [Stroke((), line, width, "", True, rings=several), Stroke((), "", 0.0, area, True, rings=several)]

    def disc(self, at: Point, radius: float, line: str = "", width: float = 1.0, area: str = "", dashed: bool = False) -> None:
        self.items.append(Stroke((at,), line, width, area, True, radius, 1.0, dashed))

    def tag(self, at: Point, text: str, colour: str, ink: str) -> None:
        """Draws a name in a box about a point."""
        (x, y), reach = at, 3.7 * len(text) + 6
        self.path([(x - reach, y - 9), (x + reach, y - 9), (x + reach, y + 9), (x - reach, y + 9)], colour, 1.2, "#ffffff")
        self.text((x, y + 4), text, ink, "middle", bold=True)

    def text(self, at: Point, text: str, colour: str, anchor: str = "start", bold: bool = False) -> None:
        self.items.append(Text(at, text, colour, 12.0, anchor, bold))


def svg(sheet: Sheet, title: str) -> str:
    """Returns a picture of SVG, the same for the same sheet; coordinates are in tenths of pixels."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {short(sheet.width)} {short(sheet.height)}" width="{short(sheet.width)}" '
        f'height="{short(sheet.height)}" role="img" font-family="system-ui, Segoe UI, Roboto, sans-serif" stroke-linejoin="round" stroke-linecap="round">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *(text(item) if isinstance(item, Text) else stroke(item) for item in sheet.items),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def stroke(item: Stroke) -> str:
    if item.radius:
        ((x, y),) = item.points
        return f'<circle cx="{short(x)}" cy="{short(y)}" r="{short(item.radius)}" {look(item)}/>'
    return f'<path d="{outline(edges_of(item), item.closed)}" {look(item)}/>'


def edges_of(item: Stroke) -> tuple[tuple[Point, ...], ...]:
    """Returns an item's rings, or the one line through its points."""
    return item.rings or (item.points,)


def outline(edges: Sequence[Sequence[Point]], closed: bool) -> str:
    """Returns the path along some edges."""
    end = "Z" if closed else ""
    return "".join("M" + "L".join(f"{short(x)} {short(y)}" for x, y in points) + end for points in edges)


def look(item: Stroke) -> str:
    """Returns colours and widths as attributes."""
    found = f'fill="{item.area or "none"}"'
    if item.line:
        found += f' stroke="{item.line}" stroke-width="{short(item.width)}"'
    if item.dashed:
        found += ' stroke-dasharray="4 3"'
    if item.alpha < 1:
        found += f' opacity="{short(item.alpha)}"'
    return found


def text(item: Text) -> str:
    x, y = item.at
    weight = ' font-weight="600"' if item.bold else ""
    return f'<text x="{short(x)}" y="{short(y)}" font-size="{short(item.size)}" text-anchor="{item.anchor}" fill="{item.colour}"{weight}>{escape(item.text)}</text>'


def short(value: float) -> str:
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def by_matplotlib(sheet: Sheet, path: Path) -> None:
    """Writes a PNG of twice the pixels, a PDF, or another format that Matplotlib writes by the suffix."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, PathPatch, Polygon
    from matplotlib.path import Path as Edges

    inch = 96.0
    figure = Figure(figsize=(sheet.width / inch, sheet.height / inch), dpi=2 * inch)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, sheet.width)
    axes.set_ylim(sheet.height, 0)
    axes.axis("off")
    points = 72.0 / inch
    for order, item in enumerate(sheet.items):
        if isinstance(item, Text):
            align = {"start": "left", "middle": "center", "end": "right"}[item.anchor]
            weight = "bold" if item.bold else "normal"
            axes.text(
                *item.at, item.text, color=item.colour, fontsize=item.size * points, ha=align, va="baseline", weight=weight, zorder=order
            )
            continue
        look = {
            "edgecolor": item.line or "none",
            "facecolor": item.area or "none",
            "linewidth": item.width * points if item.line else 0.0,
            "linestyle": "--" if item.dashed else "-",
            "alpha": item.alpha,
            "zorder": order,
            "joinstyle": "round",
            "capstyle": "round",
        }
        if item.radius:
            axes.add_patch(Circle(item.points[0], item.radius, **look))
        elif item.rings:
            axes.add_patch(PathPatch(Edges.make_compound_path(*(Edges([*ring, ring[0]], closed=True) for ring in item.rings)), **look))
        elif len(item.points) > 1 or item.line:
            spots = item.points if len(item.points) > 1 else item.points * 2
            axes.add_patch(Polygon(spots, closed=item.closed, fill=bool(item.area), **look))
    figure.savefig(path)


def nice(value: float) -> float:
    """Returns 1, 2 or 5 times a power of 10, near a value."""
    power = 10.0 ** math.floor(math.log10(value))
    part = value / power
    return power * (1 if part < 1.5 else 2 if part < 3.5 else 5 if part < 7.5 else 10)


def drawn(sheet: Sheet, target: Path, title: str) -> Path:
    """Draws a still picture into a file; the suffix of the path gives the format. Other suffixes raise ValueError."""
    if target.suffix not in (".svg", ".png", ".pdf"):
        raise ValueError(f"'{target}' is refused: a picture is written as .svg, .png or .pdf; give the path one of these suffixes")
    with written(target, "picture"):
        if target.suffix == ".svg":
            target.write_text(svg(sheet, title), encoding="utf-8", newline="\n")
        else:
            by_matplotlib(sheet, target)
    return target
