"""A scene as a picture of SVG that moves by itself, without any program in it (SMIL), beside plots with a cursor.

Each pose of a sequence is drawn as a still picture, and the differences are animated. In the plane, items fixed on a body move with the
body's frame; all other items change their outlines.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from itertools import groupby

import numpy as np

from coupling.pictures.colours import LIGHT
from coupling.pictures.pose import Posed
from coupling.pictures.scene import Scene, Signal
from coupling.pictures.still import draw, in_order, magnified, ruler, view_of
from coupling.pictures.strokes import Sheet, Stroke, Text, edges_of, look, outline, short, stroke, text
from coupling.pictures.units import prefix, written
from coupling.pictures.view import View

_SIZE, _COLUMN = (720.0, 480.0), 230.0
"""Pixels of the mechanism, and the width of the column of plots."""
_AT_REST, _STIFF = 0.04, 0.06
"""Pixels by which resting items, and rigid ones, may differ from one pose to another."""
_TURN, _FEWEST, _MOST = np.radians(10), 60, 240
"""Largest turn in rad of a body from one pose to the next, and the least and the greatest number of poses, which counts first."""
_SWING, _SEEN = 4, 0.1
"""Poses of an elastic body from one end of a swing to the other, and the least swing that counts, in parts of the largest one."""
_DARK = {
    "#17202b": "#e6ecf2",
    "#5b6876": "#93a1af",
    "#33414f": "#b4c0cb",
    "#ffffff": "#161d24",
    "#e6ebf0": "#2a3641",
    "#dfe5ea": "#55636f",
    "#1c7a58": "#7fd0b0",
    "#1b2733": "#dfe7ee",
    "#25313d": "#0e1318",
}
"""Neutral colours by their replacements on a dark page."""


def moving(scene: Scene, title: str | None = None) -> str:
    """Returns the picture as text; it is the same for the same scene. ``scene.plots`` stand beside the mechanism."""
    width, height = _SIZE
    whole = width + (_COLUMN if scene.plots else 0.0)
    seconds = _seconds(float(scene.time[-1] - scene.time[0]))
    times = np.linspace(scene.time[0], scene.time[-1], _poses(scene))
    dur = f'dur="{short(seconds)}s" repeatCount="indefinite"'
    sheets, view = _drawn(scene, times)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {short(whole)} {short(height)}" width="{short(whole)}" height="{short(height)}" '
        'role="img" font-family="system-ui, Segoe UI, Roboto, sans-serif" stroke-linejoin="round" stroke-linecap="round" fill="none">',
        f"<title>{escape(title or scene.name)}</title>",
        _style(),
        '<rect width="100%" height="100%" rx="6" fill="#ffffff"/>',
        *_mechanism(scene, view, times, sheets, dur),
        *_plots(scene, times, (width, 46.0, _COLUMN - 34.0, height - 84.0), dur),
        _caption(scene, title, seconds, dur),
        "</svg>",
    ]
    return _in_variables("\n".join(parts)) + "\n"


def _seconds(span: float) -> float:
    """Returns the seconds of the moving picture: the duration of the run if it suits a viewer, otherwise 8 or 20."""
    return span if 2 <= span <= 20 else 20.0 if span > 20 else 8.0


def _poses(scene: Scene) -> int:
    """Returns the number of poses at which bodies that turn or swing do not take short cuts."""
    most = 0.0
    for frame in scene.geometry.frames:
        if not frame.at_rest:
            r = frame.rotation
            turns = np.abs(np.diff(r[:, 0])) if r.shape[1] == 1 else 2 * np.arccos(np.clip(np.abs((r[1:] * r[:-1]).sum(axis=1)), 0, 1))
            most = max(most, float(turns.sum()))
    ways = [(float(np.ptp(each)), float(np.abs(np.diff(each)).sum())) for each in scene.geometry.amplitudes.values()]
    largest = max((swing for swing, _ in ways), default=0.0)
    swings = max((way / swing for swing, way in ways if swing > _SEEN * largest), default=0.0)
    return int(np.clip(np.ceil(max(most / _TURN, _SWING * swings)), _FEWEST, _MOST if scene.dimension == 2 else _MOST // 2)) + 1


def _drawn(scene: Scene, times: np.ndarray) -> tuple[list[Sheet], View]:
    """Returns a sheet for each time, with the same items in the same order."""
    poses = [Posed(scene, float(time)) for time in times]
    view = view_of(scene, Sheet(*_SIZE), (0.0, 0.0, *_SIZE))
    shapes = in_order(scene, view, poses[:: max(1, len(poses) // 12)])
    sheets = []
    for posed in poses:
        sheet = Sheet(*_SIZE)
        draw(scene, replace(view, sheet=sheet, coarse=True), posed, shapes)
        sheets.append(sheet)
    ruler(view, _SIZE[1])
    magnified(scene, view.sheet)
    sheets[0].items += view.sheet.items
    return sheets, view


# -- the mechanism -----------------------------------------------------------------------------------------------------------------


def _mechanism(scene: Scene, view: View, times: np.ndarray, sheets: list[Sheet], dur: str) -> list[str]:
    """Returns items from the back to the front; consecutive items on one frame share its motion."""
    motions = _motions(scene, view, times)
    placed: list[tuple[int | None, str]] = []
    outlines: dict[str, str] = {}
    for number, item in enumerate(sheets[0].items):
        if isinstance(item, Text):
            placed.append((None, text(item)))
            continue
        # Items that are drawn once, such as the ruler, are only on the first sheet.
        same = [sheet.items[number] for sheet in sheets if number < len(sheet.items)]
        points = np.array([[p for edge in edges_of(each) for p in edge] for each in same if isinstance(each, Stroke)])
        placed.append(_placed(item, points, motions, outlines, dur))
    lines = []
    for frame, group in groupby(placed, key=lambda each: each[0]):
        inside = "".join(line for _, line in group)
        lines.append(inside if frame is None else _with_frame(inside, *motions[frame], dur))
    return lines


def _motions(scene: Scene, view: View, times: np.ndarray) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Returns for each frame its origin in pixels, and its angle as seen. Only plane scenes have motions."""
    if scene.dimension == 3:
        return {}
    found = {}
    for number in scene.colours:
        frame, poses = scene.geometry.frames[number], [Posed(scene, float(time)) for time in times]
        at = np.array([view.pixel(posed.value(frame.position)) for posed in poses])
        found[number] = at, np.array([-float(posed.value(frame.rotation)[0]) for posed in poses])
    return found


