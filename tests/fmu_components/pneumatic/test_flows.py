"""Flows by ISO 6358: choked and not choked, in both directions, and the volumes that they fill and empty."""

from __future__ import annotations

from math import asin, exp, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.components.circuits import circuit, run
from tests.support.runtime.driver import ERROR, Driver, status_of
from tests.support.systems.mechanism import Mechanism

C, b, R, T, RHO, T0 = 3e-9, 0.35, 288.0, 310.0, 1.185, 293.15
SONIC = C * RHO * sqrt(T0 / T)
"""Choked mass flow by the pressure before the passage."""
SUPPLY, V = 8e5, 2e-3
PASSAGE = {"C": C, "b": b, "gas.T": T}


@pytest.mark.parametrize("ratio", [0.0, 0.1, b - 1e-3, b, b + 1e-3, 0.6, 0.95, 0.999])
@pytest.mark.parametrize("m", [0.5, 0.58])
def test_the_flow_on_both_sides_of_the_critical_ratio(ratio, m):
    """Choked below b, by the ellipse (m = 0.5) or its generalisation above; the reversed flow has the other sign and the same size."""
    exact = SONIC * SUPPLY * (1.0 if ratio <= b else (1 - ((ratio - b) / (1 - b)) ** 2) ** m)
    for first, second, sign in ((SUPPLY, SUPPLY * ratio, 1), (SUPPLY * ratio, SUPPLY, -1)):
        with Mechanism(
            {
                "one": ("pneumatic.PressureSource", {"pressure": first}),
                "two": ("pneumatic.PressureSource", {"pressure": second}),
                "passage": ("pneumatic.Restrictor", PASSAGE | {"m": m}),
                "clock": ("mechanical1d.Mass", {}),
            },
            [("one.port", "passage.A"), ("two.port", "passage.B")],
        ) as mechanism:
            mechanism.evaluate()
            assert mechanism["passage.flow"] == pytest.approx(sign * exact, rel=1e-12)
            assert mechanism["one.flow"] == -mechanism["two.flow"] == mechanism["passage.flow"]


def test_an_ideal_nozzle_is_such_a_passage():
    """Saint-Venant and Wantzel's flow of air through 10 mm2, isentropic, differs by at most 0.2 %; C is a fifth of the area in dm3/(s.bar)."""
    area, power = 10e-6, 1.4 / 0.4
    critical = (2 / 2.4) ** power
    choked = area * sqrt(1.4 / (R * T)) * (2 / 2.4) ** 3  # mass flow by pressure
    sonic = area * sqrt(1.4 / (R * T0)) * (2 / 2.4) ** 3 / RHO
    assert sonic * 1e8 == pytest.approx(10 / 5, rel=1e-2)
    with Driver(cached_fmu(find("pneumatic.Restrictor"), 3), "me") as driver:
        driver.start({"C": sonic, "b": critical, "gas.T": T})
        for ratio in np.linspace(0, 0.998, 41):
            expansion = sqrt(2 * power / (R * T) * (max(ratio, critical) ** (2 / 1.4) - max(ratio, critical) ** (2.4 / 1.4)))
            driver.set({"A.pressure": SUPPLY, "B.pressure": SUPPLY * ratio})
            assert driver["flow"] == pytest.approx(area * SUPPLY * expansion, abs=2e-3 * choked * SUPPLY)
            assert ratio > critical or driver["flow"] == pytest.approx(choked * SUPPLY, rel=1e-12)


def test_the_flow_through_zero_is_proportional():
    """Above the ratio 0.999 the flow is proportional to the drop; its slope at zero is finite and the same in both directions."""
    x = (0.999 - b) / (1 - b)
    slope = SONIC * sqrt(1 - x**2) / 1e-3
    with Driver(cached_fmu(find("pneumatic.Restrictor"), 3), "me") as driver:
        driver.start(PASSAGE)
        for drop in (-500.0, -1e-3, 0.0, 1e-3, 500.0):
            driver.set({"A.pressure": 6e5, "B.pressure": 6e5 - drop})
            assert driver["flow"] == pytest.approx(slope * drop, rel=1e-6, abs=1e-25)
            assert driver.directional(["flow"], ["A.pressure"], [1.0]) == pytest.approx([slope], rel=1e-9)


