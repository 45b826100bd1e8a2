"""Actuator from another tool.

A servo drive, written and exported with CasADi (casadi.org), turns an arm. CasADi exports models as FMI 3.0 FMUs for Model Exchange; any
tool with such an export could take its place. The servo measures angle and speed of the joint and answers with a torque. The arm hangs on
an actuated revolute joint. Jourdain solves both together. At rest the torque of the servo has to be the closed form m g d cos(angle). The
motion is compared with the same equations in one piece, integrated by SciPy.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import zipfile
from itertools import pairwise
from pathlib import Path

import fmpy
import numpy as np
from scipy.integrate import solve_ivp

from jourdain import Result, System

MASS, LENGTH, GRAVITY = 2.0, 0.6, 9.81
ARM, INERTIA = LENGTH / 2, MASS * LENGTH**2 / 12
RESISTANCE, INDUCTANCE, CONSTANT = 1.0, 5e-3, 2.0  # of the motor, with its gear: Ohm, H, N.m/A
P, I, D = 150.0, 1000.0, 10.0  # of the controller: V/rad, V/(rad.s), V.s/rad  # noqa: E741
TARGET = [(0.0, 0.0), (0.2, 0.0), (0.7, 1.0), (1.5, 1.0), (2.0, -0.5), (4.0, -0.5)]  # s, rad
STOP = 4.0


# 1. The servo, in the other tool. Inputs are the angle and speed of the joint and the target; states the current and the
# controller's integral; the output is the torque. CasADi writes C, which is compiled and packed into the FMU.


def export_servo(folder: Path) -> Path:
    try:
        import casadi
    except ImportError:
        sys.exit("this example needs CasADi: pip install casadi")
    dae = casadi.DaeBuilder("servo")
    phi, w, target = (dae.add(name, "input", {"start": 0.0}) for name in ("phi", "w", "target"))
    current, integral = (dae.add(name, {"start": 0.0, "initial": "exact"}) for name in ("current", "integral"))
    torque = dae.add("torque", "output")
    voltage = P * (target - phi) + integral - D * w
    dae.eq(dae.der(current), (voltage - RESISTANCE * current - CONSTANT * w) / INDUCTANCE)
    dae.eq(dae.der(integral), I * (target - phi))
    dae.eq(torque, CONSTANT * current)
    path = folder.resolve() / "servo.fmu"
    headers = Path(fmpy.__file__).parent / "c-code"
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):  # CasADi writes where it stands
        files = {Path(local): os.path.normpath(inside) for local, inside in dae.export_fmu({"no_warning": True}).items()}
        sources = [str(local) for local in files if local.suffix == ".c"]
        subprocess.run(["gcc", "-O2", "-w", "-fPIC", "-shared", f"-I{headers}", "-o", "servo.so", *sources, "-lm"], check=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for local, inside in files.items():
                archive.write(local, inside)
            archive.write("servo.so", "binaries/x86_64-linux/servo.so")
    return path


# 2. The machine: build it, run it, show it. The servo's FMU has no ports, so that its variables are connected one by one; those of the
# joint's flange are the port's name, a dot, and the member. A table drives the target; the corners of its ramps are time events.


def system(servo: Path) -> System:
    robot = System("arm with a servo")
    robot.add("ground", "planar.Fixed")
    robot.add("joint", "planar.ActuatedRevolute")
    robot.add("arm", "planar.Body1", {"m": MASS, "I": INERTIA, "p1.rx": -ARM, "x": ARM})
    robot.add("servo", servo)
    robot.connect("ground.p1", "joint.M")
    robot.connect("arm.p1", "joint.N")
    robot.connect("joint.flange.phi", "servo.phi")
    robot.connect("joint.flange.w", "servo.w")
    robot.connect("servo.torque", "joint.flange.tau")
    robot.drive("servo.target", TARGET)
    return robot


def show(folder: Path) -> Result:
    """Exports the servo, runs the machine, and writes a plot and an animation."""
    result = system(export_servo(folder)).simulate(stop_time=STOP)
    print(result.summary())
    result.animate(folder / "servo.html")
    result.plot("arm.theta", "servo.torque", path=folder / "servo.png")
    return result


# 3. The check: the same in one piece.

ALLOWED = 1e-6


def target(time: float | np.ndarray) -> np.ndarray:
    return np.interp(time, *np.transpose(TARGET))


def in_one_piece(times: np.ndarray) -> np.ndarray:
    """Angle, speed, current and integral over time."""

    def rates(t: float, state: np.ndarray) -> list[float]:
        phi, w, current, integral = state
        voltage = P * (target(t) - phi) + integral - D * w
        swing = (CONSTANT * current - MASS * GRAVITY * ARM * np.cos(phi)) / (INERTIA + MASS * ARM**2)
        return [w, swing, (voltage - RESISTANCE * current - CONSTANT * w) / INDUCTANCE, I * (target(t) - phi)]

    states, rows = np.zeros(4), [np.zeros((4, 1))]
    for (begin, _), (end, _) in pairwise(TARGET):  # from corner to corner
        inside = (times > begin) & (times <= end)
        part = solve_ivp(rates, (begin, end), states, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True)
        rows.append(part.sol(times[inside]))
        states = part.y[:, -1]
    return np.hstack(rows)


def main() -> int:
    parser = argparse.ArgumentParser(description="A servo exported by CasADi turns an arm of this library's FMUs.")
    parser.add_argument(
        "--out", type=Path, default=Path("build/foreign_fmu"), help="folder for the FMU and the plot (default: build/foreign_fmu)"
    )
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    angle, torque = result["arm.theta"], result["servo.torque"]
    print(f"angle at the end: {angle[-1]:.9f} rad, target: {TARGET[-1][1]} rad")
    holding = MASS * GRAVITY * ARM * np.cos(angle[-1])
    print(f"torque at the end: {torque[-1]:.9f} N.m, closed form m g d cos(angle): {holding:.9f} N.m")
    times, once = np.unique(result.time, return_index=True)  # events have two rows of the same time
    phi, _, current, _ = in_one_piece(times)
    difference = max(np.abs(angle[once] - phi).max(), np.abs(torque[once] - CONSTANT * current).max())
    print(f"largest difference to the same equations in one piece: {difference:.1e} ({ALLOWED:g} is allowed)")
    print(f"FMU and plot: {folder / 'servo.fmu'}, {folder / 'servo.png'}")
    return 0 if result.outcome.completed and difference <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
