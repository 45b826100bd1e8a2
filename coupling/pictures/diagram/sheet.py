"""A diagram as strokes and words, from which Matplotlib makes PNG and PDF; on white."""

from __future__ import annotations

from coupling.pictures.colours import DOMAINS
from coupling.pictures.diagram.icon import INK
from coupling.pictures.diagram.paint import SIZES, Area, Box, Mark, Net_, Picture, Symbol, Words
from coupling.pictures.diagram.svg import LIGHT
from coupling.pictures.strokes import Sheet, Text


def sheet(picture: Picture) -> Sheet:
    found = Sheet(picture.width, picture.height)
    white = LIGHT["paper"]
    found.path([(0, 0), (picture.width, 0), (picture.width, picture.height), (0, picture.height)], "", 1.0, white)
    for item in picture.items:
        if isinstance(item, Area):
            _area(found, item)
        elif isinstance(item, Net_):
            colour, width = DOMAINS[item.domain], 1.5 if item.domain == "signal" else 2.0
            for line in item.lines if item.crosses else ():
                found.path(line, LIGHT["frame"] if item.framed else white, 7.0)
            for line in item.lines:
                found.path(line, colour, width)
            for dot in item.dots:
                found.disc(dot, 3.2, area=colour)
        elif isinstance(item, Box):
            _area(found, item.area)
            if isinstance(item.inside, Symbol):
                _symbol(found, item.inside)
            else:
                _words(found, item.inside)
            _words(found, item.name)
        elif isinstance(item, Mark):
            _mark(found, item)
        else:
            _words(found, item)
    return found


def _area(found: Sheet, area: Area) -> None:
    x1, y1, x2, y2 = area.corners
    found.path([(x1, y1), (x2, y1), (x2, y2), (x1, y2)], LIGHT["edge"], 1.2, LIGHT[area.look])


def _symbol(found: Sheet, symbol: Symbol) -> None:
    x1, y1, x2, y2 = symbol.corners
    scale = (x2 - x1) / 2
    for shape in symbol.icon:
        points = [((x1 + x2) / 2 + scale * x, (y1 + y2) / 2 + scale * y) for x, y in shape.points]
        if shape.radius:
            found.disc(points[0], scale * shape.radius, INK, scale * shape.width, shape.fill)
        else:
            found.path(points, INK, scale * shape.width, shape.fill)


def _mark(found: Sheet, mark: Mark) -> None:
    (x, y), colour = mark.at, DOMAINS[mark.domain]
    if mark.look in ("motion", "effort"):
        corners = [(x - 3.5, y - 3.5), (x + 3.5, y - 3.5), (x + 3.5, y + 3.5), (x - 3.5, y + 3.5)]
        found.path(corners, colour, 1.6, colour if mark.look == "motion" else LIGHT["box"])
    elif mark.look == "output":
        found.disc(mark.at, 3.5, colour, 1.6, LIGHT["box"])
    else:
        found.path([(x + 8 * mark.side, y - 4), (x, y), (x + 8 * mark.side, y + 4)], colour, 1.6, colour)
        if mark.look == "drive":
            found.path([(x + 18 * mark.side, y), (x + 8 * mark.side, y)], colour, 1.5)


def _words(found: Sheet, words: Words) -> None:
    bold = words.look in ("title", "name", "group")
    colour = INK if bold else LIGHT["dim"]
    found.items.append(Text(words.at, words.text, colour, SIZES[words.look], words.anchor, bold))
