"""Scenes: everything drawn follows from components and from the record alone."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coupling import Result, System
from coupling.outcome import Ending, Outcome
from coupling.pictures.frames import geometry_of
from coupling.pictures.rotations import about_z, axes_of, matrices, quaternions
from coupling.pictures.scene import scene_of
from coupling.pictures.shapes import Shapes
from coupling.record import Record
from coupling.rows_file import NO_STATISTICS
from fmu_components.catalogue import all_components
from fmu_components.declare.component import declaration
from fmu_components.declare.picture import joint_picture
from fmu_components.declare.ports import PLANAR, SPATIAL
from fmu_components.export.build import cached_fmu
from fmu_components.export.picture import PICTURE
from tests.support.systems.space import on_a_joint
from tests.support.systems.systems import pendulum, refusal


def kinds(result: Result) -> list[str]:
    return [shape["kind"] for shape in scene_of(result._record).shapes]


@pytest.fixture(scope="module")
def result() -> Result:
    """A pendulum of which nothing but the joint was asked for."""
    return pendulum().simulate(1.0, outputs=["pin"], output_interval=0.01)


def test_poses_are_recorded_in_any_case(result: Result) -> None:
    """They are none of the result's names; the point of the rod that is pinned stays where the ground is."""
    assert not any(name.startswith("rod.") for name in result.names) and result.values.shape[1] == len(result.names)
    geometry = geometry_of(result._record)
    pinned = geometry.over_time(geometry.places["rod.p1"])
    assert np.abs(pinned).max() < 1e-6 and np.ptp(geometry.frames[geometry.by_name["rod"]].rotation) > 1
    assert kinds(result) == ["fixed", "pin", "hull", "centre", "inertia"]


def test_a_loaded_result_draws_the_same_page(result: Result, tmp_path: Path) -> None:
    """The pages are byte-identical, and need no FMUs; so does the same result a second time."""
    result.save(tmp_path / "run.jrd")
    pages = [
        each.animate(tmp_path / f"{i}.html").read_bytes() for i, each in enumerate((result, result, Result.load(tmp_path / "run.jrd")))
    ]
    assert pages[0] == pages[1] == pages[2]


def test_a_block_is_drawn_at_its_joint() -> None:
    """The frame of an arm has its origin at the pin, though only the poses of its ports are recorded."""
    system = System("arm")
    system.add("ground", "planar.Fixed", {"p1.rx": 0.3})
    system.add("arm", "planar.RevoluteBody", {"rx": 0.5, "C1.rx": 1.0, "C1.ry": 0.2, "C1.angle": 0.7, "q": 0.4})
    system.connect("ground.p1", "arm.P")
    found = system.simulate(0.5, output_interval=0.05)
    geometry = geometry_of(found._record)
    frame = geometry.frames[geometry.by_name["arm"]]
    assert np.abs(frame.position - [0.3, 0.0]).max() < 1e-12
    assert np.abs(frame.rotation[:, 0] - found["arm.q"]).max() < 1e-12
    assert np.abs(geometry.over_time(geometry.places["arm.C1"]) - np.stack([found["arm.C1.x"], found["arm.C1.y"]], axis=1)).max() < 1e-12


def test_a_machine_in_space() -> None:
    """A body is a capsule from its mass centre to its point; where that is, and how it is turned, follows from its quaternion."""
    found = on_a_joint("Spherical", {"p1.rz": -0.5, "z": 0.5, "omegax": 1.0, "vy": -0.5}).simulate(0.5, output_interval=0.05)
    geometry = geometry_of(found._record)
    frame = geometry.frames[geometry.by_name["top"]]
    assert geometry.dimension == 3 and np.abs(geometry.over_time(geometry.places["top.p1"])).max() < 1e-6
    for column, axis in enumerate(np.eye(3), 1):
        told = np.stack([found[f"top.p1.R{row}{column}"] for row in (1, 2, 3)], axis=1)
        assert np.abs(frame.direction(axis) - told).max() < 1e-9
    assert np.ptp(frame.direction(np.array([0, 0, 1.0])), axis=0).max() > 0.1
    assert sorted(kinds(found)) == ["ball", "capsule", "fixed", "knuckle"]


def test_springs_cylinders_and_wheels_are_where_they_act() -> None:
    """Each between its ports, with the sizes of its parameters."""
    system = System("cart")
    system.add("ground", "planar.Fixed", {"p1.rx": -1.0})
    system.add("road", "planar.Fixed")
    system.add("wheel", "planar.Body1", {"y": 0.25, "omega": -4.0, "vx": 1.0})
    system.add("rolling", "planar.RollingDisc", {"radius": 0.25})
    system.add("spring", "planar.SpringDamper", {"k": 10.0, "rest": 1.0})
    for a, b in (("road.p1", "rolling.M"), ("wheel.p1", "rolling.N"), ("ground.p1", "spring.M"), ("wheel.p1", "spring.N")):
        system.connect(a, b)
    shapes = {shape["kind"]: shape for shape in scene_of(system.simulate(0.5, output_interval=0.1)._record).shapes}
    assert shapes["wheel"]["r"] == 0.25 and "dashpot" not in shapes
    assert shapes["coil"]["a"] == [0, [-1.0, 0.0]] and shapes["coil"]["b"] == [2, [0.0, 0.0]]


