"""Motors and the bridge: closed forms, matrix exponentials, the stator's frame, and balances of energy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from tests.support.components.balance import work
from tests.support.components.signals import blocks

R, L, K, J = 0.6, 3e-3, 0.08, 2e-4


def motor_on(source, links, **others):
    return blocks(
        {
            "source": source,
            "motor": ("electrical.DCMotor", {"R": R, "L": L, "k": K}),
            "rotor": ("mechanical1d.Inertia", {"I": J}),
            **others,
        },
        [*links, ("motor.flange", "rotor.flange")],
    )


SOURCE = (("electrical.VoltageSource", {"voltage": 12.0}), [("source.pin", "motor.pin")])


def test_a_motor_runs_up():
    """Current and speed are those of the matrix exponential; without a load the speed ends at V/k."""
    result = motor_on(*SOURCE).simulate(0.4, rtol=1e-10)
    matrix = np.array([[-R / L, -K / L, 12.0 / L], [K / J, 0, 0], [0, 0, 0]])
    exact = np.array([expm(matrix * t) @ [0, 0, 1] for t in result.time])
    assert result["motor.current"] == pytest.approx(exact[:, 0], abs=1e-7)
    assert result["rotor.w"] == pytest.approx(exact[:, 1], abs=1e-6)
    assert result["rotor.w"][-1] == pytest.approx(12.0 / K, rel=1e-4)
    stored = result["motor.energy"] + result["rotor.energy.kinetic"]
    assert work(result, "source.power") == pytest.approx(stored + work(result, "motor.loss"), abs=1e-4)
    assert work(result, "motor.power") == pytest.approx(result["rotor.energy.kinetic"], abs=1e-4)


def test_a_motor_is_stalled():
    """At a shaft that is held the current rises to V/R as in a winding, and the torque to k V/R."""
    system = blocks(
        {
            "source": ("electrical.VoltageSource", {"voltage": 12.0}),
            "motor": ("electrical.DCMotor", {"R": R, "L": L, "k": K}),
            "wall": ("mechanical1d.Fixed1D", {}),
        },
        [("source.pin", "motor.pin"), ("motor.flange", "wall.shaft")],
    )
    result = system.simulate(0.06, rtol=1e-10)
    assert result["motor.flange.tau"] == pytest.approx(K * 12 / R * (1 - np.exp(-result.time * R / L)), abs=1e-8)


def test_a_bridge_feeds_a_motor():
    """The motor runs as at duty times the voltage, with the bridge's resistance in series; the supply gives what is used."""
    duty, on = -0.4, 0.15
    system = motor_on(
        ("electrical.VoltageSource", {"voltage": 24.0}),
        [("source.pin", "bridge.supply"), ("bridge.load", "motor.pin")],
        bridge=("electrical.HBridge", {"R": on, "duty": duty}),
    )
    result = system.simulate(0.4, rtol=1e-10)
    matrix = np.array([[-(R + on) / L, -K / L, duty * 24.0 / L], [K / J, 0, 0], [0, 0, 0]])
    exact = np.array([expm(matrix * t) @ [0, 0, 1] for t in result.time])
    assert result["bridge.current"] == pytest.approx(exact[:, 0], abs=1e-7)
    assert result["rotor.w"] == pytest.approx(exact[:, 1], abs=1e-6)
    taken = -result["bridge.supply.i"] * 24.0
    assert result["source.power"] == pytest.approx(taken, rel=1e-12)
    at_load = result["bridge.load.v"] * result["motor.current"]
    assert taken == pytest.approx(at_load + on * result["motor.current"] ** 2, abs=1e-9)
    assert result["bridge.loss"] == pytest.approx(on * result["motor.current"] ** 2, rel=1e-12)


@pytest.mark.parametrize(("duty", "used"), [(1.7, 1.0), (-3.0, -1.0), (0.25, 0.25)])
def test_the_duty_is_limited(duty, used):
    """Beyond -1 and 1 the load gets the whole supply."""
    system = blocks(
        {
            "source": ("electrical.VoltageSource", {"voltage": 24.0}),
            "bridge": ("electrical.HBridge", {"duty": duty}),
            "winding": ("electrical.Inductor", {"R": 2.0}),
            "ground": ("electrical.Ground", {}),
        },
        [("source.pin", "bridge.supply"), ("bridge.load", "winding.M"), ("winding.N", "ground.pin")],
    )
    result = system.simulate(0.02)
    assert set(result["bridge.load.v"]) == {24 * used}
    assert result["source.power"][-1] == pytest.approx((24 * used) ** 2 / 2, rel=1e-6)


