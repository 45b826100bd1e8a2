"""A joint of a user's that locks where its shafts stop, tears open under a torque and locks again, against a solution by cases."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from scipy.optimize import brentq

from fmu_components.export.build import cached_fmu
from jourdain import Joint, Result, System
from jourdain.declare import ROTATIONAL, falls, holds_while, rises, t

INERTIA, PEAK, RATE, OFFSET, START = 2.0, 3.0, 2.0, 0.1, 1.3


class Latch(Joint):
    """Latch that catches where N comes to rest against M, and tears open at a torque."""

    kind = ROTATIONAL

    def velocity_constraint(self, M, N):
        return [holds_while(self.discrete("caught", False, "", "whether it holds"), N.w - M.w)]

    def declare(self):
        super().declare()
        M, N = self.ports
        limit = self.parameter("limit", 1.5, "N.m", "torque that it holds", above=0)
        way = self.parameter("way", 1.0, "", "1 where N turns forwards against M, -1 backwards")
        self.when(falls(way * (N.w - M.w)), {self["caught"]: True}, "it comes to rest")
        self.when(rises(self["multiplier[1]"] - limit), {self["caught"]: False}, "it tears open")
        self.when(falls(self["multiplier[1]"] + limit), {self["caught"]: False}, "it tears open the other way")


def run(way: int, limit: float, stop: float, torque: object = None, **options: object) -> Result:
    system = System("latch")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("shaft", "mechanical1d.Inertia", {"I": INERTIA, "w": way * START})
    system.add("load", "mechanical1d.Torque")
    system.connect("load.flange", "shaft.flange")
    system.drive("load.torque", -way * (PEAK * sympy.sin(RATE * t) - OFFSET) if torque is None else torque)
    system.add("latch", cached_fmu(Latch, 3), {"limit": limit, "way": float(way)})
    system.connect("ground.shaft", "latch.M")
    system.connect("latch.N", "shaft.flange")
    result = system.simulate(stop, rtol=1e-10, **options)  # type: ignore[arg-type]  # of several types
    assert result.outcome.completed and not result.outcome.warnings, result.outcome
    held = result["latch.caught"] > 0.5
    assert np.abs(result["shaft.w"][held]).max(initial=0) < 1e-12
    return result


def speed(time: float, since: float = 0.0, start: float = START) -> float:
    """Returns the speed where it is free, under OFFSET - PEAK sin(RATE t)."""
    return start + PEAK / (INERTIA * RATE) * (math.cos(RATE * time) - math.cos(RATE * since)) + OFFSET * (time - since) / INERTIA


@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
@pytest.mark.parametrize("way", [1, -1])
def test_a_latch_catches_tears_open_and_catches_again(way: int, solver: str) -> None:
    caught = brentq(speed, 0.5, 1.4)
    torn = (math.pi + math.asin((2.6 - OFFSET) / PEAK)) / RATE
    again = brentq(lambda time: speed(time, torn, 0.0), torn + 0.1, torn + 2.7)
    result = run(way, 2.6, again + 0.3, solver=solver)
    found = [(change.time, change.what) for change in result.changes]
    assert [what for _, what in found] == ["free -> holds", "holds -> free", "free -> holds"]
    np.testing.assert_allclose([time for time, _ in found], [caught, torn, again], atol=1e-7 if solver == "cvode" else 1e-9)


@pytest.mark.parametrize("way", [1, -1])
def test_a_latch_that_cannot_hold_the_load_lets_it_pass(way: int) -> None:
    """The solution with the lock in force tears it open at once: it is free, with the speed of a free one."""
    result = run(way, 1.5, 2.0)
    assert result.changes == ()
    assert result["shaft.w"][-1] == pytest.approx(way * speed(2.0), abs=1e-9)


@pytest.mark.parametrize("way", [1, -1])
def test_an_event_at_which_nothing_switches_does_not_touch_a_lock(way: int) -> None:
    """A corner of the load before it comes to rest made it friction with a limit of 0, of any sign."""
    load = [(0.0, -2.0 * way), (0.3, -1.0 * way), (3.0, -1.0 * way)]
    result = run(way, 2.9, 3.0, torque=load)
    ((time, what),) = [(change.time, change.what) for change in result.changes]
    at_corner = START - (2 + 1) / 2 * 0.3 / INERTIA
    assert what == "free -> holds" and time == pytest.approx(0.3 + at_corner * INERTIA, abs=1e-9)
