"""Shapes that users give to bodies."""

from __future__ import annotations

import json
import pickle
import struct
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from coupling import Result, System
from coupling.pictures.meshes import box as block
from coupling.pictures.meshes import extruded, is_closed, pack_mesh, ring, silhouette, unpack_mesh
from coupling.pictures.scene import scene_of
from coupling.pictures.shapes import bounds_of
from coupling.pictures.solids import box, cylinder, mesh, outline, sphere
from coupling.pictures.svg_path import polygons
from tests.support.systems.space import on_a_joint
from tests.support.systems.systems import pendulum, refusal

SQUARE = [(0.0, 0.0), (0.2, 0.0), (0.2, 0.1), (0.0, 0.1)]
RING = "M 0 0 H 4 V 4 H 0 Z m 1 1 h 2 v 2 h -2 z"
"""A square with a square hole."""


def area(rings: list[np.ndarray]) -> float:
    return sum(0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) for x, y in (np.array(each).T for each in rings))


def volume(points: np.ndarray, faces: np.ndarray) -> float:
    """Returns the volume of a closed surface, by the divergence theorem: positive where its triangles look outwards."""
    return float(np.linalg.det(points[faces]).sum() / 6)


def stl(points: np.ndarray, faces: np.ndarray) -> bytes:
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *points[face].ravel(), 0) for face in faces)
    return b"solid of numbers".ljust(80) + struct.pack("<I", len(faces)) + body


def as_text(points: np.ndarray, faces: np.ndarray) -> str:
    corners = ("".join(f"vertex {x} {y} {z}\n" for x, y, z in points[face]) for face in faces)
    return "solid block\n" + "".join(f"facet normal 0 0 0\nouter loop\n{each}endloop\nendfacet\n" for each in corners) + "endsolid block\n"


def test_a_shape_stands_in_place_of_the_body(tmp_path: Path) -> None:
    """The shape is drawn in the body's frame and colour, in the plane. A loaded result draws the same bytes, and a hidden body is not
    drawn."""
    system = pendulum()
    system.appearance("rod", SQUARE, "#D9772B")
    system.appearance("rod", [box(0.1, 0.3, at=(0.5, 0.0)), sphere(0.05)])
    result = system.simulate(0.5, output_interval=0.05)
    shapes = scene_of(result._record).shapes
    assert [shape["kind"] for shape in shapes] == ["outline"] * 3 + ["fixed", "pin", "centre", "inertia"]
    assert shapes[0]["rings"] == [[list(each) for each in SQUARE]] and shapes[0]["paint"] == "#d9772b" and "paint" not in shapes[1]
    assert np.ptp(shapes[1]["rings"][0], axis=0) == pytest.approx([0.1, 0.3])
    assert bounds_of(scene_of(result._record).geometry)[1][0] > 1.0  # the box reaches beyond the mass centre
    result.save(tmp_path / "run.jrd")
    pages = [each.animate(tmp_path / "page.html").read_bytes() for each in (result, Result.load(tmp_path / "run.jrd"))]
    assert pages[0] == pages[1] and str(tmp_path).encode() not in pages[0]
    picture = result.picture(0.0, tmp_path / "pose.svg").read_text()
    assert len([each for each in ElementTree.fromstring(picture).iter() if each.get("fill", "") == "#de8744"]) == 1
    hidden = pendulum()
    hidden.appearance("rod", None)
    kinds = [shape["kind"] for shape in scene_of(hidden.simulate(0.1, output_interval=0.05)._record).shapes]
    assert kinds == ["fixed", "pin"]


def test_a_hidden_block_hides_its_hinge() -> None:
    """The hinge of a visible block is drawn, that of a hidden one is not."""
    kinds = []
    for hidden in (False, True):
        system = System("arm")
        system.add("ground", "planar.Fixed")
        system.add("arm", "planar.RevoluteBody", {"C1.rx": 1.0})
        system.connect("ground.p1", "arm.P")
        if hidden:
            system.appearance("arm", None)
        kinds.append([shape["kind"] for shape in scene_of(system.simulate(0.1, output_interval=0.05)._record).shapes])
    assert "pin" in kinds[0] and kinds[1] == ["fixed"]


def test_shapes_in_space_are_closed_surfaces() -> None:
    """Their volumes are those of the solids, also of a plate with a hole; they are drawn as triangles on the body."""
    system = on_a_joint("Spherical", {"p1.rz": -0.5, "z": 0.5})
    system.appearance("top", [box(0.2, 0.3, 0.4), cylinder(0.1, 0.5, "x", (0, 0, 1)), sphere(0.2), outline(RING, 0.1, scale=0.1)])
    shapes = [each for each in scene_of(system.simulate(0.0)._record).shapes if each["kind"] == "mesh"]
    solids = [unpack_mesh(each) for each in shapes]
    assert all(is_closed(faces) for _, faces in (solids[0], solids[1], solids[2]))
    assert [volume(*each) for each in solids] == pytest.approx([0.024, np.pi * 0.005, 4 / 3 * np.pi * 0.008, 0.12 * 0.1], rel=0.03)
    assert np.ptp(solids[1][0], axis=0) == pytest.approx([0.5, 0.2, 0.2], abs=1e-4)
    assert shapes[1]["at"][1] == pytest.approx([0, 0, 1]) and not any(each["kind"] == "capsule" for each in shapes)


