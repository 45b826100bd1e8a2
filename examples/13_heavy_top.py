"""Heavy top.

A body in space spins on a spherical joint, so fast that gravity makes it precess instead of fall. It is a benchmark of integrators (Brüls
and Cardona, 2010). The axis lies level at the start, and the top spins at 150 rad/s. Its mass centre goes round and nods on the way. The
places are compared with digits of the same top in three angles, without joints and quaternions.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, System

MASS, ACROSS, ALONG = 15.0, 0.234375, 0.46875  # kg, kg.m2 about the mass centre; the axis of the top is y of its frame
PIVOT = (0.0, -1.0, 0.0)  # in the frame of the top, from its mass centre
OMEGA = (0.0, 150.0, -4.61538)  # rad/s
STOP = 2.0


# 1. The machine: build it, run it, show it. The frame of the body starts parallel to the absolute one, so no orientation is given. All
# start values of a body are those of its mass centre, in absolute axes: here it moves with omega x r about the pivot. Gravity is 9.81
# m/s2 along -z by default.


def system() -> System:
    top = System("heavy top")
    top.add("ground", "spatial.Fixed")
    values = {"m": MASS, "Ixx": ACROSS, "Iyy": ALONG, "Izz": ACROSS}
    velocity = np.cross(OMEGA, -np.array(PIVOT))
    for axis, pivot, omega, v in zip("xyz", PIVOT, OMEGA, velocity, strict=True):
        values |= {f"p1.r{axis}": pivot, axis: -pivot, f"v{axis}": float(v), f"omega{axis}": omega}
    top.add("top", "spatial.Body1", values)
    top.join("spatial.Spherical", "ground.p1", "top.p1", name="pivot")
    return top


def show(folder: Path) -> Result:
    """Runs the top, and writes a plot and an animation. It spins 48 times: a method of high order takes the fewest evaluations."""
    result = system().simulate(stop_time=STOP, solver="dop853", rtol=1e-12, output_times=np.linspace(0, STOP, 2001))
    print(result.summary())
    result.animate(folder / "heavy_top.html")
    result.plot("top.x", "top.y", "top.z", path=folder / "heavy_top.png")
    return result


# 2. The check against published digits.

REFERENCE = {
    0.1: (0.42129665893, 0.89457197435, -0.14916470056),
    0.5: (-0.70246829706, -0.02116518470, -0.71140025765),
    1.0: (0.17334396410, 0.64008859207, -0.74849079113),
    2.0: (-0.15041682275, -0.72416559164, -0.67302226956),
}
"""The mass centre at some times, in m."""
ALLOWED = 1e-8  # m


def places(result: Result) -> np.ndarray:
    """Returns the places of the mass centre, one row for each time."""
    return np.stack([result[f"top.{axis}"] for axis in "xyz"], axis=1)


def main() -> int:
    parser = argparse.ArgumentParser(description="A heavy top against published digits.")
    parser.add_argument("--out", type=Path, default=Path("build/space"), help="folder for the plot (default: build/space)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    rows = np.searchsorted(result.time, np.array(list(REFERENCE)) - 1e-9)
    error = np.abs(places(result)[rows] - list(REFERENCE.values())).max()
    print(f"largest difference to the reference: {error:.1e} m ({ALLOWED:g} are allowed)")
    force = [result[f"pivot.multiplier[{k}]"][0] for k in (1, 2, 3)]
    print(f"force of the pivot at the start: {force[0]:.6f} {force[1]:.6f} {force[2]:.6f} N: the fast spin presses down")
    print(f"energy gained or lost: at most {np.abs(result.energy - result.energy[0]).max():.1e} J of {result.energy[0]:.6f} J")
    print(f"plot: {folder / 'heavy_top.png'}")
    return 0 if result.outcome.completed and error <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
