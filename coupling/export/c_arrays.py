"""Tables of numbers in generated C."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np


def row(values: Iterable[int]) -> str:
    return "{" + ", ".join(map(str, values)) + "}"


def array(head: str, items: Iterable[str], empty: str = "0") -> str:
    listed: Sequence[str] = list(items)
    if not listed:
        return f"{head}[] = {{{empty}}};"
    lines, line = [], ""
    for item in listed:
        if len(line) + len(item) > 140:
            lines.append(line)
            line = ""
        line += f"{item}, "
    lines.append(line)
    return f"{head}[] = {{\n    " + "\n    ".join(each.rstrip() for each in lines) + "\n};"


def literal(head: str, content: bytes) -> str:
    """Returns bytes as a string, which compilers read three times as fast as an array of numbers; a 0 follows them."""
    lines = ("".join([_SPELLED[each] for each in content[first : first + 64]]) for first in range(0, max(len(content), 1), 64))
    return f"{head}[] =\n    " + "\n    ".join(f'"{line}"' for line in lines) + ";"


_SPELLED = [chr(each) if 32 <= each < 127 and chr(each) not in '"\\?0123456789' else f"\\{each:o}" for each in range(256)]
"""Escapes of characters, digits and question marks included: a digit after an escape would become a part of it, and ?? begins a
trigraph."""


def packed(numbers: np.ndarray) -> np.ndarray:
    """Returns rows of whole numbers as bytes: each as its difference from the one above it, seven bits a byte; see
    ``embedded/unpacked.c``."""
    rows = np.atleast_2d(numbers.astype(np.int64).T).T
    differences = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.int64)).ravel()
    differences = (differences + 2**31) % 2**32 - 2**31  # as whole numbers of 32 bits have it
    left = np.where(differences < 0, -2 * differences - 1, 2 * differences)
    lengths = 1 + sum((left >= 1 << bits for bits in (7, 14, 21, 28)), start=np.zeros(len(left), int))
    place = np.cumsum(lengths) - lengths
    found = np.zeros(lengths.sum(), np.uint8)
    for step in range(lengths.max(initial=0)):
        there = lengths > step
        found[place[there] + step] = (left[there] & 127) | np.where(lengths[there] > step + 1, 128, 0)
        left >>= 7
    return found
