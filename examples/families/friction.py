"""Friction and levers.

A lift with a load that stands off centre rubs in its guide. A grindstone runs down in a dry bearing. A slide and a spindle rub by measured
curves. A trebuchet throws a stone.
"""

import numpy as np
import sympy
from report import Report

from jourdain import System
from jourdain.declare import t


def lift() -> System:
    """Returns a cabin of 400 kg whose load stands 0.2 m off its guide of 1.5 m; it rises by 3 m in 4 s."""
    shaft = System("lift", gravity=(0.0, -9.81))
    shaft.add("rail", "planar.Fixed", {"p1.angle": np.pi / 2})
    shaft.add("cabin", "planar.Body1", {"m": 400.0, "I": 200.0, "p1.rx": -0.2, "p1.angle": np.pi / 2, "x": 0.2})
    shaft.join("planar.TranslationalFriction", "rail.p1", "cabin.p1", {"mu": 0.1, "length": 1.5}, name="guide")
    shaft.join("planar.RelativePosition", "rail.p1", "cabin.p1", name="winch")
    shaft.drive("winch.distance", 1.5 * (1 - sympy.cos(sympy.pi * t / 4)))
    return shaft


def grindstone() -> System:
    """Returns a stone of 30 kg at 20 rad/s, in a dry bearing of 15 mm with the coefficient of friction 0.12."""
    shed = System("grindstone", gravity=(0.0, -9.81))
    shed.add("trough", "planar.Fixed")
    shed.add("stone", "planar.Body1", {"m": 30.0, "I": 0.6, "omega": 20.0})
    shed.join("planar.RevoluteFriction", "trough.p1", "stone.p1", {"mu": 0.12, "radius": 0.015}, name="bearing")
    return shed


def bench() -> System:
    """Returns a slide of 5 kg that is pulled by 13 N, and a spindle at 30 rad/s, both with measured friction."""
    shop = System("bench")
    shop.add("bed", "mechanical1d.Fixed1D")
    shop.add("slide", "mechanical1d.Mass", {"m": 5.0})
    shop.join("mechanical1d.TableFriction", "bed.flange", "slide.flange", {"force": [[0, 0.1, 0.5], [12, 10, 18]]}, name="guide")
    shop.add("pull", "mechanical1d.Force", {"force": 13.0})
    shop.connect("pull.flange", "slide.flange")
    shop.add("spindle", "mechanical1d.Inertia", {"I": 0.02, "w": 30.0})
    shop.join("mechanical1d.RotationalTableFriction", "bed.shaft", "spindle.flange", {"torque": [[0, 40], [0.1, 0.5]]}, name="seal")
    return shop


def trebuchet() -> System:
    """Returns a massless beam with 2 t on its short arm of 1 m and a stone of 50 kg on its long arm of 4 m, level at the start."""
    engine = System("trebuchet", gravity=(0.0, -9.81))
    engine.add("tower", "planar.Fixed", {"p1.ry": 4.0})
    engine.add("beam", "planar.MasslessLink3", {"p2.rx": -1.0, "p3.rx": 4.0, "y": 4.0})
    engine.add("weight", "planar.PointMass1", {"m": 2000.0, "x": -1.0, "y": 4.0})
    engine.add("stone", "planar.PointMass1", {"m": 50.0, "x": 4.0, "y": 4.0})
    engine.join("planar.Revolute", "tower.p1", "beam.p1", name="axle")
    engine.join("planar.Weld", "beam.p2", "weight.p1")
    engine.join("planar.Weld", "beam.p3", "stone.p1")
    return engine


def main() -> None:
    report = Report("Friction and levers")
    run, factor = lift().simulate(4.0), 1 + 2 * 0.1 * 0.2 / 1.5
    pull = 400.0 * (9.81 + 1.5 * (np.pi / 4) ** 2)
    report.figure("greatest force of the winch", run["winch.force"].max(), pull * factor, "N", within=1e-3)
    report.show(run, "cabin.y", "winch.force")
    run, torque = grindstone().simulate(25.0), 0.12 * 0.015 * 30 * 9.81
    stands = next(change.time for change in run.changes if change.what.endswith("sticks"))
    report.figure("the stone stands after", stands, 0.6 * 20 / torque, "s")
    report.show(run, "stone.omega", "bearing.lambda[3]")
    run = bench().simulate(5.0)
    report.figure("speed of the slide", run["slide.v"][-1], np.interp(13.0, [10, 18], [0.1, 0.5]), "m/s", within=1e-3)
    stands = next(change.time for change in run.changes if change.what.endswith("sticks"))
    report.figure("the spindle stands after", stands, 0.02 / 0.01 * np.log((0.1 + 0.01 * 30) / 0.1), "s", within=1e-4)
    report.show(run, "slide.v", "spindle.w", moving=False)
    run = trebuchet().simulate(1.2)
    fastest = 4.0 * np.sqrt(2 * (2000.0 * 1.0 - 50.0 * 4.0) * 9.81 / (2000.0 * 1.0**2 + 50.0 * 4.0**2))
    report.figure("the stone leaves the upright beam at", np.hypot(run["stone.vx"], run["stone.vy"]).max(), fastest, "m/s", within=1e-4)
    report.show(run, "beam.theta", "stone.vx")
    report.end()


if __name__ == "__main__":
    main()
