"""Results as OMEdit, Dymola and OMSimulator write and read them: MATLAB's files of version 4, in the layout of Modelica tools."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from coupling.exact import as_numbers, is_text
from coupling.record import Record

_DOUBLE, _INTEGER, _TEXT = 0, 20, 51
_TYPES = {_DOUBLE: "<f8", _INTEGER: "<i4", _TEXT: "u1"}
_KIND = ("Atrajectory", "1.1", "", "binTrans")
"""Layout of the file: a trajectory, its version, and one row of a matrix for each variable. The matrix is written column by column."""
_CONSTANT, _VARIABLE = 1, 2
"""Numbers of the matrices that hold the values of a name: ``data_1`` or ``data_2``."""


def write(path: Path, record: Record) -> None:
    """Writes parameters with their values, and all columns of numbers over time; columns that are equal to the bit share a row."""
    time, last = np.ascontiguousarray(record.rows[:, 0]), max(0, len(record.rows) - 1)
    names, texts, places = ["time"], ["Simulation time [s]"], [(0, 1, 0, -1)]
    constants = [time[[0, last]] if len(time) else np.zeros(2)]
    for name, each in record.constants.items():
        value = record.start_values.get(name, each.value)
        constants.append(np.full(2, float(value)))
        names.append(name)
        texts.append(_described(each.description, each.unit))
        places.append((_CONSTANT, len(constants), 0, 0))
    rows: list[np.ndarray] = [time]
    known: dict[bytes, int] = {}
    for i, column in enumerate(record.columns, 1):
        if column.name in record.constants or is_text(column):
            continue
        values = np.ascontiguousarray(as_numbers(column, record.rows[:, i], record.texts))
        place = known.setdefault(values.tobytes(), len(rows) + 1)
        if place > len(rows):
            rows.append(values)
        names.append(column.name)
        texts.append(_described(column.description, column.unit))
        places.append((_VARIABLE, place, 0, -1))
    with path.open("wb") as file:
        _put(file, "Aclass", _lines(_KIND, b" "), _TEXT)
        _put(file, "name", _lines(names, b"\0").T, _TEXT)
        _put(file, "description", _lines(texts, b"\0").T, _TEXT)
        _put(file, "dataInfo", np.array(places).T, _INTEGER)
        _put(file, "data_1", np.array(constants), _DOUBLE)
        _put(file, "data_2", np.array(rows), _DOUBLE)


def _described(text: str, unit: str) -> str:
    return " ".join(filter(None, (" ".join(text.split()), f"[{unit}]" if unit else "")))


def _lines(texts: Sequence[str], filling: bytes) -> np.ndarray:
    """Returns texts as rows of bytes of one length."""
    coded = [each.encode("utf-8", "replace") for each in texts]
    width = max(1, *map(len, coded))
    return np.frombuffer(b"".join(each.ljust(width, filling) for each in coded), "u1").reshape(len(coded), width)


def _put(file: BinaryIO, name: str, matrix: np.ndarray, kind: int) -> None:
    """Writes one matrix: its type, its size, its name, and its numbers column by column."""
    file.write(struct.pack("<5i", kind, *matrix.shape, 0, len(name) + 1) + name.encode() + b"\0")
    file.write(np.asarray(matrix, dtype=_TYPES[kind]).tobytes("F"))
