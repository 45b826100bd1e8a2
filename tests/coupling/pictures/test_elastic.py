"""Pictures of elastic bodies: their nodes against displacements that follow from the matrices without the component."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation

from coupling.errors import ResultError
from coupling.fmus.errors import Source
from coupling.fmus.picture import PICTURE, read_picture
from coupling.outcome import Ending, Outcome
from coupling.pictures.moving import moving
from coupling.pictures.pose import Posed
from coupling.pictures.scene import scene_of
from coupling.record import Column, Constant, Record
from coupling.rows_file import NO_STATISTICS
from coupling.watching.feed import Feed
from jourdain import Patch, Result, System, flexible_body
from tests.support.browser import CHROMIUM, Browser
from tests.support.flexible.meshes import beams, brick
from tests.support.flexible.surfaces import skin
from tests.support.systems.systems import refusal

PLAYER = Path(__file__).parents[3] / "coupling" / "pictures" / "player" / "player.js"
COUNTS = (4, 2, 3)
TURN = Rotation.from_rotvec([0.3, -0.5, 0.9])
PLACE = np.array([1.0, 2.0, 3.0])
AMPLITUDES = [2e-3, -1e-3]


def modes(K: np.ndarray, M: np.ndarray, count: int) -> np.ndarray:
    """Returns free modes by node, axis and shape, with the mass of the body as their modal mass."""
    shapes = scipy.linalg.eigh(K, M)[1][:, 6 : 6 + count].reshape(-1, 3, count)
    along_x = np.tile([1.0, 0.0, 0.0], len(K) // 3)
    return shapes * np.sqrt(along_x @ M @ along_x)


def record_of(word: dict[str, Any], amplitudes: dict[str, float], scale: float, **frame: Any) -> Record:
    """Returns the record of one body with an elastic part, at rest at one pose."""
    w = TURN.as_quat()[[3, 0, 1, 2]]
    pose = {"b.x": PLACE[0], "b.y": PLACE[1], "b.z": PLACE[2], **{f"b.q{i}": w[i] for i in range(4)}} | amplitudes
    frames = [{"name": "b", "model": "Body", "dimension": 3, "pose": list(pose)[:7], "centre": [], **frame}]
    scene = {"version": 1, "frames": frames, "places": {}, "words": [{**word, "of": "b"}], "forces": []}
    columns = tuple(Column(name, name[2:], "m") for name in pose)
    rows = np.array([[0.0, *pose.values()], [1.0, *pose.values()]])
    return Record("body", columns, rows, NO_STATISTICS, scene=scene, constants={"b.L": Constant(scale, "m", "")})


def word_of(made: Any, root: str | None = None) -> dict[str, Any]:
    deformed = dict(vars(made.surface.deformed(made.data.size)))
    names = [f"b.{each}" for each in deformed.pop("amplitudes")]
    return {"kind": "elastic", "ports": [] if root is None else [root], "scale": "b.L", "amplitudes": names, "deformed": deformed}


def drawn(record: Record, magnify: float) -> np.ndarray:
    scene = scene_of(record, magnify=magnify)
    (shape,) = [each for each in scene.shapes if each["kind"] == "elastic"]
    return Posed(scene, 0.0).nodes(shape)


@pytest.fixture(scope="module")
def body() -> tuple[Any, np.ndarray, np.ndarray]:
    """Gives the class of a bar with two free modes, its nodes from the mass centre, and their displacements by hand."""
    K, M, nodes = brick(counts=COUNTS)
    made = flexible_body(K, M, nodes, {"a": 11}, name="Bar", basis="free", shapes=2, triangles=skin(COUNTS))
    along_x = np.tile([1.0, 0.0, 0.0], len(nodes))
    centre = np.array([np.roll(along_x, k) @ M @ nodes.ravel() for k in range(3)]) / (along_x @ M @ along_x)
    shapes = modes(K, M, 2)
    largest = np.abs(shapes).reshape(-1, 2).argmax(axis=0)
    shapes *= np.sign(shapes.reshape(-1, 2)[largest, [0, 1]])
    return made, nodes - centre, shapes @ AMPLITUDES


@pytest.mark.parametrize("magnify", [1.0, 50.0])
def test_nodes_are_where_the_matrices_say(body: tuple[Any, np.ndarray, np.ndarray], magnify: float) -> None:
    """Each node is at r + R (p + factor times the sum of the modes); the modes come from an eigenvalue solver."""
    made, nodes, moved = body
    record = record_of(word_of(made), dict(zip(("b.shape[1]", "b.shape[2]"), AMPLITUDES, strict=True)), made.data.size)
    kept = np.unique(skin(COUNTS))
    assert drawn(record, magnify) == pytest.approx(PLACE + TURN.apply(nodes + magnify * moved)[kept], abs=2e-6)
    assert np.abs(moved).max() > 1e-3
    corners = np.array(scene_of(record, magnify=magnify).shapes[0]["faces"])
    assert (kept[corners] == skin(COUNTS)).all()


def test_the_room_holds_the_magnified_body(body: tuple[Any, np.ndarray, np.ndarray]) -> None:
    """At factor 50 the box of the scene is larger, and no node is outside by more than a tenth of it."""
    made, _, _ = body
    record = record_of(word_of(made), dict(zip(("b.shape[1]", "b.shape[2]"), AMPLITUDES, strict=True)), made.data.size)
    scene, once = scene_of(record, magnify=50.0), scene_of(record)
    places = Posed(scene, 0.0).nodes(scene.shapes[0])
    room = 0.1 * scene.size
    assert scene.size > once.size
    assert (places > scene.low - room).all() and (places < scene.high + room).all()


def test_a_block_bends_from_its_root() -> None:
    """A clamped bar of static amplitudes under a force at its port has the displacements of K with the root held."""
    K, M, nodes = brick(counts=COUNTS)
    root, tip = ([int(k) for k in np.flatnonzero(np.abs(nodes[:, 0] - x) < 1e-9)] for x in (-0.5, 0.5))
    made = flexible_body(K, M, nodes, {"P": Patch(root, rigid=True), "tip": Patch(tip)}, root="P", inner=0, triangles=skin(COUNTS))
    force = np.zeros((len(nodes), 3))
    force[tip] = np.array([0.3, -0.2, 0.4]) / len(tip)
    free = np.setdiff1d(np.arange(len(nodes)), root)
    rows = (3 * free[:, None] + np.arange(3)).ravel()
    moved = np.zeros((len(nodes), 3))
    moved[free] = np.linalg.solve(K[np.ix_(rows, rows)], force[free].ravel()).reshape(-1, 3)
    stiff = (made.data.frequencies * made.data.first) ** 2 * made.data.mass
    amplitudes = np.einsum("kna,na->k", made.surface.shapes, force) / stiff
    at, axes = np.array([0.1, 0.2, 0.3]), Rotation.from_rotvec([0.0, 0.4, 0.0])
    record = record_of(word_of(made, "b.P"), {f"b.shape[{k + 1}]": each for k, each in enumerate(amplitudes)}, made.data.size)
    x, _, z = axes.as_matrix().T.tolist()
    record.scene["places"]["b.P"] = {"frame": 0, "at": at.tolist(), "x": x, "z": z}
    kept = np.unique(skin(COUNTS))
    for magnify in (1.0, 50.0):
        local = at + axes.apply(nodes - nodes[root].mean(axis=0) + magnify * moved)
        assert drawn(record, magnify) == pytest.approx(PLACE + TURN.apply(local)[kept], abs=2e-6 * magnify)
    assert np.abs(moved).max() > 1e-3


def test_bars_and_ways_stand_for_a_surface() -> None:
    """Without triangles a mesh of beams shows all of them, and a solid the shortest way between its ports."""
    nodes = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1]])
    K, M, _ = beams(nodes[:3], bending=(1.0, 2.0), axial=1e3, torsion=1.0)
    assert flexible_body(K, M, nodes[:3], {"a": 0}, shapes=1).surface.lines == [[0, 1], [1, 2]]
    K, M, nodes = brick(counts=(5, 2, 3))
    (line,) = flexible_body(K, M, nodes, {"a": 0, "b": 24}, basis="free", shapes=1).surface.lines
    assert line == [0, 6, 12, 18, 24]
    (line,) = flexible_body(K, M, nodes, {"a": 0}, basis="free", shapes=1).surface.lines
    assert line[0] == 0 and nodes[line[-1]].tolist() == pytest.approx([0.5, 0.03, 0.039], abs=1e-9)


def test_a_fine_surface_is_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer triangles stand between some of the nodes, which keep their own motion, and the documentation says so."""
    K, M, nodes = brick(counts=(5, 3, 3))
    triangles = skin((5, 3, 3))
    monkeypatch.setattr("fmu_components.flexible.drawn.MOST", 40)
    made = flexible_body(K, M, nodes, {"a": 0}, basis="free", shapes=2, triangles=triangles)
    assert made.__doc__.endswith(f"Pictures show its {len(triangles)} triangles as at most 40 between some of their nodes.")
    deformed = made.surface.deformed(made.data.size)
    assert 8 < len(deformed.triangles) <= 40 and np.unique(deformed.triangles).tolist() == list(range(len(deformed.nodes)))
    own = made.surface.nodes
    for place, moves in zip(deformed.nodes, np.transpose(deformed.shapes, (1, 0, 2)), strict=True):
        node = int(np.linalg.norm(own - made.data.size * np.array(place), axis=1).argmin())
        assert moves == pytest.approx(made.surface.shapes[:, node], abs=1e-6)
    assert np.ptp(deformed.nodes, axis=0) == pytest.approx(np.ptp(own, axis=0) / made.data.size, rel=0.5)


