"""Controllers of currents and speed: the lags they are tuned for, their limits, and that they do not wind up."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.support.components.signals import blocks

R, L = 0.8, 4e-3


def current_loop(goal, **controller):
    """The current of a winding, tuned for a time constant of 2 ms."""
    return blocks(
        {
            "goal": ("signal.Constant", {"value": goal}),
            "controller": ("electrical.CurrentController", {"kp": 500 * L, "ki": 500 * R, "limit": 1e3, **controller}),
            "source": ("electrical.VoltageSource", {}),
            "winding": ("electrical.Inductor", {"L": L, "R": R}),
            "ground": ("electrical.Ground", {}),
        },
        [
            ("goal.y", "controller.setpoint"),
            ("winding.current", "controller.measurement"),
            ("controller.voltage", "source.voltage"),
            ("source.pin", "winding.M"),
            ("winding.N", "ground.pin"),
        ],
    )


def test_a_current_follows_as_a_lag():
    """The current is 1 - exp(-a t) of its set-point if kp = L a and ki = R a."""
    result = current_loop(5.0).simulate(0.02, rtol=1e-10)
    assert result["winding.current"] == pytest.approx(5 * (1 - np.exp(-500 * result.time)), abs=1e-7)
    assert result.statistics.events == 0


def test_a_limited_voltage():
    """While it is limited the current rises as at a constant voltage; afterwards as in a loop that NumPy clips."""
    limit, Tt = 6.0, 2e-3
    result = current_loop(5.0, limit=limit, Tt=Tt).simulate(0.04, rtol=1e-10)

    def rates(_, state):
        current, integral = state
        demand = 500 * L * (5 - current) + integral
        voltage = np.clip(demand, -limit, limit)
        return [(voltage - R * current) / L, 500 * R * (5 - current) + (voltage - demand) / Tt]

    times, rows = np.unique(result.time, return_index=True)
    expected = solve_ivp(rates, (0, 0.04), [0, 0], t_eval=times, rtol=1e-10, atol=1e-12, max_step=2e-5).y[0]
    assert result["winding.current"][rows] == pytest.approx(expected, abs=1e-6)
    limited = result["controller.voltage"] >= limit - 1e-12
    rising = limited & (result.time <= result.time[~limited][0])
    assert rising.sum() > 20
    assert result["winding.current"][rising] == pytest.approx(limit / R * (1 - np.exp(-result.time[rising] * R / L)), abs=1e-7)
    assert result["controller.voltage"].max() <= limit + 1e-9
    assert result["winding.current"].max() < 5 * 1.02


def test_the_induced_voltage_is_fed_forward():
    """The current of a motor that runs up is then the lag of a winding at rest. It is not without the feed-forward."""
    far = {}
    for fed in (True, False):
        parts = {
            "goal": ("signal.Constant", {"value": 5.0}),
            "controller": ("electrical.CurrentController", {"kp": 500 * L, "ki": 500 * R, "limit": 1e3}),
            "source": ("electrical.VoltageSource", {}),
            "motor": ("electrical.DCMotor", {"L": L, "R": R, "k": 0.1}),
            "rotor": ("mechanical1d.Inertia", {"I": 1e-4}),
        }
        links = [
            ("goal.y", "controller.setpoint"),
            ("motor.current", "controller.measurement"),
            ("controller.voltage", "source.voltage"),
            ("source.pin", "motor.pin"),
            ("motor.flange", "rotor.flange"),
        ]
        result = blocks(parts, links + [("motor.emf", "controller.emf")] * fed).simulate(0.02, rtol=1e-10)
        far[fed] = np.abs(result["motor.current"] - 5 * (1 - np.exp(-500 * result.time))).max()
    assert far[True] < 1e-6 and far[False] > 0.3


def speed_loop(goal, inertia=0.02, **controller):
    """An inertia that a torque turns as the controller wants."""
    return blocks(
        {
            "goal": ("signal.Constant", {"value": goal}),
            "controller": ("electrical.SpeedController", {"kp": 0.3, "ki": 2.0, "limit": 100.0, **controller}),
            "torque": ("mechanical1d.Torque", {}),
            "rotor": ("mechanical1d.Inertia", {"I": inertia}),
        },
        [
            ("goal.y", "controller.setpoint"),
            ("rotor.flange.w", "controller.measurement"),
            ("controller.torque", "torque.torque"),
            ("rotor.flange", "torque.flange"),
        ],
    )


def test_a_speed_is_that_of_the_transfer_function():
    """(kp s + ki)/(I s^2 + kp s + ki), whose step response SciPy computes; the current is the torque over k."""
    result = speed_loop(10.0, k=0.25).simulate(1.0, rtol=1e-10)
    from scipy.signal import lti, step  # it takes long to import, and every worker imports all files of tests

    _, expected = step(lti([0.3, 2.0], [0.02, 0.3, 2.0]), T=result.time)
    assert result["rotor.w"] == pytest.approx(10 * expected, abs=1e-5)
    assert result["controller.current"] == pytest.approx(result["controller.torque"] / 0.25, rel=1e-12)


def test_a_limited_torque():
    """The rotor accelerates with limit/I as long as the torque is limited; with tracking it hardly overshoots."""
    overshoot = {}
    for Tt in (0.05, 1e6):
        result = speed_loop(40.0, limit=0.5, Tt=Tt).simulate(12.0, rtol=1e-10)
        limited = result["controller.torque"] >= 0.5 - 1e-12
        rising = limited & (result.time <= result.time[~limited][0])
        assert rising.sum() > 20
        assert result["rotor.w"][rising] == pytest.approx(0.5 / 0.02 * result.time[rising], abs=1e-7)
        assert np.abs(result["controller.torque"]).max() <= 0.5 + 1e-9
        overshoot[Tt] = result["rotor.w"].max() / 40 - 1
    assert overshoot[0.05] < 0.05 < 0.3 < overshoot[1e6]


PM = {"pole_pairs": 3.0, "flux": 0.02, "Ld": 3e-4, "Lq": 5e-4, "R": 0.08}


def drive(d, q, **controller):
    """A synchronous motor whose currents are controlled, and its rotor."""
    return blocks(
        {
            "d": ("signal.Constant", {"value": d}),
            "q": ("signal.Constant", {"value": q}),
            "controller": ("electrical.DQCurrentController", {**PM, "limit": 1e3, "bandwidth": 800.0, **controller}),
            "motor": ("electrical.PMSM", PM),
            "rotor": ("mechanical1d.Inertia", {"I": 5e-4}),
        },
        [
            ("d.y", "controller.setpoint.d"),
            ("q.y", "controller.setpoint.q"),
            ("motor.current.d", "controller.measurement.d"),
            ("motor.current.q", "controller.measurement.q"),
            ("motor.speed", "controller.speed"),
            ("controller.vd", "motor.vd"),
            ("controller.vq", "motor.vq"),
            ("motor.flange", "rotor.flange"),
        ],
    )


def test_both_currents_of_a_synchronous_motor_follow_as_lags():
    """While the rotor gains speed, each is 1 - exp(-bandwidth t) of its set-point: the axes are decoupled."""
    result = drive(-4.0, 15.0).simulate(0.05, rtol=1e-10)
    lag = 1 - np.exp(-800 * result.time)
    assert result["motor.current.d"] == pytest.approx(-4 * lag, abs=1e-6)
    assert result["motor.current.q"] == pytest.approx(15 * lag, abs=1e-6)
    assert result["rotor.w"][-1] > 100


def test_the_voltage_of_a_synchronous_motor_is_limited():
    """Its amplitude stays at the limit, in the direction of the demand, as in a loop that NumPy limits; then the motor gains no speed."""
    limit = 8.0
    result = drive(0.0, 15.0, limit=limit).simulate(0.2, rtol=1e-9)
    v = np.array([result["controller.vd"], result["controller.vq"]])
    demand = np.array([result["controller.demand.d"], result["controller.demand.q"]])
    amplitude = np.hypot(*v)
    assert amplitude.max() <= limit + 1e-7
    assert np.abs(v[0] * demand[1] - v[1] * demand[0]).max() < 1e-9 * np.hypot(*demand).max() ** 2
    assert (amplitude > limit - 1e-7).sum() > 50

    def rates(_, state):
        current, integral, w = state[:2], state[2:4], state[4] * PM["pole_pairs"]
        inductance = np.array([PM["Ld"], PM["Lq"]])
        induced = np.array([-w * PM["Lq"] * current[1], w * (PM["Ld"] * current[0] + PM["flux"])])
        error = np.array([0.0, 15.0]) - current
        wanted = 800 * inductance * error + integral + induced
        given = wanted * min(1.0, limit / max(np.hypot(*wanted), 1e-12))
        integral_rate = 800 * PM["R"] * (error + (given - wanted) / (800 * inductance))
        torque = 4.5 * (PM["flux"] + (PM["Ld"] - PM["Lq"]) * current[0]) * current[1]
        return [*((given - PM["R"] * current - induced) / inductance), *integral_rate, torque / 5e-4]

    times, rows = np.unique(result.time, return_index=True)
    expected = solve_ivp(rates, (0, 0.2), np.zeros(5), t_eval=times, rtol=1e-9, atol=1e-10, max_step=1e-4).y
    assert result["rotor.w"][rows] == pytest.approx(expected[4], abs=1e-4 * expected[4].max())
    assert result["motor.current.q"][rows] == pytest.approx(expected[1], abs=1e-4 * expected[1].max())


def test_a_cascade_of_speed_and_current():
    """Battery, bridge, motor, current within speed: the rotor reaches its speed against a load, with the current the load needs."""
    system = blocks(
        {
            "goal": ("signal.Ramp", {"height": 100.0, "duration": 0.5}),
            "speed": ("electrical.SpeedController", {"kp": 0.05, "ki": 0.3, "limit": 1.0, "k": 0.05}),
            "current": ("electrical.CurrentController", {"kp": 1.0, "ki": 500.0, "limit": 12.0}),
            "duty": ("signal.Gain", {"k": 1 / 12}),
            "battery": ("electrical.Battery", {}),
            "bridge": ("electrical.HBridge", {"R": 0.01}),
            "motor": ("electrical.DCMotor", {}),
            "rotor": ("mechanical1d.Inertia", {"I": 1e-3}),
            "load": ("mechanical1d.Torque", {"torque": -0.1}),
        },
        [
            ("goal.y", "speed.setpoint"),
            ("rotor.flange.w", "speed.measurement"),
            ("speed.current", "current.setpoint"),
            ("motor.current", "current.measurement"),
            ("motor.emf", "current.emf"),
            ("current.voltage", "duty.u"),
            ("duty.y", "bridge.duty"),
            ("battery.pin", "bridge.supply"),
            ("bridge.load", "motor.pin"),
            ("motor.flange", "rotor.flange"),
            ("load.flange", "rotor.flange"),
        ],
    )
    result = system.simulate(3.0)
    assert result["rotor.w"][-1] == pytest.approx(100.0, rel=1e-4)
    assert result["motor.current"][-1] == pytest.approx(0.1 / 0.05, rel=1e-3)