def test_a_battery_drives_a_motor_through_a_bridge():
    """The battery's loss of energy is stored in the rotor or has become heat, in the battery, the bridge and the motor."""
    system = motor_on(
        ("electrical.Battery", {"R": 0.1, "capacity": 200.0, "soc": 0.7}),
        [("source.pin", "bridge.supply"), ("bridge.load", "motor.pin"), ("ramp.y", "bridge.duty")],
        bridge=("electrical.HBridge", {"R": 0.05}),
        ramp=("signal.Ramp", {"duration": 0.3}),
    )
    result = system.simulate(0.3, rtol=1e-10)
    lost = result["source.energy"][0] - result["source.energy"]
    heat = sum(work(result, f"{name}.loss") for name in ("source", "bridge", "motor"))
    assert lost == pytest.approx(result["motor.energy"] + result["rotor.energy.kinetic"] + heat, abs=1e-4)
    assert lost[-1] > 1


PM = {"pole_pairs": 3.0, "flux": 0.02, "Ld": 3e-4, "Lq": 5e-4, "R": 0.08}


def synchronous(inertia, w=0.0, vd=-1.0, vq=4.0):
    return blocks(
        {"motor": ("electrical.PMSM", {**PM, "vd": vd, "vq": vq}), "rotor": ("mechanical1d.Inertia", {"I": inertia, "w": w})},
        [("motor.flange", "rotor.flange")],
    )


def test_a_synchronous_motor_in_the_frame_of_its_stator():
    """Flux linkages in the stator's frame, integrated by SciPy, give the same currents, torque and speed.

    There the flux changes by voltage less R i alone, and the torque is 3/2 pole_pairs times the cross product of flux and current:
    neither induced voltages nor the formula of the torque are used.
    """
    inertia, p = 5e-4, PM["pole_pairs"]

    def turned(angle, vector):
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ vector

    def currents(state):
        d, q = turned(-p * state[2], state[:2])
        return np.array([(d - PM["flux"]) / PM["Ld"], q / PM["Lq"]])

    def torque(state):
        a, b = turned(p * state[2], currents(state))
        return 1.5 * p * (state[0] * b - state[1] * a)

    def rates(_, state):
        voltage = turned(p * state[2], np.array([-1.0, 4.0]))
        flux_rate = voltage - PM["R"] * turned(p * state[2], currents(state))
        return [*flux_rate, state[3], torque(state) / inertia]

    result = synchronous(inertia).simulate(0.1, rtol=1e-11)
    states = solve_ivp(rates, (0, 0.1), [PM["flux"], 0, 0, 0], t_eval=result.time, method="DOP853", rtol=1e-11, atol=1e-13).y.T
    expected = np.array([[*currents(s), torque(s), s[3]] for s in states])
    for index, name in enumerate(("motor.current.d", "motor.current.q", "motor.flange.tau", "rotor.w")):
        assert result[name] == pytest.approx(expected[:, index], abs=1e-6 * np.abs(expected[:, index]).max())
    assert np.abs(expected[:, 2]).max() > 1


def test_the_steady_state_of_a_synchronous_motor():
    """At a speed that a great inertia holds the currents solve the two equations of the stationary circuit."""
    w = 60.0
    result = synchronous(1e9, w).simulate(0.2, rtol=1e-10)
    we = PM["pole_pairs"] * w
    d, q = np.linalg.solve([[PM["R"], -we * PM["Lq"]], [we * PM["Ld"], PM["R"]]], [-1.0, 4.0 - we * PM["flux"]])
    assert [result["motor.current.d"][-1], result["motor.current.q"][-1]] == pytest.approx([d, q], abs=1e-6)
    magnets, reluctance = PM["flux"] * q, (PM["Ld"] - PM["Lq"]) * d * q
    assert result["motor.flange.tau"][-1] == pytest.approx(4.5 * (magnets + reluctance), rel=1e-6)
    assert abs(reluctance) > 0.02 * abs(magnets)
    assert result["motor.taken"][-1] == pytest.approx(result["motor.loss"][-1] + result["motor.power"][-1], rel=1e-6)


def test_the_balance_of_a_synchronous_motor():
    """Its input energy is stored in its field, becomes heat, or turns the rotor."""
    result = synchronous(5e-4).simulate(0.05, rtol=1e-10, output_interval=2e-5)
    used = result["motor.energy"] + work(result, "motor.loss") + result["rotor.energy.kinetic"]
    assert work(result, "motor.taken") == pytest.approx(used, abs=1e-6 * used.max())
