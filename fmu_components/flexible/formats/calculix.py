"""Meshes of CalculiX: the matrices of ``*FREQUENCY, SOLVER=MATRIXSTORAGE`` with the nodes of the ``.inp`` file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from fmu_components.flexible.formats.mesh_file import MeshFile
from fmu_components.flexible.formats.real import real
from fmu_components.flexible.given import MeshError

_DIRECTIONS = 3


def read_calculix(path: Path, nodes: Path | None) -> MeshFile:
    """Returns the mesh of the files ``.sti``, ``.mas`` and ``.dof`` beside ``path``; the nodes are those of the ``.inp`` file there by default."""
    places = _nodes(nodes or path.with_suffix(".inp"))
    order, labels = _degrees(path.with_suffix(".dof"))
    missing = next((label for label in labels if label not in places), None)
    if missing is not None:
        raise MeshError(
            f"'{path.with_suffix('.dof')}' has the node {missing}, which has no coordinates: give nodes='...', the .inp file of the run"
        )
    K, M = (_matrix(path.with_suffix(ending), len(order))[order][:, order] for ending in (".sti", ".mas"))
    return MeshFile(K, M, np.array([places[label] for label in labels]), np.array(labels, np.int64))


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Returns the lines that are not empty, each after its place in words."""
    try:
        with path.open(encoding="latin-1") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield f"'{path}', line {number}", line.strip()
    except OSError as error:
        raise MeshError(
            f"'{path}' cannot be read: {error.strerror}; give the files .sti, .mas, .dof and .inp of a run with *FREQUENCY, SOLVER=MATRIXSTORAGE"
        ) from None


def _whole(text: str) -> int:
    """Returns a number of at most 9 digits, or 0."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _nodes(path: Path) -> dict[int, list[float]]:
    """Returns coordinates by node."""
    found: dict[int, list[float]] = {}
    inside = False
    for place, line in _lines(path):
        if line.startswith("**"):
            continue
        if line.startswith("*"):
            keyword = line.split(",")[0].replace(" ", "").upper()
            inside = keyword == "*NODE"
            if keyword in ("*SYSTEM", "*TRANSFORM"):
                raise MeshError(f"{place}: {keyword} gives nodes other axes; give nodes and displacements along the global axes")
        elif inside:
            label, *texts = line.split(",")
            values = [real(text) if text.strip() else 0.0 for text in [*texts, "", "", ""][:3]]
            if not _whole(label) or None in values:
                raise MeshError(f"{place}: '{line[:40]}' is no node; give a whole number and three coordinates")
            found[_whole(label)] = [value for value in values if value is not None]
    if not found:
        raise MeshError(f"'{path}' has no *NODE; give the file that holds the nodes itself, not one that includes it")
    return found


def _degrees(path: Path) -> tuple[list[int], list[int]]:
    """Returns the rows of the matrices by node and direction, and the nodes in increasing order."""
    rows: dict[tuple[int, int], int] = {}
    for place, line in _lines(path):
        node, _, direction = line.partition(".")
        key = _whole(node), _whole(direction)
        if not key[0] or not 1 <= key[1] <= _DIRECTIONS or key in rows:
            raise MeshError(f"{place}: '{line[:40]}' is no displacement of its own, such as 12.3; solid elements alone are read")
        rows[key] = len(rows)
    labels = sorted({node for node, _ in rows})
    order = [rows.get((node, direction), -1) for node in labels for direction in range(1, _DIRECTIONS + 1)]
    if -1 in order or not order:
        held = labels[order.index(-1) // _DIRECTIONS] if order else "each"
        raise MeshError(f"'{path}' lacks a direction of the node {held}: leave out all supports and ties of the body")
    return order, labels


def _matrix(path: Path, size: int) -> Any:
    """Returns the symmetric matrix of a file with one triangle of it."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for place, line in _lines(path):
        fields = [*line.split(maxsplit=3), "", "", ""]
        row, column, value = _whole(fields[0]), _whole(fields[1]), real(fields[2])
        if value is None or fields[3] or not (1 <= row <= size and 1 <= column <= size):
            raise MeshError(f"{place}: '{line[:40]}' is no entry of a matrix with {size} rows; run CalculiX again")
        rows.append(row - 1)
        columns.append(column - 1)
        values.append(value)
    half = sparse.coo_array((values, (rows, columns)), shape=(size, size)).tocsr()
    half.eliminate_zeros()
    if sparse.triu(half, 1).nnz and sparse.tril(half, -1).nnz:
        raise MeshError(f"'{path}' has entries on both sides of the diagonal; give the files as CalculiX writes them")
    return (half + half.T - sparse.diags_array(half.diagonal())).tocsr()
