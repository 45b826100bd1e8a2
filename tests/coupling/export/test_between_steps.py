"""Events that begin and end within one communication step of an exported mechanism, however long it is."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy

from jourdain import System
from jourdain.declare import t
from tests.support.runtime.driver import Driver

SPEED, TURNS = 3.0, 4
STOP = TURNS * 2 * math.pi / SPEED
WAYS = ["speed", "formula", "input"]
SLOTS = pytest.mark.parametrize("slots", [3, 4, 8])


def geneva(way: str, slots: float = 4.0) -> System:
    """A crank that begins opposite to the wheel, and turns by a speed, by a formula of its angle or by an input."""
    system = System("geneva")
    system.add("crank", f"mechanical1d.{'Angle' if way == 'formula' else 'Speed'}", {} if way == "formula" else {"angle": math.pi})
    if way != "input":
        system.drive(*(("crank.angle", math.pi + SPEED * t) if way == "formula" else ("crank.speed", SPEED)))
    system.add("wheel", "mechanical1d.Inertia", {"I": 0.3})
    system.join("mechanical1d.Geneva", "crank.flange", "wheel.flange", {"slots": slots}, name="drive")
    return system


@cache
def folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="exported-"))


@cache
def exported(way: str, fmi: int = 3) -> Path:
    """The FMU whose number of slots is a parameter."""
    opened = ["crank.speed"] if way == "input" else []
    return geneva(way).export_fmu(
        folder() / f"{way}{fmi}.fmu", fmi=fmi, platforms=["linux64"], inputs=opened, outputs=["wheel.phi"], parameters=["drive.slots"]
    )


def given(way: str, slots: int) -> dict[str, float | bool]:
    return {"drive.slots": float(slots)} | ({"crank.speed": SPEED} if way == "input" else {})


def expected(slots: int) -> list[float]:
    """Returns the times at which the pin enters and leaves the slots."""
    half = math.pi / 2 - math.pi / slots
    return [(math.pi + 2 * math.pi * turn + side * half) / SPEED for turn in range(TURNS) for side in (-1, 1)]


def events(fmu: Path, values: Mapping[str, float | bool]) -> list[float]:
    """Returns the times of events; from each of them a communication step leads to the end of the run."""
    found, now = [], 0.0
    with Driver(fmu, "cs", event_mode=True) as driver:
        driver.start(values, tolerance=1e-9)
        while True:
            driver.update()
            driver.fmu.enterStepMode()
            event, _, _, now = driver.step(now, STOP - now)
            if not event:
                return found
            found.append(now)
            driver.fmu.enterEventMode()


@pytest.mark.parametrize("implicit", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("fmi", [3, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("way", WAYS)
@SLOTS
def test_one_long_step_loses_no_engagement(slots: int, way: str, fmi: int, implicit: bool) -> None:
    with Driver(exported(way, fmi), "cs") as driver:
        driver.start(given(way, slots) | {"solver.implicit": implicit}, tolerance=1e-9)
        driver.step(0.0, STOP)
        assert driver["wheel.phi"] == pytest.approx(-TURNS * 2 * math.pi / slots, abs=1e-6)


@pytest.mark.parametrize("way", WAYS)
@SLOTS
def test_events_are_where_model_exchange_and_the_master_have_them(slots: int, way: str) -> None:
    found = events(exported(way), given(way, slots))
    np.testing.assert_allclose(found, expected(slots), atol=1e-6)
    whole = System("whole")
    whole.add("whole", exported(way), {name: value for name, value in given(way, slots).items() if name != "crank.speed"}, kind="me")
    master = geneva(way, float(slots))
    if way == "input":
        whole.drive("whole.crank.speed", SPEED)
        master.drive("crank.speed", SPEED)
    # An importer sees no angle that a formula inside the FMU gives: it has to limit its steps itself.
    longest = 0.35 / SPEED if way == "formula" else math.inf
    for system in (whole, master):
        result = system.simulate(STOP, rtol=1e-9, max_step=longest if system is whole else math.inf)
        np.testing.assert_allclose(result.time[np.flatnonzero(np.diff(result.time) == 0)], found, atol=1e-6)


def hit(play: float) -> System:
    """A block that rests on a rough floor until a slide to and fro hits it with the last of its travel."""
    system = System("hit")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("slide", "mechanical1d.Position")
    system.drive("slide.position", 0.1 * sympy.sin(5 * t) ** 3)
    system.add("block", "mechanical1d.Mass", {"m": 1.0})
    system.join("mechanical1d.Backlash", "slide.flange", "block.flange", {"play": play}, name="play")
    system.join("mechanical1d.Friction", "ground.flange", "block.flange", {"static": 3.0, "kinetic": 2.0}, name="floor")
    return system


@pytest.mark.slow
@pytest.mark.parametrize("play", [0.19, 0.1998])
def test_one_long_step_sees_peaks_of_drives(play: float) -> None:
    path = hit(play).export_fmu(folder() / f"hit{play}.fmu", platforms=["linux64"], outputs=["block.s"])
    with Driver(path, "cs") as driver:
        driver.start({}, tolerance=1e-8)
        driver.step(0.0, 10.0)
        found = driver["block.s"]
    result = hit(play).simulate(10.0, rtol=1e-9, max_step=1e-3)
    assert abs(found) > 0.04 and found == pytest.approx(result["block.s"][-1], abs=1e-8)
