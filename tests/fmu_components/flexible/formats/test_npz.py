"""Files of meshes, and matrices of scikit-fem."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from jourdain import MeshError, read_mesh, write_mesh
from tests.support.flexible.meshes import brick


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_mesh_comes_back_as_it_was(kind: Any, tmp_path: Path) -> None:
    K, M, nodes = brick(counts=(3, 2, 2))
    path = write_mesh(tmp_path / "bar", kind(K), kind(M), nodes, labels=range(10, 130, 10))
    mesh = read_mesh(path)
    assert path.name == "bar.npz" and mesh.rows([20, 120]) == [1, 11]
    assert (mesh.K.toarray() == K).all() and (mesh.M.toarray() == M).all() and (mesh.nodes == nodes).all()
    with pytest.raises(MeshError, match=re.escape("the mesh has no node 11; its 12 nodes have numbers from 10 to 120")):
        mesh.rows(11)


def test_dense_arrays_by_their_names(tmp_path: Path) -> None:
    K, M, nodes = brick(counts=(3, 2, 2))
    np.savez(tmp_path / "bar.npz", K=K, M=M, nodes=nodes)
    mesh = read_mesh(tmp_path / "bar.npz")
    assert (mesh.K == K).all() and mesh.rows([0, 11]) == [0, 11]


def _written(folder: Path, **arrays: Any) -> Path:
    np.savez(folder / "bar.npz", **arrays)
    return folder / "bar.npz"


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"K": np.eye(6), "M": np.eye(6)}, "has the arrays K, M, but not 'nodes': save K, M and nodes"),
        ({"K": np.eye(6), "nodes": np.eye(3)}, "has the arrays K, nodes, but not 'M': save K, M and nodes"),
        (
            {"K": np.eye(6), "M": np.eye(6), "nodes": np.eye(3), "labels": [1, 1, 2]},
            "has 3 labels for 3 nodes, which are not one different number each",
        ),
        ({"nodes": np.array([{}], dtype=object)}, r"cannot be read as an \.npz file: Object arrays cannot be loaded"),
        (
            {"K.row": [7], "K.column": [0], "K.value": [1.0], "K.rows": 6, "nodes": np.eye(3)},
            "the entries of K in .* make no matrix",
        ),
    ],
)
def test_other_files_are_refused(arrays: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(MeshError, match=sentence):
        read_mesh(_written(tmp_path, **arrays))


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeshError, match=r"there is no file .*none\.npz'; give the \.npz file of a mesh"):
        read_mesh(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("K = 1")
    with pytest.raises(MeshError, match="cannot be read as an"):
        read_mesh(tmp_path / "text.npz")
    np.save(tmp_path / "one.npy", np.eye(3))
    with pytest.raises(MeshError, match="holds one array; give an"):
        read_mesh(tmp_path / "one.npy")


def test_scikit_fem_assembles_the_same_brick() -> None:
    """Its matrices go into ``flexible_body`` by the order of nodes that the guide shows."""
    skfem = pytest.importorskip("skfem", reason="scikit-fem is not installed")
    from skfem.helpers import dot
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    K, M, nodes = brick(counts=(4, 3, 3))
    lines = [np.linspace(-size / 2, size / 2, count) for size, count in zip((1.0, 0.1, 0.06), (4, 3, 3), strict=True)]
    mesh = skfem.MeshHex.init_tensor(*lines)
    points = mesh.p.copy()
    points[1] *= 1 - 0.4 * (points[0] + 0.5)
    points[2] *= 1 + 0.3 * (points[0] + 0.5)
    basis = skfem.Basis(skfem.MeshHex(points, mesh.t), skfem.ElementVector(skfem.ElementHex1()), intorder=3)
    order = basis.nodal_dofs.T.ravel()
    place = [int(np.argmin(np.linalg.norm(points.T - node, axis=1))) for node in nodes]
    rows = (3 * np.array(place)[:, None] + np.arange(3)).ravel()
    for own, form in ((K, linear_elasticity(*lame_parameters(2e6, 0.3))), (M, skfem.BilinearForm(lambda u, v, w: 1000 * dot(u, v)))):
        other = form.assemble(basis).toarray()[np.ix_(order, order)][np.ix_(rows, rows)]
        assert np.abs(other - own).max() < 1e-12 * np.abs(own).max()
