"""Sources, tank and volumes: what fills a volume, and how fast."""

from math import sqrt

import numpy as np
import pytest

from tests.support.components.circuits import circuit, run
from tests.support.systems.mechanism import Mechanism


def test_a_constant_flow_fills_a_volume():
    """The pressure is p = p0 + bulk/volume q t, and the work of the source is the gain of energy."""
    bulk, volume, p0, q, t = 1.2e9, 3e-4, 2e5, 4e-6, 0.7
    with Mechanism(
        {"source": ("hydraulic.FlowSource", {"flow": q}), "volume": ("hydraulic.Volume", {"bulk": bulk, "volume": volume, "p": p0})},
        [("volume.port", "source.port")],
    ) as mechanism:
        mechanism.evaluate()
        before = mechanism["volume.energy"]
        mechanism.simulate(t)
        p = p0 + bulk / volume * q * t
        assert mechanism["volume.port.p"] == pytest.approx(p, rel=1e-12)
        assert mechanism["volume.energy"] - before == pytest.approx((p0 + p) / 2 * q * t, rel=1e-9)
        assert mechanism["source.power"] == pytest.approx(p * q, rel=1e-12)


def test_flows_into_one_volume_add_up():
    """Two sources and a drain on one port."""
    result = run(
        circuit(
            {f"source{i}": ("hydraulic.FlowSource", {"flow": q}) for i, q in enumerate((3e-6, 5e-6, -2e-6))}
            | {"node": ("hydraulic.Volume", {})},
            [("node.port", f"source{i}.port") for i in range(3)],
        ),
        0.1,
    )
    assert result["node.p"][-1] == pytest.approx(1e5 + 1.5e9 / 1e-4 * 6e-6 * 0.1, rel=1e-8)


def test_a_source_of_pressure_follows_its_signal():
    """Between a driven source and a tank at its own pressure flows what the orifice lets through, and the powers are those at its ends."""
    area, supply, tank = 2e-6, lambda t: 5e6 + 3e6 * np.sin(t), 3e5
    system = circuit(
        {
            "supply": ("hydraulic.PressureSource", {}),
            "tank": ("hydraulic.Tank", {"pressure": tank}),
            "orifice": ("hydraulic.Orifice", {"area": area}),
        },
        [("supply.port", "orifice.A"), ("tank.port", "orifice.B")],
        {"supply.pressure": supply},
    )
    result = system.simulate(3.0, output_interval=0.5)
    flow = 0.7 * area * np.sqrt(2 * (supply(result.time) - tank) / 870)
    assert result["orifice.flow"] == pytest.approx(flow, rel=1e-12)
    assert result["supply.power"] == pytest.approx(supply(result.time) * flow, rel=1e-12)
    assert result["tank.power"] == pytest.approx(-tank * flow, rel=1e-12)
    assert result["orifice.loss"] == pytest.approx(result["supply.power"] + result["tank.power"], rel=1e-9)


def test_an_orifice_empties_a_volume_into_the_tank():
    """The root of the pressure drop falls linearly in time; below the laminar limit the drop falls exponentially."""
    area, volume, bulk, laminar, tank, drop = 1e-6, 5e-4, 1e9, 1e5, 1e5, 9e6
    gain = 0.7 * area * sqrt(2 / 870) * bulk / volume  # of the root of the drop
    turns = 2 * (sqrt(drop) - sqrt(laminar)) / gain
    result = run(
        circuit(
            {
                "volume": ("hydraulic.Volume", {"volume": volume, "bulk": bulk, "p": tank + drop}),
                "orifice": ("hydraulic.Orifice", {"area": area, "laminar": laminar}),
                "tank": ("hydraulic.Tank", {"pressure": tank}),
            },
            [("volume.port", "orifice.A"), ("tank.port", "orifice.B")],
        ),
        3 * turns,
        output_times=np.linspace(0, 3 * turns, 61),
    )
    behind = np.maximum(result.time - turns, 0)
    turbulent, exponential = (sqrt(drop) - gain * result.time / 2) ** 2, laminar * np.exp(-gain / sqrt(laminar) * behind)
    exact = np.where(result.time < turns, turbulent, exponential)
    assert (result.time < turns).sum() > 15 and exponential[-1] < 0.1 * laminar
    assert result["volume.p"] - tank == pytest.approx(exact, rel=1e-6, abs=1)


def test_the_flow_of_an_orifice():
    """Beyond the laminar limit it is Torricelli's, and the same either way; within, it is in proportion; at no drop its slope is finite."""
    area, discharge, density, laminar = 3e-6, 0.61, 860.0, 2e4
    gain = discharge * area * sqrt(2 / density)

    def flow(drop):
        with Mechanism(
            {
                "high": ("hydraulic.PressureSource", {"pressure": 1e6 + drop}),
                "low": ("hydraulic.Tank", {"pressure": 1e6}),
                "orifice": ("hydraulic.Orifice", {"area": area, "discharge": discharge, "density": density, "laminar": laminar}),
                "clock": ("mechanical1d.Mass", {}),
            },
            [("high.port", "orifice.A"), ("low.port", "orifice.B")],
        ) as mechanism:
            mechanism.evaluate()
            assert mechanism["orifice.A.q"] == -mechanism["orifice.B.q"]
            return mechanism["orifice.B.q"]

    for drop in (2e4, 1e5, 4e6):
        assert flow(drop) == pytest.approx(gain * sqrt(drop), rel=1e-12)
        assert flow(-drop) == pytest.approx(-flow(drop), rel=1e-12)
    for drop in (1e-3, 100.0, 1.9e4):
        assert flow(drop) == pytest.approx(gain * drop / sqrt(laminar), rel=1e-6)
    assert flow(0.0) == 0
