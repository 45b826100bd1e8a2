"""The cylinder and the valve of the hydraulic crane: its components against the benchmark written out, state by state."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.oracles.crane import SUPPLY, TANK, hydraulics
from tests.support.systems.machines import example
from tests.support.systems.mechanism import Mechanism

machine = example("06_hydraulic_crane")


def parts(sigma, v, p1, p2, U, reference):
    """The hydraulics of the example in this state; a mass holds the place of boom and load."""
    return {
        "supply": ("hydraulic.PressureSource", {"pressure": machine.SUPPLY}),
        "tank": ("hydraulic.Tank", {"pressure": machine.TANK}),
        "valve": ("hydraulic.ProportionalValve43", machine.VALVE | {"spool": U, "command": reference}),
        "cylinder": ("hydraulic.Cylinder", machine.CYLINDER | {"p1": p1, "p2": p2}),
        "rod": ("mechanical1d.Mass", {"s": sigma, "v": v}),
    }


CONNECTIONS = [
    ("supply.port", "valve.P"),
    ("tank.port", "valve.T"),
    ("cylinder.A", "valve.A"),
    ("cylinder.B", "valve.B"),
    ("rod.flange", "cylinder.flange"),
]


def states():
    """Random states, every third near an end and fast, every fifth with a small drop across an edge, some spools in the dead zone."""
    random = np.random.default_rng(35)
    for number in range(60):
        sigma, v = random.uniform(-0.22, 0.22), random.uniform(-0.3, 0.3)
        if number % 3 == 0:
            v = random.uniform(-8, 8)
            sigma = (-1) ** number * (0.213 + random.uniform(-0.0015, 0.005))
        p1, p2 = random.uniform(2e5, 7.5e6, 2)
        if number % 5 == 0:
            near = (SUPPLY, TANK) if number % 2 else (TANK, SUPPLY)
            p1, p2 = near + random.uniform(-9e4, 9e4, 2)
        U = random.choice([5e-7, -5e-7, 0.0]) if number % 7 == 0 else random.uniform(-1, 1)
        yield sigma, v, p1, p2, U, random.uniform(-1.5, 1.5)


STATES = list(states())


def test_the_components_are_the_benchmark():
    """The rates of both pressures and of the spool, and the force, agree to 1e-12 of their largest terms in every state."""
    wrong = []
    for number, state in enumerate(STATES):
        with Mechanism(parts(*state), CONNECTIONS) as mechanism:
            mechanism.evaluate()
            found = [mechanism[f"cylinder.{name}"] for name in ("der(p1)", "der(p2)", "flange.f")] + [mechanism["valve.der(spool)"]]
        expected, sizes = hydraulics(*state)
        for value, exact, size in zip(found, expected, sizes, strict=True):
            if value != pytest.approx(exact, rel=0, abs=1e-12 * size):
                wrong.append((number, state, value, exact))
    assert wrong == []


def test_the_states_cover_all_that_happens():
    """Both end stops push and do not push, edges are linear and turbulent, the spool is in the dead zone, the command too large."""
    sigma, v, p1, p2, U, reference = map(np.array, zip(*STATES, strict=True))
    for l, speed in ((0.221 + sigma, v), (0.221 - sigma, -v)):  # noqa: E741
        pushes = 1e7 * (0.008 - l) - 5e3 * speed > 0
        assert (pushes & (l < 0.008)).any() and (~pushes & (l < 0.008)).any() and (l > 0.008).any()
    drops = np.abs([SUPPLY - p1, SUPPLY - p2, p1 - TANK, p2 - TANK])
    assert (drops < 2e5).any(axis=1).all() and (drops > 2e5).any(axis=1).all()
    assert (p1 > SUPPLY).any() and (p1 < TANK).any()
    assert (np.abs(U) < 1e-6).any() and (reference > 1).any() and (reference < -1).any()
