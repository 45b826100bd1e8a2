"""The motor-driven slider-crank against one equation for its one angle, closed forms, and its co-simulation."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from coupling import System
from tests.support.oracles.planar import Rod, SliderCrank
from tests.support.systems.machines import converges, example

GRAVITY = 9.81


@pytest.fixture(scope="module")
def machine() -> ModuleType:
    return example("08_motor_slider_crank")


def in_one_piece(machine: ModuleType, profile: list[tuple[float, float]], times: np.ndarray) -> dict[str, np.ndarray]:
    """Lagrange's equation for the angle of the crank, with rotor, circuit and controllers, by SciPy at tight tolerance."""
    crank, rod = (Rod(length, data["m"], data["I"]) for length, data in ((machine.RADIUS, machine.CRANK), (machine.LENGTH, machine.ROD)))
    mechanism = SliderCrank(crank, rod, machine.SLIDER["m"])
    battery, motor, speed, current = machine.BATTERY, machine.MOTOR, machine.SPEED_CONTROL, machine.CURRENT_CONTROL

    def rates(t: float, state: np.ndarray) -> list[float]:
        q, w, i, soc, torque_integral, voltage_integral = state
        speed_error = start + slope * (t - begin) - machine.RATIO * w
        torque_demand = speed["kp"] * speed_error + torque_integral
        torque = min(max(torque_demand, -speed["limit"]), speed["limit"])
        current_error = torque / motor["k"] - i
        voltage_demand = current["kp"] * current_error + voltage_integral + motor["k"] * machine.RATIO * w
        voltage = min(max(voltage_demand, -current["limit"]), current["limit"])
        duty = voltage / 24
        supply = battery["empty"] + (battery["full"] - battery["empty"]) * soc - battery["R"] * duty * i
        inertia, half_slope, weight, poses = machine.ROTOR["I"] * machine.RATIO**2, 0.0, 0.0, mechanism.poses(q)
        for name, (m, J) in mechanism.masses.items():
            (_, z1, z2), (_, theta1, theta2) = poses[name].z, poses[name].theta
            inertia += m * abs(z1) ** 2 + J * theta1**2
            half_slope += m * (z1.conjugate() * z2).real + J * theta1 * theta2
            weight += m * GRAVITY * z1.imag
        pump = machine.PUMP * poses["slider"].z[1].real ** 2 * w
        drive = machine.RATIO * motor["k"] * i - machine.BEARING * w - pump
        return [
            w,
            (drive - half_slope * w**2 - weight) / inertia,
            (duty * supply - (machine.BRIDGE["R"] + motor["R"]) * i - motor["k"] * machine.RATIO * w) / motor["L"],
            -duty * i / battery["capacity"],
            speed["ki"] * speed_error + (torque - torque_demand) / speed["Tt"],
            current["ki"] * current_error + (voltage - voltage_demand) / current["Tt"],
        ]

    state, found = np.array([0, 0, 0, battery["soc"], 0, 0], dtype=float), []
    for (begin, start), (end, target) in pairwise(profile):
        if begin == end:
            continue
        slope = (target - start) / (end - begin)
        asked = times[(times >= begin) & (times < end)]
        part = solve_ivp(rates, (begin, end), state, "DOP853", t_eval=[*asked, end], rtol=1e-10, atol=1e-11)
        found.append(part.y[:, :-1])
        state = part.y[:, -1]
    q, w, i, soc, *_ = np.column_stack([*found, state])
    return {"crank.theta": q, "rotor.w": machine.RATIO * w, "motor.current": i, "battery.charge": soc}


SUDDEN = [(0.0, 0.0), (0.05, 0.0), (0.05, 900.0), (0.35, 900.0), (0.35, -900.0), (0.7, -900.0)]


