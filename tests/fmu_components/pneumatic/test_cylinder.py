"""The pneumatic cylinder: force, gas spring, motion with a valve, end stops."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.support.components.circuits import circuit, event_times, modes, run
from tests.support.systems.mechanism import Mechanism

piston, rod, stroke, dead1, dead2, ambient = 0.04, 0.016, 0.12, 2e-5, 3e-5, 1e5
A1, A2 = pi / 4 * piston**2, pi / 4 * (piston**2 - rod**2)
RT = 288.0 * 300.0
SHAPE = {"piston": piston, "rod": rod, "stroke": stroke, "dead1": dead1, "dead2": dead2, "ambient": ambient, "gas.T": 300.0}


@pytest.mark.parametrize(("exponent", "position"), [(1.0, 0.02), (1.4, 0.02), (1.4, 0.09)])
def test_the_gas_is_a_spring(exponent, position):
    """A mass with both ports closed oscillates at sqrt(n (p1 A1^2/V1 + p2 A2^2/V2)/m), isothermal with n = 1 and adiabatic with 1.4."""
    m, viscous, p1 = 3.0, 12.0, 5e5
    p2 = (p1 * A1 - ambient * (A1 - A2)) / A2
    with Mechanism(
        {
            "cylinder": ("pneumatic.Cylinder", SHAPE | {"p1": p1, "p2": p2, "viscous": viscous, "offset": 0.3, "exponent": exponent}),
            "mass": ("mechanical1d.Mass", {"m": m, "s": 0.3 + position}),
        },
        [("mass.flange", "cylinder.flange")],
    ) as mechanism:
        assert abs(mechanism.evaluate()).max() < 1e-6  # at rest
        found = modes(mechanism, [10.0, 10.0, 1e-6, 1e-6])[:2]
    stiff = exponent * (p1 * A1**2 / (A1 * position + dead1) + p2 * A2**2 / (A2 * (stroke - position) + dead2))
    decay = viscous / (2 * m)
    assert found.real == pytest.approx([-decay, -decay], rel=1e-5)
    assert abs(found.imag) == pytest.approx([sqrt(stiff / m - decay**2)] * 2, rel=1e-6)


def test_a_closed_chamber_keeps_its_polytrope():
    """Without flow p V^n is constant, however the piston moves."""
    result = run(
        circuit(
            {
                "cylinder": ("pneumatic.Cylinder", SHAPE | {"p1": 6e5, "p2": 2e5, "exponent": 1.3}),
                "mass": ("mechanical1d.Mass", {"m": 3.0, "s": 0.03, "v": 0.4}),
            },
            [("mass.flange", "cylinder.flange")],
        ),
        0.3,
        output_times=np.linspace(0, 0.3, 31),
        solver="dop853",
        rtol=1e-11,
        outputs=["*", "cylinder.volume1", "cylinder.volume2"],
    )
    for k in (1, 2):
        kept = result[f"cylinder.p{k}"] * result[f"cylinder.volume{k}"] ** 1.3
        assert kept == pytest.approx(np.full_like(kept, kept[0]), rel=1e-8)
    assert np.ptp(result["cylinder.position"]) > 0.03


def test_a_valve_drives_a_mass_to_both_end_stops():
    """Under a sine of the command the rod moves out and in, and touches both stops: the motion is that of SciPy."""
    C, b, supply, m, k, c, reach, viscous, n = 1e-8, 0.3, 7e5, 4.0, 4e5, 600.0, 2e-3, 60.0, 1.2
    flow0 = 1.185 * sqrt(293.15 / 300.0)

    def flow(conductance, here, there):
        high, low = max(here, there), min(here, there)
        ratio = low / high
        x = max(0.0, (min(ratio, 0.999) - b) / (1 - b))
        size = high * sqrt(1 - x * x) * (1 if ratio < 0.999 else (1 - ratio) / 1e-3)
        return conductance * flow0 * size * (1 if here >= there else -1)

    def stop(length, speed):
        depth = reach - length
        return max(0.0, k * depth - c * speed) if depth > 0 else 0.0

    def rates(t, y):
        p1, p2, spool, s, v = y
        ahead, back = C * max(0.0, spool), C * max(0.0, -spool)
        flow1 = flow(ahead, supply, p1) - flow(back, p1, ambient)
        flow2 = flow(back, supply, p2) - flow(ahead, p2, ambient)
        V1, V2 = A1 * s + dead1, A2 * (stroke - s) + dead2
        force = p1 * A1 - p2 * A2 - ambient * (A1 - A2) - viscous * v + stop(s, v) - stop(stroke - s, -v)
        lag = 2 * pi * 100 * (0.9 * np.sin(2 * pi * t) - spool)
        return [n * (RT * flow1 - p1 * A1 * v) / V1, n * (RT * flow2 + p2 * A2 * v) / V2, lag, v, force / m]

    times = np.linspace(0, 1.25, 51)
    exact = solve_ivp(rates, (0, 1.25), [2e5, 2e5, 0.0, 0.06, 0.0], "DOP853", times, rtol=1e-10, atol=[1e-4, 1e-4, 1e-12, 1e-12, 1e-11])
    system = circuit(
        {
            "supply": ("pneumatic.PressureSource", {"pressure": supply}),
            "outside": ("pneumatic.Atmosphere", {"pressure": ambient}),
            "valve": ("pneumatic.ProportionalValve53", {"C": C, "b": b, "gas.T": 300.0, "dead_zone": 0.0}),
            "cylinder": (
                "pneumatic.Cylinder",
                SHAPE | {"p1": 2e5, "p2": 2e5, "viscous": viscous, "exponent": n, "stop.k": k, "stop.c": c, "stop.length": reach},
            ),
            "mass": ("mechanical1d.Mass", {"m": m, "s": 0.06}),
        },
        [
            ("supply.port", "valve.P"),
            ("outside.port", "valve.R"),
            ("outside.port", "valve.S"),
            ("cylinder.A", "valve.A"),
            ("cylinder.B", "valve.B"),
            ("mass.flange", "cylinder.flange"),
        ],
        {"valve.command": lambda t: 0.9 * np.sin(2 * pi * t)},
    )
    stops = ["cylinder.stop1.force", "cylinder.stop2.force"]
    result = run(system, 1.25, output_times=times, rtol=1e-9, outputs=["*", *stops]).resample(times)
    assert result["mass.s"] == pytest.approx(exact.y[3], abs=1e-6 * stroke)
    assert result["cylinder.p1"] == pytest.approx(exact.y[0], rel=1e-5)
    assert result["cylinder.p2"] == pytest.approx(exact.y[1], rel=1e-5)
    assert min(result[each].max() for each in stops) > 10


def test_an_end_stop_bears_the_pressures():
    """The piston rests, under given pressures, where the stop carries their force, and the contact is an event."""
    k, reach = 2e6, 1e-3
    result = run(
        circuit(
            {
                "supply": ("pneumatic.PressureSource", {"pressure": 6e5}),
                "outside": ("pneumatic.Atmosphere", {"pressure": ambient}),
                "inlet": ("pneumatic.Restrictor", {"C": 1e-8}),
                "outlet": ("pneumatic.Restrictor", {"C": 1e-8}),
                "cylinder": ("pneumatic.Cylinder", SHAPE | {"viscous": 500.0, "stop.k": k}),
                "mass": ("mechanical1d.Mass", {"m": 2.0, "s": 0.1}),
            },
            [
                ("supply.port", "inlet.A"),
                ("cylinder.A", "inlet.B"),
                ("cylinder.B", "outlet.A"),
                ("outside.port", "outlet.B"),
                ("mass.flange", "cylinder.flange"),
            ],
        ),
        2.0,
    )
    force = (6e5 - ambient) * A1
    assert result["cylinder.position"][-1] == pytest.approx(stroke - reach + force / k, rel=1e-6)
    assert result["cylinder.energy"][-1] == pytest.approx(force**2 / (2 * k), rel=1e-4)
    assert event_times(result).size > 0