@pytest.mark.parametrize("exponent", [1.0, 1.4])
def test_a_passage_fills_a_volume(exponent):
    """Choked, the pressure rises in proportion to time; then its ratio is b + (1 - b) sin(k t); at last the drop falls exponentially."""
    start, gain = 1e5, exponent * R * T * SONIC / V  # per second
    k = gain / (1 - b)
    sonic, last = (b - start / SUPPLY) / gain, asin((0.999 - b) / (1 - b)) / k
    result = run(
        circuit(
            {
                "supply": ("pneumatic.PressureSource", {"pressure": SUPPLY}),
                "tank": ("pneumatic.Volume", {"volume": V, "p": start, "exponent": exponent, "gas.T": T}),
                "passage": ("pneumatic.Restrictor", PASSAGE),
            },
            [("supply.port", "passage.A"), ("tank.port", "passage.B")],
        ),
        sonic + 1.02 * last,
        output_times=np.linspace(0, sonic + 1.02 * last, 103),
        solver="dop853",
        rtol=1e-11,
        max_step=(sonic + last) / 1000,
    )
    t = result.time
    laminar = gain * sqrt(1 - ((0.999 - b) / (1 - b)) ** 2) / 1e-3
    ratio = np.select(
        [t < sonic, t < sonic + last],
        [start / SUPPLY + gain * t, b + (1 - b) * np.sin(k * (t - sonic))],
        1 - 1e-3 * np.exp(-laminar * (t - sonic - last)),
    )
    assert (t < sonic).sum() > 15 and (t > sonic + last).sum() > 1
    assert result["tank.p"] / SUPPLY == pytest.approx(ratio, rel=1e-8)
    assert result["tank.mass"] == pytest.approx(result["tank.p"] * V / (R * T), rel=1e-12)


def test_a_volume_empties_into_the_atmosphere():
    """The choked flow is proportional to the own pressure, which falls exponentially down to the critical ratio."""
    decay = R * T * SONIC / V
    stop = -np.log(101325.0 / b / SUPPLY) / decay
    result = run(
        circuit(
            {
                "tank": ("pneumatic.Volume", {"volume": V, "p": SUPPLY, "gas.T": T}),
                "passage": ("pneumatic.Restrictor", PASSAGE),
                "outside": ("pneumatic.Atmosphere", {}),
            },
            [("tank.port", "passage.A"), ("outside.port", "passage.B")],
        ),
        stop,
        solver="dop853",
        rtol=1e-11,
    )
    assert result["tank.p"][-1] == pytest.approx(SUPPLY * exp(-decay * stop), rel=1e-8)
    assert result["outside.flow"][0] == pytest.approx(SONIC * SUPPLY, rel=1e-12)


@pytest.mark.parametrize("spool", [1.0, 0.4, -0.4, -1.0])
def test_each_position_of_the_valve_opens_two_edges(spool):
    """Forward P to A and B to S, backward P to B and A to R, each with the conductance C times the opening."""
    pressures = {"P": 7e5, "A": 5e5, "B": 3e5, "R": 101325.0, "S": 1e5}

    def edge(here, there):
        ratio = pressures[there] / pressures[here]
        return abs(spool) * SONIC * pressures[here] * sqrt(1 - max(0.0, (ratio - b) / (1 - b)) ** 2)

    first, second, exhaust = ("A", "B", "S") if spool > 0 else ("B", "A", "R")
    exact = dict.fromkeys(pressures, 0.0) | {
        "P": -edge("P", first),
        first: edge("P", first),
        second: -edge(second, exhaust),
        exhaust: edge(second, exhaust),
    }
    parts = {name: ("pneumatic.PressureSource", {"pressure": p}) for name, p in pressures.items()}
    with Mechanism(
        parts | {"valve": ("pneumatic.ProportionalValve53", PASSAGE | {"spool": spool})},
        [(f"{name}.port", f"valve.{name}") for name in pressures],
    ) as mechanism:
        mechanism.evaluate()
        assert {name: mechanism[f"valve.{name}.mass_flow"] for name in pressures} == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("component", "start", "sentence"),
    [
        ("Volume", {"p": -1.0}, "the absolute pressure p is greater than 0; the value that must be positive is -1, from p = -1 Pa"),
        (
            "Restrictor",
            {"laminar": 0.2},
            "the pressure ratio laminar is greater than the critical one, b; the value that must be positive is -0.1, "
            "from b = 0.3, laminar = 0.2",
        ),
        (
            "Cylinder",
            {"rod": 0.04},
            "the rod is thinner than the piston; the value that must be positive is -0.008, from piston = 0.032 m, rod = 0.04 m",
        ),
    ],
)
def test_senseless_values_are_refused(component, start, sentence):
    """The refusal has the condition and all values on which it depends."""
    with Driver(cached_fmu(find(f"pneumatic.{component}"), 3), "cs", "unit") as driver:
        driver.enter()
        driver.set(start)
        assert status_of(driver.fmu.exitInitializationMode) == ERROR
        assert driver.log == [f"unit: it is required that {sentence}"]


