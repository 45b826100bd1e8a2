"""Ratchet with two pawls.

An arm swings to and fro and turns a wheel by a pawl. A second pawl on the ground keeps the wheel from turning back. Both pawls are
freewheels. The arm's motion is prescribed: at each of its reversals the two of them must not hold at once, and one lets go as the other
begins to hold. The wheel turns by the forward strokes of the arm alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import sympy

from jourdain import Result, System
from jourdain.declare import t

SWING, OMEGA, LOAD = 0.3, 2.0, 2.0  # rad: half the stroke; rad/s of the arm's swing; N.m that turns the wheel back
RADIUS, ARM = 0.3, 0.45  # m
WHEEL, STROKES = 0.5, 4  # kg.m2; strokes forwards
STOP = (2 * STROKES - 1) * np.pi / OMEGA


# 1. The machine: build it, run it, show it. A wheel and an arm turn about one hinge; the first pawl joins their flanges. The second pawl
# joins the ground with the wheel.


def system() -> System:
    ratchet = System("ratchet", gravity=(0.0, 0.0))
    ratchet.add("ground", "planar.Fixed")
    ratchet.add("wheel", "planar.Body2", {"m": 4.0, "I": WHEEL, "p2.rx": RADIUS})
    ratchet.add("arm", "planar.Body2", {"m": 1.0, "I": 0.02, "p2.rx": ARM})
    ratchet.join("planar.ActuatedRevolute", "ground.p1", "wheel.p1", name="axle")
    ratchet.join("planar.ActuatedRevolute", "ground.p1", "arm.p1", name="bearing")
    ratchet.join("planar.RelativeAngle", "ground.p1", "arm.p1", name="crank")
    ratchet.drive("crank.angle", SWING * (1 - sympy.cos(OMEGA * t)))
    ratchet.add("frame", "mechanical1d.Fixed1D")
    ratchet.join("mechanical1d.OneWayClutch", "bearing.flange", "axle.flange", name="pawl")
    ratchet.join("mechanical1d.OneWayClutch", "frame.shaft", "axle.flange", name="stay")
    ratchet.drive("axle.effort", -LOAD)
    return ratchet


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(STOP, rtol=1e-9)
    print(result.summary())
    result.animate(folder / "ratchet.html")
    result.plot(("wheel.theta", "arm.theta"), ("pawl.lambda[1]", "stay.lambda[1]"), path=folder / "ratchet.png")
    return result


# 2. The closed form. The load decelerates the wheel more than the arm does itself, so that the pawl holds to the end of each stroke.

ALLOWED = 1e-7  # rad


def closed_form(time: np.ndarray) -> np.ndarray:
    """The angle of the wheel: that of the arm in forward strokes, and at rest between them."""
    stroke, phase = np.divmod(OMEGA * time, 2 * np.pi)
    return SWING * (2 * stroke + np.where(phase < np.pi, 1 - np.cos(phase), 2.0))


def main() -> int:
    parser = argparse.ArgumentParser(description="A ratchet whose arm is prescribed.")
    parser.add_argument(
        "--out", type=Path, default=Path("build/ratchet"), help="folder for the plot and the animation (default: build/ratchet)"
    )
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    for change in result.changes:
        print(f"t = {change.time:.9f} s: {change.joint} {change.what}")
    off = float(np.abs(result["wheel.theta"] - closed_form(result.time)).max())
    print(f"the wheel turns by {result['wheel.theta'][-1]:.9f} rad in {STROKES} strokes of {2 * SWING:g} rad")
    print(f"largest difference to the closed form: {off:.1e} rad ({ALLOWED:g} is allowed)")
    print(f"plot: {folder / 'ratchet.png'}\nanimation: {folder / 'ratchet.html'}")
    return 0 if result.outcome.completed and off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
