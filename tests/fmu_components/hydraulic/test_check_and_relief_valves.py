"""Check valves and relief valves: what they let through, and when they open."""

from math import pi, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq

from tests.support.components.circuits import circuit, event_times, run

CHECK = {"cracking": 2e5, "nominal.flow": 1e-3, "nominal.drop": 5e5, "laminar": 1e4}
RELIEF = {"set": 1e7, "band": 2e6, "nominal.flow": 2e-3, "nominal.drop": 1e7}


def through(component: str, values: dict[str, float], drops: np.ndarray) -> np.ndarray:
    """The flow for each pressure drop, which rises evenly to the last."""
    times = np.linspace(0, 1, len(drops))
    system = circuit(
        {"high": ("hydraulic.PressureSource", {}), "low": ("hydraulic.Tank", {"pressure": 1e5}), "valve": (component, values)},
        [("high.port", "valve.A"), ("low.port", "valve.B")],
        {"high.pressure": [(t, 1e5 + drop) for t, drop in zip(times, drops, strict=True)]},
    )
    result = system.simulate(1.0, output_times=times)
    chosen = np.searchsorted(result.time, times, side="right") - 1
    assert result["valve.drop"][chosen] == pytest.approx(drops, abs=1e-3)
    assert np.array_equal(result["valve.A.q"], -result["valve.B.q"])
    return result["valve.B.q"][chosen]


def test_a_check_valve_blocks_one_way_and_opens_the_other():
    """The flow is exactly 0 up to the cracking pressure; beyond, the drop grows with the square of the flow."""
    drops = np.linspace(-1e6, 1e6, 21)
    exact = 1e-3 * np.sqrt(np.maximum(drops - 2e5, 0) / 5e5)
    found = through("hydraulic.CheckValve", CHECK, drops)
    assert not found[drops < 1.99e5].any()
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-9)
    small = through("hydraulic.CheckValve", CHECK, 2e5 + np.array([0.0, 1e3, 5e3, 9e3]))
    assert small == pytest.approx(1e-3 * np.array([0.0, 1e3, 5e3, 9e3]) / sqrt(1e4 * 5e5), abs=1e-9)


def test_a_check_valve_holds_the_peak_of_a_pulsating_pressure():
    """Behind it a volume is filled to the highest pressure less that of cracking, and keeps it exactly while the supply falls."""
    system = circuit(
        {
            "supply": ("hydraulic.PressureSource", {}),
            "valve": ("hydraulic.CheckValve", CHECK),
            "volume": ("hydraulic.Volume", {"p": 1e6}),
        },
        [("supply.port", "valve.A"), ("volume.port", "valve.B")],
        {"supply.pressure": lambda t: 4e6 + 3e6 * np.sin(2 * pi * t)},
    )
    result = run(system, 1.0, output_times=np.linspace(0, 1, 101), max_step=0.01)
    p = result["volume.p"]
    (closes,) = event_times(result)
    assert 0.25 < closes < 0.26
    assert p[-1] == pytest.approx(7e6 - 2e5, rel=1e-5)
    behind = result.time > closes
    assert np.ptp(p[behind]) == 0 and not result["valve.flow"][behind].any()


def test_the_characteristic_of_a_relief_valve():
    """Closed up to the set pressure; then an orifice whose opening grows with the drop over the band, and stays full behind it."""
    drops = np.linspace(-5e6, 1.6e7, 43)
    opening = np.clip((drops - 1e7) / 2e6, 0, 1)
    found = through("hydraulic.ReliefValve", RELIEF, drops)
    assert not found[drops < 9.99e6].any()
    assert found == pytest.approx(opening * 2e-3 * np.sqrt(np.abs(drops) / 1e7), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("flow", [2e-4, 1.5e-3, 3e-3])
def test_a_relief_valve_limits_the_pressure_of_a_pump(flow):
    """The pressure rises as in a closed volume until the valve opens, and settles where the valve passes all of the flow."""
    system = circuit(
        {
            "pump": ("hydraulic.FlowSource", {"flow": flow}),
            "line": ("hydraulic.Volume", {"volume": 1e-3}),
            "relief": ("hydraulic.ReliefValve", RELIEF),
            "tank": ("hydraulic.Tank", {}),
        },
        [("line.port", "pump.port"), ("line.port", "relief.A"), ("tank.port", "relief.B")],
    )
    result = run(system, 1.0)
    settled = brentq(lambda drop: min((drop - 1e7) / 2e6, 1.0) * 2e-3 * sqrt(drop / 1e7) - flow, 1e7, 1e8)
    assert result["line.p"][-1] - 1e5 == pytest.approx(settled, rel=1e-8)
    assert event_times(result)[0] == pytest.approx(1e7 / (1.5e9 / 1e-3 * flow), rel=1e-7)
    assert (settled > 1.2e7) == (flow == 3e-3)
