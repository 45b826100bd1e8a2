"""Files of Nastran for the tests, by a writer that shares nothing with the reader: OUTPUT4 in all layouts, and GRID cards."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Runs = list[tuple[int, Array]]


def write_op4(
    path: Path,
    matrices: Mapping[str, Array],
    *,
    layout: str = "dense",
    text: bool = False,
    double: bool = True,
    order: str = "<",
    word: int = 4,
    marker: str = "E",
) -> Path:
    """Writes ``matrices``, whose ``layout`` is dense, sparse or bigmat; ``word`` has the bytes of a word of a binary file, 4 or 8."""
    parts: list[bytes] = []
    for name, matrix in matrices.items():
        rows, columns = matrix.shape
        header = (columns, -rows if layout == "bigmat" else rows, 2, 2 if double else 1)
        words = 2 if double and word == 4 else 1
        filled = [(j, list(_runs(matrix[:, j]))) for j in range(columns) if matrix[:, j].any()]
        if text:
            parts.append(_text(name, header, filled, layout, 2 if double else 1, marker))
            continue
        integer, real = {4: "i", 8: "q"}[word], "d" if words == 2 or word == 8 else "f"

        def record(content: bytes) -> None:
            parts.append(struct.pack(f"{order}i", len(content)) + content + struct.pack(f"{order}i", len(content)))

        record(struct.pack(f"{order}4{integer}", *header) + name.ljust(2 * word).encode())
        for j, runs in filled:
            content = b"".join(
                _head(row, len(run) * words, layout, order, integer) + run.astype(f"{order}{real}").tobytes()
                for row, run in _laid(runs, layout)
            )
            first = runs[0][0] + 1 if layout == "dense" else 0
            record(struct.pack(f"{order}3{integer}", j + 1, first, len(content) // word) + content)
        last = np.ones(1).astype(f"{order}{real}").tobytes()
        record(struct.pack(f"{order}3{integer}", columns + 1, 1, len(last) // word) + last)
    path.write_bytes(b"".join(parts))
    return path


def _runs(column: Array) -> Iterator[tuple[int, Array]]:
    """Returns successive entries that are not 0, with their first rows."""
    for filled, group in groupby(range(len(column)), lambda i: column[i] != 0):
        rows = list(group)
        if filled:
            yield rows[0], column[rows]


def _laid(runs: Runs, layout: str) -> Runs:
    """Returns the entries of a column as they are stored: a dense one from the first to the last that is not 0."""
    if layout != "dense":
        return runs
    first, (last, tail) = runs[0][0], runs[-1]
    whole = np.zeros(last + len(tail) - first)
    for row, run in runs:
        whole[row - first : row - first + len(run)] = run
    return [(first, whole)]


def _head(row: int, words: int, layout: str, order: str, integer: str) -> bytes:
    if layout == "dense":
        return b""
    if layout == "bigmat":
        return struct.pack(f"{order}2{integer}", words + 1, row + 1)
    return struct.pack(f"{order}{integer}", row + 1 + 65536 * (words + 1))


def _text(name: str, header: tuple[int, ...], filled: list[tuple[int, Runs]], layout: str, words: int, marker: str) -> bytes:
    lines = ["".join(f"{each:8d}" for each in header) + f"{name:8s}1P,3{marker}23.16"]
    for j, runs in filled:
        laid = _laid(runs, layout)
        heads = {"dense": 0, "sparse": 1, "bigmat": 2}[layout]
        count = len(laid[0][1]) if layout == "dense" else sum(heads + len(run) * words for _, run in laid)
        lines.append(f"{j + 1:8d}{laid[0][0] + 1 if layout == 'dense' else 0:8d}{count:8d}")
        for row, run in laid:
            if layout == "bigmat":
                lines.append(f"{len(run) * words + 1:8d}{row + 1:8d}")
            elif layout == "sparse":
                lines.append(f"{row + 1 + 65536 * (len(run) * words + 1):12d}")
            values = [f"{each:23.16E}".replace("E", marker) for each in run]
            lines += ["".join(values[i : i + 3]) for i in range(0, len(values), 3)]
    lines += [f"{header[0] + 1:8d}{1:8d}{1:8d}", f"{1:23.16E}"]
    return ("\n".join(lines) + "\n").encode()


def write_grid(path: Path, nodes: Array, *, fields: str = "small", first: int = 1) -> Path:
    """Writes GRID cards in ``fields`` of the kind free, small or large, among other cards; numbers rise from ``first`` by 1."""
    lines = ["SOL 103", "BEGIN BULK", "$ nodes", "CHEXA,1,1,1,2,3,4,5,6", ",7,8"]
    for label, node in enumerate(nodes, first):
        if fields == "free":
            lines.append(f"GRID,{label},,{','.join(repr(float(each)) for each in node)}")
        elif fields == "large":
            x, y, z = (f"{each:16.9E}" for each in node)
            lines += [f"GRID*   {label:16d}{0:16d}{x}{y}*", f"*       {z}{0:16d}"]
        else:
            lines.append(f"GRID    {label:8d}        " + "".join(f"{each:8.4f}" for each in node))
    path.write_text("\n".join([*lines, "ENDDATA", ""]))
    return path
