"""Parallelogram through singular poses.

A parallelogram is driven over and over, through poses in which all its links lie in a line. In such a pose one of its constraints repeats
the others, and the motion could continue with crossed links. Steps of 20 ms pass 24 of these poses in 10 s, each in three or four
iterations. They stay on the branch of parallel links, with the coupler level to rounding. Nothing controls the error of the angle, which
falls with the size of the steps. The Runge-Kutta method with projection, the default, does the same with fewer evaluations and less
error. Steps of fixed size have a cost that is known beforehand.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from jourdain import Index3, Result, System

CRANK, COUPLER, OMEGA, STOP = 1.0, 2.0, 6.0, 10.0  # m, m, rad/s at the start, s


# 1. The machine: build it, run it, show it. Crank and rocker stand upright at the start, the coupler lies on them. All have 1 kg.


def system() -> System:
    linkage = System("parallelogram")
    upright = {
        "m": 1.0,
        "I": CRANK**2 / 12,
        "p1.ry": -CRANK / 2,
        "p2.ry": CRANK / 2,
        "y": CRANK / 2,
        "vx": -OMEGA * CRANK / 2,
        "omega": OMEGA,
    }
    level = {
        "m": 1.0,
        "I": COUPLER**2 / 12,
        "p1.rx": -COUPLER / 2,
        "p2.rx": COUPLER / 2,
        "x": COUPLER / 2,
        "y": CRANK,
        "vx": -OMEGA * CRANK,
    }
    linkage.add("left", "planar.Fixed")
    linkage.add("right", "planar.Fixed", {"p1.rx": COUPLER})
    linkage.add("crank", "planar.Body2", upright)
    linkage.add("rocker", "planar.Body2", {**upright, "x": COUPLER})
    linkage.add("coupler", "planar.Body2", level)
    pairs = ("left.p1", "crank.p1"), ("right.p1", "rocker.p1"), ("crank.p2", "coupler.p1"), ("rocker.p2", "coupler.p2")
    for name, (a, b) in zip("abcd", pairs, strict=True):
        linkage.join("planar.Revolute", a, b, name=name)
    return linkage


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(STOP, solver=Index3(step_size=0.02))
    print(result.summary())
    result.animate(folder / "parallelogram.html")
    result.plot("crank.theta", "c.reaction", path=folder / "parallelogram.png")
    return result


# 2. What is known: on the branch of parallel links it is a pendulum that stands on its head.

STEPS = (0.02, 0.01, 0.005)
ALLOWED = {0.02: 0.35, 0.01: 0.07, 0.005: 0.016}  # rad
LEVEL = 1e-12  # rad


def exact(stop: float = STOP) -> float:
    """The angle of the crank."""
    inertia, weight = 2 * (CRANK**2 / 3) + CRANK**2, 9.81 * 2 * CRANK

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [y[1], weight * np.sin(y[0]) / inertia]

    return float(solve_ivp(slope, (0, stop), [0, OMEGA], method="DOP853", rtol=1e-12, atol=1e-12).y[0, -1])


def main() -> int:
    parser = argparse.ArgumentParser(description="A parallelogram through singular poses, by steps of fixed size.")
    parser.add_argument("--out", type=Path, default=Path("build/fixed steps"), help="folder for the plot (default: build/fixed steps)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    linkage, angle = system(), exact()
    print(f"singular poses on the way: {int((angle + np.pi / 2) / np.pi)}")
    holds = True
    for step in STEPS:
        result = show(folder) if step == STEPS[0] else linkage.simulate(STOP, solver=Index3(step_size=step))
        error, tilt = abs(result["crank.theta"][-1] - angle), np.abs(result["coupler.theta"]).max()
        gap, most = max(result.violation["position"]), result.statistics.most_newton_iterations
        print(
            f"step of {step} s: off by {error:.3f} rad of {angle:.3f}, coupler level to {tilt:.0e} rad, joints to {gap:.0e} m, {most} iterations at most"
        )
        holds = holds and result.outcome.completed and error <= ALLOWED[step] and tilt <= LEVEL
    other = linkage.simulate(STOP, rtol=1e-6)
    error = abs(other["crank.theta"][-1] - angle)
    print(f"dopri5 at rtol 1e-6: off by {error:.1e} rad after {other.statistics.evaluations} evaluations, of steps as they come")
    print(f"plot: {folder / 'parallelogram.png'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
