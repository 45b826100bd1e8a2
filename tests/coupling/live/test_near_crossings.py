"""Crossings that come in pairs within steps as long as solvers like: the slot of a Geneva drive whose crank turns freely."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

from coupling import System

ROOT = math.sqrt(0.5)


def through(w: float) -> float:
    """Returns the time of the pin in its slot: crank and wheel, 1 and 0.3 kg.m2, keep their energy."""

    def slowness(phi: float) -> float:
        ratio = ROOT * (math.cos(phi) - ROOT) / (1.5 - 2 * ROOT * math.cos(phi))
        return math.sqrt(1 + 0.3 * ratio**2) / w

    return float(2 * quad(slowness, 0, math.pi / 4)[0])


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "cvode"])
def test_a_slot_that_is_passed_within_a_step_is_seen(solver: str) -> None:
    machine = System("geneva")
    machine.add("crank", "mechanical1d.Inertia", {"I": 1.0, "phi": -math.pi / 2, "w": 2.0})
    machine.add("wheel", "mechanical1d.Inertia", {"I": 0.3})
    machine.join("mechanical1d.Geneva", "crank.flange", "wheel.flange", name="drive")
    result = machine.simulate(26.0, solver=solver, outputs=["*", "drive.engaged"])
    free, slot = 3 * math.pi / 4, through(2.0)
    times = [math.pi / 8 + n * (free + slot) + also for n in range(8) for also in (0, slot)]
    found = result.time[1:][np.diff(result["drive.engaged"].astype(float)) != 0]
    np.testing.assert_allclose(found, times, atol=1e-5)
    assert result["wheel.phi"][-1] == pytest.approx(-4 * math.pi, abs=1e-5)