def _placed(
    item: Stroke, points: np.ndarray, motions: dict[int, tuple[np.ndarray, np.ndarray]], outlines: dict[str, str], dur: str
) -> tuple[int | None, str]:
    """Returns the frame on which an item is fixed, if any, and the item as text."""
    if np.ptp(points, axis=0).max() <= _AT_REST:
        return None, stroke(item)
    for frame, (at, angle) in motions.items():
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        x, y = points[..., 0] - at[:, :1], points[..., 1] - at[:, 1:]
        local = np.stack([c * x + s * y, c * y - s * x], axis=2)
        if np.ptp(local, axis=0).max() <= _STIFF:
            middle = (local.max(axis=0) + local.min(axis=0)) / 2
            return frame, stroke(_elsewhere(item, middle))
    return None, _changing(item, points, outlines, dur)


def _elsewhere(item: Stroke, points: np.ndarray) -> Stroke:
    """Returns an item with other points, in the order of its edges."""
    left = iter([(float(x), float(y)) for x, y in points])
    moved = tuple(tuple(next(left) for _ in edge) for edge in edges_of(item))
    return replace(item, rings=moved) if item.rings else replace(item, points=moved[0])


def _changing(item: Stroke, points: np.ndarray, outlines: dict[str, str], dur: str) -> str:
    """Returns an item with another outline at each time; one that was drawn already, by ``outlines``, is used again."""
    if item.radius:
        inside = _animated("cx", [short(x) for x in points[:, 0, 0]], dur) + _animated("cy", [short(y) for y in points[:, 0, 1]], dur)
        return stroke(item).removesuffix("/>") + f">{inside}</circle>"
    inside = _animated("d", [outline(edges_of(_elsewhere(item, each)), item.closed) for each in points], dur)
    new = inside not in outlines
    name = outlines.setdefault(inside, f"o{len(outlines)}")
    used = f'<use href="#{name}" {look(item)}/>'
    return f'<defs><path id="{name}" d="M0 0">{inside}</path></defs>{used}' if new else used


def _animated(name: str, values: list[str], dur: str) -> str:
    return f'<animate attributeName="{name}" values="{";".join(values)}" {dur}/>'


