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
ALLOWED = 1e-9


# 1. The system. A table of pairs of time and value drives an input; two values at one time are a jump.


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


# 2. The closed form.


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


# 3. Simulate, compare, plot. The heat is the integral of what the clutch gives as its output `heat`, in W; it falls evenly.


def found(result: Result) -> dict[str, float]:
    locks = next((change.time for change in result.changes if change.what.endswith("sticks")), np.inf)
    locked = np.flatnonzero(result.time == OPENS)[0]
    return {
        "the clutch locks at (s)": locks,
        "both turn at (rad/s)": float(np.interp(locks, result.time, result["shaft.w"])),
        "heat (J)": float(np.trapezoid(result["clutch.heat"], result.time)),
        "torque that the locked clutch carries (N.m)": result["clutch.lambda[1]"][locked],
        "the shaft at the end (rad/s)": result["shaft.w"][-1],
        "the flywheel at the end (rad/s)": result["flywheel.w"][-1],
    }


def plot(path: Path, result: Result) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (speeds, torque, heat) = pyplot.subplots(3, sharex=True, figsize=(8, 8), layout="constrained")
    for name in ("shaft", "flywheel"):
        speeds.plot(result.time, result[f"{name}.w"], label=name)
    speeds.set(ylabel="rad/s", title="The clutch closes at 0.5 s, locks, and opens at 3 s")
    speeds.legend()
    torque.plot(result.time, result["clutch.lambda[1]"])
    torque.set(ylabel="torque of the clutch in N.m")
    heat.plot(result.time, result["clutch.heat"])
    heat.set(xlabel="time in s", ylabel="heat of the clutch in W")
    for axes in (speeds, torque, heat):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description="A clutch between a motor and a flywheel.")
    parser.add_argument("--out", type=Path, default=Path("build/clutch"), help="folder for the plot (default: build/clutch)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = system().simulate(STOP, rtol=1e-11)
    print(result.summary())
    for change in result.changes:
        print(f"t = {change.time:.12f} s: {change.joint} {change.what}")
    expected, off = closed_form(), 0.0
    for name, value in found(result).items():
        print(f"{name}: {value:.9f}, expected {expected[name]:.9f}")
        off = max(off, abs(value / expected[name] - 1))
    print(f"largest relative difference to the closed form: {off:.1e} ({ALLOWED:g} is allowed)")
    plot(folder / "clutch.png", result)
    print(f"plot: {folder / 'clutch.png'}")
    return 0 if result.outcome.completed and off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
