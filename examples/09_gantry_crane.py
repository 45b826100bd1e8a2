"""Gantry crane.

A force moves the trolley on its rail, and the load swings below. Trolley and load are bodies. The rail is a translational joint with an
actuator. The rope is a stiff hanger that turns about its hook, and the load moves as a physical pendulum. A position controller asks for
a speed within the limit of the drive. A speed controller asks for a force within the limit of the motor. To damp the swing, the
controller adds a speed in proportion to the angle, and the trolley follows the load.

Two runs differ in this gain alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, System

# 1. The data, in SI units: a container crane.

TROLLEY = {"m": 6e3, "I": 5e3}
LOAD = {"m": 20e3, "I": 20e3}
ROPE = 10.0  # from the hook to the mass centre of the load
RAIL_FRICTION, HOOK_FRICTION = 400.0, 5e3  # N.s/m, N.m.s/rad

POSITION_GAIN = 0.3  # m/s per metre
SPEED_LIMIT = 2.5  # m/s
FORCE = {"kp": 200e3, "ki": 50e3, "lower": -40e3, "upper": 40e3, "Tt": 1.0}  # speed controller: N per m/s, N per m, N
SWING_GAIN = 6.0  # m/s per radian

TARGET = [(0.0, 0.0), (1.0, 0.0), (1.0, 20.0), (40.0, 20.0)]  # s, m: a jump at 1 s
STOP = 40.0


# 2. The crane. The load's port p1 is its hook, a rope above the mass centre.


def add_crane(machine: System) -> None:
    machine.add("gantry", "planar.Fixed", {"p1.ry": 15.0})
    machine.add("trolley", "planar.Body1", {**TROLLEY, "y": 15.0})
    machine.add("load", "planar.Body1", {**LOAD, "p1.ry": ROPE, "y": 15.0 - ROPE})
    machine.join("planar.ActuatedTranslational", "gantry.p1", "trolley.p1", {"translation.b": RAIL_FRICTION}, name="rail")
    machine.join("planar.Revolute", "trolley.p1", "load.p1", {"rotation.b": HOOK_FRICTION}, name="hook")


# 3. The controller: speed = POSITION_GAIN (target - position) + swing_gain angle, limited; then force = PI (speed - its measurement),
# limited. The rail's and the hook's relative motion are outputs of the joints, which sensors would measure.


def add_controller(machine: System, swing_gain: float) -> None:
    machine.add("demand", "signal.Sum", {"k[1]": POSITION_GAIN, "k[2]": -POSITION_GAIN, "k[3]": swing_gain})
    machine.add("speed limit", "signal.Limiter", {"lower": -SPEED_LIMIT, "upper": SPEED_LIMIT})
    machine.add("speed control", "signal.PID", FORCE)
    machine.add("motor", "mechanical1d.Force")
    for a, b in (
        ("rail.translation.q", "demand.u2"),
        ("hook.rotation.q", "demand.u3"),
        ("demand.y", "speed limit.u"),
        ("speed limit.y", "speed control.setpoint"),
        ("rail.translation.qd", "speed control.measurement"),
        ("speed control.y", "motor.force"),
        ("motor.flange", "rail.flange"),
    ):
        machine.connect(a, b)
    machine.drive("demand.u1", TARGET)


# 4. The machine: build it, run it, show it. Integrators count the work of the motor and the heat of friction.

METERS = {
    "work of the motor": "motor.power",
    "friction of the rail": "rail.translation.power",
    "friction of the hook": "hook.rotation.power",
}


def system(swing_gain: float = SWING_GAIN) -> System:
    machine = System("gantry crane")
    add_crane(machine)
    add_controller(machine, swing_gain)
    for meter, power in METERS.items():
        machine.add(meter, "signal.Integrator")
        machine.connect(power, f"{meter}.u")
    return machine


def simulate(swing_gain: float) -> Result:
    return system(swing_gain).simulate(stop_time=STOP, rtol=1e-9, output_interval=0.02)


def show(folder: Path) -> Result:
    """Runs the crane with damping, and writes a plot and an animation."""
    result = simulate(SWING_GAIN)
    print(result.summary())
    result.animate(folder / "gantry_crane.html")
    result.plot("load.x", "hook.rotation.q", "speed control.y", path=folder / "gantry_crane.png")
    return result


def balance(result: Result) -> np.ndarray:
    """The energy that is stored, less what was given to the bodies; friction gives less than nothing."""
    return result.energy - result.energy[0] - sum(result[f"{meter}.y"] for meter in METERS)


# 5. The check: a linear model of small motion, written out by hand. With the position x of the trolley
# and the angle a of the rope, J = I + m l^2,
#
#     (M + m) x'' + m l a'' = F - b x'         F = kp e + ki z
#     m l x'' + J a'' = -m g l a - c a'        e = z' = -p x + s a - x'
#
# whose eigenvalues tell how fast and how well damped the load swings.

ALLOWED = 1e-6  # of the greatest energy, in its balance


def linear_model(swing_gain: float) -> np.ndarray:
    """The matrix of x, a, x', a', z."""
    M, m, J, ml = TROLLEY["m"], LOAD["m"], LOAD["I"] + LOAD["m"] * ROPE**2, LOAD["m"] * ROPE
    kp, ki = FORCE["kp"], FORCE["ki"]
    error = np.array([-POSITION_GAIN, swing_gain, -1, 0, 0])
    forces = np.array([kp * error + [0, 0, -RAIL_FRICTION, 0, ki], [0, -ml * 9.81, 0, -HOOK_FRICTION, 0]])
    return np.vstack([np.eye(5)[2:4], np.linalg.solve([[M + m, ml], [ml, J]], forces), error])


def swing(swing_gain: float) -> complex:
    """The eigenvalue of the swing: the fastest oscillation."""
    return max(np.linalg.eigvals(linear_model(swing_gain)), key=lambda value: value.imag)


def main() -> int:
    parser = argparse.ArgumentParser(description="A gantry crane moves its load with and without damping of the swing.")
    parser.add_argument("--out", type=Path, default=Path("build/machines"), help="folder for the plot (default: build/machines)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    results, holds = {SWING_GAIN: show(folder), 0.0: simulate(0.0)}, True
    for name, gain in {"with damping": SWING_GAIN, "without damping": 0.0}.items():
        result = results[gain]
        eigenvalue = swing(gain)
        late = np.degrees(np.abs(result["hook.rotation.q"][result.time > 20]).max())
        lost = np.abs(balance(result)).max() / result["work of the motor.y"].max()
        holds &= result.outcome.completed and lost <= ALLOWED
        print(f"{name}: {result.outcome}")
        print(
            f"  swing of the linear model: period {2 * np.pi / eigenvalue.imag:.3f} s, damping ratio {-eigenvalue.real / abs(eigenvalue):.4f}"
        )
        print(f"  largest swing after 20 s: {late:.4f} degrees; load at the end: {result['load.x'][-1]:.4f} m")
        print(f"  largest gap in the balance of energy: {lost:.1e} of the work of the motor ({ALLOWED:g} is allowed)")
    print(f"plot: {folder / 'gantry_crane.png'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
