"""Pendulum.

A pendulum from three FMUs: a fixed point, a revolute joint and a body. The rod starts at rest, level with its pin, and swings through a
half turn. The joint is ideal: Jourdain finds the force in the pin. The swing is compared with its closed form in elliptic functions.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.special import ellipj

from jourdain import Result, System

MASS, LENGTH, GRAVITY = 1.0, 1.0, 9.81
INERTIA, ARM = MASS * LENGTH**2 / 12, LENGTH / 2
STOP = 5.0


# 1. The machine: build it, run it, show it. Bodies have names, and a joint stands between two of their ports. The point p1 of the rod
# lies half a length from its mass centre. Everything else has a default.


def system() -> System:
    pendulum = System("pendulum", gravity=(0.0, -GRAVITY))
    pendulum.add("ground", "planar.Fixed")
    pendulum.add("rod", "planar.Body1", {"m": MASS, "I": INERTIA, "p1.rx": -ARM, "x": ARM})
    pendulum.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    return pendulum


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(stop_time=STOP)
    print(result.summary())
    result.animate(folder / "pendulum.html")
    result.plot("rod.theta", "pin.reaction", path=folder / "pendulum.png")
    return result


# 2. The closed form. With phi, the angle from hanging straight down, phi'' = -w^2 sin(phi), w^2 = m g d / (I + m d^2); from rest at
# phi0, sin(phi/2) = k cd(w t, k^2) with k = sin(phi0/2), where cd = cn/dn are Jacobi's elliptic functions.

ALLOWED = 1e-6  # rad, between the simulation and the closed form


def closed_form(times: np.ndarray) -> np.ndarray:
    """The angle of the rod above the horizontal, from rest at 0."""
    w = np.sqrt(MASS * GRAVITY * ARM / (INERTIA + MASS * ARM**2))
    k = np.sin(np.pi / 4)
    _, cn, dn, _ = ellipj(w * times, k**2)
    return 2 * np.arcsin(k * cn / dn) - np.pi / 2


def main() -> int:
    parser = argparse.ArgumentParser(description="A pendulum from three FMUs against its closed form.")
    parser.add_argument("--out", type=Path, default=Path("build/demo"), help="folder for the plot and the table (default: build/demo)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    error = np.abs(result["rod.theta"] - closed_form(result.time)).max()
    print(f"largest difference to the closed form over {STOP:g} s: {error:.1e} rad ({ALLOWED:g} are allowed)")
    print(f"largest gap in the pin: {result.violation['position'].max():.1e} m")
    print(f"energy gained or lost: at most {np.abs(result.energy - result.energy[0]).max():.1e} J")
    result.to_csv(folder / "pendulum.csv")
    print(f"plot and table: {folder / 'pendulum.png'}, {folder / 'pendulum.csv'}")
    return 0 if result.outcome.completed and error <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
