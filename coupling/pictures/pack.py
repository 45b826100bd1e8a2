"""Columns of numbers as text: 20 bits of each range, second differences, byte planes, deflate, base64."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence

import numpy as np

_STEPS = (1 << 20) - 1
"""A step is a millionth of the range: a pixel at a thousandfold zoom."""


def pack(columns: Sequence[np.ndarray]) -> tuple[list[tuple[float, float]], str]:
    """Returns the least value and the step of each column, and the text; values that are not finite count as 0."""
    scales: list[tuple[float, float]] = []
    planes: list[list[bytes]] = [[], [], []]
    for column in columns:
        x = np.nan_to_num(np.asarray(column, float), posinf=0.0, neginf=0.0)
        low, high = float(x.min()), float(x.max())
        step = (high - low) / _STEPS or 1.0
        steps = np.round((x - low) / step).astype(np.int64)
        differences = np.diff(np.diff(steps, prepend=0), prepend=0)
        unsigned = (differences << 1) ^ (differences >> 63)  # small numbers of either sign become small ones without a sign
        scales.append((low, step))
        for i, plane in enumerate(planes):
            plane.append((unsigned >> 8 * i & 255).astype(np.uint8).tobytes())
    return scales, base64.b64encode(zlib.compress(b"".join(b"".join(plane) for plane in planes), 6)).decode()


def unpack(scales: Sequence[tuple[float, float]], text: str, rows: int) -> list[np.ndarray]:
    """Returns the columns as a page reads them."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8).reshape(3, len(scales), rows).astype(np.int64)
    unsigned = planes[0] | planes[1] << 8 | planes[2] << 16
    differences = (unsigned >> 1) ^ -(unsigned & 1)
    steps = differences.cumsum(axis=1).cumsum(axis=1)
    return [low + step * row for (low, step), row in zip(scales, steps, strict=True)]