@pytest.mark.parametrize("kind", ["binary", "text", "obj"])
def test_meshes_of_files(tmp_path: Path, kind: str) -> None:
    """A block in each format: points are welded, and from above it is a rectangle."""
    points, faces = block((200.0, 100.0, 50.0), np.array([0.0, 0.0, 10.0]))
    file = tmp_path / ("block.obj" if kind == "obj" else "block.stl")
    if kind == "obj":
        lines = [*(f"v {x} {y} {z}" for x, y, z in points), *(f"f {a + 1}/7/2 {b - len(points)} {c + 1}//3" for a, b, c in faces)]
        file.write_text("# a block\n" + "\n".join(lines) + "\n")
    else:
        file.write_bytes(stl(points, faces) if kind == "binary" else as_text(points, faces).encode())
    said = mesh(file, 1e-3)
    found = unpack_mesh(said)
    assert len(found[0]) == 8 and len(found[1]) == 12 and volume(*found) == pytest.approx(0.2 * 0.1 * 0.05, rel=1e-3)
    system = pendulum()
    system.appearance("rod.p1", file)
    system.appearance("rod", said)
    file.unlink()  # what was read is not needed any more
    flat = [each["rings"] for each in scene_of(system.simulate(0.0)._record).shapes if each["kind"] == "outline"]
    assert area(flat[1]) == pytest.approx(0.02, rel=1e-2) and area(flat[0]) == pytest.approx(0.02e6, rel=1e-2)
    assert np.mean(flat[0][0], axis=0) == pytest.approx([-0.5, 0.0], abs=0.5)


def test_a_fine_mesh_is_made_coarser() -> None:
    """At most 20,000 of 80,000 triangles stay, and none is far from where it was."""
    turns = [ring(1.0 + 0.001 * k, 400) for k in range(101)]
    points = np.concatenate([np.column_stack([each, np.full(400, 0.02 * k)]) for k, each in enumerate(turns)])
    i, j = np.meshgrid(np.arange(100), np.arange(400), indexing="ij")
    a, b = (i * 400 + j).ravel(), (i * 400 + (j + 1) % 400).ravel()
    faces = np.concatenate([np.stack([a, b, b + 400], axis=1), np.stack([a, b + 400, a + 400], axis=1)])
    found = pack_mesh(points, faces)
    places, corners = unpack_mesh(found)
    assert 5_000 < len(corners) <= 20_000 and len(json.dumps(found)) < 150_000
    assert np.abs(np.hypot(*places[:, :2].T) - 1.05).max() < 0.09


def test_paths_of_svg() -> None:
    """Lines, curves and arcs, absolute and relative; holes turn the other way round."""
    assert polygons("M0,0 1,0 L1 1z") == [[(0, 0), (1, 0), (1, 1)]]
    assert polygons("m1-1.5h1v1H1Z") == [[(1, -1.5), (2, -1.5), (2, -0.5), (1, -0.5)]]
    disc = polygons("M 1 0 A 1 1 0 1 1 -1 0 A 1 1 0 0 1 1 0 Z")
    assert np.hypot(*np.array(disc[0]).T) == pytest.approx(1.0) and abs(area([np.array(disc[0])])) == pytest.approx(np.pi, rel=5e-3)
    leaf = np.array(polygons("M 0 0 C 0 1 1 1 1 0 S 2 -1 2 0 Q 1 -3 0 0 Z")[0])
    assert leaf[6] == pytest.approx([0.5, 0.75]) and leaf[18] == pytest.approx([1.5, -0.75]) and leaf[30] == pytest.approx([1.0, -1.5])
    points, faces = extruded([np.array(each) for each in polygons(RING)], 1.0, np.zeros(3))
    assert volume(points, faces) == pytest.approx(12.0)
    upper = faces[(points[faces][:, :, 2] > 0.4).all(axis=1)]
    assert area(silhouette(points[:, :2], upper)) == pytest.approx(12.0)


def test_shapes_belong_to_the_system(tmp_path: Path) -> None:
    """They are copied, pickled, included with a prefix, and come back from an SSP package."""
    system = pendulum()
    system.appearance("rod", outline(SQUARE), "#112233")
    system.appearance("ground", None)
    asked = system.definition.shown
    assert asked == pickle.loads(pickle.dumps(system)).definition.shown != ()
    assert System.from_ssp(system.to_ssp(tmp_path / "shown.ssp")).definition.shown == asked
    whole = System("whole")
    whole.include("left", system)
    assert [each.name for each in whole.definition.shown] == ["left.rod", "left.ground"]
    shapes = scene_of(whole.simulate(0.0)._record).shapes
    assert [each["kind"] for each in shapes] == ["outline", "pin", "centre", "inertia"]


