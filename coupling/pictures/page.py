"""A scene as one page of HTML that moves by itself: no server, no network, the same bytes for the same result."""

from __future__ import annotations

import json
import math
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from coupling.pictures.colours import DARK, LIGHT
from coupling.pictures.frames import VERSION
from coupling.pictures.pack import pack
from coupling.pictures.scene import Scene

_LARGEST = 3_600_000
"""Numbers beyond which rows are thinned."""


def page(scene: Scene, title: str | None = None) -> str:
    """Returns the page as text."""
    player = files("coupling.pictures") / "player"
    rows = _rows(scene)
    columns = [scene.time[rows], *(signal.values[rows] for signal in scene.signals)]
    scales, data = pack(columns)
    space = scene.dimension == 3
    script = "".join((player / name).read_text() for name in ("player.js", "plots.js", "space.js" if space else "plane.js", "controls.js"))
    parts = {
        "TITLE": escape(title or scene.name),
        "STYLE": (player / "player.css").read_text(),
        "SCENE": _json(_said(scene, title or scene.name, len(rows), scales)),
        "DATA": data,
        "SCRIPT": script,
    }
    first, *rest = (player / "player.html").read_text().split("@@")
    return first + "".join(parts.get(text, text) for text in rest)


def _rows(scene: Scene) -> np.ndarray:
    """Returns all rows, or fewer to keep the page small; rows at events, the first and the last stay."""
    rows, columns = len(scene.time), 1 + len(scene.signals)
    every = -(-rows * columns // _LARGEST)
    kept = np.zeros(rows, bool)
    kept[::every] = kept[-1] = True
    kept |= np.isin(scene.time, scene.events)
    return np.flatnonzero(kept)


def _said(scene: Scene, title: str, rows: int, scales: list[tuple[float, float]]) -> dict[str, Any]:
    start, end = float(scene.time[0]), float(scene.time[-1])
    span = end - start
    columns = [{"n": "time", "u": "s"}]
    for signal in scene.signals:
        column: dict[str, Any] = {"n": signal.name, "u": signal.unit}
        if signal.offered:
            column["s"] = 1
        if signal.colour is not None:
            column["c"] = signal.colour
        columns.append(column)
    return {
        "version": VERSION,
        "name": title,
        "told": scene.told,
        "dimension": scene.dimension,
        "rows": rows,
        "t0": start,
        "t1": end,
        "digits": min(7, max(0, math.ceil(-math.log10(span / 1000)))) if span > 0 else 3,
        "events": [_short(t) for t in scene.events],
        "columns": [{**column, "lo": low, "q": step} for column, (low, step) in zip(columns, scales, strict=True)],
        "frames": [
            {
                "name": frame.name,
                "model": frame.model,
                "c": scene.colours.get(i, -1),
                "pose": None if pose is None else [1 + k for k in pose],
            }
            for i, (frame, pose) in enumerate(zip(scene.geometry.frames, scene.poses, strict=True))
        ],
        "shapes": _rounded(scene.shapes),
        "arrows": [{**each, "v": [1 + k for k in each["v"]]} for each in _rounded(scene.arrows)],
        "traces": _rounded(scene.traces),
        "plots": [[1 + k for k in group] for group in scene.plots],
        "low": [_short(x) for x in scene.low],
        "high": [_short(x) for x in scene.high],
        "size": _short(scene.size),
        "floor": _short(scene.low[-1]),
        "light": LIGHT,
        "dark": DARK,
    }


def _short(value: float) -> float:
    """Returns a number of nine digits, which are more than any screen shows."""
    return float(f"{float(value):.9g}")


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return _short(value)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


def _json(said: Any) -> str:
    """Returns JSON without any character that could end the element of the page around it."""
    return json.dumps(said, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
