"""Thermal parts against closed forms."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest

from tests.support.components.circuits import circuit, run
from tests.support.systems.mechanism import Mechanism

SIGMA = 5.670374419e-8


@pytest.mark.parametrize(
    ("part", "values", "exact"),
    [
        ("Conductor", {"G": 2.5}, lambda hot, cold: 2.5 * (hot - cold)),
        ("Convection", {"area": 0.3, "h.still": 8.0}, lambda hot, cold: 8.0 * 0.3 * (hot - cold)),
        (
            "Convection",
            {"area": 0.3, "h.still": 8.0, "h.moving": 5.0, "speed": -4.0},
            lambda hot, cold: (8.0 + 5.0 * sqrt(4.0)) * 0.3 * (hot - cold),
        ),
        ("Radiation", {"area": 0.2, "emissivity": 0.7}, lambda hot, cold: 0.7 * SIGMA * 0.2 * (hot**4 - cold**4)),
    ],
)
def test_the_law_of_a_flow(part, values, exact):
    """The heat flow in both directions; what one side loses the other gains."""
    for hot, cold in ((500.0, 290.0), (290.0, 500.0), (300.0, 300.0)):
        with Mechanism(
            {
                "one": ("thermal.FixedTemperature", {"temperature": hot}),
                "two": ("thermal.FixedTemperature", {"temperature": cold}),
                "between": (f"thermal.{part}", values),
                "clock": ("mechanical1d.Mass", {}),
            },
            [("one.port", "between.A"), ("two.port", "between.B")],
        ) as mechanism:
            mechanism.evaluate()
            assert mechanism["between.flow"] == pytest.approx(exact(hot, cold), rel=1e-13)
            assert mechanism["two.flow"] == -mechanism["one.flow"] == mechanism["between.flow"]


def test_a_heated_body_approaches_its_end_exponentially():
    """T = T0 + P/G (1 - exp(-G t/C)); the sensor agrees, and takes no heat."""
    C, G, P, T0, t = 350.0, 1.8, 60.0, 290.0, 400.0
    result = run(
        circuit(
            {
                "body": ("thermal.Capacity", {"C": C, "T": T0, "reference": T0}),
                "heater": ("thermal.PrescribedFlow", {"flow": P}),
                "wall": ("thermal.Conductor", {"G": G}),
                "room": ("thermal.FixedTemperature", {"temperature": T0}),
                "sensor": ("thermal.Sensor", {}),
            },
            [
                ("body.port", "heater.port"),
                ("body.port", "wall.A"),
                ("room.port", "wall.B"),
                ("body.port", "sensor.port"),
            ],
        ),
        t,
        solver="dop853",
        rtol=1e-11,
    )
    T = T0 + P / G * (1 - exp(-G * t / C))
    assert result["body.T"][-1] == pytest.approx(T, rel=1e-9)
    assert result["body.heat"][-1] == pytest.approx(C * (T - T0), rel=1e-8)
    assert result["sensor.temperature"][-1] == result["heater.temperature"][-1] == result["body.T"][-1]
    assert result["sensor.celsius"][-1] == pytest.approx(T - 273.15, rel=1e-9)


def test_a_body_cools_by_radiation():
    """Into surroundings at 0 K, 1/T^3 grows by 3 emissivity sigma area t/C."""
    C, area, T0, t = 50.0, 0.1, 900.0, 600.0
    result = run(
        circuit(
            {
                "body": ("thermal.Capacity", {"C": C, "T": T0}),
                "surface": ("thermal.Radiation", {"area": area, "emissivity": 0.8}),
                "space": ("thermal.FixedTemperature", {"temperature": 0.0}),
            },
            [("body.port", "surface.A"), ("space.port", "surface.B")],
        ),
        t,
        output_times=np.linspace(0, t, 7),
        solver="dop853",
        rtol=1e-11,
    )
    exact = (T0**-3 + 3 * 0.8 * SIGMA * area * result.time / C) ** (-1 / 3)
    assert result["body.T"] == pytest.approx(exact, rel=1e-8)
    assert exact[-1] < 0.6 * T0
