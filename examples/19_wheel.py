"""Rolling wheel.

A wheel rolls without slip. It stands still, is pushed with 2 N from 1.5 s to 2.5 s, and rolls on. Rolling is a constraint of velocities,
the contact with the ground one of positions. The steps have a fixed size of 0.4 s and meet neither event. They are shortened in equal
parts, and begin anew at the events. The result is exact, since the acceleration is constant in between.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Index3, Result, System

MASS, INERTIA, RADIUS = 2.5467, 0.045224, 0.175  # kg, kg.m2 about the axle, m
FORCE, BEGIN, END, STOP = 2.0, 1.5, 2.5, 5.0  # N, s


# 1. The machine: build it, run it, show it.


def system() -> System:
    rolling = System("wheel")
    rolling.add("ground", "planar.Fixed")
    rolling.add("wheel", "planar.Body2", {"m": MASS, "I": INERTIA, "y": RADIUS})
    rolling.add("push", "planar.Wrench")
    rolling.join("planar.RollingDisc", "ground.p1", "wheel.p1", {"radius": RADIUS}, name="contact")
    rolling.connect("wheel.p2", "push.M")
    rolling.drive("push.Fx", [(0, 0), (BEGIN, 0), (BEGIN, FORCE), (END, FORCE), (END, 0), (STOP, 0)])
    return rolling


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(STOP, solver=Index3(step_size=0.4))
    print(result.summary())
    result.animate(folder / "wheel.html")
    result.plot("wheel.x", "contact.contact.tangential", path=folder / "wheel.png")
    return result


# 2. The check. Closed forms: m a = F - f and I a / r^2 = f, so that the ground holds with f; after the push the wheel keeps its speed.

ACCELERATION = FORCE / (MASS + INERTIA / RADIUS**2)
GRIP = INERTIA / RADIUS**2 * ACCELERATION
TRAVELLED = ACCELERATION * (END - BEGIN) * ((END - BEGIN) / 2 + STOP - END)
ALLOWED = 1e-12  # m, where rolling is part of the step


def slip(result: Result) -> float:
    """Returns the largest slip of the rim on the ground, in m."""
    return float(np.abs(result["wheel.x"] + RADIUS * result["wheel.theta"]).max())


def main() -> int:
    parser = argparse.ArgumentParser(description="A rolling wheel, pushed for one second, against closed forms.")
    parser.add_argument("--out", type=Path, default=Path("build/fixed steps"), help="folder for the plot (default: build/fixed steps)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    exact = show(folder)
    paper = system().simulate(STOP, solver=Index3(step_size=0.1, velocity_level="projected"))
    error = abs(exact["wheel.x"][-1] - TRAVELLED)
    print(f"travelled: {exact['wheel.x'][-1]:.12f} m, off by {error:.1e} m ({ALLOWED:g} are allowed), in {exact.statistics.steps} steps")
    pushed = (exact.time > BEGIN) & (exact.time < END)
    print(
        f"force of the ground while it is pushed: off by {np.abs(-exact['contact.contact.tangential'][pushed] - GRIP).max():.1e} N of {GRIP:.6f} N"
    )
    print(f"slip: {slip(exact):.1e} m, and {slip(paper):.6f} m where velocities are projected alone, with steps of 0.1 s")
    print(f"plot: {folder / 'wheel.png'}")
    return 0 if exact.outcome.completed and error <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