@pytest.mark.parametrize(
    ("name", "shape", "sentence"),
    [
        (
            "pim",
            SQUARE,
            "'pim' cannot be shown: it is no instance, and no port, that has a place in the plane or in space; did you mean 'pin'?",
        ),
        (
            "rod",
            3.0,
            "'rod' cannot be shown as 3.0; give points, a path of SVG, a file .stl or .obj, a shape of jourdain.shapes, or None to hide it",
        ),
        ("rod", [(0, 0), (1, 0)], "an outline of 2 points is refused; give at least three"),
        ("rod", [(0, 0), (1, 0), (1, np.nan)], "(1, nan) is no point of a shape; give 2 numbers of at most 1e+09, in m"),
        ("rod", "L 1 0", "the path 'L 1 0' is refused: it begins with L; begin it with M, the first point"),
        ("rod", "M 1 0 L 2", "the path 'M 1 0 L 2' is refused: L takes 2 numbers, and has 1 at the end"),
        ("rod", "M 1 0 K 2", "the path 'M 1 0 K 2' is refused at 'K'; it has letters M L H V C S Q T A Z and numbers"),
        ("rod", "M 1 0", "the path 'M 1 0' is refused: it encloses no area; give at least three points, such as 'M 0 0 L 1 0 L 0 1 Z'"),
        ("rod", "no.stl", "the mesh 'no.stl' cannot be read: No such file or directory; give the path of a file .stl or .obj"),
    ],
)
def test_what_cannot_be_shown(name: str, shape: object, sentence: str) -> None:
    """A sentence says what is wrong, and what to give."""
    assert refusal(lambda: pendulum().appearance(name, shape)) == sentence


def test_sizes_colours_and_files_that_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that are none, damaged and huge files."""
    assert (
        refusal(lambda: pendulum().appearance("rod", SQUARE, "red"))
        == "the colour 'red' of 'rod' is refused: give '#rrggbb', such as '#d9772b'"
    )
    assert refusal(lambda: box(1.0, -1.0)) == "y = -1.0 of a shape is refused: give a number from 1e-09 to 1e+09, in m"
    assert refusal(lambda: box(1e300, 1.0)) == "x = 1e+300 of a shape is refused: give a number from 1e-09 to 1e+09, in m"
    assert refusal(lambda: pendulum().appearance("rod", "M 0 0 L 1e400 0 L 0 1")) == (
        "the path 'M 0 0 L 1e400 0 L 0 1' is refused: it has points farther away than 1e+09 m; give them in m, or a scale"
    )
    (tmp_path / "huge.obj").write_bytes(b"v 0 0 0\nv 0 0 1e12\nv 0 1 0\nf 1 2 3")
    assert refusal(lambda: mesh(tmp_path / "huge.obj")).endswith(
        "huge.obj' is refused: it has points farther away than 1e+09 m; give it a scale"
    )
    assert refusal(lambda: cylinder(1.0, 1.0, "w")) == "axis = 'w' of a cylinder is refused: choose 'x', 'y' or 'z'"
    content = stl(*block((1.0, 1.0, 1.0), np.zeros(3)))
    cases = {
        "cut.stl": (content[:-20], "is damaged: it announces 12 triangles, which take 684 bytes, and has 664; export it again"),
        "short.stl": (b"solid", "is damaged: it has 5 bytes, and a file of STL at least 84; export it again"),
        "half.stl": (
            b"solid a\nvertex 0 0 0\nvertex 0 0 1\n" + b" " * 90,
            "is damaged: it has 2 corners, which is no multiple of 3; export it again",
        ),
        "letters.stl": (b"solid a\nvertex 0 0 x\nendsolid" + b" " * 90, "is damaged: it has a number that cannot be read; export it again"),
        "far.obj": (b"v 0 0 0\nv 0 0 inf\nv 0 1 0\nf 1 2 3", "is damaged: a coordinate is not finite; export it again"),
        "odd.obj": (
            b"v 0 0 0\nf 1 2 3",
            "is damaged: line 2 has a face with corners that do not exist, or fewer than three; export it again",
        ),
        "flat.obj": (b"v 0 0", "is damaged: line 1 has a point of 2 coordinates; export it again"),
        "none.obj": (b"v 0 0 0", "has no triangle; export its surface"),
        "mesh.ply": (b"", "is refused: meshes are read from .stl and .obj; export it as one of these"),
    }
    for name, (text, sentence) in cases.items():
        (tmp_path / name).write_bytes(text)
        assert refusal(lambda path=tmp_path / name: mesh(path)) == f"the mesh '{tmp_path / name}' {sentence}"
    monkeypatch.setattr("coupling.pictures.mesh_files._LARGEST", 2**20)
    (tmp_path / "huge.stl").write_bytes(bytes(2**21))
    assert refusal(lambda: mesh(tmp_path / "huge.stl")).endswith(
        "is refused: it has 2 MiB, and at most 1 are read; reduce its number of triangles where it was made"
    )
