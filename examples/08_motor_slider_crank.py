"""Electric pump.

A motor of the size of 150 W turns the crank of a pump through a gear. Crank, rod and slider are bodies in a vertical plane, joined by
ideal joints. The pump is a damper along the guide of the slider. The machine speeds up, pumps for a second and brakes; current then flows
back into the battery. Two controllers in a cascade drive it. The speed controller asks for a current, and the current controller for a
voltage. The bridge makes this voltage from that of the battery.

Currents answer within 0.3 ms, and the mechanism moves within seconds. The machine is stiff, and CVODE integrates it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, System

# 1. The data, in SI units.

BATTERY = {"empty": 22.0, "full": 26.0, "R": 0.05, "capacity": 5 * 3600.0, "soc": 0.8}  # 24 V, 5 A.h
BRIDGE = {"R": 0.02}
MOTOR = {"R": 0.3, "L": 0.08e-3, "k": 0.03}  # 8300 rpm at 26 V without load
ROTOR = {"I": 14e-6}
RATIO = 26.0  # of the gear
CRANK = {"m": 0.15, "I": 6e-5}
ROD = {"m": 0.2, "I": 3e-4}
SLIDER = {"m": 1.5, "I": 2e-3}
RADIUS, LENGTH = 0.03, 0.12  # of the crank and of the rod between their pins, each with its mass centre in the middle
PUMP = 200.0  # N.s/m
BEARING = 0.02  # N.m.s/rad, at the crank

# The current follows with a time constant of 1/3000 s. The speed controller may ask for 15 A.
CURRENT_CONTROL = {"kp": 3000 * MOTOR["L"], "ki": 3000 * MOTOR["R"], "limit": 24.0, "Tt": 1 / 3000}
SPEED_CONTROL = {"kp": 0.01, "ki": 0.5, "limit": 15 * MOTOR["k"], "Tt": 0.02, "k": MOTOR["k"]}
SPEED = [(0.0, 0.0), (0.1, 0.0), (0.4, 600.0), (1.4, 600.0), (1.6, 0.0), (1.8, 0.0)]  # of the motor: s, rad/s
STOP = 1.8


# 2. The electric drive. Ports connect electrical and mechanical power; signals are connected one by one. What the current
# controller gives is a voltage, what the bridge takes is a fraction of the battery's, so a gain stands in between. The voltage
# that the rotation induces is added in advance.


def add_drive(machine: System) -> None:
    machine.add("battery", "electrical.Battery", BATTERY)
    machine.add("bridge", "electrical.HBridge", BRIDGE)
    machine.add("motor", "electrical.DCMotor", MOTOR)
    machine.add("rotor", "mechanical1d.Inertia", ROTOR)
    machine.connect("battery.pin", "bridge.supply")
    machine.connect("bridge.load", "motor.pin")
    machine.connect("motor.flange", "rotor.flange")

    machine.add("speed control", "electrical.SpeedController", SPEED_CONTROL)
    machine.add("current control", "electrical.CurrentController", CURRENT_CONTROL)
    machine.add("duty", "signal.Gain", {"k": 1 / 24})
    machine.connect("rotor.flange.w", "speed control.measurement")
    machine.connect("speed control.current", "current control.setpoint")
    machine.connect("motor.current", "current control.measurement")
    machine.connect("motor.emf", "current control.emf")
    machine.connect("current control.voltage", "duty.u")
    machine.connect("duty.y", "bridge.duty")


# 3. The slider-crank, stretched out along x at the start. The flange of its first joint is where a shaft can be connected.


def add_slider_crank(machine: System) -> None:
    machine.add("frame", "planar.Fixed")
    machine.add("crank", "planar.Body2", {**CRANK, "p1.rx": -RADIUS / 2, "p2.rx": RADIUS / 2, "x": RADIUS / 2})
    machine.add("rod", "planar.Body2", {**ROD, "p1.rx": -LENGTH / 2, "p2.rx": LENGTH / 2, "x": RADIUS + LENGTH / 2})
    machine.add("slider", "planar.Body1", {**SLIDER, "x": RADIUS + LENGTH})
    machine.join("planar.ActuatedRevolute", "frame.p1", "crank.p1", {"rotation.b": BEARING}, name="shaft")
    machine.join("planar.Revolute", "crank.p2", "rod.p1", name="crank pin")
    machine.join("planar.Revolute", "rod.p2", "slider.p1", name="slider pin")
    machine.join("planar.Translational", "frame.p1", "slider.p1", {"translation.b": PUMP}, name="guide")


# 4. The machine: build it, run it, show it. It has both, with the gear between. Meters count the energy that leaves; an integrator is a
# meter.

METERS = {
    "heat of the battery": ("battery.loss", 1.0),
    "heat of the bridge": ("bridge.loss", 1.0),
    "heat of the motor": ("motor.loss", 1.0),
    "heat of the bearing": ("shaft.rotation.power", -1.0),  # of springs and dampers the power is what they give
    "work of the pump": ("guide.translation.power", -1.0),
}


def system() -> System:
    machine = System("motor-driven slider-crank")
    add_drive(machine)
    add_slider_crank(machine)
    machine.join("mechanical1d.Gear", "rotor.flange", "shaft.flange", {"ratio": RATIO}, name="gear")
    for meter, (power, sign) in METERS.items():
        machine.add(meter, "signal.Integrator", {"k": sign})
        machine.connect(power, f"{meter}.u")
    machine.drive("speed control.setpoint", SPEED)
    return machine


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(stop_time=STOP, solver="cvode", rtol=1e-9, output_interval=1e-3)
    print(result.summary())
    result.animate(folder / "motor_slider_crank.html")
    result.plot(
        "rotor.w", "motor.current", "slider.x", ("battery.power", "guide.translation.power"), path=folder / "motor_slider_crank.png"
    )
    return result


# 5. The check: where the slider is when the crank stands at an angle, and that no energy is lost.

ALLOWED = {"stroke": 1e-7, "balance": 1e-5}  # m, J


def stroke(angle: np.ndarray) -> np.ndarray:
    """The position of the slider in closed form."""
    return RADIUS * np.cos(angle) + np.sqrt(LENGTH**2 - (RADIUS * np.sin(angle)) ** 2)


def balance(result: Result) -> np.ndarray:
    """Returns the stored energy plus the energy that has left, minus the energy stored at the start."""
    stored = result.energy + result["battery.energy"] + result["motor.energy"]
    return stored - stored[0] + sum(result[f"{meter}.y"] for meter in METERS)


def main() -> int:
    parser = argparse.ArgumentParser(description="A battery, a controlled motor and a gear drive a slider-crank with a load.")
    parser.add_argument("--out", type=Path, default=Path("build/machines"), help="folder for the plot (default: build/machines)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    for meter in METERS:
        print(f"{meter}: {result[f'{meter}.y'][-1]:.6f} J")
    print(f"given by the battery: {result['battery.energy'][0] - result['battery.energy'][-1]:.6f} J")
    found = {
        "stroke": np.abs(result["slider.x"] - stroke(result["crank.theta"])).max(),
        "balance": np.abs(balance(result)).max(),
    }
    print(f"largest difference of the stroke to its closed form: {found['stroke']:.1e} m ({ALLOWED['stroke']:g} is allowed)")
    print(f"largest gap in the balance of energy: {found['balance']:.1e} J ({ALLOWED['balance']:g} is allowed)")
    print(f"plot: {folder / 'motor_slider_crank.png'}")
    return 0 if result.outcome.completed and all(found[name] <= ALLOWED[name] for name in ALLOWED) else 1


if __name__ == "__main__":
    sys.exit(main())
