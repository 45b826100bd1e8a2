"""Appearance of an FMU: its own file that any tool can write, with names of its variables."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from coupling.fmus.errors import Source

PICTURE = "extra/org.jourdain.picture/picture.json"
MOST = 20_000
"""Greatest number of triangles of an elastic part."""


def read_picture(
    text: bytes | None, variables: Container[str], ports: Container[str], source: Source
) -> tuple[Mapping[str, Any] | None, list[str]]:
    """Returns the picture, and a note if it cannot be used. An FMU works without its picture."""
    if text is None:
        return None, []
    try:
        said = json.loads(text)
        odd = _odd(said, variables, ports)
    except (ValueError, KeyError, TypeError, AttributeError):
        odd = "is not as this version of Jourdain expects"
    if odd:
        return None, [f"'{source.path}' has the picture {PICTURE}, which {odd}; it is ignored"]
    return MappingProxyType(said), []


def _odd(said: Any, variables: Container[str], ports: Container[str]) -> str:
    """Returns the fault of a picture as text; empty if it has none."""
    if said["version"] != 1:
        return f"is of version {said['version']}, and this Jourdain reads version 1"
    named_ports = [
        *(port for word in said["words"] for port in word["ports"]),
        *said.get("points", ()),
        *filter(None, [said.get("origin")]),
    ]
    missing = next((port for port in named_ports if port not in ports), None)
    if missing is not None:
        return f"names the port '{missing}', which does not exist"
    lost = next((name for name in _names(said) if name not in variables), None)
    if lost is not None:
        return f"names the variable '{lost}', which does not exist"
    return next(filter(None, (_unfit(word) for word in _words(said) if word["kind"] == "elastic")), "")


def _words(said: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*said["words"], *said.get("inside", {}).get("words", ())]


def _unfit(word: Mapping[str, Any]) -> str:
    """Returns the fault of an elastic part whose numbers do not fit each other; empty if it has none."""
    given = word["deformed"]
    nodes, shapes = (np.array(given[each], float) for each in ("nodes", "shapes"))
    corners = [each for row in (*given["triangles"], *given["lines"]) for each in row]
    if len(given["triangles"]) > MOST:
        return f"has an elastic part of {len(given['triangles'])} triangles; give at most {MOST}"
    if nodes.shape[1:] != (3,) or shapes.shape != (len(word["amplitudes"]), *nodes.shape) or not np.isfinite(nodes).all():
        return "has an elastic part whose nodes, shapes and amplitudes do not fit each other"
    whole = all(len(each) == 3 for each in given["triangles"]) and all(type(each) is int and 0 <= each < len(nodes) for each in corners)
    if not np.isfinite(shapes).all() or not whole:
        return "has an elastic part with a number of a node that does not exist"
    return ""


def _names(said: Mapping[str, Any]) -> Iterator[str]:
    """Yields the variables that the picture names."""
    yield from said.get("pose", ())
    yield from said.get("centre", ())
    for point in said.get("points", {}).values():
        for value in point.values():
            yield from [value] if isinstance(value, str) else value
    inside = said.get("inside", {})
    for frame in inside.get("frames", ()):
        yield from (*frame["pose"], *(value for value in frame.get("centre", ()) if isinstance(value, str)))
    for place in inside.get("places", {}).values():
        values = (each for key, each in place.items() if key != "frame")
        yield from (name for each in values for name in (each if isinstance(each, list) else [each]) if isinstance(name, str))
    yield from (name for each in inside.get("forces", ()) for name in each["force"])
    for word in _words(said):
        yield from (value for key, value in word.items() if key not in ("kind", "ports", "of") and isinstance(value, str))
        yield from word.get("amplitudes", ())
