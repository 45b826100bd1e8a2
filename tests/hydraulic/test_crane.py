"""The cylinder and the valve of the crane benchmark (Rahikainen, Gonzalez, Naya et al.), written out and out of components."""

from itertools import pairwise
from math import copysign, cos, hypot, pi, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from circuits import circuit, run
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


# -- the whole crane -------------------------------------------------------------------------------------------------

FOOT, START, GRAVITY = sqrt(3) / 2, pi / 6, 9.8
LENGTH = hypot(0.5 * cos(START) - FOOT, 0.5 * sin(START))
COMMAND = [(10 * k + t, U) for k in range(2) for t, U in ((0.5, 0.0), (2.0, 0.6), (7.0, 0.6), (9.0, -1.0), (10.0, 0.0))]


def benchmark(t, y):
    """The crane by Lagrange's equations for the angles of boom and load, the latter 0 where it hangs straight."""
    boom, load, w, o, p1, p2, U = y
    x_rate, y_rate = -0.5 * sin(boom), 0.5 * cos(boom)
    x, y = 0.5 * cos(boom) - FOOT, 0.5 * sin(boom)
    s = hypot(x, y)
    slope = (x * x_rate + y * y_rate) / s
    (dp1, dp2, F, dU), _ = crane(s - LENGTH, slope * w, p1, p2, U, float(np.interp(t, *zip(*COMMAND, strict=True))))
    inertia = [[500 / 12 + 500 * 0.25 + 100, 30 * sin(load - boom)], [30 * sin(load - boom), 1 + 100 * 0.09]]
    turning = 30 * cos(load - boom)
    forces = [
        F * slope - GRAVITY * (250 + 100) * cos(boom) - turning * o**2,
        turning * w**2 - GRAVITY * 30 * sin(load),
    ]
    return [w, o, *np.linalg.solve(inertia, forces), dp1, dp2, dU]


def test_the_whole_crane():
    """Over 20 s, in which the cylinder reaches its end stop, angles and pressures are those of the equations written out."""
    mechanics = {
        "ground": ("planar.Fixed", {}),
        "foot": ("planar.Fixed", {"p1.rx": FOOT}),
        "hinge": ("planar.Revolute", {}),
        "tip": ("planar.Revolute", {}),
        "boom": (
            "planar.Body3",
            {"m": 500, "I": 500 / 12, "gy": -GRAVITY, "p1.rx": -0.5, "p2.rx": 0.5}
            | {"x": 0.5 * cos(START), "y": 0.5 * sin(START), "theta": START},
        ),
        "load": ("planar.Body1", {"m": 100, "I": 1, "gy": -GRAVITY, "p1.ry": 0.3, "x": cos(START), "y": sin(START) - 0.3}),
        "actuator": ("planar.LinearActuator", {"offset": LENGTH}),
    }
    hydraulics = parts(0, 0, 4.163e6, 3.461e6, 0.0, 0.0)
    del hydraulics["rod"]
    joined = [("ground.p1", "hinge.M"), ("boom.p1", "hinge.N"), ("boom.p2", "tip.M"), ("load.p1", "tip.N")]
    joined += [("foot.p1", "actuator.M"), ("boom.p3", "actuator.N"), ("actuator.flange", "cylinder.flange"), *CONNECTIONS[:-1]]
    times = np.linspace(0, 20, 201)
    result = run(circuit(mechanics | hydraulics, joined, {"valve.command": COMMAND}), 20.0, rtol=1e-8, output_times=times)

    y, found = [START, 0, 0, 0, 4.163e6, 3.461e6, 0], []
    corners = [0.0, *(t for t, _ in COMMAND)]
    for begin, end in pairwise(corners):
        asked = times[(times >= begin - 1e-9) & (times < end - 1e-9)]
        tolerances = {"rtol": 1e-8, "atol": [1e-10, 1e-10, 1e-9, 1e-9, 1e-2, 1e-2, 1e-10]}
        solution = solve_ivp(benchmark, (begin, end), y, "Radau", t_eval=[*asked, end], **tolerances)
        found.append(solution.y[:, :-1])
        y = solution.y[:, -1]
    exact = np.column_stack([*found, y])
    rows = np.searchsorted(result.time, times, side="right") - 1
    allowed = {"boom.theta": (0, 1e-7), "load.theta": (1, 3e-5), "cylinder.p1": (4, 30), "cylinder.p2": (5, 30), "valve.spool": (6, 1e-6)}
    for name, (state, most) in allowed.items():
        assert np.abs(result[name][rows] - exact[state]).max() < most, name
    assert result["cylinder.position"].max() > 0.442 - 0.008
    assert result.statistics.steps < 8000
