"""Pages in a real browser: frames move as positions say, and everything can be done by keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from coupling import Result
from tests.support.browser import CHROMIUM, Browser
from tests.support.systems.space import on_a_joint
from tests.support.systems.systems import pendulum

# Needed since nothing stands in for a browser, and pip installs none: Debian's package chromium gives one.
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine: apt-get install chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


@pytest.fixture(scope="module")
def result() -> Result:
    return pendulum().simulate(2.0, output_interval=0.01)


@pytest.fixture(scope="module")
def page(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return result.animate(tmp_path_factory.mktemp("pages") / "pendulum.html", traces=[])


def test_a_pose_is_where_the_record_says_to_a_pixel(browser: Browser, page: Path, result: Result) -> None:
    """The body's colour is at the mass centre's place in the picture, and moves with it; no error, no request but the page itself."""
    browser.open(page, "t=0&theme=light&centres=0&grid=0&forces=0")
    camera = browser.value("player.camera()")
    width, height = browser.value("(b => [b.width, b.height])(document.querySelector('#view').getBoundingClientRect())")
    seen = {}
    for t in (0.0, 0.5, 1.23, 2.0):
        browser.value(f"player.seek({t}); player.render()")
        at = result.at(t)
        x = width / 2 + (at["rod.x"] - camera["x"]) * camera["scale"]
        y = height / 2 - (at["rod.y"] - camera["y"]) * camera["scale"]
        picture = browser.pixels().astype(int)
        rows, columns = np.nonzero(np.abs(picture - [0x51, 0x9A, 0xED]).max(axis=2) < 12)  # the first colour, 12 % lighter
        # The rod reaches from the pin to the mass centre and has round ends: the end that is farthest from the pin is half a width beyond.
        pin = np.array([width / 2 - camera["x"] * camera["scale"], height / 2 + camera["y"] * camera["scale"]])
        points = np.stack([columns + 0.5, rows + 0.5], axis=1) - pin
        direction = np.array([x, y]) - pin
        length = np.linalg.norm(direction)
        across = points @ np.array([-direction[1], direction[0]]) / length
        along = points @ direction / length
        assert abs(across.mean()) < 0.5 and across.max() < 20, t
        assert along.max() - np.abs(across).max() == pytest.approx(length, abs=1.6), t
        seen[t] = (round(x), round(y))
    assert len(set(seen.values())) == 4
    assert browser.errors == [] and [url.partition("#")[0] for url in browser.requests] == [page.as_uri()]


def test_everything_by_keys(browser: Browser, page: Path, result: Result) -> None:
    """Steps, ends, play, layers, theme and zoom."""
    browser.open(page)
    browser.value("player.seek(0)")
    browser.press("ArrowRight")
    assert browser.value("player.now()") == pytest.approx(result.time[1], abs=1e-5)
    browser.press("ArrowRight", shift=True)
    assert browser.value("player.now()") == pytest.approx(result.time[11], abs=1e-5)
    browser.press("ArrowLeft")
    assert browser.value("player.now()") == pytest.approx(result.time[10], abs=1e-5)
    browser.press("End")
    assert browser.value("player.now()") == pytest.approx(2.0, abs=1e-5)
    browser.press("Home")
    assert browser.value("player.now()") == 0
    browser.press(" ")
    assert browser.value("player.playing()")
    assert browser.value("new Promise(done => { const wait = () => player.now() > 0.05 ? done(true) : setTimeout(wait, 20); wait() })")
    browser.press(" ")
    assert not browser.value("player.playing()")
    for key, layer in zip("nrtjcig", ("names", "forces", "traces", "joints", "centres", "inertia", "grid"), strict=True):
        before = browser.value(f"player.show.{layer}")
        browser.press(key)
        assert browser.value(f"player.show.{layer}") is not before, layer
    browser.press("d")
    assert browser.value("document.documentElement.dataset.theme") == "dark"
    scale = browser.value("player.camera().scale")
    browser.press("+")
    assert browser.value("player.camera().scale") == pytest.approx(1.25 * scale)
    browser.press("f")
    assert browser.value("player.camera().scale") == pytest.approx(scale)
    assert browser.errors == []


def test_plots_the_bar_and_the_picture_go_together(browser: Browser, page: Path) -> None:
    """A click in the middle of a plot goes to the middle of the run, whose values stand above the plots; the wheel zooms."""
    browser.open(page)
    left, top, width = browser.value("(b => [b.left, b.top, b.width])(document.querySelector('.plot canvas').getBoundingClientRect())")
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, left + 46 + (width - 52) / 2, top + 30, button="left", clickCount=1)
    assert browser.value("player.now()") == pytest.approx(1.0, abs=0.01)
    browser.value("player.render()")
    shown = browser.value("document.querySelector('.plot output').textContent").replace("−", "-")
    assert float(shown) == pytest.approx(browser.value("player.columns()[player.scene.plots[0][0]][100]"), abs=0.1)
    scale = browser.value("player.camera().scale")
    browser.mouse("mouseWheel", 300, 300, deltaX=0, deltaY=-200)
    assert browser.value("player.camera().scale") > scale
    names = browser.send("Accessibility.getFullAXTree")["nodes"]
    controls = [each for each in names if each.get("role", {}).get("value") in ("button", "slider", "combobox", "checkbox")]
    assert len(controls) > 12 and all(each.get("name", {}).get("value") for each in controls)
    assert browser.errors == []


def test_a_phone_and_a_small_window_lose_nothing(browser: Browser, page: Path) -> None:
    """At 800 and at 390 pixels nothing is wider than the window, and no control covers another."""
    for width in (800, 390):
        browser.send("Emulation.setDeviceMetricsOverride", width=width, height=640, deviceScaleFactor=1, mobile=False)
        browser.open(page)
        assert browser.value("document.documentElement.scrollWidth") <= width
        boxes = browser.value(
            "[...document.querySelectorAll('#bar > *, header > *')].map(e => e.getBoundingClientRect()).filter(b => b.width).map(b => [b.left, b.top, b.right, b.bottom])"
        )
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                assert a[0] >= b[2] - 0.5 or b[0] >= a[2] - 0.5 or a[1] >= b[3] - 0.5 or b[1] >= a[3] - 0.5, (a, b)
    browser.send("Emulation.clearDeviceMetricsOverride")


def test_a_machine_in_space_moves_and_turns(browser: Browser, tmp_path: Path) -> None:
    """The ball at the mass centre is where its position is projected to; views are chosen by keys."""
    result = on_a_joint("Spherical", {"p1.rz": -0.5, "z": 0.5, "omegax": 1.0, "vy": -0.5}).simulate(1.0, output_interval=0.02)
    browser.open(result.animate(tmp_path / "top.html", traces=[]), "t=0&theme=light&forces=0&grid=0")
    assert browser.value("!!document.querySelector('#view').getContext('webgl2')")
    for view, t in (("0", 0.0), ("0", 1.0), ("1", 0.5), ("2", 0.5)):
        browser.press(view)
        browser.value(f"player.seek({t}); player.render()")
        x, y = browser.value("player.place([1, [0, 0, 0]])")
        r, g, b = browser.pixels().astype(int)[round(y), round(x)]
        assert b > r + 30 and b > g, (view, t, r, g, b)  # a blue body
    assert browser.errors == []
