"""The PID controller: its response alone, in a loop, within limits, and with parts switched off."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.support.components.signals import blocks

T, K = 0.8, 2.0


def loop(controller, plant=None):
    """A lag that a PID controller holds at a constant set-point of 1."""
    return blocks(
        {
            "goal": ("signal.Constant", {"value": 1.0}),
            "pid": ("signal.PID", controller),
            "plant": ("signal.FirstOrder", {"T": T, "k": K, **(plant or {})}),
        },
        [("goal.y", "pid.setpoint"), ("pid.y", "plant.u"), ("plant.y", "pid.measurement")],
    )


def test_the_response_to_a_step_of_the_set_point():
    """Each part in closed form: kp b + ki t + kd c exp(-t/Tf)/Tf."""
    values = {"kp": 2.0, "ki": 0.7, "kd": 0.3, "Tf": 0.15, "b": 0.6, "c": 0.4}
    system = blocks({"step": ("signal.Step", {"start": 0.5}), "pid": ("signal.PID", values)}, [("step.y", "pid.setpoint")])
    result = system.simulate(2.0, rtol=1e-10)
    t = np.maximum(result.time - 0.5, 0)
    on = result.time > 0.5
    assert result["pid.y"][on] == pytest.approx((2 * 0.6 + 0.7 * t + 0.3 * 0.4 / 0.15 * np.exp(-t / 0.15))[on], abs=1e-8)
    assert np.abs(result["pid.y"][result.time < 0.5]).max() == 0


def test_a_closed_loop_is_that_of_the_transfer_function():
    """The loop with full weights is C P/(1 + C P), whose step response SciPy computes from its poles."""
    kp, ki, kd, Tf = 3.0, 4.0, 0.2, 0.05
    result = loop({"kp": kp, "ki": ki, "kd": kd, "Tf": Tf, "c": 1.0}).simulate(3.0, rtol=1e-10)
    s = np.polynomial.Polynomial([0, 1])
    above = (kp * s * (1 + Tf * s) + ki * (1 + Tf * s) + kd * s * s) * K
    below = s * (1 + Tf * s) * (1 + T * s)
    from scipy.signal import lti, step  # it takes long to import, and every worker imports all files of tests

    _, expected = step(lti(above.coef[::-1], (below + above).coef[::-1]), T=result.time)
    assert result["plant.y"] == pytest.approx(expected, abs=1e-6)
    assert np.ptp(expected) > 0.9


def clipped_loop(times, kp, ki, Tt, lower, upper):
    """The loop of a PI controller with back-calculation, clipped by NumPy."""

    def rates(_, state):
        x, integral = state
        demand = kp * (1 - x) + integral
        u = np.clip(demand, lower, upper)
        return [(K * u - x) / T, ki * (1 - x) + (u - demand) / Tt]

    return solve_ivp(rates, (0, times[-1]), [0, 0], t_eval=times, rtol=1e-10, atol=1e-12, max_step=0.005).y


@pytest.mark.parametrize("Tt", [0.1, 1e6])
def test_limits_are_met_and_left(Tt):
    """The loop agrees with one that is clipped at every evaluation."""
    result = loop({"kp": 1.0, "ki": 6.0, "lower": -0.55, "upper": 0.55, "Tt": Tt}).simulate(8.0, rtol=1e-10)
    x, integral = clipped_loop(np.unique(result.time), 1.0, 6.0, Tt, -0.55, 0.55)
    _, rows = np.unique(result.time, return_index=True)
    assert result["plant.y"][rows] == pytest.approx(x, abs=1e-6)
    assert result["pid.integral"][rows] == pytest.approx(integral, abs=1e-5)
    assert result["pid.y"][0] == 0.55 and result.statistics.state_events >= 1
    assert 0.4 < result["pid.y"][-1] < result["pid.y"].max() <= 0.55 + 1e-9


def test_the_integral_part_does_not_wind_up():
    """The overshoot with a short tracking time is a fraction of the one without tracking."""
    overshoot = {}
    for Tt in (0.1, 1e6):
        result = loop({"kp": 1.0, "ki": 6.0, "lower": -0.55, "upper": 0.55, "Tt": Tt}).simulate(8.0)
        overshoot[Tt] = result["plant.y"].max() - 1
    assert overshoot[1e6] > 0.08 and overshoot[0.1] < overshoot[1e6] / 4


def test_parts_are_switched_off_by_gains_of_zero():
    """Without integral gain the loop rests at K kp/(1 + K kp), and no limit moves the integral part."""
    result = loop({"kp": 2.0, "ki": 0.0, "kd": 0.0, "Tt": 0.01, "upper": 0.9}).simulate(12.0)
    assert result["plant.y"][-1] == pytest.approx(K * 2 / (1 + K * 2), abs=1e-6)
    assert result["pid.y"].max() == pytest.approx(0.9) and set(result["pid.integral"]) == {0.0}