def test_signals_forces_and_traces_by_name() -> None:
    """Names, patterns and tuples; what is not there is refused with what is."""
    record = pendulum().simulate(0.5, output_interval=0.1)._record
    scene = scene_of(record, signals=["rod.theta", ("rod.p1.x", "rod.p1.y")], forces=["p*"], traces=["rod.p1"])
    assert [[scene.signals[k].name for k in plot] for plot in scene.plots] == [["rod.theta"], ["rod.p1.x", "rod.p1.y"]]
    assert [scene.signals[k].name for k in scene.arrows[0]["v"]] == ["pin.N.Fx", "pin.N.Fy"] and len(scene.arrows) == 1
    assert scene.traces[0]["at"] == [1, [-0.5, 0.0]] and scene.traces[0]["on"]
    assert refusal(lambda: scene_of(record, signals=["rod.thta"])).startswith(
        "signals: 'rod.thta' was not recorded; did you mean 'rod.theta'"
    )
    assert refusal(lambda: scene_of(record, forces=["pim"])) == "forces: no recorded force belongs to 'pim'; did you mean 'pin'?"
    assert refusal(lambda: scene_of(record, traces=["rot"])) == "traces: there is no body or port 'rot'; did you mean 'rod'?"


def test_what_cannot_be_drawn(result: Result) -> None:
    """A system without a place, a scene of a later version, and a result without a row."""
    empty = Result(Record("circuit", (), np.zeros((3, 1)), NO_STATISTICS), Outcome(Ending.COMPLETED, ""))
    assert refusal(lambda: geometry_of(empty._record)) == (
        "there is nothing to draw of 'circuit': no instance has a place in the plane or in space; use result.plot for its values"
    )
    later = replace(result._record, scene={**result._record.scene, "version": 2})
    assert refusal(lambda: geometry_of(later)) == (
        "the scene of 'pendulum' is of version 2, and this Jourdain draws version 1; draw it by a later one"
    )
    short = replace(result._record, rows=result._record.rows[:0])
    assert refusal(lambda: geometry_of(short)) == "there is nothing to draw of 'pendulum': the result has no row"


def test_every_word_of_the_catalogue_is_drawn() -> None:
    """All words of a picture have a shape; so have the symbols of joints, which follow from their freedoms."""
    stated = [each.picture for each in all_components().values() if each.picture is not None]
    joints = [
        joint_picture(names, spatial)
        for spatial in (False, True)
        for names in (("position[3]", "position[6]"), ("rotation.q", "translation.q"))
    ]
    said = {word.kind for picture in (*stated, *joints) for word in picture.words}
    assert {"link", "pin", "rail", "square", "coil", "piston", "wheel", "gear"} <= said
    assert [kind for kind in sorted(said) if not hasattr(Shapes, f"_{kind}")] == []


NOTHING_TO_SEE = {
    **dict.fromkeys(["planar.Wrench", "planar.FollowerWrench", "planar.Drag"], "its force is an arrow"),
    **dict.fromkeys(["spatial.Wrench", "spatial.FollowerWrench", "spatial.Drag"], "its force is an arrow"),
    **dict.fromkeys(
        ["planar.PointedVelocity", "planar.RelativeVelocity", "spatial.RelativeVelocity"], "it acts on velocities, at no place"
    ),
    "spatial.PlanarFrame": "the body in the plane is drawn",
    **dict.fromkeys(
        ["planar.RelativeAngle", "planar.RelativePosition", "spatial.RelativeAngle", "spatial.RelativePosition"],
        "it drives what another joint holds, which is drawn",
    ),
    "spatial.Gimbal": "it constrains nothing, and has torques alone",
}


@pytest.mark.slow
def test_every_component_with_a_place_can_be_seen() -> None:
    """Each that has planar or spatial ports has a picture, or nothing to be seen, for a reason."""
    placed = {name: each for name, each in all_components().items() if {port.kind for port in declaration(each).ports} & {PLANAR, SPATIAL}}
    assert len(placed) > 80
    blind = {name for name, each in placed.items() if not ((looks := declaration(each).picture) and looks.words)}
    assert blind == set(NOTHING_TO_SEE)


