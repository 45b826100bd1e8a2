"""Matrices of CalculiX: those of the same elements, assembled here, and sentences for damaged files."""

from __future__ import annotations

import re
import subprocess
from itertools import product
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from jourdain import MeshError, read_mesh
from tests.support.flexible.meshes import brick

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])


def _deck(nodes: np.ndarray, counts: tuple[int, int, int]) -> str:
    """Returns the input of CalculiX for the brick; its elements are C3D8, and its nodes have the numbers 10, 20, ..."""
    lines = [
        "** the brick of the tests",
        "*NODE, NSET=NALL",
        *(f"{10 * i}, {x!r}, {y!r}, {z!r}" for i, (x, y, z) in enumerate(nodes.tolist(), 1)),
    ]
    lines.append("*ELEMENT, TYPE=C3D8, ELSET=EALL")
    for number, cell in enumerate(product(*(range(count - 1) for count in counts)), 1):
        corners = np.ravel_multi_index(tuple((np.array(cell) + CORNERS).T), counts)
        lines.append(", ".join(map(str, [number, *(10 * (corners + 1))])))
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", "2.E6, 0.3", "*DENSITY", "1000.", "*SOLID SECTION, ELSET=EALL, MATERIAL=M"]
    return "\n".join([*lines, "*STEP", "*FREQUENCY, SOLVER=MATRIXSTORAGE", "*END STEP", ""])


# Needed since CalculiX is no package of Python: Debian's package calculix-ccx gives it.
@pytest.mark.skipif(which("ccx") is None, reason="CalculiX is not installed")
def test_calculix_assembles_the_same_brick(tmp_path: Path) -> None:
    counts = (5, 3, 3)
    K, M, nodes = brick(counts=counts)
    (tmp_path / "bar.inp").write_text(_deck(nodes, counts))
    subprocess.run(["ccx", "bar"], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    mesh = read_mesh(tmp_path / "bar.sti")
    assert mesh.rows([10, 450]) == [0, 44] and (mesh.nodes == nodes).all()
    for own, other in ((K, mesh.K), (M, mesh.M)):
        # The files have 14 digits.
        assert np.abs(other.toarray() - own).max() < 1e-12 * np.abs(own).max()


GOOD = {
    "inp": "*NODE\n1, 0., 0., 0.\n2, 1., , 2.5\n*STEP\n",
    "dof": "2.1\n2.2\n2.3\n1.1\n1.2\n1.3\n",
    "sti": "".join(f"{i} {i} {i}.5\n" for i in range(1, 7)) + "1 4 -2.0\n",
    "mas": "".join(f"{i} {i} 1.0\n" for i in range(1, 7)),
}


def _written(folder: Path, **changes: str | None) -> Path:
    for ending, text in (GOOD | changes).items():
        if text is not None:
            (folder / f"a.{ending}").write_text(text)
    return folder / "a.sti"


def test_rows_go_to_the_order_of_the_nodes(tmp_path: Path) -> None:
    mesh = read_mesh(_written(tmp_path))
    assert mesh.nodes.tolist() == [[0.0, 0.0, 0.0], [1.0, 0.0, 2.5]] and mesh.labels.tolist() == [1, 2]
    assert mesh.K.diagonal().tolist() == [4.5, 5.5, 6.5, 1.5, 2.5, 3.5]
    assert mesh.K[0, 3] == mesh.K[3, 0] == -2.0 and mesh.K.nnz == 8


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"sti": "1 1 2.0\n9 1 2.0\n"}, "a.sti', line 2: '9 1 2.0' is no entry of a matrix with 6 rows; run CalculiX again"),
        ({"mas": "1 1 heavy\n"}, "a.mas', line 1: '1 1 heavy' is no entry of a matrix with 6 rows; run CalculiX again"),
        ({"sti": "1 2 2.0\n2 1 2.0\n"}, "a.sti' has entries on both sides of the diagonal; give the files as CalculiX writes them"),
        ({"dof": "1.1\n1.4\n"}, "a.dof', line 2: '1.4' is no displacement of its own, such as 12.3; solid elements alone are read"),
        ({"dof": "1.1\n1.2\n1.3\n2.1\n"}, "a.dof' lacks a direction of the node 2: leave out all supports and ties of the body"),
        ({"dof": "3.1\n3.2\n3.3\n"}, "a.dof' has the node 3, which has no coordinates: give nodes='...', the .inp file of the run"),
        ({"inp": "*NODE\n1, 0., up\n"}, "a.inp', line 2: '1, 0., up' is no node; give a whole number and three coordinates"),
        (
            {"inp": "*SYSTEM\n1.,0.,0.\n"},
            "a.inp', line 1: *SYSTEM gives nodes other axes; give nodes and displacements along the global axes",
        ),
        ({"inp": "*INCLUDE, INPUT=b.inp\n"}, "a.inp' has no *NODE; give the file that holds the nodes itself, not one that includes it"),
        ({"mas": None}, "a.mas' cannot be read: No such file or directory; give the files .sti, .mas, .dof and .inp of a run"),
    ],
)
def test_damaged_files_are_refused_by_line(changes: dict[str, str | None], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(MeshError, match=re.escape(sentence)):
        read_mesh(_written(tmp_path, **changes))
