"""Skates on a slope.

A skate on a slope moves on a cycloid, never down the slope: in a plane, and in space.
"""

import numpy as np
from report import Report

from jourdain import System

G = 9.81  # m/s2
SLOPE = np.radians(10.0)
TURN = 2.0  # rad/s


def skate() -> System:
    """Returns a skate that turns at 2 rad/s on a slope of 10 degrees, seen at right angles to the ice; it points downhill at the start."""
    ice = System("skate", gravity=(G * np.sin(SLOPE), 0.0))
    ice.add("ice", "planar.Fixed")
    ice.add("skate", "planar.Body1", {"m": 70.0, "I": 2.0, "omega": TURN})
    ice.join("planar.KnifeEdge", "ice.p1", "skate.p1", name="blade")
    return ice


def skate_in_space() -> System:
    """Returns the same skate in space, held on the sloping ice by a planar joint."""
    ice = System("skate in space", gravity=(G * np.sin(SLOPE), 0.0, -G * np.cos(SLOPE)))
    ice.add("ice", "spatial.Fixed")
    ice.add("skate", "spatial.Body2", {"m": 70.0, "Ixx": 2.0, "Iyy": 2.0, "Izz": 2.0, "omegaz": TURN, "p2.zy": 1.0, "p2.zz": 0.0})
    ice.join("spatial.Planar", "ice.p1", "skate.p1", name="contact")
    ice.join("spatial.KnifeEdge", "ice.p1", "skate.p2", name="blade")
    return ice


def main() -> None:
    report = Report("Skates on a slope")
    for system in (skate(), skate_in_space()):
        run = system.simulate(2 * np.pi / TURN)
        report.figure("the skate slides downhill by", run["skate.x"].max(), G * np.sin(SLOPE) / (2 * TURN**2), "m", within=1e-4)
        report.figure("the skate moves across in a turn by", run["skate.y"][-1], np.pi * G * np.sin(SLOPE) / TURN**2, "m", within=1e-4)
        report.show(run, "skate.x", "skate.y")
    report.end()


if __name__ == "__main__":
    main()
