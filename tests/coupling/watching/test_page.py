"""The page of a watched run in a real browser: it moves, and its buttons and sliders reach the run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from coupling import System
from coupling.steering.run import SteeredRun
from tests.coupling.steering.test_run import mass, pulled
from tests.support.browser import CHROMIUM, Browser
from tests.support.systems.space import on_a_joint

# Needed since nothing stands in for a browser, and pip installs none: Debian's package chromium gives one.
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine: apt-get install chromium")

FORCE, PATIENCE = "rod.p2.Fy", 60.0


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


def shown(browser: Browser, system: System, act: Callable[[SteeredRun, str], None], inputs: dict[str, Any] | None = None) -> SteeredRun:
    """Watches a run while a browser shows its page, and acts there in another thread; the run ends after that."""
    failed: list[BaseException] = []

    def look(address: str) -> None:
        try:
            browser.show(address, 1000)
            until(browser, "window.player && scene.rows > 5")
            act(run, address)
        except BaseException as error:
            failed.append(error)
        finally:
            run.stop()

    threads: list[threading.Thread] = []

    def show(address: str) -> None:
        threads.append(threading.Thread(target=look, args=(address,)))
        threads[0].start()

    with system.start() as run:
        run.watch(inputs, show=show)
    threads[0].join(PATIENCE)
    assert not failed, failed
    return run


def until(browser: Browser, expression: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not browser.value(expression):
        assert time.monotonic() < deadline, expression
        time.sleep(0.02)


def click(browser: Browser, query: str) -> None:
    left, top = browser.value(
        f"(b => [b.left + b.width / 2, b.top + b.height / 2])(document.querySelector('{query}').getBoundingClientRect())"
    )
    for kind in ("mousePressed", "mouseReleased"):
        browser.mouse(kind, left, top, button="left", clickCount=1)


def test_frames_arrive_pause_and_slider_work(browser: Browser) -> None:
    """The rod swings; the pause holds it; the slider's key changes the force on the run by what the page shows; no other request."""
    seen: dict[str, Any] = {}

    def act(run: SteeredRun, address: str) -> None:
        first = browser.value("[now, player.cost.frames]")
        until(browser, f"now > {first[0]} + 0.2 && player.cost.frames > {first[1]} + 2")
        assert browser.value("document.querySelector('h1').textContent") == "pulled"
        click(browser, "#play")
        until(browser, "live.state.paused && !playing")
        at = browser.value("[now, live.rows, live.kept[0][live.rows - 1]]")
        time.sleep(0.3)
        assert browser.value("[now, live.rows, now]") == at
        browser.value("document.querySelector('#inputs input').focus()")
        browser.press("End")
        until(browser, f"live.state.values['{FORCE}'] === 8")
        assert browser.value("document.querySelector('#inputs output').textContent") == "8.000 N"
        browser.press(" ")
        until(browser, f"!live.state.paused && playing && now > {at[0]} + 0.2")
        browser.value("(s => { s.value = '0.5'; s.dispatchEvent(new Event('change')); })(document.querySelector('#speed'))")
        until(browser, "live.state.speed === 0.5 && live.state.rate > 0")
        seen["requests"], seen["errors"] = list(browser.requests), list(browser.errors)
        seen["place"], seen["changed"] = address, at[0]
        names = browser.send("Accessibility.getFullAXTree")["nodes"]
        controls = [each for each in names if each.get("role", {}).get("value") in ("button", "slider", "combobox", "checkbox")]
        assert len(controls) > 12 and all(each.get("name", {}).get("value") for each in controls)
        click(browser, "#end")
        until(browser, "!!live.state.ended")

    run = shown(browser, pulled(), act, {FORCE: (-8.0, 8.0)})
    assert seen["errors"] == [] and all(url.startswith(seen["place"]) for url in seen["requests"])
    assert sum(url.endswith("/say") for url in seen["requests"]) == 4 and len(seen["requests"]) == 6
    record = run.result
    # The work of the force at the free end, and of the weight, is the energy of the rod about its pin.
    theta, omega, t = record["rod.theta"], record["rod.omega"], record.time
    for start, end, force in ((0.0, seen["changed"], 0.0), (seen["changed"], t[-1], 8.0)):
        inside = (t >= start) & (t <= end)
        energy, height = 0.5 * omega[inside] ** 2 * (1 / 12 + 1 / 4), np.sin(theta[inside])
        assert energy - energy[0] == pytest.approx((force - 9.81 / 2) * (height - height[0]), abs=1e-5)


@pytest.mark.slow
def test_it_is_finished_in_light_and_dark_at_all_widths(browser: Browser) -> None:
    """Nothing is wider than the window, no control covers another, and the theme of the reader is taken."""

    def act(run: SteeredRun, address: str) -> None:
        for width in (1280, 800, 390):
            for dark in (False, True):
                browser.show(address, width, dark)
                until(browser, "window.player && scene.rows > 5")
                assert browser.value("document.documentElement.scrollWidth") <= width
                assert browser.value("document.documentElement.dataset.theme") == ("dark" if dark else "light")
                boxes = browser.value(
                    "[...document.querySelectorAll('#bar > *, header > *, #inputs > label')].map(e => e.getBoundingClientRect())"
                    ".filter(b => b.width).map(b => [b.left, b.top, b.right, b.bottom])"
                )
                for i, a in enumerate(boxes):
                    for b in boxes[:i]:
                        apart = a[0] >= b[2] - 0.5 or b[0] >= a[2] - 0.5 or a[1] >= b[3] - 0.5 or b[1] >= a[3] - 0.5
                        assert apart, (width, a, b)
                assert browser.errors == []

    shown(browser, pulled(), act, {FORCE: (-8.0, 8.0), "rod.m": (0.5, 3.0)})


@pytest.mark.slow
def test_machines_in_space_and_without_a_picture_are_shown(browser: Browser) -> None:
    """A body in space moves with its trace; a mass on a line has plots alone."""

    def moves(run: SteeredRun, address: str) -> None:
        until(browser, "now > 0.3")
        assert browser.value("!!document.querySelector('#view').getContext('webgl2')") and browser.errors == []

    def plots(run: SteeredRun, address: str) -> None:
        until(browser, "now > 0.3")
        assert browser.value("document.querySelectorAll('.plot').length") > 0
        assert browser.value("getComputedStyle(document.querySelector('#stage')).display") == "none" and browser.errors == []

    shown(browser, on_a_joint("Spherical", {"p1.rz": -0.5, "z": 0.5, "omegax": 1.0, "vy": -0.5}), moves)
    shown(browser, mass(), plots)