@pytest.mark.parametrize(
    ("odd", "fault"),
    [
        ({"amplitudes": ["q"]}, "names the variable 'q', which does not exist"),
        ({"amplitudes": []}, "has an elastic part whose nodes, shapes and amplitudes do not fit each other"),
        ({"nodes": [[0, 0]]}, "has an elastic part whose nodes, shapes and amplitudes do not fit each other"),
        ({"lines": [[0, 2]]}, "has an elastic part with a number of a node that does not exist"),
        ({"triangles": [[0, 1]]}, "has an elastic part with a number of a node that does not exist"),
        ({"triangles": [[0, 1, 1]] * 20_001}, "has an elastic part of 20001 triangles; give at most 20000"),
        ({"shapes": "none"}, "is not as this version of Jourdain expects"),
    ],
)
def test_a_foreign_picture_that_does_not_fit(odd: dict[str, Any], fault: str) -> None:
    """An FMU whose elastic part cannot be drawn works without it, and a note says why."""
    numbers: dict[str, Any] = {"nodes": [[0, 0, 0], [1, 0, 0]], "shapes": [[[0, 0, 1], [0, 0, 1]]], "triangles": [], "lines": [[0, 1]]}
    word = {"kind": "elastic", "ports": [], "amplitudes": odd.get("amplitudes", ["e"]), "deformed": numbers | odd}
    good = word | {"amplitudes": ["e"], "deformed": numbers}
    read = [
        read_picture(json.dumps({"version": 1, "words": [each]}).encode(), ["e"], [], Source(Path("other.fmu"))) for each in (word, good)
    ]
    assert read[0] == (None, [f"'other.fmu' has the picture {PICTURE}, which {fault}; it is ignored"])
    assert read[1][0] is not None and read[1][1] == []


