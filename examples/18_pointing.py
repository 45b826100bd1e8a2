"""Pursuit: a velocity constraint.

The velocity of a point A always points at another point B. A dog runs towards a hare, one could say: A keeps its speed and turns, while B
flies past and is pushed aside. The constraint does no work, and A neither gains nor loses energy. The example is one of a paper on such
constraints (Gonzalez, Dopico, Cuadrado, Kovecses). Steps have a fixed size. The first treatment projects velocities after each step, as
the paper does; in the second the constraint is part of the step.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from jourdain import Index3, Result, System

MASS, APART, PUSH = 1.5, 3.0, 2.0  # kg of A, m, N on B
STOP = 5.0


# 1. The machine: build it, run it, show it. PointedVelocity lets the velocity of M, on A, have no part across the line to N, on B.


def system() -> System:
    pursuit = System("A pointing at B")
    pursuit.add("A", "planar.Body1", {"m": MASS, "gy": 0.0, "vx": 1.0})
    pursuit.add("B", "planar.Body2", {"m": 2.0, "gy": 0.0, "x": APART, "vx": 1.0})
    pursuit.add("pointer", "planar.PointedVelocity")
    pursuit.add("push", "planar.Wrench", {"Fy": PUSH})
    for body, joint in (("A.p1", "pointer.M"), ("B.p1", "pointer.N"), ("B.p2", "push.M")):
        pursuit.connect(body, joint)
    return pursuit


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(STOP, solver=Index3(step_size=STOP / 400), output_times=np.linspace(0, STOP, 101))
    print(result.summary())
    result.animate(folder / "pointing.html", traces=["A", "B"])
    result.plot(("A.x", "B.x"), ("A.y", "B.y"), path=folder / "pointing.png")
    return result


# 2. The check. A's speed stays 1 m/s, so r_A' = (r_B - r_A) / |r_B - r_A|; the force on A is what turns its velocity.

STEPS = (50, 100, 200, 400)
ALLOWED = 1e-5  # m, with the most steps


def exact(times: Sequence[float]) -> dict[str, np.ndarray]:
    def gap(t: float, r: np.ndarray) -> np.ndarray:
        return np.array([APART + t, t * t / 2]) - r

    def velocity(t: float, r: np.ndarray) -> np.ndarray:
        return gap(t, r) / np.linalg.norm(gap(t, r))

    r = solve_ivp(velocity, (0, times[-1]), [0, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times).y
    v = np.array([velocity(t, each) for t, each in zip(times, r.T, strict=True)]).T
    d = np.array([gap(t, each) for t, each in zip(times, r.T, strict=True)]).T
    turning = (d[0] * np.array(times) - d[1]) / (d**2).sum(axis=0)
    return {"A.x": r[0], "A.y": r[1], "A.vx": v[0], "A.vy": v[1], "force": MASS * np.abs(turning)}


# 3. Both treatments, with halved steps.


def simulate(pursuit: System, level: str, steps: int, times: Sequence[float]) -> Result:
    return pursuit.simulate(STOP, solver=Index3(step_size=STOP / steps, velocity_level=level), output_times=times)


def errors(result: Result, known: dict[str, np.ndarray]) -> tuple[float, float]:
    """Returns the largest errors of the place of A and of the force."""
    place = max(np.abs(result[name] - known[name]).max() for name in ("A.x", "A.y"))
    return float(place), float(np.abs(result["pointer.multiplier[1]"] - known["force"]).max())


def main() -> int:
    parser = argparse.ArgumentParser(description="A constraint of velocities alone, by steps of fixed size.")
    parser.add_argument("--out", type=Path, default=Path("build/fixed steps"), help="folder for the plot (default: build/fixed steps)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    pursuit, times = system(), [1.0, 2.0, 3.0, 4.0, 5.0]
    known = exact(times)
    place = 0.0
    for level in ("projected", "stepped"):
        for steps in STEPS:
            place, force = errors(simulate(pursuit, level, steps, times), known)
            print(f"{level:9} {steps:3} steps: A is off by {place:.3e} m, the force by {force:.3e} N")
    print("halved steps halve the errors where velocities are projected alone, and quarter them where the constraint is part of the step")
    result = show(folder)
    speed = np.hypot(result["A.vx"], result["A.vy"])
    print(
        f"speed of A: 1 m/s to {np.abs(speed - 1).max():.1e} m/s; Newton iterations: {result.statistics.most_newton_iterations} in a step at most"
    )
    print(f"plot: {folder / 'pointing.png'}")
    return 0 if result.outcome.completed and place <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
