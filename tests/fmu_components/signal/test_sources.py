"""Constant, step, ramp and sine: closed forms, and events at their exact times."""

import numpy as np
import pytest

from fmu_components.catalogue import find
from tests.support.components.signals import blocks, event_times
from tests.support.runtime.driver import Driver


def run(component, values, stop=2.0, **options):
    return blocks({"source": (component, values)}).simulate(stop, **options)


def test_a_constant():
    """The output is the value, without any event."""
    result = run("signal.Constant", {"value": -2.5})
    assert set(result["source.y"]) == {-2.5}
    assert len(event_times(result)) == 0


def test_a_step():
    """It has one time event, exactly at its start, and two values, of which the second begins there."""
    result = run("signal.Step", {"start": 0.7, "offset": 1.25, "height": -3.0})
    assert event_times(result).tolist() == [0.7]
    assert result.statistics.time_events == 1 and result.statistics.state_events == 0
    (at_event,) = np.flatnonzero(np.diff(result.time) == 0)
    assert set(result["source.y"][: at_event + 1]) == {1.25} and set(result["source.y"][at_event + 1 :]) == {-1.75}


def test_a_step_that_lies_before_the_start_has_come():
    """A run that starts later has the value behind the step from its beginning on."""
    assert set(run("signal.Step", {"start": 0.7}, start_time=1.0)["source.y"]) == {1.0}


def test_a_ramp():
    """It is linear between two time events, which are exact, and constant outside of them."""
    result = run("signal.Ramp", {"start": 0.3, "duration": 1.1, "offset": -1.0, "height": 4.0})
    assert event_times(result).tolist() == [0.3, 0.3 + 1.1]
    assert result["source.y"] == pytest.approx(np.interp(result.time, [0.3, 1.4], [-1.0, 3.0]), abs=1e-14)


def test_a_ramp_is_integrated_exactly():
    """A lag behind a ramp: T y' + y = r t from rest gives y = r (t - T (1 - exp(-t/T))), the kink being no matter of tolerance."""
    start, rate, T = 0.25, 4.0, 0.2
    system = blocks(
        {"ramp": ("signal.Ramp", {"start": start, "duration": 1.0, "height": rate}), "lag": ("signal.FirstOrder", {"T": T})},
        [("ramp.y", "lag.u")],
    )
    result = system.simulate(1.0, rtol=1e-11)
    t = np.maximum(result.time - start, 0)
    assert result["lag.y"] == pytest.approx(rate * (t - T * (1 - np.exp(-t / T))), abs=1e-9)


def test_a_sine():
    """It is constant up to its start, a time event, where it begins with its phase."""
    result = run("signal.Sine", {"start": 0.4, "offset": 0.5, "amplitude": 2.0, "frequency": 3.0, "phase": 0.6})
    assert event_times(result).tolist() == [0.4]
    t = result.time
    behind = t > 0.4
    behind[np.flatnonzero(np.diff(t) == 0) + 1] = True
    assert result["source.y"] == pytest.approx(np.where(behind, 0.5 + 2 * np.sin(6 * np.pi * (t - 0.4) + 0.6), 0.5), abs=1e-13)


@pytest.mark.parametrize("size", [0.1, 0.35, 0.7])
def test_sources_run_in_co_simulation(size, fmi, fmu):
    """Events inside communication steps count from their times on."""
    with Driver(fmu(find("signal.Step"), fmi), "cs") as jump, Driver(fmu(find("signal.Ramp"), fmi), "cs") as ramp:
        jump.start({"start": 0.55})
        ramp.start({"start": 0.25, "duration": 0.5})
        for i in range(round(1.4 / size)):
            jump.step(size * i, size)
            ramp.step(size * i, size)
            now = size * (i + 1)
            assert jump["y"] == (now > 0.55)
            assert ramp["y"] == pytest.approx(np.clip((now - 0.25) / 0.5, 0, 1), abs=1e-12)


def test_a_ramp_that_takes_no_time_is_refused():
    """The sentence names the parameter and its value."""
    with pytest.raises(ValueError, match=r"source: duration = 0 s is refused: it must be greater than 0"):
        run("signal.Ramp", {"duration": 0.0})
