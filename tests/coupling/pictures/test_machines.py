"""Pages of whole machines in a real browser: what they show at a time is the pose of that time, and it moves as positions say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from coupling import Result, System
from coupling.pictures.pose import Posed
from coupling.pictures.scene import scene_of
from tests.coupling.pictures.test_page import many_bodies
from tests.support.browser import CHROMIUM, Browser
from tests.support.foreign.archive import export
from tests.support.foreign.model import Model, Variable
from tests.support.systems.machines import EXAMPLES, example
from tests.support.systems.space import on_a_joint

# Needed since nothing stands in for a browser, and pip installs none: Debian's package chromium gives one.
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine: apt-get install chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


def seven_bodies() -> Result:
    return example("03_seven_body_mechanism").system().simulate(0.03, output_interval=3e-4)


def foreign() -> Result:
    """An arm on a motor whose torque an FMU of another tool gives."""
    servo = Model("servo", [Variable("phi", "input"), Variable("w", "input"), Variable("torque", "output", value="-20.0 * phi - w")])
    system = System("arm with a <script>")
    system.add("ground", "planar.Fixed")
    system.add("joint", "planar.ActuatedRevolute")
    system.add("<script>", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    system.add("servo", export(servo))
    for a, b in (("ground.p1", "joint.M"), ("<script>.p1", "joint.N"), ("joint.flange.phi", "servo.phi"), ("joint.flange.w", "servo.w")):
        system.connect(a, b)
    system.connect("servo.torque", "joint.flange.tau")
    return system.simulate(1.0, output_interval=0.01)


def top() -> Result:
    system = on_a_joint("Spherical", {"p1.rz": -0.5, "z": 0.5, "omegax": 1.0, "vy": -0.5})
    system.appearance("top", [(-0.2, -0.1), (0.2, -0.1), (0.0, 0.3)], "#d9772b")
    return system.simulate(1.0, output_interval=0.02)


def crane() -> Result:
    return example("06_hydraulic_crane").system(meters=True).simulate(3.0, solver="cvode", output_interval=0.02)


def excavator() -> Result:
    return example("07_excavator").system(None).simulate(2.0, solver="cvode", output_interval=0.01)


def stewart() -> Result:
    return example("16_stewart_platform").system().simulate(1.0, solver="cvode", rtol=1e-6, output_interval=0.01)


MACHINES = [
    seven_bodies,
    foreign,
    top,
    *(pytest.param(each, marks=pytest.mark.slow) for each in (crane, excavator, stewart)),
]


def at_rest(browser: Browser) -> int:
    """A frame that does not move, by which absolute places are asked for."""
    found: int = browser.value("player.scene.frames.findIndex(f => !f.pose)")
    assert found >= 0
    return found


@pytest.mark.parametrize("machine", MACHINES)
def test_a_page_shows_the_pose_of_its_time(
    browser: Browser, machine: Callable[[], Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points of all bodies are, to a pixel, where the record says, at any time to which the bar is drawn; pixels change where bodies move."""
    monkeypatch.syspath_prepend(EXAMPLES)  # the excavator has a folder of its own there
    result = machine()
    assert result.outcome.completed, result.outcome.sentence
    page = result.animate(tmp_path / "machine.html")
    assert page.stat().st_size < 250_000
    browser.open(page, "still=1&theme=light&forces=0&traces=0")
    scene, rest = scene_of(result._record), at_rest(browser)
    moving = [i for i, frame in enumerate(scene.geometry.frames) if not frame.at_rest]
    local = [0.05 * scene.size] * scene.dimension
    left, top, width, height = browser.value(
        "(b => [b.left, b.top, b.width, b.height])(document.querySelector('#time').getBoundingClientRect())"
    )
    pictures, places = [], []
    for share in (0.0, 0.37, 0.81):
        for kind in ("mousePressed", "mouseReleased"):
            browser.mouse(kind, left + 8 + share * (width - 16), top + height / 2, button="left", clickCount=1)
        now = browser.value("(player.render(), player.now())")
        assert now == pytest.approx(result.time[0] + share * np.ptp(result.time), abs=0.02 * np.ptp(result.time))
        posed = Posed(scene, now)
        points = [posed.point([i, local]).tolist() for i in moving]
        shown = browser.value(f"{moving}.map(i => player.place([i, {local}]))")
        wanted = browser.value(f"{points}.map(p => player.place([{rest}, p]))")
        assert np.abs(np.array(shown) - wanted).max() < 0.5, now
        pictures.append(browser.pixels())
        places.append(np.array(shown))
    for k in (1, 2):
        moved = np.abs(places[k] - places[k - 1]).max()
        changed = int((pictures[k] != pictures[k - 1]).any(axis=2).sum())
        assert changed > 0 if moved > 1 else changed < 2000, (moved, changed)
    assert max(np.abs(places[2] - places[0]).max(), np.abs(places[1] - places[0]).max()) > 5
    browser.press("Home")
    browser.value("player.render()")
    again = browser.pixels()
    browser.press("End")
    browser.press("Home")
    browser.value("player.render()")
    assert (browser.pixels() == again).all()
    assert browser.errors == [] and [url.partition("#")[0] for url in browser.requests] == [page.as_uri()]


@pytest.mark.slow
@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
def test_fifty_bodies_in_ten_thousand_rows_are_played(browser: Browser, tmp_path: Path, space: bool) -> None:
    """All rows can be seen, and the first frames come without an error; benchmarks/pictures.py says how soon."""
    browser.open(many_bodies(50, 10_000, space).animate(tmp_path / "many.html"))
    assert browser.value("player.columns()[0].length") == 10_000
    assert browser.value("(player.seek(7.3), player.render(), player.now())") == pytest.approx(7.3, abs=1e-4)
    assert browser.errors == []
