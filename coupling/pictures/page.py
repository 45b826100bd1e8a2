"""A scene as one page of HTML that moves by itself: no server, no network, the same bytes for the same result."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from coupling.pictures.colours import DARK, LIGHT
from coupling.pictures.frames import VERSION
from coupling.pictures.pack import pack
from coupling.pictures.scene import ELASTIC, Scene, reach_of

_LARGEST = 3_600_000
"""Numbers beyond which rows are thinned."""
_RECORDED = "; ".join(("default-src 'none'", "script-src 'unsafe-inline'", "style-src 'unsafe-inline'", "img-src data: blob:"))
"""Security policy of a page in a file, which loads nothing."""
_NEW_LINE = "\n"


def page(scene: Scene, title: str | None = None) -> str:
    """Returns the page as text."""
    rows = _rows(scene)
    columns = [scene.time[rows], *(signal.values[rows] for signal in scene.signals)]
    scales, data = pack(columns)
    name = title or scene.name
    return _filled(
        name,
        STYLE=_player("player.css"),
        SCENE=_json(_said(scene, name, len(rows), scales)),
        DATA=data,
        SCRIPT=_player("player.js", "plots.js", _drawing(scene), "controls.js"),
        POLICY=_RECORDED,
    )


def live_page(scene: Scene, title: str, run: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the page of a run that goes on, and its security policy, which allows the page's own program and no other.

    ``run`` describes the run to the page: its inputs, speeds and state. Rows come over the connection to the page's own server.
    """
    style = _player("player.css", "live.css")
    script = _player("player.js", "plots.js", _drawing(scene), "live.js", "controls.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hashed(script)}",
            f"style-src {_hashed(style)}",
            "img-src data: blob:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    described = {**_said(scene, title, 0, [(0.0, 1.0)] * (1 + len(scene.signals))), "reach": [_rounded(each) for each in reach_of(scene)]}
    beside = f'\n<script type="application/json" id="run">{_json(run)}</script>\n<link rel="icon" href="data:,">\n'
    return _filled(title, STYLE=style, SCENE=_json(described), DATA="", SCRIPT=script, POLICY=policy, RUN=beside), policy


def _player(*names: str) -> str:
    folder = files("coupling.pictures") / "player"
    return "".join((folder / name).read_text() for name in names)


def _drawing(scene: Scene) -> str:
    return "space.js" if scene.dimension == 3 else "plane.js"


def _filled(title: str, **parts: str) -> str:
    """Returns the page with its parts in their places."""
    parts["TITLE"] = escape(title)
    first, *rest = _player("player.html").split("@@")
    return first + "".join(parts.get(text, "" if text == "RUN" else text) for text in rest)


def _hashed(text: str) -> str:
    """Returns the source of a policy that allows one text, which begins with the end of a line in the page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(f'{_NEW_LINE}{text}'.encode()).digest()).decode()}'"


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
        "shapes": _rounded([{**each, "e": [1 + k for k in each["e"]]} if "e" in each else each for each in scene.shapes]),
        **({"magnify": scene.geometry.magnify} if any(each["kind"] in ELASTIC for each in scene.shapes) else {}),
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
