"""Disc that slides and rolls.

A disc falls on an incline, slides, rolls, slides and falls again. Constraints come into force and go in one run. The disc is the example
of Dinh Van Phong's successive algorithm, which takes constraints one after the other. Each of its two constraints is a joint here. The
motion is piecewise quadratic. Every phase and both impacts are compared with closed forms.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from jourdain import Result, System, from_file

MASS, RADIUS, GRAVITY, INCLINE = 2.0, 0.3, 9.81, np.radians(30)
INERTIA = MASS * RADIUS**2 / 2
GX, GY = GRAVITY * np.sin(INCLINE), -GRAVITY * np.cos(INCLINE)  # along the incline and across it
TOUCHES, GRIPS, SLIPS, LEAVES, STOP = 0.2, 0.5, 1.0, 1.4, 1.6  # s
SPEED = 0.4  # m/s along the incline, at the start


# 1. The machine: build it, run it, show it. Both joints lie between the incline and the disc, and are in force in intervals of time
# alone. Where a joint is added, its position has to fit: the disc touches the incline at 0.2 s because it is started as high as it falls
# until then.


def system() -> System:
    incline = System("rolling disc", gravity=(GX, GY))
    incline.add("ground", "planar.Fixed")
    height = RADIUS - GY * TOUCHES**2 / 2
    incline.add("disc", "planar.Body1", {"m": MASS, "I": INERTIA, "y": height, "vx": SPEED})
    own = Path(__file__).parent / "rolling_disc"
    for name, file in (("plane", "Plane.py"), ("grip", "Grip.py")):
        (joint,) = from_file(own / file)
        incline.join(joint, "ground.p1", "disc.p1", {"radius": RADIUS}, name=name)
    incline.enforce("plane", [(TOUCHES, LEAVES)])
    incline.enforce("grip", [(GRIPS, SLIPS)])
    return incline


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(stop_time=STOP, rtol=1e-12, atol=1e-12)
    print(result.summary())
    result.animate(folder / "rolling_disc.html")
    result.plot("disc.vx", "disc.omega", ("plane.lambda[1]", "grip.lambda[1]"), path=folder / "rolling_disc.png")
    return result


# 2. What mechanics says of the impacts. Touching takes the velocity across the incline; gripping turns part of the velocity along it into
# rotation. Energy is lost in both, none is when a joint goes.

ALLOWED = 1e-9


def impacts() -> list[tuple[float, float]]:
    """Impulse in N.s and energy in J of both."""
    across = GY * TOUCHES
    along = SPEED + GX * GRIPS
    ratio = INERTIA / (MASS * RADIUS**2)
    grip = MASS * along * ratio / (1 + ratio)
    return [(-MASS * across, MASS * across**2 / 2), (-grip, grip * along / 2)]


def end() -> list[float]:
    """x, y, theta, vx and vy."""
    v1 = SPEED + GX * GRIPS
    rolling = GX / (1 + INERTIA / (MASS * RADIUS**2))
    v2 = v1 / (1 + INERTIA / (MASS * RADIUS**2))
    v3 = v2 + rolling * (SLIPS - GRIPS)
    rolled = v2 * (SLIPS - GRIPS) + rolling * (SLIPS - GRIPS) ** 2 / 2
    slid = STOP - SLIPS
    x = SPEED * GRIPS + GX * GRIPS**2 / 2 + rolled + v3 * slid + GX * slid**2 / 2
    falls = STOP - LEAVES
    return [x, RADIUS + GY * falls**2 / 2, -(rolled + v3 * slid) / RADIUS, v3 + GX * slid, GY * falls]


# 3. The check. `result.changes` has what happened, joint by joint.


def differences(result: Result) -> float:
    """The largest of all, at the end and in the impacts."""
    found = [result[f"disc.{name}"][-1] for name in ("x", "y", "theta", "vx", "vy")]
    added = [change for change in result.changes if change.what == "added"]
    off = np.abs(np.array(found) - end()).max()
    for change, (impulse, energy) in zip(added, impacts(), strict=True):
        off = max(off, abs(change.impulses[f"{change.joint}.lambda[1]"] - impulse), abs(change.energy - energy))
    return off


def main() -> int:
    parser = argparse.ArgumentParser(description="A disc through all stages of its constraints in one run.")
    parser.add_argument("--out", type=Path, default=Path("build/rolling_disc"), help="folder for the plot (default: build/rolling_disc)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    for change in result.changes:
        print(f"t = {change.time} s: '{change.joint}' was {change.what}, {change.energy:.8f} J lost")
    off = differences(result)
    print(f"largest difference to the closed forms: {off:.1e} ({ALLOWED:g} are allowed)")
    print(f"plot: {folder / 'rolling_disc.png'}")
    return 0 if result.outcome.completed and off <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
