"""Meshes of Nastran: GRID cards in all fields, and a body that is the same from op4 matrices as from its arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fmu_components.flexible.formats.grid import read_grid
from jourdain import MeshError, read_mesh
from tests.support.flexible.meshes import beams, brick
from tests.support.flexible.nastran import write_grid, write_op4


@pytest.mark.parametrize(("fields", "tolerance"), [("free", 0.0), ("small", 6e-5), ("large", 1e-9)])
def test_nodes_come_back_in_all_fields(fields: str, tolerance: float, tmp_path: Path) -> None:
    _, _, nodes = brick(counts=(3, 2, 2))
    labels, found = read_grid(write_grid(tmp_path / "bar.bdf", nodes, fields=fields, first=10))
    assert labels.tolist() == list(range(10, 22))
    assert np.abs(found - nodes).max() <= tolerance


def test_numbers_without_letter_tabs_comments_and_order(tmp_path: Path) -> None:
    (tmp_path / "a.bdf").write_text(
        "$ GRID,9,,1.,2.,3.\nGRDSET\t\t0\ngrid\t20\t\t1.5-3\t-2.+1\t7\t$ far\nGRID*,3,,1.D0,.5E1\n*,-4\nGRID*   5\nFORCE,1,3,0,1.\n"
    )
    labels, nodes = read_grid(tmp_path / "a.bdf")
    assert labels.tolist() == [3, 5, 20]
    assert nodes.tolist() == [[1.0, 5.0, -4.0], [0.0, 0.0, 0.0], [1.5e-3, -20.0, 7.0]]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "GRID,1,2,0.,0.,0.",
            ", line 1: a GRID card has CP = 2; give the nodes in the basic system, number 0, with displacements along it",
        ),
        (
            "\nGRID,1,,0.,0.,0.,4",
            ", line 2: a GRID card has CD = 4; give the nodes in the basic system, number 0, with displacements along it",
        ),
        ("GRDSET,,3", ", line 1: a GRDSET card has CP = 3; give the nodes in the basic system, number 0, with displacements along it"),
        ("GRID,a,,0.,0.,0.", ", line 1: the node 'a' has no whole number of at most 8 digits"),
        ("GRID,1,,0.,east,0.", ", line 1: the coordinate 'east' of node 1 is no number"),
        ("GRID,1\nGRID,1", ", line 2: node 1 is there twice; give each once"),
        ("INCLUDE 'mesh.bdf'", " has no GRID card; give the file that holds the nodes itself, not one that includes it"),
    ],
)
def test_other_nodes_are_refused(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "a.bdf").write_text(text)
    with pytest.raises(MeshError) as caught:
        read_grid(tmp_path / "a.bdf")
    assert str(caught.value) == f"'{tmp_path / 'a.bdf'}'{sentence}"


def test_solids_lose_the_turns_of_their_nodes(tmp_path: Path) -> None:
    """Nastran has six degrees of freedom for each node; a solid has stiffness in three of them."""
    K, M, nodes = brick(counts=(3, 2, 2))
    moves = np.flatnonzero(np.arange(6 * len(nodes)) % 6 < 3)
    wide = {name: np.zeros((72, 72)) for name in ("KGG", "MGG")}
    wide["KGG"][np.ix_(moves, moves)], wide["MGG"][np.ix_(moves, moves)] = K, M
    bulk = write_grid(tmp_path / "bar.bdf", nodes, fields="free")
    mesh = read_mesh(write_op4(tmp_path / "bar.op4", wide, layout="bigmat"), nodes=bulk)
    assert (mesh.K.toarray() == K).all() and (mesh.M.toarray() == M).all() and (mesh.nodes == nodes).all()
    assert mesh.rows([1, 12]) == [0, 11]


def test_beams_keep_their_turns_and_matrices_have_names(tmp_path: Path) -> None:
    nodes = np.array([[0.0, 0, 0], [0.5, 0, 0], [1.0, 0, 0]])
    K, M, _ = beams(nodes, bending=(1.0, 2.0), axial=1e3, torsion=1.0)
    bulk = write_grid(tmp_path / "bar.bdf", nodes)
    path = write_op4(tmp_path / "bar.op4", {"K2": K, "KGG": K, "MGG": M}, text=True)
    mesh = read_mesh(path, nodes=bulk, matrices=("kgg", "MGG"))
    assert (mesh.K.toarray() == K).all()
    with pytest.raises(MeshError, match="has 2 matrices that begin with K for the stiffness; it holds K2, KGG, MGG: name two of them"):
        read_mesh(path, nodes=bulk)
    with pytest.raises(MeshError, match="has no matrix 'MAA' for the mass; it holds K2, KGG, MGG: name two of them"):
        read_mesh(path, nodes=bulk, matrices=("KGG", "MAA"))


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = write_op4(tmp_path / "bar.op4", {"KGG": np.eye(12), "MGG": np.eye(12)})
    with pytest.raises(MeshError, match=r"bar\.op4' has no nodes; give the file with the GRID cards too, such as nodes='bar\.bdf'"):
        read_mesh(path)
    bulk = write_grid(tmp_path / "bar.bdf", np.eye(3))
    with pytest.raises(
        MeshError, match=r"has matrices of 12 by 12 and 12 by 12, but the 3 nodes of .* have 18 degrees of freedom: export those of all"
    ):
        read_mesh(path, nodes=bulk)
    with pytest.raises(MeshError, match=r"nodes is .*bar\.bdf'\), but .*bar\.npz' has them itself: leave nodes out"):
        read_mesh(tmp_path / "bar.npz", nodes=bulk)
    with pytest.raises(
        MeshError, match=r"none\.bdf' cannot be read: No such file or directory; give the file with the GRID cards of the mesh"
    ):
        read_mesh(path, nodes=tmp_path / "none.bdf")
