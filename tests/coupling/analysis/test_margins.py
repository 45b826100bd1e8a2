"""Gain, phase and delay margins against closed forms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import tf2ss

from coupling import System
from coupling.analysis.linear_model import LinearModel
from coupling.analysis.margins import Margins
from coupling.errors import AnalysisError


def model(numerator: list[float], poles: list[complex], gain: float = 1.0) -> LinearModel:
    """A transfer function from u to y, with the given poles."""
    A, B, C, D = tf2ss(gain * np.array(numerator), np.real(np.poly(poles)))
    states = tuple(f"x{i}" for i in range(len(A)))
    none, nothing = np.zeros((len(A), 1)), np.zeros((1, 1))
    units = dict.fromkeys((*states, "u", "y"), "1")
    return LinearModel(A, B, C, D, states, ("u",), ("y",), units, {}, none, none, nothing, nothing)


def margins(numerator: list[float], poles: list[complex], gain: float = 1.0) -> Margins:
    return model(numerator, poles, gain).margins()


@pytest.mark.parametrize("gain", [0.1, 2.0, 5.9])
def test_an_integrator_with_two_lags(gain: float) -> None:
    """K / (s (s + 1) (s + 2)) has the phase -180 degrees at sqrt(2) rad/s, where its gain is K / 6."""
    found = margins([1.0], [0, -1, -2], gain)
    assert found.stable and found.gain == pytest.approx(6 / gain, rel=1e-12)
    assert 2 * math.pi * found.gain_frequency == pytest.approx(math.sqrt(2), rel=1e-12)
    assert found.gain_db == pytest.approx(20 * math.log10(6 / gain), rel=1e-12)


@pytest.mark.parametrize("damping", [0.02, 0.3, 1.5])
def test_a_lag_behind_an_integrator(damping: float) -> None:
    """1 / (s (s + 2 zeta)) closes to an oscillator with the damping ratio zeta. Its phase margin has a closed form, and its gain margin is
    infinite."""
    found = margins([1.0], [0, -2 * damping])
    omega = math.sqrt(math.sqrt(1 + 4 * damping**4) - 2 * damping**2)
    assert found.phase == pytest.approx(math.degrees(math.atan2(2 * damping, omega)), rel=1e-9)
    assert 2 * math.pi * found.phase_frequency == pytest.approx(omega, rel=1e-12) and found.gain == math.inf
    assert found.delay == pytest.approx(math.radians(found.phase) / omega, rel=1e-12)
    assert math.isnan(found.gain_frequency) and "gain margin: infinite" in str(found)


def test_three_lags_lose_stability_at_the_gain_of_eight() -> None:
    """K / (s + 1)^3 has the phase -180 degrees at sqrt(3) rad/s."""
    assert margins([1.0], [-1, -1, -1], 4.0).gain == pytest.approx(2.0, rel=1e-9)
    beyond = margins([1.0], [-1, -1, -1], 16.0)
    assert not beyond.stable and beyond.gain == pytest.approx(0.5, rel=1e-9) and beyond.phase < 0
    assert "unstable" in str(beyond) and "-6.02 dB" in str(beyond) and "delay" not in str(beyond)


def test_a_narrow_resonance_is_not_missed() -> None:
    """1e-5 / (s^2 + 2e-6 s + 1) has the gain 1 at both sides of its peak, 1e-5 apart."""
    found = margins([1e-5], [complex(-1e-6, sign * math.sqrt(1 - 1e-12)) for sign in (1, -1)])
    squares = np.roots([1.0, 4e-12 - 2.0, 1.0 - 1e-10])
    assert np.sort([2 * math.pi * hertz for hertz, _ in found.phases]) == pytest.approx(np.sort(np.sqrt(squares)), rel=1e-11)


@pytest.mark.parametrize("angle", [0.0, 0.3, 0.7, 1.1, 2.0])
def test_an_undamped_oscillator_has_no_margin(angle: float) -> None:
    """1 / (s^2 + 4) is real: its gain is 1 at sqrt(5) rad/s with the phase -180 degrees, and at sqrt(3) rad/s with 0. Its states are turned,
    which adds rounding to the response."""
    straight, turn = model([1.0], [2j, -2j]), np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    found = replace(straight, A=turn @ straight.A @ turn.T, B=turn @ straight.B, C=straight.C @ turn.T).margins()
    assert [2 * math.pi * hertz for hertz, _ in found.phases] == pytest.approx([math.sqrt(3), math.sqrt(5)], rel=1e-12)
    assert [phase for _, phase in found.phases] == [180.0, 0.0]
    assert (found.phase, found.delay, found.gain) == (0.0, 0.0, math.inf)
    assert "phase margin: 0 degrees at 0.3559 Hz; delay margin: 0 s" in str(found)


def test_a_conditionally_stable_loop_has_the_nearest_margin() -> None:
    """K (s + 1)^2 / s^3 is unstable for a small gain: at K = 1/2 its poles are on the axis, at 1 rad/s."""
    found = margins([1.0, 2.0, 1.0], [0, 0, 0], 2.0)
    assert found.stable and found.gain == pytest.approx(0.25, rel=1e-9) and 2 * math.pi * found.gain_frequency == pytest.approx(1, rel=1e-9)
    assert not margins([1.0, 2.0, 1.0], [0, 0, 0], 0.4).stable


def test_loops_without_crossings() -> None:
    """An integrator alone has 90 degrees, and a double one none; a small gain has no margins at all."""
    assert margins([1.0], [0]).phase == pytest.approx(90, rel=1e-12)
    assert margins([1.0], [0, 0]).phase == pytest.approx(0, abs=1e-9)
    small = margins([1.0], [-1], 0.5)
    assert (small.gain, small.phase, small.delay) == (math.inf,) * 3 and small.stable


def arm(closed: bool) -> System:
    """A mass with a PD controller of its position; the loop is cut at the motor unless ``closed``."""
    system = System()
    system.add("mass", "mechanical1d.Mass", {"m": 2.0})
    system.add("motor", "mechanical1d.Force")
    system.add("control", "signal.PID", {"kp": 50.0, "ki": 0.0, "kd": 8.0, "c": 1.0})
    system.connect("mass.flange", "motor.flange")
    system.connect("mass.s", "control.measurement")
    if closed:
        system.connect("control.y", "motor.force")
    return system


def test_a_loop_that_is_cut_is_closed_with_its_own_sign() -> None:
    """Its poles when closed are those of the connected system; with the other sign the loop would be unstable."""
    cut = arm(False).linearise(["motor.force"], ["control.y"])
    found = cut.margins(feedback=1)
    assert found.stable and not cut.margins().stable
    together = arm(True).linearise()
    closed = np.linalg.eigvals(cut.A + cut.B @ cut.C)
    assert np.sort_complex(closed) == pytest.approx(np.sort_complex(together.eigenvalues), rel=1e-9, abs=1e-9)
    later = cut.transfer(2j * math.pi * found.phase_frequency)[0, 0]
    assert later == pytest.approx(np.exp(1j * math.radians(found.phase)), rel=1e-9)


def test_sentences() -> None:
    for wrong in (0, 2.0, True, "negative"):
        with pytest.raises(AnalysisError, match=r"feedback = .* is refused: give -1, or 1"):
            model([1.0], [-1]).margins(feedback=wrong)  # type: ignore[arg-type]
    with pytest.raises(AnalysisError, match="'y' and 'u' cannot be closed: its gain at high frequency is -1"):
        model([-1.0, 0.0], [-1]).margins()
    with pytest.raises(AnalysisError, match="output = 'z' is none of the linear model"):
        model([1.0], [-1]).margins("z")
    road = System()
    road.add("road", "mechanical1d.Position")
    road.add("mass", "mechanical1d.Mass")
    road.add("tyre", "mechanical1d.SpringDamper1D", {"k": 10.0, "b": 1.0})
    road.connect("road.flange", "tyre.M")
    road.connect("mass.flange", "tyre.N")
    with pytest.raises(AnalysisError, match=r"'tyre\.M\.f' contains derivatives of 'road\.position', which have no margins"):
        road.linearise(["road.position"], ["mass.s", "tyre.M.f"]).margins("tyre.M.f")