@pytest.mark.parametrize("damage", [{"triangles": [[0, 1, 99]]}, {"shapes": [[[0.0] * 3]]}, {"nodes": None}])
def test_a_damaged_result_is_refused(body: tuple[Any, np.ndarray, np.ndarray], damage: dict[str, Any]) -> None:
    made, _, _ = body
    record = record_of(word_of(made), {"b.shape[1]": 0.0, "b.shape[2]": 0.0}, made.data.size)
    record.scene["words"][0]["deformed"].update(damage)
    sentence = refusal(lambda: scene_of(record), ResultError)
    assert sentence.startswith("the scene of 'body' is not as this Jourdain draws it (")


def test_factors_that_are_refused(body: tuple[Any, np.ndarray, np.ndarray]) -> None:
    made, _, _ = body
    record = record_of(word_of(made), {"b.shape[1]": 0.0, "b.shape[2]": 0.0}, made.data.size)
    result = Result(record, Outcome(Ending.COMPLETED, ""))
    for factor in (-1.0, np.inf, "50"):
        sentence = refusal(lambda factor=factor: result.animate("body.html", magnify=factor), ValueError)
        assert sentence == f"magnify = {factor!r} is refused: give a factor of at least 0, such as 50"
    record.scene["words"].clear()
    sentence = refusal(lambda: result.picture(0.0, "body.svg", magnify=50), ValueError)
    assert sentence == "magnify = 50 is refused: nothing in 'body' is drawn deformed; leave it out"


