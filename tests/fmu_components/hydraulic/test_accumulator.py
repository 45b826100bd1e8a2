"""The accumulator: its gas against closed forms, and what it does when it is empty."""

from math import log

import numpy as np
import pytest
from scipy.integrate import quad

from tests.support.components.circuits import circuit, event_times, run

GAS = {"precharge": 4e6, "volume": 2e-3, "dead": 2e-5, "bulk": 1e9, "gas.least": 3e-4}
flow = 1e-4


def charged(exponent: float, start: float, stop: float, rate: float = flow):
    parts = {
        "accumulator": ("hydraulic.Accumulator", GAS | {"exponent": exponent, "p": start}),
        "source": ("hydraulic.FlowSource", {"flow": rate}),
    }
    return run(circuit(parts, [("accumulator.port", "source.port")]), stop, output_times=np.linspace(0, stop, 9))


@pytest.mark.parametrize("exponent", [1.0, 1.25, 1.4])
def test_the_gas_keeps_pressure_times_volume_to_the_exponent(exponent):
    """The inflow equals the compression of the gas, plus the small one of the oil that stays."""
    result = charged(exponent, 5e6, 10.0)
    p = result["accumulator.p"]
    assert result["accumulator.gas.pressure"] * result["accumulator.gas.volume"] ** exponent == pytest.approx(
        4e6 * 2e-3**exponent, rel=1e-12
    )
    gas = 2e-3 * ((4e6 / p) ** (1 / exponent) - (4e6 / 5e6) ** (1 / exponent))
    assert flow * result.time == pytest.approx(-gas + 2e-5 / 1e9 * (p - 5e6), abs=2e-10)
    assert p[-1] > 8e6
    volume = 2e-3 * (4e6 / p) ** (1 / exponent)
    assert result["accumulator.gas.left"] == pytest.approx(volume - 3e-4, rel=1e-12)
    assert result["accumulator.oil"] == pytest.approx(2e-3 - volume, rel=1e-12)


@pytest.mark.parametrize("exponent", [1.0, 1.0 + 1e-6, 1.3])
def test_the_energy_is_the_work_on_the_gas(exponent):
    """The integral of pressure over volume, by quadrature; isothermal, p V ln(V0/V)."""
    result = charged(exponent, 4e6 * (1 + 1e-9), 8.0)
    V, p = result["accumulator.gas.volume"], result["accumulator.p"]
    work = np.array([quad(lambda v: 4e6 * (2e-3 / v) ** exponent, each, 2e-3, epsabs=0, epsrel=1e-12)[0] for each in V])
    assert result["accumulator.energy"] - 2e-5 * p**2 / 2e9 == pytest.approx(work, rel=1e-8, abs=1e-3)
    if exponent == 1:
        assert work[-1] == pytest.approx(p[-1] * V[-1] * log(2e-3 / V[-1]), rel=1e-9)


def test_an_empty_accumulator_is_stiff():
    """Below the precharge the pressure rises at bulk/dead times the flow; the moment at which the gas gives way is located."""
    begins = 2e-5 / 1e9 * (4e6 - 1e5) / flow
    result = charged(1.4, 1e5, 2 * begins)
    before = result.time < begins
    assert result["accumulator.p"][before] == pytest.approx(1e5 + 1e9 / 2e-5 * flow * result.time[before], rel=1e-9)
    assert not result["accumulator.oil"][before].any() and result["accumulator.gas.volume"][0] == 2e-3
    assert event_times(result) == pytest.approx([begins], rel=1e-7)
    slope = flow / (2e-5 / 1e9 + 2e-3 / (1.4 * 4e6))
    assert result["accumulator.p"][-1] - 4e6 == pytest.approx(slope * begins, rel=1e-3)


def test_it_runs_empty_again():
    """Discharged by the same flow, it is empty after the time that the oil lasts."""
    oil = 2e-3 * (1 - (4 / 5) ** (1 / 1.4)) + 2e-5 / 1e9 * 1e6
    result = charged(1.4, 5e6, oil / flow * 1.0001, -flow)
    assert event_times(result) == pytest.approx([oil / flow], rel=1e-7)
    assert result["accumulator.p"][-1] < 4e6