def test_sleeves_tyres_cams_carts_and_levels() -> None:
    """They are drawn where they are, as large as their parameters say."""
    system = System("parts")
    system.add("ground", "planar.Fixed")
    system.add("cam", "planar.Body1", {"x": 0.0, "omega": 1.0})
    system.add("rod", "planar.Body2", {"x": 0.2})
    system.add("follower", "planar.CamFollower", {"radius": 0.15, "cos[1]": 0.05})
    system.add("bush", "planar.Bushing")
    system.add("tyre", "planar.FrictionWheel", {"radius": 0.3})
    system.add("contact", "planar.CompliantContact", {"radius": 0.0})
    system.add("mass", "mechanical1d.Mass")
    system.add("cart", "planar.Carriage", {"direction": np.pi / 2})
    system.add("axle", "mechanical1d.Speed")
    for a, b in (
        ("cam.p1", "follower.M"),
        ("rod.p1", "follower.N"),
        ("ground.p1", "bush.M"),
        ("cam.p1", "bush.N"),
        ("rod.p2", "tyre.M"),
        ("axle.flange", "tyre.axle"),
        ("ground.p1", "contact.M"),
        ("rod.p2", "contact.N"),
        ("mass.flange", "cart.flange"),
    ):
        system.connect(a, b)
    scene = scene_of(system.simulate(0.1, output_interval=0.05)._record)
    shapes = scene.shapes
    # The cam turns by 0.1 rad and reaches 0.2 m to its right and 0.1 m to its left; the tyre has its radius about the rod's end.
    assert scene.low[0] <= -0.1 and scene.high[0] >= 0.2 - 1e-3 and scene.low[1] <= -0.3 and scene.high[1] >= 0.3
    found = [each["kind"] for each in shapes]
    assert [found.count(kind) for kind in ("outline", "level", "wheel", "pin")] == [6, 1, 0, 2]
    sizes = [np.ptp(each["rings"][0], axis=0) for each in shapes if each["kind"] == "outline"]
    assert sizes[0][0] == pytest.approx(0.3, rel=1e-3) and sizes[0][1] > 0.3  # r = 0.15 + 0.05 cos phi
    assert sizes[2] == pytest.approx([0.6, 0.15], rel=0.01) and sizes[-1][1] == pytest.approx(2 * sizes[-1][0])


def test_an_exported_mechanism_is_drawn(tmp_path: Path) -> None:
    """Its FMU carries what is inside, with a shape that a user gave, and what hangs on its open port is drawn there."""
    inside = pendulum()
    inside.appearance("rod", [(-0.5, 0.0), (0.5, -0.1), (0.5, 0.1)])
    system = System("whole")
    system.add("a", inside.export_fmu(tmp_path / "pendulum.fmu", inputs=["rod.p1"], platforms=["linux64"]))
    system.add("wall", "planar.Fixed", {"p1.ry": 1.0})
    system.add("spring", "planar.SpringDamper", {"k": 1.0})
    system.connect("wall.p1", "spring.M")
    system.connect("a.rod.p1", "spring.N")
    found = system.simulate(0.2, output_interval=0.1)
    geometry = geometry_of(found._record)
    assert [frame.name for frame in geometry.frames] == ["a.ground", "a.rod", "wall"]
    rod = geometry.frames[1]
    assert np.abs(rod.position[:, 0] - found["a.rod.x"]).max() == 0 and np.ptp(rod.rotation) > 0.05
    shapes = scene_of(found._record).shapes
    assert [each["kind"] for each in shapes] == ["outline", "fixed", "pin", "centre", "inertia", "fixed", "coil"]
    assert shapes[0]["frame"] == 1 and shapes[6]["b"] == [1, [-0.5, 0.0]]
    assert {arrow["of"] for arrow in scene_of(found._record).arrows} == {"spring"}  # the forces inside are not among its outputs


def test_what_an_fmu_without_a_picture_acts_on_is_joined(tmp_path: Path) -> None:
    """A bar between the ports that it is connected to stands for it."""
    source = cached_fmu(all_components()["planar.SpringDamper"], 2)
    bare = tmp_path / "bare.fmu"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(bare, "w") as new:
        for info in old.infolist():
            if info.filename != PICTURE:
                new.writestr(info, old.read(info))
    system = System("foreign")
    system.add("ground", "planar.Fixed", {"p1.rx": -1.0})
    system.add("rod", "planar.Body1")
    system.add("spring", bare)
    system.connect("ground.p1", "spring.M")
    system.connect("rod.p1", "spring.N")
    shapes = {each["kind"]: each for each in scene_of(system.simulate(0.1, output_interval=0.05)._record).shapes}
    assert shapes["rod"]["a"] == [0, [-1.0, 0.0]] and shapes["rod"]["b"] == [1, [0.0, 0.0]] and "coil" not in shapes


def test_rotations_back_and_forth() -> None:
    """Quaternions of matrices of quaternions are the same ones up to a sign that does not jump, also for half turns."""
    q = np.random.default_rng(3).normal(size=(500, 4))
    q = np.concatenate([q, np.eye(4)]) / np.linalg.norm(np.concatenate([q, np.eye(4)]), axis=1, keepdims=True)
    again = quaternions(matrices(q))
    assert np.abs(np.abs((again * q).sum(axis=1)) - 1).max() < 1e-12 and ((again[1:] * again[:-1]).sum(axis=1) >= 0).all()
    turns = matrices(about_z(np.array([0.3, 7.0])))
    assert np.allclose(turns[:, 0, 0], np.cos([0.3, 7.0]), atol=1e-15) and np.allclose(turns[:, 1, 0], np.sin([0.3, 7.0]), atol=1e-15)
    axes = axes_of(np.array([0, 3.0, 0]), np.array([1.0, 5.0, 0]))
    assert np.allclose(axes, [[1, 0, 0], [0, 0, 1], [0, -1, 0]]) and np.linalg.det(axes) == pytest.approx(1)