# Needed since the player is JavaScript, and pip installs no interpreter of it: Debian's package nodejs gives one.
@pytest.mark.skipif(which("node") is None, reason="node is not installed")
def test_the_player_deforms_alike(body: tuple[Any, np.ndarray, np.ndarray]) -> None:
    """The function of the page gives the nodes by hand, in the frame of the body."""
    made, nodes, moved = body
    record = record_of(word_of(made), dict(zip(("b.shape[1]", "b.shape[2]"), AMPLITUDES, strict=True)), made.data.size)
    scene = scene_of(record, magnify=50.0)
    (shape,) = [each for each in scene.shapes if each["kind"] == "elastic"]
    source = PLAYER.read_text()
    functions = source[source.index("async function inflated") : source.index("async function unpackMesh")]
    functions += source[source.index("async function unpackElastic") : source.index("async function unpackShapes")]
    functions += source[source.index("function deformed") : source.index("const point = inSpace")]
    values = [float(scene.signals[k].values[0]) for k in shape["e"]]
    said = {key: shape[key] for key in ("points", "count")} | {"e": [0, 1]}
    program = f"""
        const magnify = 50, values = {values}, at = k => values[k], s = {json.dumps(said)};
        {functions}
        unpackElastic(s).then(() => console.log(JSON.stringify([...deformed(s)])));"""
    found = json.loads(subprocess.run(["node", "-e", program], capture_output=True, check=True, text=True).stdout)
    kept = np.unique(skin(COUNTS))
    assert np.reshape(found, (-1, 3)) == pytest.approx((nodes + 50 * moved)[kept], abs=2e-6)


# Needed since nothing stands in for a browser, and pip installs none: Debian's package chromium gives one.
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine: apt-get install chromium")
def test_the_page_shows_and_changes_the_factor(body: tuple[Any, np.ndarray, np.ndarray], tmp_path: Path) -> None:
    """A node is blue where the matrices put it at factor 50, and no longer at factor 1; the control says the factor."""
    made, nodes, moved = body
    record = record_of(word_of(made), dict(zip(("b.shape[1]", "b.shape[2]"), AMPLITUDES, strict=True)), made.data.size)
    page = Result(record, Outcome(Ending.COMPLETED, "")).animate(tmp_path / "body.html", magnify=50, traces=[])
    inside = (nodes + 50 * moved)[12:].mean(axis=0)  # the middle of the last cell
    with Browser() as browser:
        browser.open(page, "t=0&theme=light&grid=0&still=1")
        assert browser.value("document.querySelector('#chips select').selectedOptions[0].textContent") == "Deformation × 50"
        x, y = browser.value(f"player.place([0, {inside.tolist()}])")
        r, _, b = browser.pixels().astype(int)[round(y), round(x)]
        assert b > r + 30
        corner = browser.value(f"player.place([0, {(nodes + 50 * moved)[23].tolist()}])")
        assert browser.value(f"under({corner[0]}, {corner[1]})") == 0 and browser.value("under(1, 1)") == -1
        browser.value(
            "(list => { list.value = 1; list.dispatchEvent(new Event('change')); player.render() })(document.querySelector('#chips select'))"
        )
        r, _, b = browser.pixels().astype(int)[round(y), round(x)]
        assert b <= r + 30
        assert browser.errors == []


def test_a_page_of_a_run_has_amplitudes_that_are_recorded_for_it_alone(body: tuple[Any, np.ndarray, np.ndarray]) -> None:
    """The columns of new rows hold them, and the shape names these columns."""
    made, _, _ = body
    record = record_of(word_of(made), {"b.shape[1]": 0.0, "b.shape[2]": 0.0}, made.data.size)
    drawn = {f"b.shape[{k}]": np.array([0.1 * k, 0.2 * k]) for k in (1, 2)}
    feed = Feed(replace(record, columns=record.columns[:-2], rows=record.rows[:, :-2], drawn=drawn), None, None, None)
    rows = feed.rows(feed.of(record.rows[:, :-2], drawn))
    assert [[row[1 + k] for k in feed.scene.shapes[0]["e"]] for row in rows] == [[0.1, 0.2], [0.2, 0.4]]
    assert not any(feed.scene.signals[k].offered for k in feed.scene.shapes[0]["e"])


