"""Pumps and motors: torque and flow, without load and stalled, and one driving the other."""

from math import cos, exp, sin, sqrt, tanh

import pytest

from tests.support.components.circuits import circuit, run
from tests.support.systems.mechanism import Mechanism

D, leakage, viscous, coulomb = 1.1e-5, 3e-12, 0.02, 1.5
MACHINE = {"displacement": D, "leakage": leakage, "viscous": viscous, "coulomb": coulomb, "slip": 0.1}
LOSSLESS = {"leakage": 0, "viscous": 0}


def at(machine: str, high: float, low: float, speed: float) -> dict[str, float]:
    """Flow out of the high side, flow into the low side, and the torque on a shaft that turns at a given speed."""
    ports = {"hydraulic.Pump": ("P", "T"), "hydraulic.Motor": ("A", "B")}[machine]
    with Mechanism(
        {
            "high": ("hydraulic.PressureSource", {"pressure": high}),
            "low": ("hydraulic.Tank", {"pressure": low}),
            "machine": (machine, MACHINE),
            "shaft": ("mechanical1d.Inertia", {"w": speed}),
        },
        [("high.port", f"machine.{ports[0]}"), ("low.port", f"machine.{ports[1]}"), ("shaft.flange", "machine.flange")],
    ) as mechanism:
        mechanism.evaluate()
        return {
            "high": mechanism[f"machine.{ports[0]}.q"],
            "low": mechanism[f"machine.{ports[1]}.q"],
            "torque": mechanism["machine.flange.tau"],
        }


def test_a_pump_without_load():
    """All of the displacement is delivered, and friction is all that the shaft feels."""
    found = at("hydraulic.Pump", 1e5, 1e5, 150.0)
    assert found == pytest.approx({"high": D * 150, "low": -D * 150, "torque": -viscous * 150 - coulomb}, rel=1e-12)


def test_a_pump_under_load():
    """Leakage takes from the flow, pressure adds to the torque: both efficiencies are those of the data."""
    rise, speed = 2e7, 150.0
    found = at("hydraulic.Pump", rise + 1e5, 1e5, speed)
    assert found["high"] / (D * speed) == pytest.approx(1 - leakage * rise / (D * speed), rel=1e-12)
    assert -found["torque"] / (D * rise) == pytest.approx(1 + (viscous * speed + coulomb) / (D * rise), rel=1e-12)


def test_a_pump_at_rest_leaks():
    """A shaft at rest lets the leakage through and feels the pressure alone."""
    assert at("hydraulic.Pump", 1e7 + 1e5, 1e5, 0.0) == pytest.approx({"high": -leakage * 1e7, "low": leakage * 1e7, "torque": -D * 1e7})


def test_a_stalled_motor():
    """The torque at rest is displacement times drop; the flow is the leakage."""
    assert at("hydraulic.Motor", 1e7 + 1e5, 1e5, 0.0) == pytest.approx({"high": -leakage * 1e7, "low": leakage * 1e7, "torque": D * 1e7})


@pytest.mark.parametrize("speed", [0.05, -0.05, 80.0, -80.0])
def test_friction_opposes_the_motion(speed):
    """It falls from the torque either way, that of Coulomb smoothly through rest."""
    friction = viscous * speed + coulomb * tanh(speed / 0.1)
    assert at("hydraulic.Motor", 5e6, 1e6, speed)["torque"] == pytest.approx(D * 4e6 - friction, rel=1e-12)
    assert at("hydraulic.Motor", 1e6, 1e6, speed)["high"] == pytest.approx(-D * speed, rel=1e-12)


def test_a_motor_runs_up():
    """The speed between two pressures is w = D drop/b (1 - exp(-b t/I))."""
    inertia, drop, t = 0.05, 3e6, 2.0
    result = run(
        circuit(
            {
                "supply": ("hydraulic.PressureSource", {"pressure": drop + 1e5}),
                "tank": ("hydraulic.Tank", {}),
                "motor": ("hydraulic.Motor", MACHINE | {"coulomb": 0}),
                "load": ("mechanical1d.Inertia", {"I": inertia}),
            },
            [("supply.port", "motor.A"), ("tank.port", "motor.B"), ("load.flange", "motor.flange")],
        ),
        t,
    )
    assert result["load.w"][-1] == pytest.approx(D * drop / viscous * (1 - exp(-viscous * t / inertia)), rel=1e-6)
    assert result["motor.flow"][-1] == pytest.approx(D * result["load.w"][-1] + leakage * drop, rel=1e-12)


def test_a_flywheel_swings_against_a_closed_line():
    """A pump without losses and a closed volume are an inertia and a spring: w = w0 cos(r t), rise = w0 sqrt(I bulk/V) sin(r t)."""
    inertia, volume, bulk, w0, t = 0.4, 2e-3, 1e9, 30.0, 1.3
    rate = D * sqrt(bulk / (volume * inertia))
    result = run(
        circuit(
            {
                "tank": ("hydraulic.Tank", {"pressure": 1e7}),
                "line": ("hydraulic.Volume", {"volume": volume, "bulk": bulk, "p": 1e7}),
                "pump": ("hydraulic.Pump", LOSSLESS | {"displacement": D}),
                "wheel": ("mechanical1d.Inertia", {"I": inertia, "w": w0}),
            },
            [("line.port", "pump.P"), ("tank.port", "pump.T"), ("wheel.flange", "pump.flange")],
        ),
        t,
        rtol=1e-10,
    )
    assert rate * t > 0.3
    assert result["wheel.w"][-1] == pytest.approx(w0 * cos(rate * t), rel=1e-6)
    assert result["pump.rise"][-1] == pytest.approx(w0 * sqrt(inertia * bulk / volume) * sin(rate * t), rel=1e-6)


def test_a_pump_drives_a_motor():
    """A closed circuit without losses is a gear: the speeds are as the displacements inverted, the torques as the displacements."""
    pump, motor, torque = 8e-6, 2e-5, 10.0
    result = run(
        circuit(
            {
                "pump": ("hydraulic.Pump", LOSSLESS | {"displacement": pump, "viscous": 0.01}),
                "motor": ("hydraulic.Motor", LOSSLESS | {"displacement": motor}),
                "line": ("hydraulic.Volume", {}),
                "tank": ("hydraulic.Tank", {}),
                "drive": ("mechanical1d.Inertia", {"I": 0.1}),
                "engine": ("mechanical1d.Torque", {"torque": torque}),
                "winch": ("mechanical1d.Inertia", {"I": 0.5}),
                "brake": ("mechanical1d.RotationalSpringDamper", {"k": 0, "b": 2.0}),
                "wall": ("mechanical1d.Fixed1D", {}),
            },
            [
                ("line.port", "pump.P"),
                ("line.port", "motor.A"),
                ("tank.port", "pump.T"),
                ("tank.port", "motor.B"),
                ("drive.flange", "pump.flange"),
                ("drive.flange", "engine.flange"),
                ("winch.flange", "motor.flange"),
                ("winch.flange", "brake.M"),
                ("wall.shaft", "brake.N"),
            ],
        ),
        200.0,
        rtol=1e-8,
    )
    ratio = motor / pump
    speed = torque / (2.0 / ratio**2 + 0.01)
    assert result["drive.w"][-1] == pytest.approx(speed, rel=1e-5)
    assert result["winch.w"][-1] == pytest.approx(speed / ratio, rel=1e-5)
    assert result["line.p"][-1] - 1e5 == pytest.approx(2.0 * speed / ratio / motor, rel=1e-5)
