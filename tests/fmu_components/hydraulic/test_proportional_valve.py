"""The proportional valve: its spool, its edges, its dead zone and the limits of its command."""

from math import exp, log, pi, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq

from tests.support.components.circuits import Parts, circuit, event_times, run
from tests.support.systems.mechanism import Mechanism

PRESSURES = {"P": 2e7, "T": 3e5, "A": 9e6, "B": 4e6}
RATE = 2 * pi * 35
CONNECTIONS = [(f"{name}.port", f"valve.{name}") for name in PRESSURES]


def parts(**values: float) -> Parts:
    """The valve between four pressures."""
    sources = {name: ("hydraulic.PressureSource", {"pressure": p}) for name, p in PRESSURES.items()}
    return sources | {"valve": ("hydraulic.ProportionalValve43", values)}


@pytest.mark.parametrize("spool", [1.0, 0.3, -0.3, -1.0])
def test_each_position_opens_two_edges(spool):
    """Forward P to A and B to T, backward P to B and A to T, each with nominal flow*opening*sqrt(drop/nominal drop)."""

    def edge(here, there):
        return 4e-4 * abs(spool) * sqrt((PRESSURES[here] - PRESSURES[there]) / 3.5e6)

    first, second = ("A", "B") if spool > 0 else ("B", "A")
    with Mechanism(parts(spool=spool), CONNECTIONS) as mechanism:
        mechanism.evaluate()
        flows = {name: mechanism[f"valve.{name}.q"] for name in PRESSURES}
        into, out = edge("P", first), edge(second, "T")
        assert flows == {name: pytest.approx(q, rel=1e-12) for name, q in {"P": -into, "T": out, first: into, second: -out}.items()}


def test_the_spool_lags_behind_the_command():
    """A step of the command is reached to 1 - 1/e after the time constant; at its bandwidth the spool has 1/sqrt(2) of a sine."""
    result = run(circuit(parts(command=0.8), CONNECTIONS), 3 / RATE, output_times=np.array([1, 2, 3]) / RATE)
    assert result["valve.spool"][-3:] == pytest.approx(0.8 * (1 - np.exp([-1, -2, -3])), rel=1e-6)
    shaken = circuit(parts(), CONNECTIONS, {"valve.command": lambda t: np.sin(RATE * t)})
    times = np.linspace(0.3, 0.3 + 1 / 35, 201)
    result = run(shaken, times[-1], output_times=times, max_step=1e-3)
    assert result["valve.spool"].max() == pytest.approx(1 / sqrt(2), rel=1e-3)


def test_the_command_is_limited():
    """A ramp from -2 to 2 leaves the lower limit and reaches the upper one at moments that are located; beyond, the spool keeps to 1."""
    result = run(circuit(parts(spool=-1.0, dead_zone=0), CONNECTIONS, {"valve.command": [(0.0, -2.0), (1.0, 2.0)]}), 1.5)
    T = 1 / RATE
    crossing = 0.25 + brentq(lambda t: 4 * (t - T) - 1 + 4 * T * exp(-t / T), 0.2, 0.3, xtol=1e-15)
    assert event_times(result) == pytest.approx([0.25, crossing, 0.75, 1.0], abs=1e-7)
    assert result["valve.position"][-1] == pytest.approx(1, rel=1e-6)
    assert result["valve.spool"].max() <= 1 + 1e-9


def test_the_dead_zone_lets_nothing_through():
    """The flow through a dead zone of 0.2 begins, with a jump, when the spool passes 0.2; that moment is located."""
    result = run(circuit(parts(dead_zone=0.2, command=1.0), CONNECTIONS), 0.02, output_times=np.linspace(0, 0.02, 41))
    begins = -log(1 - 0.2) / RATE
    assert event_times(result) == pytest.approx([begins], rel=1e-6)
    before = np.flatnonzero(np.diff(result.time) == 0)[0]
    flow = result["valve.A.q"]
    assert not flow[: before + 1].any()
    assert flow[before + 1] == pytest.approx(4e-4 * 0.2 * sqrt(11e6 / 3.5e6), rel=1e-6)


@pytest.mark.parametrize("drop", [1.0, 1e5, 1.99e5])
def test_small_drops_give_flow_in_proportion(drop):
    """Below 2e5 Pa the flow is in proportion to the drop and continuous there; the other way it has the other sign."""

    def flow(sign):
        values = {**parts(spool=0.5), "A": ("hydraulic.PressureSource", {"pressure": 2e7 - sign * drop})}
        with Mechanism(values, CONNECTIONS) as mechanism:
            mechanism.evaluate()
            return mechanism["valve.A.q"]

    exact = 4e-4 * 0.5 * drop / sqrt(2e5 * 3.5e6)
    assert [flow(1), flow(-1)] == pytest.approx([exact, -exact], rel=1e-8)
