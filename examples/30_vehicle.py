"""Car with a differential.

A car is seen from above. A differential divides the torque of a motor between the rear wheels; tyres slip, and the front wheels are
steered. The chassis has all the mass. The knuckles of the front wheels have none, nor has the shaft of the motor: their accelerations are
those for which forces and torques balance. The motion is compared with equations written by hand, which SciPy integrates.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import sympy
from scipy.integrate import solve_ivp

from jourdain import Result, System
from jourdain.declare import t

MASS, INERTIA = 900.0, 1200.0  # kg, kg.m2
RADIUS, WHEEL = 0.3, 0.9  # m, kg.m2
WHEELS = {"front left": (1.3, 0.75), "front right": (1.3, -0.75), "rear left": (-1.2, 0.75), "rear right": (-1.2, -0.75)}  # m
LOAD = MASS * 9.81 / 4  # N, on each wheel
PEAK, SLIDING = 0.9, 0.6  # coefficients of friction, the greatest and that of sliding
SLIPS, SPEEDS = (0.1, 0.3), (0.3, 0.9)  # where these are reached: over the rolling speed, and in m/s where that is small
TORQUE, RATIO = 60.0, 4.0  # N.m of the motor, and how often it turns faster than the wheels on average
DRAG = 0.6  # N.s2/m2
START, STEERING, STOP = 10.0, 0.08, 4.0  # m/s, rad, s
ANGLE = STEERING * (1 - sympy.cos(2 * t)) / 2
TIMES = np.linspace(0.0, STOP, 81)


# 1. The machine: build it, run it, show it. A wheel rolls along the axis x of the port that carries it; the front ones are on knuckles
# that turn on the chassis.


def car() -> System:
    system = System("car", gravity=(0.0, 0.0))
    points = {f"p{k}.r{a}": r for k, place in enumerate(WHEELS.values(), start=1) for a, r in zip("xy", place, strict=True)}
    system.add("chassis", "planar.Body5", {"m": MASS, "I": INERTIA, "vx": START, **points})
    system.add("air", "planar.Drag", {"c": DRAG})
    system.connect("chassis.p5", "air.M")
    tyre = {"radius": RADIUS, "load": LOAD, "adhesion.mu": PEAK, "sliding.mu": SLIDING}
    for name, slip, speed in zip(("adhesion", "sliding"), SLIPS, SPEEDS, strict=True):
        tyre |= {f"{name}.slip": slip, f"{name}.speed": speed}
    for k, (name, (x, y)) in enumerate(WHEELS.items(), start=1):
        system.add(name, "planar.SlipWheel", tyre)
        system.add(f"{name} axle", "mechanical1d.Inertia", {"I": WHEEL, "w": START / RADIUS})
        system.connect(f"{name} axle.flange", f"{name}.axle")
        carrier = f"chassis.p{k}"
        if name.startswith("front"):
            knuckle = f"{name} knuckle"
            system.add(knuckle, "planar.MasslessLink2", {"x": x, "y": y, "vx": START})
            system.join("planar.Revolute", carrier, f"{knuckle}.p1", name=f"{name} pin")
            system.join("planar.RelativeAngle", carrier, f"{knuckle}.p1", name=f"{name} steering")
            system.drive(f"{name} steering.angle", ANGLE)
            carrier = f"{knuckle}.p2"
        system.connect(carrier, f"{name}.M")
    system.add("motor", "mechanical1d.Torque", {"torque": TORQUE})
    system.add("shaft", "mechanical1d.MasslessShaft", {"w": RATIO * START / RADIUS})
    system.add("differential", "mechanical1d.Differential", {"ratio": RATIO})
    system.connect("motor.flange", "shaft.flange")
    system.connect("shaft.flange", "differential.drive")
    system.connect("rear left axle.flange", "differential.left")
    system.connect("rear right axle.flange", "differential.right")
    return system


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = car().simulate(stop_time=STOP, rtol=1e-10, output_times=TIMES)
    print(result.summary())
    result.animate(folder / "vehicle.html")
    result.plot("chassis.x", "chassis.y", "* axle.w", path=folder / "vehicle.png")
    return result


# 2. The same by hand: positions and velocities of the chassis, and the speeds of the four wheels.

ALLOWED = 1e-7


def friction(slip: float, adhesion: float, sliding: float) -> float:
    """The coefficient: one cubic curve up to adhesion, another one from there to sliding."""
    if slip < adhesion:
        return PEAK * (3 * slip / adhesion - (slip / adhesion) ** 3) / 2
    x = min((2 * slip - adhesion - sliding) / (sliding - adhesion), 1.0)
    return (PEAK + SLIDING) / 2 - (PEAK - SLIDING) * (3 * x - x**3) / 4


def rates(time: float, state: np.ndarray) -> np.ndarray:
    angle, velocity, turning, speeds = state[2], state[3:5], state[5], state[6:]
    force, torque, spun = -DRAG * np.hypot(*velocity) * velocity, 0.0, np.zeros(4)
    for k, (name, place) in enumerate(WHEELS.items()):
        front = name.startswith("front")
        direction = angle + (STEERING * (1 - np.cos(2 * time)) / 2 if front else 0.0)
        c, s = np.cos(angle), np.sin(angle)
        arm = np.array([c * place[0] - s * place[1], s * place[0] + c * place[1]])
        along, across = np.array([np.cos(direction), np.sin(direction)]), np.array([-np.sin(direction), np.cos(direction)])
        there = velocity + turning * np.array([-arm[1], arm[0]])
        slips = np.array([there @ along - RADIUS * speeds[k], there @ across])
        slip = np.hypot(*slips)
        limits = [max(v, share * RADIUS * abs(speeds[k])) for v, share in zip(SPEEDS, SLIPS, strict=True)]
        grip = -LOAD * friction(slip, *limits) * slips / slip if slip else np.zeros(2)
        push = grip[0] * along + grip[1] * across
        force, torque = force + push, torque + arm[0] * push[1] - arm[1] * push[0]
        spun[k] = (-RADIUS * grip[0] + (0.0 if front else RATIO * TORQUE / 2)) / WHEEL
    return np.array([*velocity, turning, *(force / MASS), torque / INERTIA, *spun])


def by_hand() -> np.ndarray:
    start = [0.0, 0.0, 0.0, START, 0.0, 0.0, *[START / RADIUS] * 4]
    return solve_ivp(rates, (0.0, STOP), start, method="DOP853", rtol=1e-11, atol=1e-11, t_eval=TIMES, max_step=0.05).y


def difference(result: Result) -> float:
    """The largest of place, angle, velocities and speeds of the wheels, over what each of them reaches."""
    names = [f"chassis.{name}" for name in ("x", "y", "theta", "vx", "vy", "omega")] + [f"{name} axle.w" for name in WHEELS]
    return max(np.abs(result[name] - row).max() / np.abs(row).max() for name, row in zip(names, by_hand(), strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description="A car with a differential, tyres that slip and steered wheels, seen from above.")
    parser.add_argument("--out", type=Path, default=Path("build/vehicle"), help="folder for the plot (default: build/vehicle)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    for side in ("left", "right"):
        print(f"rear {side}: {result[f'rear {side} axle.w'][-1]:.3f} rad/s under {result[f'differential.{side}.tau'][-1]:.3f} N.m")
    off = difference(result)
    print(f"largest difference to the equations by hand: {off:.1e} ({ALLOWED:g} is allowed)")
    print(f"plot: {folder / 'vehicle.png'}")
    return 0 if result.outcome.completed and off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
