"""Clutch and flywheel.

A clutch between a motor and a flywheel slips and gets hot until both turn at one speed. It locks, carries the motor's torque, and opens.
One component does all of this. Its input `capacity` is the torque that it can carry. Jourdain finds whether it slips, is locked or open;
`result.changes` lists the changes. All torques are constant by pieces: speeds, the time of locking and the heat have closed forms.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, System

SHAFT, FLYWHEEL, SPEED = 2.0, 3.0, 100.0  # kg.m2 of the motor and of the flywheel; rad/s of the motor at the start
CAPACITY, TORQUE = 60.0, 30.0  # N.m of the clutch, and of the motor once both turn as one
CLOSES, PULLS, OPENS, STOP = 0.5, 2.5, 3.0, 4.0  # s


# 1. The machine: build it, run it, show it. A table of pairs of time and value drives an input; two values at one time are a jump.


def system() -> System:
    drive = System("clutch")
    drive.add("shaft", "mechanical1d.Inertia", {"I": SHAFT, "w": SPEED})
    drive.add("flywheel", "mechanical1d.Inertia", {"I": FLYWHEEL})
    drive.add("motor", "mechanical1d.Torque")
    drive.connect("motor.flange", "shaft.flange")
    drive.join("mechanical1d.Clutch", "shaft.flange", "flywheel.flange", name="clutch")
    drive.drive("clutch.capacity", [(0, 0), (CLOSES, 0), (CLOSES, CAPACITY), (OPENS, CAPACITY), (OPENS, 0), (STOP, 0)])
    drive.drive("motor.torque", [(0, 0), (PULLS, 0), (PULLS, TORQUE), (STOP, TORQUE)])
    return drive


def show(folder: Path) -> Result:
    """Runs the machine and writes a plot."""
    result = system().simulate(STOP, rtol=1e-11)
    print(result.summary())
    result.plot(("shaft.w", "flywheel.w"), "clutch.lambda[1]", "clutch.loss", path=folder / "clutch.png")
    return result


# 2. The closed form.

ALLOWED = 1e-9


def closed_form() -> dict[str, float]:
    """Slipping, the clutch brakes the shaft and accelerates the flywheel; what is lost is the energy of their relative motion."""
    reduced = SHAFT * FLYWHEEL / (SHAFT + FLYWHEEL)
    together = SHAFT * SPEED / (SHAFT + FLYWHEEL)
    carried = together + TORQUE / (SHAFT + FLYWHEEL) * (OPENS - PULLS)
    return {
        "the clutch locks at (s)": CLOSES + reduced * SPEED / CAPACITY,
        "both turn at (rad/s)": together,
        "heat (J)": reduced * SPEED**2 / 2,
        "torque that the locked clutch carries (N.m)": TORQUE * FLYWHEEL / (SHAFT + FLYWHEEL),
        "the shaft at the end (rad/s)": carried + TORQUE / SHAFT * (STOP - OPENS),
        "the flywheel at the end (rad/s)": carried,
    }


# 3. The check. The heat is the integral of what the clutch gives as its output `heat`, in W; it falls evenly.


def found(result: Result) -> dict[str, float]:
    locks = next((change.time for change in result.changes if change.what.endswith("sticks")), np.inf)
    locked = np.flatnonzero(result.time == OPENS)[0]
    return {
        "the clutch locks at (s)": locks,
        "both turn at (rad/s)": float(np.interp(locks, result.time, result["shaft.w"])),
        "heat (J)": float(np.trapezoid(result["clutch.loss"], result.time)),
        "torque that the locked clutch carries (N.m)": result["clutch.lambda[1]"][locked],
        "the shaft at the end (rad/s)": result["shaft.w"][-1],
        "the flywheel at the end (rad/s)": result["flywheel.w"][-1],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="A clutch between a motor and a flywheel.")
    parser.add_argument("--out", type=Path, default=Path("build/clutch"), help="folder for the plot (default: build/clutch)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    for change in result.changes:
        print(f"t = {change.time:.12f} s: {change.joint} {change.what}")
    expected, off = closed_form(), 0.0
    for name, value in found(result).items():
        print(f"{name}: {value:.9f}, expected {expected[name]:.9f}")
        off = max(off, abs(value / expected[name] - 1))
    print(f"largest relative difference to the closed form: {off:.1e} ({ALLOWED:g} is allowed)")
    print(f"plot: {folder / 'clutch.png'}")
    return 0 if result.outcome.completed and off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
