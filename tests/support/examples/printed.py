"""Output of examples: printed texts and files."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np


def number(pattern: str, text: str) -> float:
    """The number in the first group of a pattern."""
    found = re.search(pattern, text)
    assert found is not None, f"'{pattern}' is not in what was printed:\n{text}"
    return float(found.group(1))


def is_plot(path: Path) -> bool:
    return path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000


def columns(path: Path) -> dict[str, np.ndarray]:
    """A table by the names of its columns."""
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    return dict(zip(head, np.array(rows, dtype=float).T, strict=True))