@pytest.mark.parametrize(
    "profile", [pytest.param(None, id="as it is", marks=pytest.mark.slow), pytest.param(SUDDEN, id="suddenly forwards and backwards")]
)
def test_the_machine_is_its_equations_in_one_piece(machine: ModuleType, monkeypatch: pytest.MonkeyPatch, profile: list | None) -> None:
    """Angle, speed, current and charge to 1e-6 of their ranges; sudden set-points take both controllers to their limits."""
    if profile:
        monkeypatch.setattr(machine, "SPEED", profile)
    times = np.linspace(0, machine.SPEED[-1][0], 181)
    result = machine.system().simulate(times[-1], solver="cvode", rtol=1e-10, output_times=times)
    for limited, demand in (("current control.voltage", "current control.demand"), ("speed control.torque", "speed control.demand")):
        assert (np.abs(result[limited] - result[demand]).max() > 0) == bool(profile)
    rows = np.searchsorted(result.time, times, side="right") - 1
    for name, exact in in_one_piece(machine, machine.SPEED, times).items():
        assert result[name][rows] == pytest.approx(exact, rel=0, abs=1e-6 * np.ptp(exact)), name


def test_the_machine_is_stiff(machine: ModuleType) -> None:
    """CVODE needs far fewer steps than the explicit method, which is held back by the current."""
    steps = {solver: machine.system().simulate(machine.STOP, solver=solver, rtol=1e-6).statistics.steps for solver in ("cvode", "dopri5")}
    assert steps["dopri5"] > 2 * steps["cvode"]


def test_no_load_speed(machine: ModuleType) -> None:
    """The motor has nothing on its shaft, and a set-point beyond its range. It comes to the speed at which it induces the limited voltage
    of the battery."""
    drive = System("drive")
    machine.add_drive(drive)
    drive.drive("speed control.setpoint", 1000.0)
    result = drive.simulate(1.0, solver="cvode", rtol=1e-9)
    assert result["current control.voltage"][-1] == machine.CURRENT_CONTROL["limit"]
    # What is left of a current is that into the voltage of the battery, which falls as its charge does.
    voltage = machine.CURRENT_CONTROL["limit"] / 24 * result["battery.voltage"][-1]
    assert result["rotor.w"][-1] == pytest.approx(voltage / machine.MOTOR["k"], rel=1e-6)


def test_stall_current(machine: ModuleType) -> None:
    """The current of a blocked shaft at full voltage is the battery's voltage over all resistances. It approaches this value as a lag with
    the time constant L/R."""
    stalled = System("blocked motor")
    for name, component, values in (
        ("battery", "electrical.Battery", {**machine.BATTERY, "capacity": 1e9}),
        ("bridge", "electrical.HBridge", {**machine.BRIDGE, "duty": 1.0}),
        ("motor", "electrical.DCMotor", machine.MOTOR),
        ("wall", "mechanical1d.Fixed1D", {}),
    ):
        stalled.add(name, component, values)
    for a, b in (("battery.pin", "bridge.supply"), ("bridge.load", "motor.pin"), ("motor.flange", "wall.shaft")):
        stalled.connect(a, b)
    result = stalled.simulate(2e-3, solver="cvode", rtol=1e-10)
    R = machine.BATTERY["R"] + machine.BRIDGE["R"] + machine.MOTOR["R"]
    rise = 1 - np.exp(-result.time * R / machine.MOTOR["L"])
    assert result["motor.current"] == pytest.approx(result["battery.voltage"] / R * rise, rel=1e-6, abs=1e-5)


def test_energy_is_kept(machine: ModuleType) -> None:
    """The energy from the battery is stored or has left, to the solver's tolerance. The error falls at least as fast as the tolerance."""
    gaps = []
    for rtol in (1e-6, 1e-8):
        result = machine.system().simulate(machine.STOP, solver="cvode", rtol=rtol)
        gaps.append(np.abs(machine.balance(result)).max())
        given = result["battery.energy"][0] - result["battery.energy"][-1]
        assert gaps[-1] < 1e2 * rtol * given
    assert gaps[1] < gaps[0] / 10


@pytest.mark.parametrize("scheme", ["explicit", pytest.param("implicit", marks=pytest.mark.slow)])
def test_co_simulation_converges(machine: ModuleType, scheme: str) -> None:
    """Halved steps make a quarter of the error while the machine speeds up."""
    converges(machine.system, scheme, 0.15, (1e-4, 5e-5), ("crank.theta", "rotor.w", "motor.current", "slider.x"), 2e-4)