def test_a_moving_picture_follows_each_swing(body: tuple[Any, np.ndarray, np.ndarray]) -> None:
    """Ten swings in a second need more poses than a body at rest, and the picture names the factor."""
    made, _, _ = body
    record = record_of(word_of(made), {"b.shape[1]": 0.0, "b.shape[2]": 0.0}, made.data.size)
    rows = np.repeat(record.rows[:1], 201, axis=0)
    rows[:, 0] = np.linspace(0, 1, 201)
    still = Result(replace(record, rows=rows.copy()), Outcome(Ending.COMPLETED, ""))
    rows[:, -2] = 0.01 * np.sin(20 * np.pi * rows[:, 0])
    swinging = Result(replace(record, rows=rows), Outcome(Ending.COMPLETED, ""))
    texts = [moving(scene_of(each._record, traces=(), magnify=10.0)) for each in (still, swinging)]
    assert '<animate attributeName="d"' not in texts[0]
    (values,) = re.findall(r'attributeName="d" values="([^"]*)"', texts[1])
    assert len(values.split(";")) == 81  # four poses for each of twenty ways from end to end
    assert all("deformation × 10" in text for text in texts)


@pytest.mark.slow
def test_an_exported_mechanism_draws_its_bodies_deformed(tmp_path: Path) -> None:
    """The picture of a satellite that is one FMU has the nodes of that of its parts."""
    nodes = np.linspace([0.0, 0, 0], [1.0, 0, 0], 4)
    K, M, _ = beams(nodes, bending=(1.0, 2.0), axial=1e3, torsion=1.0)
    panel = flexible_body(K, M, nodes, {"root": 0, "tip": 3}, root="root", basis="free", shapes=2, name="Panel")
    parts = System("satellite", gravity=(0.0, 0.0, 0.0))
    parts.add("hub", "spatial.Body1", {"omegaz": 0.3, "p1.ry": 0.2})
    parts.add("panel", panel, {"shape[1]": 0.05})
    parts.connect("hub.p1", "panel.root")
    whole = System("whole")
    whole.add("satellite", parts.export_fmu(tmp_path / "satellite.fmu", outputs=["hub.x"], fmi=3))
    drawn = []
    for system in (parts, whole):
        scene = scene_of(system.simulate(0.5, rtol=1e-9)._record, magnify=5.0)
        (shape,) = [each for each in scene.shapes if each["kind"] == "elastic"]
        drawn.append(Posed(scene, 0.5).nodes(shape))
    assert drawn[1] == pytest.approx(drawn[0], abs=1e-6)
    assert np.ptp(drawn[0][:, 2]) > 0.01


@pytest.mark.slow
def test_a_run_draws_its_bodies_deformed(tmp_path: Path) -> None:
    """In a run, a named point and the end of a beam are where their pictures are, also where no amplitude was asked for."""
    K, M, nodes = brick(counts=COUNTS)
    made = flexible_body(K, M, nodes, {"a": 0}, basis="free", shapes=2, points={"tip": 23}, triangles=skin(COUNTS))
    system = System("two", gravity=(0.0, 0.0, 0.0))
    system.add("b", made, {"shape[1]": 0.02, "omegaz": 2.0})
    amplitudes = {"bend.y[1]": 0.02, "bend.z[1]": -0.01, "bend.z[2]": 0.004}
    system.add("rod", "spatial.Beam", {"L": 2.0, "z": 3.0, "q0": 0.6, "q2": 0.8, "omegax": 1.0, "E": 2e9, **amplitudes})
    result = system.simulate(0.1, solver="cvode", outputs=["b.at.tip.*", "rod.*"])
    result.save(tmp_path / "two.jrd")
    record = Result.load(tmp_path / "two.jrd")._record
    scene = scene_of(record)
    tip, line = (Posed(scene, 0.1).nodes(each) for each in scene.shapes if each["kind"] == "elastic")
    at = result.at(0.1)
    place = [at[f"b.at.tip.{axis}"] for axis in "xyz"]
    assert np.linalg.norm(tip - place, axis=1).min() < 1e-6
    turn = Rotation.from_quat([at[f"rod.q{k}"] for k in (1, 2, 3, 0)])
    bent = [1.0, at["rod.bend.y[1]"] + at["rod.bend.y[2]"], at["rod.bend.z[1]"] + at["rod.bend.z[2]"]]  # polynomials are 1 at their end
    assert line[-1] == pytest.approx([at[f"rod.{axis}"] for axis in "xyz"] + turn.apply(bent), abs=1e-6)
    assert line[-1] == pytest.approx([at[f"rod.p2.{axis}"] for axis in "xyz"], abs=3e-3)  # the picture leaves out parts of second order
    assert len(line) == 17 and not any(name.startswith("b.shape") for name in result.names)
