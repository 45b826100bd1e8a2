"""Walker's foot.

A foot comes down flat on sloping ground. It rests, slides or tips, by the slope and the friction. The foot is the lower side of a stiff
leg. It touches the ground at heel and toe, each of which can only push, and rubs in proportion. One complementarity problem finds the
modes of both ends and of friction together. The accelerations are compared with those of a rigid block, and the impact of the step with
the balance of momentum.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, System

MASS, FOOT, HEIGHT, GRAVITY = (
    60.0,
    0.3,
    0.3,
    9.81,
)  # kg, m: length of the foot, height of the mass centre; the leg is as a block of twice the height
INERTIA = MASS * (FOOT**2 + (2 * HEIGHT) ** 2) / 12
STEP, STOP = 0.01, 0.1  # m above the ground at the start; s


# 1. The machine: build it, run it, show it. Axes are along the slope, downhill, and away from it.


def system(slope: float, mu: float, step: float = 0.0) -> System:
    angle = np.arctan(slope)
    walker = System("foot", gravity=(GRAVITY * np.sin(angle), -GRAVITY * np.cos(angle)))
    walker.add("ground", "planar.Fixed")
    walker.add("leg", "planar.Body1", {"m": MASS, "I": INERTIA, "p1.ry": -HEIGHT, "y": HEIGHT + step})
    walker.join("planar.LineContact", "ground.p1", "leg.p1", {"length": FOOT, "mu": mu}, name="foot")
    return walker


def show(folder: Path) -> Result:
    """Lets a foot come down on a slope of 0.4 with the coefficient of friction 0.2, and writes a plot and an animation."""
    result = system(0.4, 0.2, STEP).simulate(STOP, rtol=1e-10)
    print(result.summary())
    result.animate(folder / "walkers_foot.html")
    result.plot(("leg.vx", "leg.vy"), "foot.lambda[*]", path=folder / "walkers_foot.png")
    return result


# 2. The check by rigid mechanics.

ALLOWED = 1e-9
SLOPES = {"rests": (0.3, 0.5), "slides": (0.4, 0.2), "slides, though it is steep": (0.7, 0.45), "tips": (0.7, 1.0)}
"""Tangent of the slope, and coefficient of friction."""


def accelerations(slope: float, mu: float) -> tuple[float, float]:
    """Returns the accelerations downhill and about the toe. The foot tips if slope and friction both exceed half the foot over the height."""
    angle, arm = np.arctan(slope), FOOT / 2 / HEIGHT
    gx, gy = GRAVITY * np.sin(angle), GRAVITY * np.cos(angle)
    if slope > arm and mu > arm:
        turning = MASS * (gx * HEIGHT - gy * FOOT / 2) / (INERTIA + MASS * (HEIGHT**2 + FOOT**2 / 4))
        return turning * HEIGHT, -turning
    return max(0.0, gx - mu * gy), 0.0


def landing(slope: float, mu: float) -> tuple[float, float, float]:
    """Returns the time at which a foot that comes down flat touches, the impulse of the ground across the slope, and the remaining speed
    along it."""
    angle = np.arctan(slope)
    time = np.sqrt(2 * STEP / (GRAVITY * np.cos(angle)))
    across, along = GRAVITY * np.cos(angle) * time, GRAVITY * np.sin(angle) * time
    return time, MASS * across, along - min(along, mu * across)


def started(slope: float, mu: float) -> np.ndarray:
    """The accelerations at the start, with the foot on the ground."""
    result = system(slope, mu).simulate(1e-3, outputs=["*", "leg.der(vx)", "leg.der(omega)"])
    return np.array([result["leg.der(vx)"][0], result["leg.der(omega)"][0]])


def landed(result: Result) -> tuple[float, float, float]:
    hit = result.changes[0]
    after = np.flatnonzero(result.time == hit.time)[-1]
    return hit.time, hit.impulses["foot.lambda[1]"] + hit.impulses["foot.lambda[2]"], result["leg.vx"][after]


def main() -> int:
    parser = argparse.ArgumentParser(description="A walker's foot on sloping ground.")
    parser.add_argument("--out", type=Path, default=Path("build/walkers_foot"), help="folder for the plot (default: build/walkers_foot)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    off = 0.0
    for what, (slope, mu) in SLOPES.items():
        found = started(slope, mu)
        off = max(off, float(np.abs(found - accelerations(slope, mu)).max()))
        print(f"slope {slope:g}, friction {mu:g}: it {what}, {found[0] + 0.0:.9f} m/s2 downhill, {abs(found[1]):.9f} rad/s2")
    slope, mu = SLOPES["slides"]
    result = show(folder)
    time, impulse, speed = landed(result)
    print(f"it comes down at {time:.9f} s by {impulse:.9f} N.s, and slides at {speed:.9f} m/s then")
    off = max(off, float(np.abs(np.array([time, impulse, speed]) - landing(slope, mu)).max()))
    print(f"largest difference to rigid mechanics by hand: {off:.1e} ({ALLOWED:g} is allowed)")
    print(f"plot: {folder / 'walkers_foot.png'}")
    return 0 if result.outcome.completed and off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
