"""Matrices of OUTPUT4: all layouts come back as they were, and damaged files are refused by line or byte without memory for what they do not hold."""

from __future__ import annotations

import re
import struct
import tracemalloc
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from fmu_components.flexible.formats.op4 import read_op4
from jourdain import MeshError
from tests.support.flexible.nastran import write_op4

LAYOUTS = ("dense", "sparse", "bigmat")
BINARY = [{"layout": layout, "order": order, "word": word} for layout, order, word in product(LAYOUTS, "<>", (4, 8))]
TEXT = [{"layout": layout, "text": True, "marker": marker} for layout, marker in product(LAYOUTS, "ED")]


@pytest.fixture
def matrices() -> dict[str, NDArray[np.float64]]:
    """Gives two matrices with zeros between their entries, the second with an empty column."""
    rng = np.random.default_rng(3)
    K = rng.standard_normal((11, 11)) * (rng.random((11, 11)) < 0.6)
    M = K @ K.T
    M[4] = M[:, 4] = 0
    return {"KGG": K, "MGG": M}


@pytest.mark.parametrize("double", [True, False])
def test_all_layouts_come_back(double: bool, matrices: dict[str, Any], tmp_path: Path) -> None:
    for options in BINARY + TEXT:
        found = read_op4(write_op4(tmp_path / "k.op4", matrices, double=double, **options))
        assert list(found) == ["KGG", "MGG"]
        # A word of 8 bytes holds a double in both precisions, and so does the text.
        exact = double or options.get("word") == 8 or "text" in options
        for name, matrix in matrices.items():
            expected = matrix if exact else matrix.astype(np.float32)
            assert (found[name].toarray() == expected).all(), options


def _refused(path: Path) -> str:
    with pytest.raises(MeshError) as caught:
        read_op4(path)
    return str(caught.value)


@pytest.mark.parametrize("options", [{}, {"layout": "bigmat"}, {"layout": "sparse"}, {"text": True}, {"text": True, "layout": "sparse"}])
def test_files_that_end_early_are_refused(options: dict[str, Any], matrices: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "k.op4"
    whole = write_op4(path, {"KGG": matrices["KGG"]}, **options).read_bytes()
    for length in range(30, len(whole) - 30, 97):
        path.write_bytes(whole[:length])
        assert re.search(r"is damaged (at byte|in line) \d+: ", _refused(path))


def test_damaged_bytes_never_give_another_error(matrices: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    path = tmp_path / "k.op4"
    for options in (BINARY[0], BINARY[4], BINARY[8], TEXT[0], TEXT[2], TEXT[4]):
        whole = bytearray(write_op4(path, matrices, **options).read_bytes())
        refused = 0
        for _ in range(60):
            damaged = bytearray(whole)
            damaged[rng.integers(0, 60 if rng.random() < 0.3 else len(whole))] = rng.integers(0, 256)
            path.write_bytes(damaged)
            try:
                read_op4(path)
            except MeshError:
                refused += 1
        assert refused > 3, options


def _binary(*records: bytes) -> bytes:
    return b"".join(struct.pack("<i", len(each)) + each + struct.pack("<i", len(each)) for each in records)


HEAD = struct.pack("<4i", 2, 2, 2, 2) + b"KGG     "
SENTENCES = [
    (_binary(HEAD), "is damaged at byte 0: the file ends inside the matrix 'KGG'; export it again"),
    (_binary(HEAD)[:-4] + b"\1\0\0\0", "is damaged at byte 0: a record of 24 bytes ends with another length; export it again"),
    (_binary(HEAD, b"abc"), "is damaged at byte 32: a column of 3 bytes is too short; export it again"),
    (_binary(HEAD, struct.pack("<3i", 1, 1, 9)), "is damaged at byte 32: column 1 announces 9 words and has 0; export it again"),
    (
        _binary(HEAD, struct.pack("<3id", 1, 2, 2, 5.0), struct.pack("<3id", 1, 1, 2, 5.0)),
        "is damaged at byte 60: column 1, row 1 of 'KGG' follows column 1, row 2; export it again",
    ),
    (
        _binary(HEAD, struct.pack("<3idd", 1, 2, 4, 5.0, 6.0)),
        "is damaged at byte 32: the rows 2 to 3 are not in the matrix 'KGG' of 2 rows; export it again",
    ),
    (_binary(struct.pack("<4i", 2, 2, 2, 4) + b"KGG     "), "is damaged at byte 0: the matrix 'KGG' is complex, but only real ones are read; export it again"),
    (_binary(struct.pack("<4i", 2, 2, 2, 7) + b"KGG     "), "is damaged at byte 0: 2 columns, 2 rows and type 7 are no header of a matrix; export it again"),
    (
        _binary(struct.pack("<4i", 2, -2, 2, 2) + b"KGG     ", struct.pack("<5i", 1, 0, 2, 900, 1)),
        "is damaged at byte 32: a string of column 1 announces 899 words, but 0 are left; export it again",
    ),
    (b"no matrix at all\n", "is damaged in line 1: 'no matrix at all' does not begin with 4 whole numbers of 8 characters each; export it again"),
    (
        b"       2       2       2       2KGG     1P,3E23.16\n       1       1       2\n    1.5  x 2.5\n",
        "is damaged in line 3: '1.5  x 2.5' is no number; export it again",
    ),
    (
        b"       2       2       2       2KGG     1P,3E23.16\n       1       0       3\n  abc\n",
        "is damaged in line 3: 'abc' is no whole number; export it again",
    ),
    (
        b"       2       2       2       2KGG     1P,3E23.16\n       1       1    9999\n",
        "is damaged in line 2: 9999 values are more than the 2 rows of the matrix 'KGG'; export it again",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("content", "sentence"), SENTENCES, ids=[str(i) for i in range(len(SENTENCES))])
def test_damage_is_named_with_its_place(content: bytes, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "k.op4").write_bytes(content)
    assert _refused(tmp_path / "k.op4") == f"'{tmp_path / 'k.op4'}' {sentence}"


def test_a_matrix_that_is_there_twice_and_a_file_that_is_not(matrices: dict[str, Any], tmp_path: Path) -> None:
    path = write_op4(tmp_path / "k.op4", matrices)
    path.write_bytes(path.read_bytes() * 2)
    assert "has two matrices 'KGG'; export each once" in _refused(path)
    assert "cannot be read: No such file or directory; give the .op4 file of a mesh" in _refused(tmp_path / "none.op4")


def test_huge_sizes_in_a_header_take_no_memory(tmp_path: Path) -> None:
    huge = struct.pack("<4i", 2**31 - 2, -(2**31 - 1), 2, 2) + b"KGG     "
    (tmp_path / "k.op4").write_bytes(_binary(huge, struct.pack("<3id", 2**31 - 1, 1, 2, 1.0)))
    tracemalloc.start()
    found = read_op4(tmp_path / "k.op4")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found["KGG"].shape == (2**31 - 1, 2**31 - 2) and peak < 2e5
