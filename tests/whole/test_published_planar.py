"""Examples of the Modelica library PlanarMechanics (Zimmer, DLR) by their published data, with components of the catalogue alone."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

from coupling import System
from fmu_components.declare.component import TIME

G = 9.81


def by_scipy(rates, start, times, **options) -> np.ndarray:
    return solve_ivp(rates, (times[0], times[-1]), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times, **options).y


def test_a_wheel_with_counter_spin():
    """CounterSpin: thrown at 2 m/s with a backspin of 15 rad/s, it turns back and then rolls; by SciPy with the law of dry friction."""
    m, inertia, R, adhesion, sliding, peak, final = 0.01, 0.0005, 0.1, 0.01, 0.03, 0.5, 0.15
    system = System("counter spin", gravity=(0.0, -G))
    system.add("ground", "planar.Fixed")
    law = {"adhesion.speed": adhesion, "sliding.speed": sliding, "adhesion.mu": peak, "sliding.mu": final}
    system.add("disc", "planar.Body1", {"m": m, "I": inertia, "y": R, "vx": 2.0, "omega": 15.0})
    system.join("planar.SlippingDisc", "ground.p1", "disc.p1", {"radius": R, **law}, name="contact")
    times = np.linspace(0, 3.0, 13)
    result = system.simulate(3.0, rtol=1e-11, output_times=times, max_step=0.02)

    def friction(slip: float) -> float:
        if slip < adhesion:
            return peak * (3 * slip / adhesion - (slip / adhesion) ** 3) / 2
        x = min((2 * slip - adhesion - sliding) / (sliding - adhesion), 1.0)
        return (peak + final) / 2 - (peak - final) * (3 * x - x**3) / 4

    def rates(_, state):
        _, v, w = state
        slip = v + R * w
        force = -m * G * friction(abs(slip)) * np.sign(slip)
        return [v, force / m, R * force / inertia]

    expected = by_scipy(rates, [0.0, 2.0, 15.0], times, max_step=0.005)
    for name, row in zip(("disc.x", "disc.vx", "disc.omega"), expected, strict=True):
        assert result[name] == pytest.approx(row, abs=1e-7), name
    rolls = (m * 2.0 - inertia * 15.0 / R) / (m + inertia / R**2)  # moment of momentum about the contact
    assert (result["disc.vx"][-1], result["disc.omega"][-1]) == pytest.approx((rolls, -rolls / R), abs=1e-8)


def test_an_ideal_wheel_on_an_arm():
    """TestIdealWheel: the arm turns about the ground and has no mass, and the wheel, across which nothing moves, stays at its length: a circle."""
    m, inertia, axle, R, torque, length = 10.0, 1.0, 1.0, 0.3, 2.0, 1.0
    system = System("ideal wheel", gravity=(0.0, 0.0))
    system.add("ground", "planar.Fixed")
    system.add("arm", "planar.MasslessLink2", {"p2.angle": np.pi / 2})
    system.add("body", "planar.Body2", {"m": m, "I": inertia, "y": length, "p2.angle": np.pi / 2})
    system.add("rotor", "mechanical1d.Inertia", {"I": axle})
    system.add("engine", "mechanical1d.Torque", {"torque": torque})
    system.add("wheel", "planar.IdealWheel", {"radius": R})
    system.join("planar.Revolute", "ground.p1", "arm.p1", name="pivot")
    system.join("planar.Translational", "arm.p2", "body.p2", name="slide")
    for a, b in (("body.p1", "wheel.M"), ("rotor.flange", "wheel.axle"), ("rotor.flange", "engine.flange")):
        system.connect(a, b)
    times = np.linspace(0, 10.0, 11)
    result = system.simulate(10.0, rtol=1e-11, output_times=times)
    a = torque / R / (m + inertia / length**2 + axle / R**2)
    assert result["rotor.w"] == pytest.approx(a * times / R, abs=1e-8)
    assert result["body.theta"] == pytest.approx(-a * times**2 / 2 / length, abs=1e-8)
    assert result["slide.translation.q"] == pytest.approx(np.full(11, length), abs=1e-9)
    assert result["wheel.multiplier[2]"] == pytest.approx(-m * (a * times) ** 2 / length, abs=1e-7)


def test_a_controlled_crane_crab():
    """ControlledCraneCrab: two point masses and a rod without mass, which PD control of the crab's joint balances from 20 degrees."""
    crab, load, length, gain, Td, Nd = 250.0, 70.0, 2.5, -320 * G * 5, 0.2, 10.0
    start = -np.pi / 9
    system = System("crane crab", gravity=(0.0, -G))
    system.add("ground", "planar.Fixed")
    system.add("crab", "planar.PointMass1", {"m": crab})
    place = {"x": -length * np.sin(start), "y": length * np.cos(start), "theta": start}
    system.add("rod", "planar.MasslessLink2", {"p2.ry": length, "theta": start})
    system.add("load", "planar.PointMass1", {"m": load, **place})
    system.join("planar.ActuatedTranslational", "ground.p1", "crab.p1", name="rail")
    system.join("planar.Revolute", "crab.p1", "rod.p1", name="pin")
    system.join("planar.Weld", "rod.p2", "load.p1", name="end")
    control = {"b[0]": gain, "b[1]": gain * (Td + Td / Nd), "a[0]": 1.0, "a[1]": Td / Nd}
    system.add("control", "signal.TransferFunction1", control)
    system.connect("pin.rotation.q", "control.u")
    system.connect("control.y", "rail.effort")
    times = np.linspace(0, 3.0, 13)
    result = system.simulate(3.0, rtol=1e-11, output_times=times)

    def rates(_, state):
        _, v, angle, w, filtered = state
        push = gain * (angle + Nd * (angle - filtered))
        c, s = np.cos(angle), np.sin(angle)
        a, turning = np.linalg.solve([[crab + load, -load * length * c], [-c, length]], [push - load * length * s * w**2, G * s])
        return [v, a, w, turning, (angle - filtered) * Nd / Td]

    expected = by_scipy(rates, [0.0, 0.0, start, 0.0, 0.0], times)
    for name, row in zip(("crab.x", "crab.vx", "rod.theta", "rod.omega"), expected[:4], strict=True):
        assert result[name] == pytest.approx(row, abs=1e-7), name


