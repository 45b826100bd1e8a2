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
ALLOWED = 1e-7  # rad


# 1. The system: a wheel and an arm on one hinge line, whose flanges the first pawl joins; the second pawl joins the ground with the wheel.


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


# 2. The closed form. The load decelerates the wheel more than the arm does itself, so that the pawl holds to the end of each stroke.


def closed_form(time: np.ndarray) -> np.ndarray:
    """The angle of the wheel: that of the arm in forward strokes, and at rest between them."""
    stroke, phase = np.divmod(OMEGA * time, 2 * np.pi)
    return SWING * (2 * stroke + np.where(phase < np.pi, 1 - np.cos(phase), 2.0))


# 3. Simulate, compare, plot and animate.


def plot(path: Path, result: Result) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (angles, torques) = pyplot.subplots(2, sharex=True, figsize=(8, 6), layout="constrained")
    angles.plot(result.time, result["wheel.theta"], label="wheel")
    angles.plot(result.time, result["arm.theta"], label="arm")
    angles.set(ylabel="angle in rad", title="The wheel turns by the forward strokes of the arm")
    for name in ("pawl", "stay"):
        torques.plot(result.time, result[f"{name}.lambda[1]"], label=name)
    torques.set(xlabel="time in s", ylabel="torque in N.m")
    for axes in (angles, torques):
        axes.legend()
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description="A ratchet whose arm is prescribed.")
    parser.add_argument(
        "--out", type=Path, default=Path("build/ratchet"), help="folder for the plot and the animation (default: build/ratchet)"
    )
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = system().simulate(STOP, rtol=1e-9)
    print(result.summary())
    for change in result.changes:
        print(f"t = {change.time:.9f} s: {change.joint} {change.what}")
    off = float(np.abs(result["wheel.theta"] - closed_form(result.time)).max())
    print(f"the wheel turns by {result['wheel.theta'][-1]:.9f} rad in {STROKES} strokes of {2 * SWING:g} rad")
    print(f"largest difference to the closed form: {off:.1e} rad ({ALLOWED:g} is allowed)")
    plot(folder / "ratchet.png", result)
    result.animate(folder / "ratchet.html")
    print(f"plot: {folder / 'ratchet.png'}\nanimation: {folder / 'ratchet.html'}")
    return 0 if result.outcome.completed and off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
