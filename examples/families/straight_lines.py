"""Straight lines and ellipses.

The planet of a Cardan gear, half as large as its ring, moves a pin along a straight line. A trammel draws an ellipse by two blocks in crossed slots.
"""

import numpy as np
from report import Report

from jourdain import System


def cardan_gear() -> System:
    """Returns an arm with a planet of radius 0.05 m, which rolls inside a ring of radius 0.1 m."""
    gear = System("cardan gear", gravity=(0.0, 0.0))
    gear.add("ring", "planar.Fixed")
    gear.add("arm", "planar.RevoluteBody", {"m": 0.4, "I": 1e-3, "C1.rx": 0.05, "qd": 20.0})
    gear.add("planet", "planar.RevoluteBody", {"m": 0.3, "I": 4e-4, "C1.rx": 0.05, "qd": -40.0})
    gear.connect("ring.p1", "arm.P")
    gear.connect("arm.C1", "planet.P")
    gear.join("planar.GearPair", "ring.p1", "planet.C2", {"radius_M": 0.1, "radius_N": -0.05}, name="teeth")
    return gear


def trammel() -> System:
    """Returns a bar with two massless blocks 0.3 m apart in crossed slots, and a pencil 0.2 m beyond the second."""
    desk = System("trammel", gravity=(0.0, 0.0))
    desk.add("across", "planar.Fixed")
    desk.add("up", "planar.Fixed", {"p1.angle": np.pi / 2})
    desk.add("bar", "planar.Body3", {"m": 0.5, "I": 0.02, "p1.rx": -0.3, "p3.rx": 0.2, "x": 0.3, "omega": 2.0})
    desk.add("first", "planar.MasslessLink1", {"theta": np.pi / 2, "vy": -0.6})
    desk.add("second", "planar.MasslessLink1", {"x": 0.3})
    for slot, block, point in (("up", "first", "p1"), ("across", "second", "p2")):
        desk.join("planar.Translational", f"{slot}.p1", f"{block}.p1")
        desk.join("planar.Revolute", f"bar.{point}", f"{block}.p1")
    return desk


def main() -> None:
    report = Report("Straight lines and ellipses")
    run = cardan_gear().simulate(0.5)
    report.figure("stroke of the pin", np.ptp(run["planet.C1.x"]), 4 * 0.05, "m", within=1e-4)
    report.figure("deviation from a straight line", np.abs(run["planet.C1.y"]).max(), 0.0, "m")
    report.show(run, "planet.C1.x", "teeth.reaction")
    run = trammel().simulate(3.5)
    x, y = run["bar.p3.x"], run["bar.p3.y"]
    report.figure("long half axis of the ellipse", np.abs(x).max(), 0.5, "m", within=1e-3)
    report.figure("short half axis", np.abs(y).max(), 0.2, "m", within=1e-3)
    report.figure("distance of the pencil from the ellipse", 0.2 * np.abs(np.hypot(x / 0.5, y / 0.2) - 1).max(), 0.0, "m")
    report.show(run, "bar.theta")
    report.end()


if __name__ == "__main__":
    main()
