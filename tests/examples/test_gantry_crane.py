"""The gantry crane against Lagrange's equations for its two coordinates, a linear model by hand, and its co-simulation."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from coupling import System
from tests.support.systems.machines import converges, example

GRAVITY = 9.81
STATES = ("rail.translation.q", "hook.rotation.q", "rail.translation.qd", "hook.rotation.qd", "speed control.integral")

gains = pytest.mark.parametrize("gain", [0.0, 6.0], ids=["without damping", "with damping"])


@pytest.fixture(scope="module")
def machine() -> ModuleType:
    return example("09_gantry_crane")


def in_one_piece(machine: ModuleType, gain: float, times: np.ndarray) -> np.ndarray:
    """Trolley's position, rope's angle, their rates, and the integral part of the speed controller, one row each, by SciPy."""
    m, ml = machine.LOAD["m"], machine.LOAD["m"] * machine.ROPE
    J, control = machine.LOAD["I"] + ml * machine.ROPE, machine.FORCE

    def rates(_: float, state: np.ndarray, target: float) -> list[float]:
        x, a, v, w, integral = state
        demand = machine.POSITION_GAIN * (target - x) + gain * a
        error = min(max(demand, -machine.SPEED_LIMIT), machine.SPEED_LIMIT) - v
        wanted = control["kp"] * error + integral
        force = min(max(wanted, control["lower"]), control["upper"])
        inertia = [[machine.TROLLEY["m"] + m, ml * np.cos(a)], [ml * np.cos(a), J]]
        forces = [force - machine.RAIL_FRICTION * v + ml * np.sin(a) * w**2, -ml * GRAVITY * np.sin(a) - machine.HOOK_FRICTION * w]
        return [v, w, *np.linalg.solve(inertia, forces), control["ki"] * error + (force - wanted) / control["Tt"]]

    state, found = np.zeros(5), []
    for (begin, target), (end, _) in pairwise(machine.TARGET):
        if begin < end:
            asked = times[(times >= begin) & (times < end)]
            part = solve_ivp(rates, (begin, end), state, "DOP853", t_eval=[*asked, end], args=(target,), rtol=1e-10, atol=1e-11)
            found.append(part.y[:, :-1])
            state = part.y[:, -1]
    return np.column_stack([*found, state])


@gains
def test_the_crane_is_its_equations_in_one_piece(machine: ModuleType, gain: float) -> None:
    """All states to 1e-6 of their ranges, over a motion that takes the speed and the force to their limits."""
    times = np.linspace(0, machine.STOP, 201)
    result = machine.system(gain).simulate(machine.STOP, rtol=1e-9, output_times=times)
    assert np.abs(result["demand.y"]).max() > machine.SPEED_LIMIT and np.abs(result["speed control.demand"]).max() > machine.FORCE["upper"]
    rows = np.searchsorted(result.time, times, side="right") - 1
    for name, exact in zip(STATES, in_one_piece(machine, gain, times), strict=True):
        assert result[name][rows] == pytest.approx(exact, rel=0, abs=1e-6 * np.ptp(exact)), name


@gains
def test_small_motion_has_the_eigenvalues_of_the_linear_model(machine: ModuleType, monkeypatch: pytest.MonkeyPatch, gain: float) -> None:
    """A motion of 1 mm, sampled: the matrix that takes each sample to the next has the exponentials of the model's eigenvalues."""
    monkeypatch.setattr(machine, "TARGET", [(0.0, 1e-3), (30.0, 1e-3)])
    step, scale = 0.05, np.array([1, 1, 1, 1, 1 / machine.FORCE["ki"]])
    result = machine.system(gain).simulate(10.0, rtol=1e-11, atol=1e-15, output_interval=step)
    samples = np.column_stack([result[name] for name in STATES]) * scale - [1e-3, 0, 0, 0, 0]
    onward = np.linalg.lstsq(samples[:-1], samples[1:], rcond=None)[0]
    expected = np.sort_complex(np.linalg.eigvals(machine.linear_model(gain)))
    assert np.sort_complex(np.linalg.eigvals(onward)) == pytest.approx(np.sort_complex(np.exp(step * expected)), rel=1e-6)


def test_the_load_below_a_trolley_that_rolls_freely(machine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without friction and force it swings by the square of the frequency m l (M + m) g / ((M + m) J - (m l)^2)."""
    M, m, ml = machine.TROLLEY["m"], machine.LOAD["m"], machine.LOAD["m"] * machine.ROPE
    J = machine.LOAD["I"] + ml * machine.ROPE
    frequency = np.sqrt(ml * (M + m) * GRAVITY / ((M + m) * J - ml**2))
    monkeypatch.setattr(machine, "RAIL_FRICTION", 0.0)
    monkeypatch.setattr(machine, "HOOK_FRICTION", 0.0)
    monkeypatch.setattr(machine, "LOAD", {**machine.LOAD, "omega": 1e-4, "vx": 1e-4 * machine.ROPE})
    crane = System("crane alone")
    machine.add_crane(crane)
    result = crane.simulate(20.0, rtol=1e-11, atol=1e-16)
    assert result["hook.rotation.q"] == pytest.approx(1e-4 / frequency * np.sin(frequency * result.time), abs=1e-9 / frequency)


def test_damping_damps(machine: ModuleType) -> None:
    """The damped load comes to rest within 5 cm for good. In the same time the undamped swing hardly becomes smaller."""
    late = {}
    for gain in (0.0, machine.SWING_GAIN):
        result = machine.system(gain).simulate(machine.STOP, rtol=1e-8)
        late[gain] = np.abs(result["load.x"] - 20.0)[result.time > 28.0].max()
    assert late[machine.SWING_GAIN] < 0.05 and late[0.0] > 0.3


@gains
def test_energy_is_kept(machine: ModuleType, gain: float) -> None:
    """The work of the motor is stored or became heat, to the solver's tolerance: ten times as well with a hundredth of it, or more."""
    gaps = []
    for rtol in (1e-5, 1e-7):
        result = machine.system(gain).simulate(machine.STOP, rtol=rtol)
        gaps.append(np.abs(machine.balance(result)).max() / result["work of the motor.y"].max())
        assert gaps[-1] < 1e2 * rtol
    assert gaps[1] < gaps[0] / 10
    assert (np.diff(result["friction of the rail.y"]) <= 0).all() and (np.diff(result["friction of the hook.y"]) <= 0).all()


@pytest.mark.parametrize("scheme", ["explicit", pytest.param("implicit", marks=pytest.mark.slow)])
def test_co_simulation_converges(machine: ModuleType, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    """Halved steps make a quarter of the error where the crane goes gently, and half of it where inputs jump and limits are reached."""
    names = ("trolley.x", "hook.rotation.q", "load.vx", "work of the motor.y")
    converges(machine.system, scheme, 8.0, (0.01, 0.005), names, 2e-3, order=1)
    monkeypatch.setattr(machine, "TARGET", [(0.0, 0.0), (2.0, 0.5), (40.0, 0.5)])
    converges(machine.system, scheme, 8.0, (0.01, 0.005), names, 1e-3)