def _with_frame(inside: str, at: np.ndarray, angle: np.ndarray, dur: str) -> str:
    """Returns the text of items that move with the frame of a body."""
    places = ";".join(f"{short(x)},{short(y)}" for x, y in at)
    turns = ";".join(short(each) for each in np.degrees(angle))
    moved = f'<animateTransform attributeName="transform" type="translate" values="{places}" {dur}/>'
    turned = f'<animateTransform attributeName="transform" type="rotate" values="{turns}" {dur}/>'
    if np.ptp(angle) == 0:
        return f"<g>{moved}{inside}</g>"
    return f"<g>{moved}<g>{turned}{inside}</g></g>"


# -- plots and words ---------------------------------------------------------------------------------------------------------------


def _plots(scene: Scene, times: np.ndarray, box: tuple[float, float, float, float], dur: str) -> list[str]:
    """Returns the plots one below the other, at most three, each with a cursor and a dot on every curve."""
    left, top, width, height = box
    groups = scene.plots[:3]
    lines, each = [], height / max(len(groups), 1)
    for number, group in enumerate(groups):
        signals = [scene.signals[i] for i in group][:4]
        lines += _plot(scene, signals, times, (left, top + number * each + 20, width, each - 38), dur)
    return lines


def _plot(scene: Scene, signals: list[Signal], times: np.ndarray, box: tuple[float, float, float, float], dur: str) -> list[str]:
    left, top, width, height = box
    _, letter = prefix(np.concatenate([each.values for each in signals]), signals[0].unit)
    low, high = min(float(each.values.min()) for each in signals), max(float(each.values.max()) for each in signals)
    span = high - low or 1.0
    start, end = scene.time[0], scene.time[-1]

    def y(values: np.ndarray) -> np.ndarray:
        return top + height - 6 - (height - 12) * (values - low) / span

    fine = np.linspace(start, end, 161)
    unit = f"{letter}{written(signals[0].unit)}"
    sheet = Sheet(0, 0)
    sheet.path([(left, top), (left + width, top), (left + width, top + height), (left, top + height)], "#e6ebf0", 1.0, closed=True)
    sheet.text((left + width, top - 7), f"in {unit}" if unit else "", "#5b6876", "end")
    named, dots, x = [], [], left
    for number, signal in enumerate(signals):
        colour = LIGHT[(number if signal.colour is None else signal.colour) % len(LIGHT)]
        sheet.path(
            list(zip(left + width * np.linspace(0, 1, 161), y(np.interp(fine, scene.time, signal.values)), strict=True)), colour, 1.6
        )
        if number == 0 or len(signals) < 3:
            named.append(text(Text((x, top - 7), signal.name, colour, 12.0, "start", True)))
            x += 7.2 * len(signal.name) + 10
        heights = _animated("cy", [short(v) for v in y(np.interp(times, scene.time, signal.values))], dur)
        dots.append(
            f'<circle r="3.6" fill="{colour}" stroke="#ffffff" stroke-width="1.4">{_animated("cx", [short(left), short(left + width)], dur)}{heights}</circle>'
        )
    cursor = f'<path d="M0 {short(top + 2)}V{short(top + height - 2)}" stroke="#398ceb" stroke-width="1.2"><animateTransform attributeName="transform" type="translate" values="{short(left)};{short(left + width)}" {dur}/></path>'
    return [*(text(item) if isinstance(item, Text) else stroke(item) for item in sheet.items), *named, cursor, *dots]


def _caption(scene: Scene, title: str | None, seconds: float, dur: str) -> str:
    """Returns the title, and the factor by which the picture is slower or faster than the run."""
    span = float(scene.time[-1] - scene.time[0])
    slow = "" if abs(seconds - span) < 1e-9 else f" in {short(seconds)} s"
    head = text(Text((16, 28), title or scene.name, "#17202b", 15.0, "start", True))
    told = f"{span:.4g} s{slow}"
    bar = f'<rect x="16" y="38" width="120" height="3" rx="1.5" fill="#e6ebf0"/><rect x="16" y="38" width="0" height="3" rx="1.5" fill="#398ceb">{_animated("width", ["0", "120"], dur)}</rect>'
    return head + bar + text(Text((146, 43), told, "#5b6876"))


def _style() -> str:
    """Returns neutral colours as variables, which have other values on a dark page."""
    light, dark = (";".join(f"--c{i}:{colour}" for i, colour in enumerate(each)) for each in (_DARK.keys(), _DARK.values()))
    return f"<style>svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}</style>"


def _in_variables(picture: str) -> str:
    """Replaces each neutral colour in an attribute by its variable."""
    for number, colour in enumerate(_DARK):
        picture = picture.replace(f'="{colour}"', f'="var(--c{number})"')
    return picture
