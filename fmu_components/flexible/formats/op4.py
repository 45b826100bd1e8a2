"""Matrices in the files of Nastran's OUTPUT4 (``.op4``), whose format is public."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fmu_components.flexible.formats.op4_binary import order_of, read_binary
from fmu_components.flexible.formats.op4_text import read_text
from fmu_components.flexible.given import MeshError


def read_op4(path: Path) -> dict[str, Any]:
    """Returns the sparse matrices of a file by their names. A damaged file raises MeshError."""
    try:
        with path.open("rb") as file:
            order = order_of(file.read(4))
        found: dict[str, Any] = {}
        for matrix in read_text(path) if order is None else read_binary(path, order):
            if matrix.name in found:
                raise MeshError(f"'{path}' has two matrices '{matrix.name}'; export each once")
            found[matrix.name] = matrix.matrix()
    except OSError as error:
        raise MeshError(f"'{path}' cannot be read: {error.strerror}; give the .op4 file of a mesh") from None
    return found