@pytest.mark.parametrize(
    ("component", "start", "sentence"),
    [
        ("Volume", {"exponent": 1.8}, "the exponent is at most 5/3, that of an adiabatic gas of single atoms"),
        ("Cylinder", {"gas.T": 20.0}, "gas.T lies between 150 and 1000 K, where air is an ideal gas"),
        ("Restrictor", {"gas.T": 1500.0}, "gas.T lies between 150 and 1000 K, where air is an ideal gas"),
        ("ProportionalValve53", {"b": 0.7}, "the critical pressure ratio b is at most 0.53, that of an ideal nozzle"),
    ],
)
def test_values_beyond_the_law_are_warned_of(component, start, sentence):
    """They are accepted with one sentence; usual values give none."""
    for given, count in (({}, 0), (start, 1)):
        with Driver(cached_fmu(find(f"pneumatic.{component}"), 3), "cs", "unit") as driver:
            driver.enter()
            driver.set(given)
            assert status_of(driver.fmu.exitInitializationMode) != ERROR
            assert [each for each in driver.log if f"it is expected that {sentence}" in each] == driver.log and len(driver.log) == count


def test_a_spool_of_the_valve_follows_its_command():
    """A first-order lag of 100 Hz."""
    rate = 2 * pi * 100
    sources = {name: ("pneumatic.Atmosphere", {}) for name in "PABRS"}
    valve = circuit(
        sources | {"valve": ("pneumatic.ProportionalValve53", {"command": 0.7})}, [(f"{name}.port", f"valve.{name}") for name in "PABRS"]
    )
    result = run(valve, 3 / rate, output_times=np.array([1, 2, 3]) / rate)
    assert result["valve.position"][-3:] == pytest.approx(0.7 * (1 - np.exp([-1, -2, -3])), rel=1e-6)


def test_a_needle_valve_opens_and_closes():
    """A tank empties, first choked and then not, as by SciPy with a monotone cubic of the opening."""
    openings, shares, sonic, stop = [0.0, 0.2, 0.6, 1.2], [0.0, 0.12, 0.32, 1.0], 5e-8, 1.4
    curve = PchipInterpolator(openings, shares)
    valve = {"C": sonic, "share": {"points": [openings, shares], "kind": "cubic"}, "b": b, "gas.T": T}
    result = run(
        circuit(
            {
                "tank": ("pneumatic.Volume", {"volume": V, "p": SUPPLY, "gas.T": T}),
                "needle": ("pneumatic.MeteringValve", valve),
                "outside": ("pneumatic.Atmosphere", {}),
            },
            [("tank.port", "needle.A"), ("outside.port", "needle.B")],
            {"needle.opening": lambda t: np.sin(2 * t)},
        ),
        stop,
        output_times=np.linspace(0, stop, 15),
        solver="dop853",
        rtol=1e-12,
        max_step=2e-3,
    )

    def empties(t, p):
        x = max(0.0, (101325.0 / p[0] - b) / (1 - b))
        return [-R * T / V * sonic * curve(np.sin(2 * t)) * RHO * sqrt(T0 / T) * p[0] * sqrt(1 - x**2)]

    exact = solve_ivp(empties, (0, stop), [SUPPLY], "DOP853", result.time, rtol=1e-12, atol=1e-6, max_step=2e-3).y[0]
    assert b < 101325.0 / exact[-1] < 0.9
    assert result["tank.p"] == pytest.approx(exact, rel=1e-8)
    assert result["needle.open"] == pytest.approx(curve(np.sin(2 * result.time)), rel=1e-12, abs=1e-15)
