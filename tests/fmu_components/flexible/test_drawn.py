"""The deformed shape in the FMU: its nodes are where the port of the running body is."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jourdain import MeshError, Patch, System, cached_fmu, flexible_body
from tests.support.flexible.meshes import brick

TRIANGLES = [[0, 1, 3], [0, 3, 2]]


@pytest.mark.slow
def test_the_file_places_a_node_where_the_run_has_it() -> None:
    K, M, nodes = brick(counts=(3, 2, 2))
    made = flexible_body(K, M, nodes, {"a": 11}, name="Bar", basis="free", shapes=2, triangles=TRIANGLES)
    with zipfile.ZipFile(cached_fmu(made, 3)) as archive:
        said = json.loads(archive.read("resources/flexible.json"))
    assert said["triangles"] == TRIANGLES and said["frame"] == "mean frame"
    assert said["frequencies"] == pytest.approx(made.data.frequencies * made.data.first, rel=1e-6)
    system = System("bar")
    system.add("b", made, {"gz": 0.0, "omegax": 2.0, "omegay": 3.0, "omegaz": 4.0, "x": 0.5, "shape[1]": 0.02, "shape[2]": -0.01})
    run = system.simulate(0.3)
    e = [run[f"b.shape[{k}]"][-1] for k in (1, 2)]
    local = np.array(said["nodes"][11]) + np.einsum("k,ka->a", e, np.array(said["shapes"])[:, 11])
    turn = Rotation.from_quat([run[f"b.q{k}"][-1] for k in (1, 2, 3, 0)])
    place = [run[f"b.{axis}"][-1] for axis in "xyz"] + turn.apply(local)
    assert [run[f"b.a.{axis}"][-1] for axis in "xyz"] == pytest.approx(place, abs=1e-7)
    assert np.abs(e).max() > 1e-3


def test_a_block_has_its_shapes_from_the_root() -> None:
    K, M, nodes = brick(counts=(3, 2, 2))
    root = [0, 1, 2, 3]
    made = flexible_body(K, M, nodes, {"P": Patch(root, rigid=True), "a": 11}, name="Bar", root="P", basis="free", shapes=2)
    ((name, content),) = made.resources
    said = json.loads(content)
    assert name == "flexible.json" and said["frame"] == "frame of the root" and said["triangles"] == []
    assert np.array(said["nodes"]) == pytest.approx(nodes - nodes[root].mean(axis=0), abs=1e-6)
    assert np.abs(np.array(said["shapes"])[:, root]).max() < 1e-9


@pytest.mark.parametrize(
    ("triangles", "sentence"),
    [
        ([[0, 1, 12]], "a triangle is at the node 12, which the mesh does not have: give whole numbers from 0 to 11"),
        ([[0, 1]], r"triangles has the shape \(1, 2\); give a row of three whole numbers of nodes for each"),
    ],
)
def test_other_triangles_are_refused(triangles: list[list[int]], sentence: str) -> None:
    K, M, nodes = brick(counts=(3, 2, 2))
    with pytest.raises(MeshError, match=sentence):
        flexible_body(K, M, nodes, {"a": 0}, triangles=triangles)
