"""The cylinder and the valve of the crane benchmark (Rahikainen, Gonzalez, Naya et al.), written out and out of components."""

from math import copysign, pi, sqrt

import numpy as np
import pytest

from mechanism import Mechanism

A1, A2 = pi * 0.08**2 / 4, pi * 0.08**2 / 4 - pi * 0.035**2 / 4
SUPPLY, TANK = 7.6e6, 1e5


def root(drop):
    """sign(drop) sqrt(|drop|), linear below 2e5 Pa."""
    return copysign(sqrt(abs(drop)), drop) if abs(drop) >= 2e5 else drop / sqrt(2e5)


def crane(sigma, v, p1, p2, U, reference):
    """p1', p2', F and U' as the benchmark states them, sigma being s - s0; and the size of the terms of each."""
    Cv = (0.024 / 60) / sqrt(35e5)
    l1, l2 = 0.221 + sigma, 0.221 - sigma
    V1, V2 = A1 * l1 + 3.14e-5, A2 * l2 + 7.85e-5
    Be1 = 1 / (1 / 1.5e9 + (A1 * l1 / V1) / 3.15e10 + (3.14e-5 / V1) / 1.5e8)
    Be2 = 1 / (1 / 1.5e9 + (A2 * l2 / V2) / 3.15e10 + (7.85e-5 / V2) / 1.5e8)
    Q1 = Q2 = 0.0
    if U >= 1e-6:
        Q1, Q2 = Cv * U * root(SUPPLY - p1), Cv * U * root(p2 - TANK)
    if U <= -1e-6:
        Q1, Q2 = Cv * U * root(p1 - TANK), Cv * U * root(SUPPLY - p2)
    F = p1 * A1 - p2 * A2 - 1e5 * v
    if l1 < 0.008:
        F += max(0.0, 1e7 * (0.008 - l1) - 5e3 * v)
    if l2 < 0.008:
        F -= max(0.0, 1e7 * (0.008 - l2) + 5e3 * v)
    values = Be1 / V1 * (Q1 - A1 * v), Be2 / V2 * (A2 * v - Q2), F, (min(1.0, max(-1.0, reference)) - U) * 2 * pi * 35
    sizes = Be1 / V1 * (abs(Q1) + A1 * abs(v)), Be2 / V2 * (abs(Q2) + A2 * abs(v)), p1 * A1 + p2 * A2 + 1e5 * abs(v), 2 * pi * 35
    return values, sizes


def parts(sigma, v, p1, p2, U, reference):
    """The same out of components; a mass holds the place of boom and load."""
    return {
        "supply": ("hydraulic.PressureSource", {"pressure": SUPPLY}),
        "tank": ("hydraulic.Tank", {"pressure": TANK}),
        "valve": (
            "hydraulic.ProportionalValve43",
            {"nominal.flow": 0.024 / 60, "nominal.drop": 35e5, "laminar": 2e5, "bandwidth": 35, "dead_zone": 1e-6}
            | {"spool": U, "command": reference},
        ),
        "cylinder": (
            "hydraulic.Cylinder",
            {"piston": 0.08, "rod": 0.035, "stroke": 0.442, "offset": -0.221, "hose1.volume": 3.14e-5, "hose2.volume": 7.85e-5}
            | {"bulk.oil": 1.5e9, "bulk.wall": 3.15e10, "bulk.hose": 1.5e8, "viscous": 1e5}
            | {"stop.k": 1e7, "stop.c": 5e3, "stop.length": 0.008, "p1": p1, "p2": p2},
        ),
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


@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_the_components_are_the_benchmark(state):
    """The rates of both pressures and of the spool, and the force, agree to 1e-12 of their largest terms."""
    with Mechanism(parts(*state), CONNECTIONS) as mechanism:
        mechanism.evaluate()
        found = [mechanism[f"cylinder.{name}"] for name in ("der(p1)", "der(p2)", "flange.f")] + [mechanism["valve.der(spool)"]]
    expected, sizes = crane(*state)
    for value, exact, size in zip(found, expected, sizes, strict=True):
        assert value == pytest.approx(exact, rel=0, abs=1e-12 * size)


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
