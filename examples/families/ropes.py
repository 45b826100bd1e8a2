"""Ropes and pulleys.

A rope catches a climber who falls beside his anchor. A tackle with two falls lifts a load.
"""

import numpy as np
from report import Report

from jourdain import System

G = 9.81  # m/s2


def climber() -> System:
    """Returns a climber of 75 kg, 2 m beside his anchor, on a rope of 4 m."""
    wall = System("climber", gravity=(0.0, -G))
    wall.add("anchor", "planar.Fixed")
    wall.add("climber", "planar.PointMass1", {"m": 75.0, "x": 2.0})
    wall.join("planar.Rope", "anchor.p1", "climber.p1", {"length": 4.0}, name="rope")
    return wall


def tackle() -> System:
    """Returns a counterweight of 60 kg that lifts a load of 100 kg by a tackle with two falls."""
    roof = System("tackle", gravity=(0.0, -G))
    roof.add("left", "planar.Fixed")
    roof.add("right", "planar.Fixed", {"p1.rx": 1.0})
    roof.add("weight", "planar.PointMass1", {"m": 60.0, "y": -1.0})
    roof.add("load", "planar.PointMass1", {"m": 100.0, "x": 1.0, "y": -3.0})
    roof.add("rope", "planar.PulleyRope", {"length": 8.0, "ratio": 2.0})
    for port, end in {"weight.p1": "M", "left.p1": "A", "right.p1": "B", "load.p1": "N"}.items():
        roof.connect(port, f"rope.{end}")
    return roof


def main() -> None:
    report = Report("Ropes and pulleys")
    run, fall = climber().simulate(2.0), np.sqrt(4.0**2 - 2.0**2)
    squared = 2 * G * fall * (2.0 / 4.0) ** 2 + 2 * G * (4.0 - fall)  # of the speed at the lowest point; the rope takes the rest
    report.figure("the climber swings through at", np.abs(run["climber.vx"]).max(), np.sqrt(squared), "m/s", within=1e-3)
    report.figure("greatest tension", run["rope.reaction"].max(), 75 * (G + squared / 4.0), "N", within=1e-3)
    report.show(run, "climber.x", "rope.reaction")
    run = tackle().simulate(1.0)
    report.figure("acceleration of the load", run["load.vy"][-1], G * (2 * 60 - 100) / (100 + 4 * 60), "m/s2")
    report.show(run, "load.y", "rope.tension")
    report.end()


if __name__ == "__main__":
    main()
