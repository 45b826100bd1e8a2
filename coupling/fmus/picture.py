"""Appearance of an FMU: its own file that any tool can write, with names of its variables."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from coupling.fmus.errors import Source

PICTURE = "extra/org.jourdain.picture/picture.json"


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
    return f"names the variable '{lost}', which does not exist" if lost is not None else ""


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
    for word in (*said["words"], *inside.get("words", ())):
        yield from (value for key, value in word.items() if key not in ("kind", "ports", "of") and isinstance(value, str))