def test_a_pendulum_that_is_excited_by_a_force_that_turns_with_it():
    """PendulumExcited: from 1.8 s on a sine of 5 N across the rod; by SciPy in two pieces."""
    m, inertia, length, begins, stop = 1.0, 0.1, 1.0, 1.8, 3.0
    system = System("pendulum", gravity=(0.0, -G))
    system.add("ground", "planar.Fixed")
    system.add("body", "planar.Body2", {"m": m, "I": inertia, "x": length, "p1.rx": -length})
    system.add("force", "planar.FollowerWrench")
    system.join("planar.Revolute", "ground.p1", "body.p1", name="pin")
    system.connect("body.p2", "force.M")
    system.drive("force.Fy", sympy.Piecewise((0, begins > TIME), (-5 * sympy.sin(2 * sympy.pi * (TIME - begins)), True)))
    times = np.array([0.0, 0.9, begins, 2.2, 2.6, stop])
    result = system.simulate(stop, rtol=1e-11, output_times=times, max_step=0.01)
    rows = np.searchsorted(result.time, times)  # where it begins, there is one more

    def rates(t, state):
        force = -5 * np.sin(2 * np.pi * (t - begins)) if t > begins else 0.0
        return [state[1], (force * length - m * G * length * np.cos(state[0])) / (inertia + m * length**2)]

    before = by_scipy(rates, [0.0, 0.0], times[:3])
    after = by_scipy(rates, before[:, -1], times[2:])
    assert result["body.theta"][rows] == pytest.approx([*before[0], *after[0][1:]], abs=1e-8)
    assert result["pin.rotation.qd"][rows] == pytest.approx([*before[1], *after[1][1:]], abs=1e-8)


def test_a_body_on_springs_and_dampers():
    """SpringDamperDemo: a bushing of 5 N/m and 1 N.s/m both ways, from which a body of 0.5 kg hangs; two oscillators in closed form."""
    m, k, b, anchor = 0.5, 5.0, 1.0, (-1.0, 0.0)
    system = System("springs", gravity=(0.0, -G))
    system.add("ground", "planar.Fixed", {"p1.rx": anchor[0], "p1.ry": anchor[1]})
    system.add("body", "planar.Body1", {"m": m, "I": 0.1, "x": 1.0, "y": 1.0})
    spring = {f"translation.{name}{axis}": value for axis in "xy" for name, value in (("k", k), ("b", b))}
    system.add("spring", "planar.Bushing", {**spring, "rotation.k": 0.0})
    system.connect("ground.p1", "spring.M")
    system.connect("body.p1", "spring.N")
    times = np.linspace(0, 5.0, 11)
    result = system.simulate(5.0, rtol=1e-11, output_times=times)
    decay = b / (2 * m)
    w = np.sqrt(k / m - decay**2)
    for axis, place, weight in (("x", anchor[0], 0.0), ("y", anchor[1], m * G)):
        rest = place - weight / k
        expected = rest + (1.0 - rest) * np.exp(-decay * times) * (np.cos(w * times) + decay / w * np.sin(w * times))
        assert result[f"body.{axis}"] == pytest.approx(expected, abs=1e-9)
