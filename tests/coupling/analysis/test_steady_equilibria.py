"""Equilibria in which something moves steadily, against balances of torque and flow by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from coupling import System
from coupling.errors import AnalysisError

DISPLACEMENT, LEAKAGE, VISCOUS, AREA, TANK, TORQUE, DRAG, QUADRATIC = 8e-6, 1e-12, 0.01, 4e-5, 1e5, 30.0, 0.02, 1e-4


def pump(driven: bool, shaft: bool = False, **start: float) -> System:
    """A pump against an orifice; a given speed or a torque turns it, also beside a flywheel on a rigid shaft."""
    system = System("pump")
    if driven:
        system.add("motor", "mechanical1d.Speed")
        system.drive("motor.speed", 150.0)
    else:
        system.add("motor", "mechanical1d.Inertia", {"I": 0.01, **start})
        system.add("drag", "mechanical1d.RotationalDrag", {"b": DRAG, "c": QUADRATIC})
        system.add("torque", "mechanical1d.Torque")
        system.connect("motor.flange", "drag.flange")
        system.connect("motor.flange", "torque.flange")
        system.drive("torque.torque", TORQUE)
    system.add("pump", "hydraulic.Pump", {"displacement": DISPLACEMENT, "leakage": LEAKAGE, "viscous": VISCOUS})
    system.add("tank", "hydraulic.Tank", {"pressure": TANK})
    system.add("volume", "hydraulic.Volume")
    system.add("orifice", "hydraulic.Orifice", {"area": AREA})
    for a, b in (("pump.T", "tank.port"), ("volume.port", "pump.P"), ("volume.port", "orifice.A"), ("orifice.B", "tank.port")):
        system.connect(a, b)
    system.connect("motor.flange", "pump.flange")
    if shaft:
        system.add("wheel", "mechanical1d.Inertia")
        system.add("shaft", "mechanical1d.RigidShaft")
        system.connect("motor.flange", "shaft.M")
        system.connect("wheel.flange", "shaft.N")
    return system


def rise(speed: float) -> float:
    """The pressure at which the orifice passes what the pump gives, laminar below 1e4 Pa."""
    flow = lambda p: 0.7 * AREA * np.sqrt(2 / 870) * p / np.sqrt(max(p, 1e4))  # noqa: E731
    return brentq(lambda p: flow(p) + LEAKAGE * p - DISPLACEMENT * speed, 0, 1e9, xtol=1e-12, rtol=1e-15)


@pytest.mark.parametrize("shaft", [False, True])
def test_a_pump_runs_at_a_given_speed(shaft):
    """The angle of the motor is no part of what has to rest; a flywheel on its shaft turns as fast."""
    system = pump(True, shaft)
    pose = system.equilibrium()
    assert pose.stable and "motor.angle" in pose.neutral
    assert pose["volume.p"] - TANK == pytest.approx(rise(150.0), rel=1e-10)
    assert not shaft or pose["wheel.w"] == pytest.approx(150.0, rel=1e-13)
    run = system.simulate(0.1, start_values=pose, outputs=["volume.p", "pump.flow"])
    assert np.ptp(run["volume.p"]) <= 1e-7 * pose["volume.p"]
    model = system.linearise(initial=pose)
    assert np.abs(model.eigenvalues).min() == 0 and model.stable


@pytest.mark.parametrize("shaft", [False, True])
@pytest.mark.parametrize("speed", [0.0, 100.0])
def test_a_motor_finds_its_speed(shaft, speed):
    """Torque balances drag, friction and pressure, from rest and from a guess."""
    balance = lambda w: TORQUE - (DRAG + VISCOUS) * w - QUADRATIC * w**2 - DISPLACEMENT * rise(w)  # noqa: E731
    system = pump(False, shaft, w=speed)
    pose = system.equilibrium({"wheel.w": speed} if shaft else None)
    expected = brentq(balance, 1, 1e3, xtol=1e-12, rtol=1e-14)
    assert pose["motor.w"] == pytest.approx(expected, rel=1e-9) and pose["volume.p"] - TANK == pytest.approx(rise(expected), rel=1e-9)
    assert pose.stable and pose.neutral == ("motor.phi",)
    model = system.linearise(initial=pose)
    slope = np.gradient([balance(expected + h) for h in (-1e-3, 0, 1e-3)], 1e-3)[1]  # the oil is far faster than the wheel
    assert max(each.real for each in model.eigenvalues if each.real < -1e-9) == pytest.approx(slope / (1.01 if shaft else 0.01), rel=2e-2)


def test_a_held_speed_is_balanced_by_a_free_torque():
    system = System("held speed")
    system.add("motor", "mechanical1d.Inertia", {"w": 200.0})
    system.add("drag", "mechanical1d.RotationalDrag", {"b": DRAG, "c": QUADRATIC})
    system.add("torque", "mechanical1d.Torque")
    for each in ("drag", "torque"):
        system.connect("motor.flange", f"{each}.flange")
    pose = system.equilibrium(hold=["motor.w"], free=["torque.torque"])
    assert pose["motor.w"] == 200.0 and pose["torque.torque"] == pytest.approx(DRAG * 200 + QUADRATIC * 200**2, rel=1e-12)


def test_a_disc_rolls_on_and_a_pendulum_beside_it_rests():
    """The disc keeps its speed along the line; the pendulum, which moves at the start as well, does not."""
    system = System("disc")
    system.add("ground", "planar.Fixed")
    system.add("contact", "planar.RollingDisc", {"radius": 0.5})
    system.add("disc", "planar.Body1", {"y": 0.5, "vx": 2.0, "omega": -4.0})
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"I": 1 / 12, "p1.ry": 0.5, "y": -0.5, "vx": 0.5, "omega": 1.0})
    for a, b in (("ground.p1", "contact.M"), ("contact.N", "disc.p1"), ("ground.p1", "pin.M"), ("pin.N", "rod.p1")):
        system.connect(a, b)
    pose = system.equilibrium()
    assert (pose["disc.vx"], pose["disc.omega"]) == pytest.approx((2.0, -4.0), rel=1e-12)
    assert abs(pose["rod.omega"]) < 1e-12 and abs(pose["rod.theta"]) < 1e-10 and pose.stable
    positive = np.sort(system.linearise(initial=pose).eigenvalues.imag)[-1]
    assert positive == pytest.approx(np.sqrt(0.5 * 9.81 * 3), rel=1e-9)


def test_what_accelerates_or_is_held_is_refused():
    """A wheel without drag gains speed for ever; an angle that is held may not move."""
    system = System("wheel")
    system.add("wheel", "mechanical1d.Inertia", {"I": 2.0})
    system.add("torque", "mechanical1d.Torque")
    system.connect("wheel.flange", "torque.flange")
    system.drive("torque.torque", 3.0)
    with pytest.raises(AnalysisError, match=r"no equilibrium was found within 300 steps: 'wheel\.der\(w\)' = 1\.5 rad/s2 is left"):
        system.equilibrium()
    with pytest.raises(AnalysisError, match=r"'motor\.der\(angle\)' = 150 rad/s is left; 'motor\.angle' is held"):
        pump(True).equilibrium(hold=["motor.angle"])
