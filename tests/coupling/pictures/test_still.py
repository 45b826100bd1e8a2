"""Still pictures."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from coupling import Result, System
from tests.support.systems.systems import pendulum, refusal

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def result() -> Result:
    """A pendulum of length 1 that falls for a second."""
    return pendulum().simulate(1.0, output_interval=0.01)


def paths(file: Path) -> list[np.ndarray]:
    """The points of each path, in pixels."""
    found = [each.get("d", "").strip("MZ").split("L") for each in ElementTree.parse(file).getroot().iter(f"{SVG}path")]
    return [np.array([point.split() for point in each], dtype=float) for each in found]


def test_the_rod_is_where_its_angle_says(result: Result, tmp_path: Path) -> None:
    """It leads from the pin to the mass centre, at a time between rows, to a tenth of a pixel."""
    file = result.picture(0.355, tmp_path / "pose.svg", names=True)
    rods = [each for each in paths(file) if len(each) == 2 and np.hypot(*(each[1] - each[0])) > 50]
    edge = rods[0]
    angle = float(np.interp(0.355, result.time, result["rod.theta"]))
    along = edge[1] - edge[0]
    assert np.arctan2(-along[1], along[0]) == pytest.approx(angle, abs=2e-3)
    assert "rod" in [each.text for each in ElementTree.parse(file).getroot().iter(f"{SVG}text")]


def test_forces_are_arrows_on_one_scale(result: Result, tmp_path: Path) -> None:
    """They are as long as the key says, in the direction of the force; they are drawn only if requested."""
    file = result.picture(0.35, tmp_path / "forces.svg", forces=["pin"])
    red = [each.get("d", "") for each in ElementTree.parse(file).getroot().iter(f"{SVG}path") if each.get("stroke") == "#c8102e"]
    force, key = (b - a for a, b in (np.array([p.split() for p in each.strip("M").split("L")], dtype=float) for each in red))
    at = result.at(0.35)
    wanted = np.array([at["pin.N.Fx"], -at["pin.N.Fy"]])
    assert force / np.hypot(*force) == pytest.approx(wanted / np.hypot(*wanted), abs=0.01)
    text = [each.text or "" for each in ElementTree.parse(file).getroot().iter(f"{SVG}text")][-1]
    shown = float(text.removesuffix(" N"))  # a shaft ends 13 pixels before the tip
    assert (np.hypot(*force) + 13) / (np.hypot(*key) + 13) == pytest.approx(np.hypot(*wanted) / shown, rel=0.01)
    assert "#c8102e" not in result.picture(0.35, tmp_path / "pose.svg").read_text()


def test_arrows_are_whole_and_no_name_covers_their_heads(result: Result, tmp_path: Path) -> None:
    """The pin pulls upwards, beyond all that moves; a force on the mass centre ends where the name of the rod would be."""
    file = result.picture(0.5, tmp_path / "up.svg", forces=["pin"])
    points = np.concatenate(paths(file))
    sides = ElementTree.parse(file).getroot()
    assert (points >= 0).all() and (points <= [float(sides.get("width", 0)), float(sides.get("height", 0))]).all()
    system = pendulum()
    system.add("push", "planar.Wrench", {"Fx": 1.0})
    system.connect("push.M", "rod.p1")
    short = system.simulate(0.1, output_interval=0.05)
    root = ElementTree.parse(short.picture(0.0, tmp_path / "names.svg", names=True, forces=["*"])).getroot()
    heads = [each.get("d", "") for each in root.iter(f"{SVG}path") if each.get("fill") == "#c8102e"]
    tags = [each.get("d", "") for each in root.iter(f"{SVG}path") if each.get("fill") == "#ffffff" and each.get("stroke-width") == "1.2"]
    assert heads and tags
    for tag in tags:
        corners = np.array([point.split() for point in tag.strip("MZ").split("L")], dtype=float)
        for head in heads:
            tip = np.array(head.strip("MZ").split("L")[0].split(), dtype=float)
            assert not ((corners.min(axis=0) < tip) & (tip < corners.max(axis=0))).all()


def test_a_strip_and_other_files(result: Result, tmp_path: Path) -> None:
    """Times stand above their poses; PNG and PDF are written as well; the same picture is the same file."""
    strip = result.picture([0.0, 0.5, 1.0], tmp_path / "strip.svg")
    assert [each.text for each in ElementTree.parse(strip).getroot().iter(f"{SVG}text")][:3] == ["0 s", "0.5 s", "1 s"]
    assert strip.read_bytes() == result.picture([0.0, 0.5, 1.0], tmp_path / "again.svg").read_bytes()
    assert result.picture(0.5, tmp_path / "pose.png").read_bytes().startswith(b"\x89PNG")
    assert result.picture(0.5, tmp_path / "pose.pdf").read_bytes().startswith(b"%PDF")


def test_a_start_that_does_not_fit_is_red(tmp_path: Path) -> None:
    """The joint that is violated, and no other; assembled it is none. The system can be changed afterwards."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    red = {initial: system.picture(tmp_path / "start.svg", initial).read_text().count("#c8102e") for initial in ("relax", "assemble")}
    assert red == {"relax": 1, "assemble": 0}
    system.add("more", "planar.Fixed")


def test_what_cannot_be_written(result: Result, tmp_path: Path) -> None:
    """A time outside of the result, and a suffix that nothing is written for."""
    assert refusal(lambda: result.picture(3.0, tmp_path / "pose.svg")).startswith("t = 3 s is refused: the result holds from 0 to 1 s")
    assert refusal(lambda: result.picture(0.5, tmp_path / "pose.doc")).endswith(
        "pose.doc' is refused: a picture is written as .svg, .png or .pdf; give the path one of these suffixes"
    )
