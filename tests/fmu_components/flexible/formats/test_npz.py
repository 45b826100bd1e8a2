"""Files of meshes, and matrices of scikit-fem."""

from __future__ import annotations

import os
import pickle
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from jourdain import MeshError, read_mesh, write_mesh
from tests.support.flexible.meshes import brick
from tests.support.flexible.surfaces import skin


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_mesh_comes_back_as_it_was(kind: Any, tmp_path: Path) -> None:
    K, M, nodes = brick(counts=(3, 2, 2))
    path = write_mesh(tmp_path / "bar", kind(K), kind(M), nodes, labels=range(10, 130, 10))
    mesh = read_mesh(path)
    assert path.name == "bar.npz" and mesh.rows([20, 120]) == [1, 11]
    assert (mesh.K.toarray() == K).all() and (mesh.M.toarray() == M).all() and (mesh.nodes == nodes).all()
    with pytest.raises(MeshError, match=re.escape("the mesh has no node 11; its 12 nodes have numbers from 10 to 120")):
        mesh.rows(11)


def test_triangles_come_back_as_they_were(tmp_path: Path) -> None:
    K, M, nodes = brick(counts=(3, 2, 2))
    triangles = skin((3, 2, 2))
    assert read_mesh(write_mesh(tmp_path / "bar", K, M, nodes)).triangles is None
    assert read_mesh(write_mesh(tmp_path / "bar", K, M, nodes, triangles=triangles)).triangles.tolist() == triangles


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
        (
            {"nodes": np.array([{}], dtype=object)},
            r"the array 'nodes' of .* has the shape \(1,\) and the type object; it must be a row of three",
        ),
        ({"K": np.eye(9), "M": np.eye(9), "nodes": np.eye(3), "labels": [1, 2, np.nan]}, "has labels that are no whole numbers"),
        (
            {"K": np.eye(9), "M": np.eye(9), "nodes": np.eye(3), "triangles": [[0, 1, 1.5]]},
            "has triangles that are no whole numbers; number the nodes",
        ),
        (
            {"K": np.eye(9), "M": np.eye(9), "nodes": np.eye(3), "triangles": [0, 1, 2]},
            r"the array 'triangles' of .* has the shape \(3,\) .* it must be a row of three nodes for each triangle",
        ),
        (
            {"K": np.eye(9), "M": np.eye(9), "nodes": np.eye(3), "labels": list("abc")},
            "and the type <U1; it must be a number for each node",
        ),
        ({"K": np.eye(19), "M": np.eye(9), "nodes": np.eye(3)}, r"shape \(19, 19\) .* a matrix with 3 or 6 rows for each of 3 nodes"),
        (
            {"K.row": [0], "K.column": [0], "K.value": [1.0], "K.rows": 10**12, "nodes": np.eye(3)},
            "1000000000000 rows, and 3 nodes make at most 18",
        ),
        ({"K.row": [0], "K.column": [0], "K.value": [1.0], "K.rows": np.inf, "nodes": np.eye(3)}, "has inf rows"),
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
    with pytest.raises(MeshError, match="cannot be read as an"):
        read_mesh(tmp_path / "one.npy")
    with pytest.raises(MeshError, match="is a folder, a device or a pipe, and no file"):
        read_mesh(tmp_path)
    with pytest.raises(MeshError, match="7 is no path"):
        read_mesh(7)  # type: ignore[arg-type]


def _headed(shape: tuple[int, ...], dtype: str = "<f8", data: bytes = b"") -> bytes:
    """Returns an array in NumPy's format, whose header may say anything."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}}}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


class _Code:
    """An object whose reading would run code."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.remove, ("it ran",)


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        (_headed((10**18, 3)), "is not as long as its header says"),
        (_headed((-1, 3), data=bytes(72)), "is not as long as its header says"),
        (_headed((3, 3), data=bytes(71)), "is not as long as its header says"),
        (_headed((10**18, 0)), "must be a row of three numbers"),
        (_headed((1,), "|O", pickle.dumps([_Code()])), "the type object; it must be a row of three"),
        (pickle.dumps(_Code()), "is no array of numbers"),
        (b"\x93NUMPY\x01\x00\xff\xff" + b"-" * 65534 + b"1", "is no array of numbers"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{", "is no array of numbers"),
        (b"\x93NUMPY\x09\x00" + bytes(64), "is no array of numbers"),
    ],
)
def test_headers_that_lie_take_no_memory_and_run_no_code(nodes: bytes, sentence: str, tmp_path: Path) -> None:
    """Each array is checked by its header before it is read; arrays of other names are not read at all."""
    with zipfile.ZipFile(tmp_path / "bar.npz", "w") as archive:
        archive.writestr("nodes.npy", nodes)
        archive.writestr("other.npy", pickle.dumps(_Code()))
    with pytest.raises(MeshError, match=sentence):
        read_mesh(tmp_path / "bar.npz")


@pytest.mark.parametrize("place, value", [(8, 99), (6, 1)])
def test_archives_that_cannot_be_unpacked(place: int, value: int, tmp_path: Path) -> None:
    """The method of compression is unknown, or the file is encrypted."""
    path = _written(tmp_path, nodes=np.eye(3))
    data = bytearray(path.read_bytes())
    data[place] = value
    data[data.index(b"PK\x01\x02") + place + 2] = value
    path.write_bytes(data)
    with pytest.raises(MeshError, match="cannot be read as an"):
        read_mesh(path)


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
