"""Nodes of Nastran's bulk data: ``GRID`` cards in free, small and large fields."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmu_components.flexible.formats.real import real
from fmu_components.flexible.given import MeshError
from fmu_components.flexible.mesh import Array


def read_grid(path: Path) -> tuple[NDArray[np.int64], Array]:
    """Returns the numbers of the nodes, in increasing order, and their coordinates. Other systems of coordinates raise MeshError."""
    found: dict[int, list[float]] = {}
    try:
        with path.open(encoding="latin-1") as file:
            for number, name, fields in _cards(file):
                _take(found, f"'{path}', line {number}", name, fields)
    except OSError as error:
        raise MeshError(f"'{path}' cannot be read: {error.strerror}; give the file with the GRID cards of the mesh") from None
    if not found:
        raise MeshError(f"'{path}' has no GRID card; give the file that holds the nodes itself, not one that includes it")
    labels = sorted(found)
    return np.array(labels, np.int64), np.array([found[label] for label in labels])


def _take(found: dict[int, list[float]], place: str, name: str, fields: list[str]) -> None:
    """Adds the node of a card, whose fields follow its name."""
    label, systems = fields[0], {"CP": fields[1], "CD": fields[5]}
    for field, system in systems.items():
        if system not in ("", "0"):
            raise MeshError(
                f"{place}: a {name} card has {field} = {system[:20]}; give the nodes in the basic system, number 0, with displacements along it"
            )
    if name == "GRDSET":
        return
    if not (label.isascii() and label.isdecimal() and 1 <= len(label) <= 8):
        raise MeshError(f"{place}: the node '{label[:20]}' has no whole number of at most 8 digits")
    values = [real(text) if text else 0.0 for text in fields[2:5]]
    for text, value in zip(fields[2:5], values, strict=True):
        if value is None:
            raise MeshError(f"{place}: the coordinate '{text[:20]}' of node {label} is no number")
    if int(label) in found:
        raise MeshError(f"{place}: node {label} is there twice; give each once")
    found[int(label)] = [value for value in values if value is not None]


def _cards(lines: Iterator[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Returns line, name and eight fields of the cards that nodes are on."""
    started: tuple[int, str, list[str]] | None = None
    for number, line in enumerate(lines, 1):
        text = line.split("$")[0].rstrip()
        if not text:
            continue
        free = "," in text
        head = (text.split(",")[0] if free else text.expandtabs(8)[:8]).strip().upper()
        if started is not None:
            # A card of large fields has its other half in the next line.
            first, name, fields = started
            yield first, name, [*fields, *(_fields(text, free, 4, 16) if head.startswith("*") else [""] * 4)]
            started = None
        if head in ("GRID*", "GRDSET*"):
            started = number, head[:-1], _fields(text, free, 4, 16)
        elif head in ("GRID", "GRDSET"):
            yield number, head, _fields(text, free, 8, 8)
    if started is not None:
        yield started[0], started[1], [*started[2], *[""] * 4]


def _fields(text: str, free: bool, count: int, width: int) -> list[str]:
    """Returns the fields of a line without the first and the last, which name and continue the card."""
    if free:
        cut = text.split(",")[1 : count + 1]
    else:
        text = text.expandtabs(8)
        cut = [text[8 + width * i : 8 + width * (i + 1)] for i in range(count)]
    return [each.strip() for each in [*cut, *[""] * (count - len(cut))]]
