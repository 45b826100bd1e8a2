"""Tables of numbers in the sources of exported mechanisms."""

from __future__ import annotations

import ast
import random

import numpy as np
import pytest

from coupling.export.c_arrays import literal, packed

_LEAST, _MOST = -(2**31), 2**31 - 1


def unpacked(stored: list[int], columns: int) -> list[list[int]]:
    """Number by number, as the sentence in ``embedded/unpacked.c`` says."""
    above, found, row = [0] * columns, [], []
    number = shift = 0
    for byte in stored:
        number += (byte % 128) << shift
        shift += 7
        if byte < 128:
            difference = -(number + 1) // 2 if number % 2 else number // 2
            row.append((above[len(row)] + difference + 2**31) % 2**32 - 2**31)
            number = shift = 0
        if len(row) == columns:
            found.append(row)
            above, row = row, []
    assert (number, shift, row) == (0, 0, [])
    return found


@pytest.mark.parametrize(
    "rows",
    [
        [[0, -1, 5], [0, -1, 6], [1, -2, 1000000]],
        [[63, 64, -64, -65, 8191, 8192, -8192, -8193]],
        [[_LEAST, _MOST], [_MOST, _LEAST], [0, 0]],
        np.random.default_rng(1).integers(_LEAST, _MOST, (50, 7), endpoint=True).tolist(),
    ],
)
def test_rows_of_whole_numbers_are_told_by_bytes(rows):
    """The numbers are arbitrary, the least and the largest of 32 bits included; neighbours that are near take one byte each."""
    assert unpacked(packed(np.array(rows)).tolist(), len(rows[0])) == rows
    assert len(packed(np.arange(1000))) == 1000


def test_tables_without_rows_take_no_bytes():
    assert packed(np.zeros((0, 4), int)).tolist() == packed(np.zeros(0, int)).tolist() == []


@pytest.mark.parametrize("content", [b"", b"\0001", b'??=\\"\n', bytes(range(256)), random.Random(1).randbytes(3000)])
def test_a_string_says_its_bytes(content):
    """Python and C have the same escapes of bytes. The escape of question marks is checked apart, since Python has no trigraphs."""
    head, _, text = literal("char bytes", content).partition(" =")
    assert head == "char bytes[]" and "?" not in text
    assert ast.literal_eval("(" + text.strip().removesuffix(";").replace('"', 'b"', 1).replace('\n    "', '\n    b"') + ")") == content
