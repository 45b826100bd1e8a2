"""Gain, sum, lag and limiter, and the connection of signals to inputs of any unit."""

import numpy as np
import pytest

from coupling import StartError
from tests.support.components.signals import blocks, event_times


def test_gain_and_sum():
    """The output is y = k[1] u1 + k[2] u2 + k[3] u3, an open input being 0."""
    system = blocks(
        {
            "one": ("signal.Constant", {"value": 2.0}),
            "two": ("signal.Sine", {"frequency": 0.5}),
            "gain": ("signal.Gain", {"k": -3.0}),
            "sum": ("signal.Sum", {"k[1]": 0.5, "k[2]": 4.0, "k[3]": 100.0}),
        },
        [("one.y", "gain.u"), ("gain.y", "sum.u1"), ("two.y", "sum.u2")],
    )
    result = system.simulate(2.0)
    assert result["sum.y"] == pytest.approx(-3.0 + 4 * np.sin(np.pi * result.time), abs=1e-12)


def test_a_lag_follows_a_step():
    """The output is y = k (1 - exp(-t/T))."""
    system = blocks(
        {"step": ("signal.Step", {"start": 0.5, "height": 2.0}), "lag": ("signal.FirstOrder", {"k": 1.5, "T": 0.3})}, [("step.y", "lag.u")]
    )
    result = system.simulate(2.0, rtol=1e-10)
    assert result["lag.y"] == pytest.approx(3 * (1 - np.exp(-np.maximum(result.time - 0.5, 0) / 0.3)), abs=1e-8)


def test_an_integrator_counts():
    """The integral of a sine from its start value on is one less its cosine."""
    system = blocks(
        {"sine": ("signal.Sine", {"frequency": 2.0}), "integrator": ("signal.Integrator", {"k": 3.0, "x": 0.5})},
        [("sine.y", "integrator.u")],
    )
    result = system.simulate(1.0, rtol=1e-10)
    assert result["integrator.y"] == pytest.approx(0.5 + 3 * (1 - np.cos(4 * np.pi * result.time)) / (4 * np.pi), abs=1e-8)


def test_a_limiter_clips():
    """A sine of amplitude 2 within -0.5 and 1: clipped as by NumPy, with state events where it meets the limits."""
    system = blocks(
        {"sine": ("signal.Sine", {"amplitude": 2.0}), "limiter": ("signal.Limiter", {"lower": -0.5, "upper": 1.0})},
        [("sine.y", "limiter.u")],
    )
    result = system.simulate(1.0, max_step=0.05)
    assert result["limiter.y"] == pytest.approx(np.clip(2 * np.sin(2 * np.pi * result.time), -0.5, 1.0), abs=1e-9)
    up, down = np.arcsin(0.5) / (2 * np.pi), np.arcsin(0.25) / (2 * np.pi)
    assert event_times(result)[-4:] == pytest.approx([up, 0.5 - up, 0.5 + down, 1 - down], abs=1e-9)


def test_limits_in_the_wrong_order_are_refused():
    """The message gives the condition, and by how much it fails."""
    with pytest.raises(StartError, match=r"limiter.*the upper limit is greater than the lower one; the value that must be positive is -3"):
        blocks({"limiter": ("signal.Limiter", {"lower": 2.0, "upper": -1.0})}).simulate(1.0)


@pytest.mark.parametrize(
    ("component", "name", "start"),
    [("mechanical1d.Force", "force", {}), ("mechanical1d.Torque", "torque", {}), ("electrical.VoltageSource", "voltage", {})],
)
def test_a_signal_connects_to_inputs_of_any_unit(component, name, start):
    """It has no unit, and counts in that of the input."""
    parts = {"one": ("signal.Constant", {"value": 3.0}), "to": (component, start)}
    links = [("one.y", f"to.{name}")]
    if component.startswith("mechanical1d"):
        parts["body"] = ("mechanical1d.Mass", {}) if name == "force" else ("mechanical1d.Inertia", {})
        links.append(("body.flange", "to.flange"))
        result = blocks(parts, links).simulate(1.0)
        assert result["to.power"][-1] == pytest.approx(9.0)
    else:
        assert set(blocks(parts, links).simulate(1.0)["to.pin.v"]) == {3.0}
