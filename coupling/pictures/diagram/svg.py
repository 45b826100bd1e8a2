"""A diagram as SVG: light or dark as its reader likes it, each icon written once, the same bytes for the same system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from zlib import crc32

from coupling.pictures.colours import DARK_DOMAINS, DOMAINS
from coupling.pictures.diagram.icon import INK, Icon
from coupling.pictures.diagram.paint import SIZES, Area, Box, Mark, Net_, Picture, Point, Symbol, Words

_CORNER = 6
"""The radius of wires where they turn."""
LIGHT = {"paper": "#ffffff", "ink": INK, "dim": "#5b6876", "edge": "#c3ccd6", "frame": "#f4f6f8", "box": "#ffffff"}
DARK = {"paper": "#14191f", "ink": "#e3e8ee", "dim": "#9aa7b5", "edge": "#45525f", "frame": "#1a2129", "box": "#1f2730"}
_FONT = "system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif"


def svg(picture: Picture) -> str:
    """Returns the picture as a separate document, which can stand in a page as well."""
    boxes = [item for item in picture.items if isinstance(item, Box)]
    icons = list(dict.fromkeys(box.inside.icon for box in boxes if isinstance(box.inside, Symbol)))
    fills = list(dict.fromkeys(shape.fill for icon in icons for shape in icon if shape.fill))
    body = [*_back(picture), *_boxes(boxes, {}, "")]
    key = f"d{crc32(''.join([*body, *map(repr, icons)]).encode()):08x}"
    names = {icon: f"{key}-{i}" for i, icon in enumerate(icons)}
    w, h = picture.width, picture.height
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="jdg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" font-family="{_FONT}">',
            f"<title>{escape(picture.name)}</title>",
            f"<style>{_style(picture, fills)}</style>",
            "<defs>",
            *(_symbol(names[icon], icon) for icon in icons),
            "</defs>",
            f'<rect class="paper" width="{w}" height="{h}"/>',
            *_back(picture),
            *_boxes(boxes, names, key),
            *_marks([item for item in picture.items if isinstance(item, Mark)]),
            *(_words(item) for item in picture.items if isinstance(item, Words)),
            "</svg>\n",
        ]
    )


def _back(picture: Picture) -> Iterator[str]:
    """Yields frames and wires."""
    for item in picture.items:
        if isinstance(item, Area):
            yield _area(item)
        elif isinstance(item, Net_):
            path = "".join(map(_path, item.lines))
            if item.crosses:
                yield f'<path class="halo{" framed" if item.framed else ""}" d="{path}"/>'
            yield f'<path class="wire {item.domain}" d="{path}"/>'
            if item.dots:
                yield f'<path class="dot {item.domain}" d="{"".join(f"M{x} {y}h0" for x, y in item.dots)}"/>'


def _boxes(boxes: Sequence[Box], names: dict[Icon, str], key: str) -> Iterator[str]:
    for box in boxes:
        parts = [_area(box.area)]
        if isinstance(box.inside, Words):
            parts.append(_words(box.inside))
        else:
            x1, y1, x2, y2 = box.inside.corners
            parts.append(f'<use href="#{names.get(box.inside.icon, "")}" x="{x1}" y="{y1}" width="{x2 - x1}" height="{y2 - y1}"/>')
        yield f"<g><title>{escape(box.told)}</title>{''.join(parts)}{_words(box.name)}</g>"


def _area(area: Area) -> str:
    x1, y1, x2, y2 = area.corners
    return f'<rect class="{area.look}" x="{x1}" y="{y1}" width="{x2 - x1}" height="{y2 - y1}" rx="{7 if area.look == "box" else 10}"/>'


def _path(points: Sequence[Point]) -> str:
    """Returns a path with round corners."""
    found = [f"M{points[0][0]} {points[0][1]}"]
    for before, here, after in zip(points, points[1:], points[2:], strict=False):
        reach = min([_CORNER, *(max(abs(a - b) for a, b in zip(here, other, strict=True)) / 2 for other in (before, after))])
        (x1, y1), (x2, y2) = _towards(here, before, reach), _towards(here, after, reach)
        found.append(f"L{_short(x1)} {_short(y1)}Q{here[0]} {here[1]} {_short(x2)} {_short(y2)}")
    found.append(f"L{points[-1][0]} {points[-1][1]}")
    return "".join(found)


def _towards(here: Point, other: Point, reach: float) -> tuple[float, float]:
    span = max(abs(a - b) for a, b in zip(here, other, strict=True)) or 1
    return here[0] + reach * (other[0] - here[0]) / span, here[1] + reach * (other[1] - here[1]) / span


def _marks(marks: Sequence[Mark]) -> Iterator[str]:
    """Yields marks, all that look alike in one path: squares for ports, filled if they give motion, arrows into inputs, circles at
    outputs."""
    alike: dict[tuple[str, str], list[str]] = {}
    for mark in marks:
        x, y = mark.at
        into = -mark.side
        if mark.look in ("motion", "effort"):
            shape = f"M{x - 3.5} {y - 3.5}h7v7h-7z"
        elif mark.look == "output":
            shape = f"M{x - 3.5} {y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z"
        else:
            shape = f"M{x - 8 * into} {y - 4}l{8 * into} 4l{-8 * into} 4z"
        alike.setdefault((mark.look, mark.domain), []).append(shape)
        if mark.look == "drive":
            alike.setdefault(("stub", mark.domain), []).append(f"M{x - 18 * into} {y}H{x - 8 * into}")
    for (look, domain), shapes in alike.items():
        yield f'<path class="{look} {domain}" d="{"".join(shapes)}"/>'


def _words(words: Words) -> str:
    x, y = words.at
    anchor = "" if words.anchor == "start" else f' text-anchor="{words.anchor}"'
    return f'<text class="{words.look}" x="{_short(x)}" y="{_short(y)}"{anchor}>{escape(words.text)}</text>'


def _symbol(name: str, icon: Icon) -> str:
    """Returns a symbol in hundredths. Its classes have their own names, since rules inside a symbol cannot name elements around it."""
    shapes = []
    for shape in icon:
        fill = f' class="jdg-{shape.fill[1:3]}"' if shape.fill else ""
        wide = "" if shape.width == 0.06 else f' stroke-width="{_hundredths(shape.width)}"'
        if shape.radius:
            ((x, y),) = shape.points
            shapes.append(f'<circle cx="{_hundredths(x)}" cy="{_hundredths(y)}" r="{_hundredths(shape.radius)}"{fill}{wide}/>')
        else:
            points = " ".join(f"{_hundredths(x)} {_hundredths(y)}" for x, y in shape.points)
            shapes.append(f'<path d="M{points}{"z" if shape.fill else ""}"{fill}{wide}/>')
    return f'<symbol id="{name}" viewBox="-100 -100 200 200" overflow="visible" class="jdg-icon">{"".join(shapes)}</symbol>'


def _hundredths(value: float) -> str:
    return f"{round(100 * value)}"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


# -- look --------------------------------------------------------------------------------------------------------------------------


def _style(picture: Picture, fills: Sequence[str]) -> str:
    shown = {item.domain for item in picture.items if isinstance(item, Net_ | Mark)}
    sizes = "".join(f".jdg .{look}{{font-size:{size:g}px}}" for look, size in SIZES.items())
    return (
        ".jdg .wire,.jdg .halo,.jdg .stub,.jdg .dot{fill:none;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}.jdg .halo{stroke-width:7;"
        "stroke-linecap:butt}.jdg .dot{stroke-width:6.5}.jdg .box,.jdg .frame{stroke-width:1.2}.jdg .motion,.jdg .effort,.jdg .output,.jdg .input,.jdg "
        ".drive{stroke-width:1.6;stroke-linejoin:round}.jdg-icon{fill:none;stroke-width:6;stroke-linecap:round;stroke-linejoin:round}"
        ".jdg .title,.jdg .name,.jdg .group{font-weight:600}.jdg .wire.signal,.jdg .stub.signal{stroke-width:1.5}"
        f"{sizes}{_colours(LIGHT, DOMAINS, shown, fills)}@media (prefers-color-scheme:dark){{{_colours(DARK, DARK_DOMAINS, shown, fills)}}}"
    )


def _colours(theme: dict[str, str], domains: dict[str, str], shown: set[str], fills: Sequence[str]) -> str:
    rules = [
        f".jdg .paper{{fill:{theme['paper']}}}.jdg .halo{{stroke:{theme['paper']}}}.jdg .box{{fill:{theme['box']};stroke:{theme['edge']}}}",
        f".jdg .frame{{fill:{theme['frame']};stroke:{theme['edge']}}}.jdg .framed{{stroke:{theme['frame']}}}.jdg-icon{{stroke:{theme['ink']}}}",
        f".jdg .title,.jdg .name,.jdg .group{{fill:{theme['ink']}}}.jdg .small,.jdg .port,.jdg .model{{fill:{theme['dim']}}}",
    ]
    for name, colour in domains.items():
        if name in shown:
            rules.append(f".jdg .{name}{{stroke:{colour};fill:{colour}}}")
    rules.append(f".jdg .wire,.jdg .dot,.jdg .stub{{fill:none}}.jdg .effort,.jdg .output{{fill:{theme['box']}}}")
    rules += [f".jdg-{fill[1:3]}{{fill:{mixed(fill, theme)}}}" for fill in fills]
    return "".join(rules)


def mixed(fill: str, theme: dict[str, str]) -> str:
    """Returns a grey between the ink and the paper of icons, in a theme."""
    ink, level = int(INK[1:3], 16), int(fill[1:3], 16)
    share = (level - ink) / (255 - ink)
    pairs = ((int(theme["ink"][i : i + 2], 16), int(theme["box"][i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{min(255, max(0, round(a + share * (b - a)))):02x}" for a, b in pairs)
