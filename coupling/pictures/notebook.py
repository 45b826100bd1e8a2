"""Values over time for notebooks: a plot of a few curves, and a table with a small line for each, as SVG in HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from coupling.markup import MOST, Markup, table
from coupling.pictures.colours import LIGHT
from coupling.pictures.plot import by_unit
from coupling.pictures.units import prefix, written

_ROUNDING, _PLACES = 1e-9, ("rad", "m")
_WIDTH, _HEIGHT, _POINTS, _CURVES = 640, 190, 300, 4


def values_table(time: np.ndarray, values: Mapping[str, np.ndarray], units: Mapping[str, str]) -> Markup:
    """Returns a table of the first variables, changing ones first: a line, the first and the last value, the least and the greatest."""
    moving = _moving(values)
    order = [*moving, *(name for name in values if name not in moving)]
    rows = (
        (name, written(units.get(name, "")), _spark(time, each), *(_number(x) for x in (each[0], each[-1], *_range(each))))
        for name, each in ((name, values[name]) for name in order[:MOST])
    )
    return table(("variable", "unit", "", "first", "last", "least", "greatest"), rows, len(values))


def first_plot(time: np.ndarray, values: Mapping[str, np.ndarray], units: Mapping[str, str]) -> Markup:
    """Returns a plot of variables that share a unit: angles or positions, or the first ones that change."""
    moving = list(_moving(values))
    if not moving:
        return Markup("")
    groups = by_unit(moving, units)
    names = next((each for each in groups if units.get(each[0]) in _PLACES), groups[0])[:_CURVES]
    unit = units.get(names[0], "")
    factor, letter = prefix(np.concatenate([values[name] for name in names]), unit)
    low, high = _range(np.concatenate([factor * values[name] for name in names]))
    left, top, right, bottom = 64.0, 26.0, _WIDTH - 12.0, _HEIGHT - 24.0
    parts = [f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="currentColor" opacity=".4"/>']
    x = left
    for name, colour in zip(names, LIGHT, strict=False):
        line = _line(time, factor * values[name], (left, top, right, bottom), (low, high))
        parts.append(f'<path d="{line}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        parts.append(f'<text x="{x:.0f}" y="14" fill="{colour}" font-weight="600">{escape(name)}</text>')
        x += 7.2 * len(name) + 18
    ends = (
        (left - 6, top + 8, "end", _number(high)),
        (left - 6, bottom, "end", _number(low)),
        (left, bottom + 16, "start", f"{time[0]:g} s"),
    )
    for u, v, anchor, text in (*ends, (right, bottom + 16, "end", f"{time[-1]:g} s")):
        parts.append(f'<text x="{u:g}" y="{v:g}" text-anchor="{anchor}" fill="currentColor" opacity=".7">{text}</text>')
    if unit:
        middle = (top + bottom) / 2
        parts.append(
            f'<text x="{left - 6:g}" y="{middle:g}" text-anchor="end" fill="currentColor" opacity=".7">{escape(letter + written(unit))}</text>'
        )
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif" font-size="11">{"".join(parts)}</svg>'
    )


def _moving(values: Mapping[str, np.ndarray]) -> dict[str, None]:
    """Returns the variables that change by more than rounding; the residuals of joints do not."""
    spans = {name: _range(each) for name, each in values.items() if len(each) > 1}
    return {name: None for name, (low, high) in spans.items() if high - low > _ROUNDING * max(1.0, abs(low), abs(high))}


def _spark(time: np.ndarray, values: np.ndarray) -> Markup:
    line = _line(time, values, (1.0, 2.0, 79.0, 16.0), _range(values), 60) if len(time) > 1 else ""
    return Markup(f'<svg width="80" height="18"><path d="{line}" fill="none" stroke="{LIGHT[0]}" stroke-width="1.3"/></svg>')


def _line(
    time: np.ndarray,
    values: np.ndarray,
    corners: tuple[float, float, float, float],
    span: tuple[float, float],
    most: int = _POINTS,
) -> str:
    """Returns a line of at most so many points, with the least and the greatest of each stretch among them."""
    finite = np.flatnonzero(np.isfinite(values))
    chosen: Sequence[int] | np.ndarray = finite
    if finite.size > most:
        stretches = np.array_split(finite, most // 2)
        chosen = sorted({int(k[pick(values[k])]) for k in stretches for pick in (np.argmin, np.argmax)})
    (x1, y1, x2, y2), (low, high) = corners, span
    wide, tall = float(time[-1] - time[0]) or 1.0, (high - low) or 1.0
    points = (f"{x1 + (x2 - x1) * (time[i] - time[0]) / wide:.1f} {y2 - (y2 - y1) * (values[i] - low) / tall:.1f}" for i in chosen)
    found = "L".join(points)
    return f"M{found}" if found else ""


def _range(values: np.ndarray) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (float("nan"), float("nan"))


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
