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
ALLOWED = 1e-12  # m, where rolling is part of the step

# Closed forms: m a = F - f and I a / r^2 = f, so that the ground holds with f; after the push the wheel keeps its speed.
ACCELERATION = FORCE / (MASS + INERTIA / RADIUS**2)
GRIP = INERTIA / RADIUS**2 * ACCELERATION
TRAVELLED = ACCELERATION * (END - BEGIN) * ((END - BEGIN) / 2 + STOP - END)


def system() -> System:
    rolling = System("wheel")
    rolling.add("ground", "planar.Fixed")
    rolling.add("wheel", "planar.Body2", {"m": MASS, "I": INERTIA, "y": RADIUS})
    rolling.add("push", "planar.Wrench")
    rolling.join("planar.RollingDisc", "ground.p1", "wheel.p1", {"radius": RADIUS}, name="contact")
    rolling.connect("wheel.p2", "push.M")
    rolling.drive("push.Fx", [(0, 0), (BEGIN, 0), (BEGIN, FORCE), (END, FORCE), (END, 0), (STOP, 0)])
    return rolling


def slip(result: Result) -> float:
    """How far the rim has slipped on the ground, in m."""
    return float(np.abs(result["wheel.x"] + RADIUS * result["wheel.theta"]).max())


def plot(path: Path, runs: dict[str, Result]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (way, grip) = pyplot.subplots(2, sharex=True, figsize=(8, 6), layout="constrained")
    for name, result in runs.items():
        way.plot(result.time, result["wheel.x"] + RADIUS * result["wheel.theta"], label=name)
        grip.plot(result.time, -result["contact.contact.tangential"], label=name)
    way.set(ylabel="slip in m", title="Rolling as part of each step, or by projection of velocities alone")
    grip.set(xlabel="time in s", ylabel="force of the ground in N")
    for axes in (way, grip):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser(description="A rolling wheel, pushed for one second, against closed forms.")
    parser.add_argument("--out", type=Path, default=Path("build/fixed steps"), help="folder for the plot (default: build/fixed steps)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    rolling = system()
    exact = rolling.simulate(STOP, solver=Index3(step_size=0.4))
    paper = rolling.simulate(STOP, solver=Index3(step_size=0.1, velocity_level="projected"))
    print(exact.summary())
    error = abs(exact["wheel.x"][-1] - TRAVELLED)
    print(f"travelled: {exact['wheel.x'][-1]:.12f} m, off by {error:.1e} m ({ALLOWED:g} are allowed), in {exact.statistics.steps} steps")
    pushed = (exact.time > BEGIN) & (exact.time < END)
    print(
        f"force of the ground while it is pushed: off by {np.abs(-exact['contact.contact.tangential'][pushed] - GRIP).max():.1e} N of {GRIP:.6f} N"
    )
    print(f"slip: {slip(exact):.1e} m, and {slip(paper):.6f} m where velocities are projected alone, with steps of 0.1 s")
    plot(folder / "wheel.png", {"stepped, 0.4 s": exact, "projected, 0.1 s": paper})
    print(f"plot: {folder / 'wheel.png'}")
    return 0 if exact.outcome.completed and error <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
