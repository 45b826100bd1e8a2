"""A joint of your own.

The file ``own_joint/Screw.py`` declares a joint that the catalogue does not have. The example builds its FMU and couples it. A force F
pulls a body along the axis of the screw. The body has to turn while it moves, and its inertia takes part: a = F/(m + I/pitch^2).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import build_fmus
from jourdain import Result, System

MASS, INERTIA, PITCH, FORCE, GRAVITY = 2.0, 0.03, 0.1, 5.0, 9.81
STOP = 2.0


# 1. Build. This is what `python build_fmus.py --out DIR examples/own_joint/Screw.py` does.


def build(folder: Path) -> Path:
    """The FMU of the joint."""
    own = Path(__file__).parent / "own_joint" / "Screw.py"
    if build_fmus.main([str(own), "--fmi", "3", "--platform", "linux64", "--out", str(folder)]) != 0:
        sys.exit("the FMU was not built")
    return folder / "fmi3" / "Screw.fmu"


# 2. The machine: build it, run it, show it. The path of an FMU stands beside names of the catalogue. The master knows nothing of screws:
# the FMU says that it has two multipliers and two residuals, and how they depend on each other through the body.


def system(screw: Path) -> System:
    slide = System("screw", gravity=(0.0, -GRAVITY))
    slide.add("ground", "planar.Fixed")
    slide.add("body", "planar.Body1", {"m": MASS, "I": INERTIA})
    slide.add("pull", "planar.Wrench")
    slide.join(screw, "ground.p1", "body.p1", {"pitch": PITCH}, name="screw")
    slide.connect("body.p1", "pull.M")  # the wrenches of all joints on a point add up
    slide.drive("pull.Fx", FORCE)
    return slide


def show(folder: Path) -> Result:
    """Builds the FMU, runs the machine, and writes a plot and an animation."""
    result = system(build(folder)).simulate(stop_time=STOP)
    print(result.summary())
    result.animate(folder / "screw.html")
    result.plot("body.x", "screw.multiplier[1]", path=folder / "screw.png")
    return result


# 3. The check.

ALLOWED = 1e-9


def main() -> int:
    parser = argparse.ArgumentParser(description="A joint of one's own, from its declaration to the motion of a body on it.")
    parser.add_argument("--out", type=Path, default=Path("build/own_joint"), help="folder for the FMU (default: build/own_joint)")
    result = show(parser.parse_args().out)
    acceleration = FORCE / (MASS + INERTIA / PITCH**2)
    compared = {
        "acceleration": (result["body.p1.ax"], acceleration, "m/s2, closed form F/(m + I/pitch^2)"),
        "travel": (result["body.x"], acceleration * result.time**2 / 2, "m, closed form a t^2/2"),
        "angle": (result["body.theta"], acceleration * result.time**2 / 2 / PITCH, "rad, closed form travel/pitch"),
        "force of the guide": (result["screw.multiplier[1]"], MASS * GRAVITY, "N, closed form m g"),
    }
    largest = 0.0
    for name, (value, expected, text) in compared.items():
        largest = max(largest, float(np.abs(value - expected).max()))
        print(f"{name}: {value[-1]:.12f} {text}: {np.broadcast_to(expected, value.shape)[-1]:.12f}")
    print(f"largest difference at any time: {largest:.1e} ({ALLOWED:g} is allowed)")
    return 0 if result.outcome.completed and largest <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
