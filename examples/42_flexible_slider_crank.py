"""Slider-crank with elastic rod.

The rod of this machine is a thin steel rod, and its crank turns at 150 rad/s. It is a benchmark of the test set for initial value
problems. Two machines run, one with an elastic and one with a rigid rod. The bend of the rod and the place of the slider are compared
with an inextensible rod that is exact in its bend.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from sympy import cos, sin

from jourdain import Result, System
from jourdain.declare import t

CRANK, ROD, SPEED, STOP = 0.15, 0.30, 150.0, 0.1  # m, m, rad/s, s
SIDE, STEEL = 0.008, {"E": 2e11, "rho": 7870.0, "tau": 2e-5}  # m, of the square section; SI units
SLIDER = 0.075552  # kg
MIDDLE = {0.01: 7.3663e-4, 0.02: -4.18e-5, 0.05: 1.15891e-3, 0.1: 1.6947e-4}  # m from the chord, by the angle of the arc
PLACE = {0.01: 0.270629494, 0.02: 0.150753372, 0.05: 0.316942067, 0.1: 0.169745903}  # m, of the slider
ALLOWED = {"middle": 2e-6, "slider": 1e-7}  # m


def system(elastic: bool = True) -> System:
    """Returns the machine with its rod along the crank at the start."""
    machine = System("slider-crank", gravity=(0.0, 0.0))
    machine.add("ground", "planar.Fixed")
    machine.add("crank", "planar.Motion")
    motion = {"x": CRANK + ROD / 2, "vy": CRANK * SPEED / 2, "omega": -CRANK * SPEED / ROD}
    if elastic:
        machine.add("rod", "planar.Beam3", STEEL | {"A": SIDE**2, "I": SIDE**4 / 12, "L": ROD} | motion)
    else:
        mass = STEEL["rho"] * SIDE**2 * ROD
        machine.add("rod", "planar.Body2", {"m": mass, "I": mass * ROD**2 / 12, "p1.rx": -ROD / 2, "p2.rx": ROD / 2} | motion)
    machine.add("slider", "planar.Body2", {"m": SLIDER, "I": 1e-6, "x": CRANK + ROD})
    machine.join("planar.Revolute", "crank.p1", "rod.p1", name="crank pin")
    machine.join("planar.Revolute", "rod.p2", "slider.p1", name="slider pin")
    machine.join("planar.Translational", "ground.p1", "slider.p2", name="guide")
    machine.drive("crank.x", CRANK * cos(SPEED * t))  # its rates follow
    machine.drive("crank.y", CRANK * sin(SPEED * t))
    return machine


def show(folder: Path) -> Result:
    """Runs the machine, and writes a plot and an animation."""
    result = system().simulate(STOP, solver="cvode", rtol=1e-9, atol=1e-11, output_interval=2e-4)
    print(result.summary())
    result.animate(folder / "flexible_slider_crank.html")
    result.plot("rod.middle", "rod.bent", "slider.x", path=folder / "flexible_slider_crank.png")
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description="A slider-crank with an elastic rod.")
    parser.add_argument("--out", type=Path, default=Path("build/flexible"), help="folder for the plot (default: build/flexible)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    rigid = system(elastic=False).simulate(STOP, solver="cvode", rtol=1e-9, atol=1e-11, output_interval=2e-4)
    rows = [int(np.argmin(np.abs(result.time - time))) for time in MIDDLE]
    found = {
        "middle": np.abs(result["rod.middle"][rows] - list(MIDDLE.values())).max(),
        "slider": np.abs(result["slider.x"][rows] - list(PLACE.values())).max(),
    }
    print(f"greatest deflection of the middle: {np.abs(result['rod.middle']).max() * 1e3:.4f} mm")
    print(f"largest difference to the exact rod: {found['middle']:.1e} m in the middle, {found['slider']:.1e} m at the slider")
    print(f"elastic and rigid rod differ at the slider by at most {np.abs(result['slider.x'] - rigid['slider.x']).max() * 1e6:.3f} um")
    print(f"plot: {folder / 'flexible_slider_crank.png'}")
    return 0 if result.outcome.completed and all(found[name] <= ALLOWED[name] for name in ALLOWED) else 1


if __name__ == "__main__":
    sys.exit(main())
