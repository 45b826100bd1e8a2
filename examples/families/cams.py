"""Cams and pistons.

A cam opens the valve of an engine against its spring. A cam of measured points has a dwell. A connecting rod drives a piston.
"""

import numpy as np
from report import Report

from jourdain import System
from jourdain.declare import t


def valve() -> System:
    """Returns a cam of mean radius 20 mm and lift 8 mm at 300 rad/s, under a valve of 0.1 kg with a spring of 30 kN/m."""
    engine = System("valve", gravity=(0.0, -9.81))
    engine.add("block", "planar.Fixed", {"p1.angle": np.pi / 2})
    engine.add("shaft", "planar.RevoluteBody", {"m": 0.5, "I": 1e-4, "qd": 300.0})
    engine.add("valve", "planar.TranslationalBody", {"m": 0.1, "I": 1e-5, "q": 0.016, "k": 30e3, "rest": 0.002})
    engine.connect("block.p1", "shaft.P")
    engine.connect("block.p1", "valve.P")
    engine.join("planar.CamFollower", "shaft.C1", "valve.C1", {"radius": 0.02, "cos[1]": -0.004}, name="cam")
    engine.join("planar.RelativeAngle", "block.p1", "shaft.C2", name="belt")
    engine.drive("belt.angle", 300.0 * t)
    return engine


def dwell() -> System:
    """Returns a cam by a table of 73 points, which rises by 8 mm on half a turn and rests on the other half, at 30 rad/s."""
    angles = np.linspace(0, 2 * np.pi, 73)
    lifts = 0.008 * np.maximum(0, -np.cos(angles)) ** 4
    machine = System("dwell", gravity=(0.0, -9.81))
    machine.add("block", "planar.Fixed", {"p1.angle": np.pi / 2})
    machine.add("shaft", "planar.RevoluteBody", {"m": 0.5, "I": 1e-4, "qd": 30.0})
    machine.add("tappet", "planar.TranslationalBody", {"m": 0.1, "I": 1e-5, "q": 0.02, "k": 300.0, "rest": 0.002})
    machine.connect("block.p1", "shaft.P")
    machine.connect("block.p1", "tappet.P")
    machine.join("planar.TableCam", "shaft.C1", "tappet.C1", {"base": 0.02, "lift": np.column_stack([angles, lifts])}, name="cam")
    machine.join("planar.RelativeAngle", "block.p1", "shaft.C2", name="belt")
    machine.drive("belt.angle", 30.0 * t)
    return machine


def piston() -> System:
    """Returns a crank of 50 mm at 100 rad/s, a massless rod of 200 mm and a piston of 0.5 kg."""
    engine = System("piston", gravity=(0.0, 0.0))
    engine.add("block", "planar.Fixed")
    engine.add("crank", "planar.RevoluteBody", {"m": 3.0, "I": 0.01, "C1.rx": 0.05, "qd": 100.0})
    engine.add("piston", "mechanical1d.Mass", {"m": 0.5, "s": 0.25})
    engine.add("pin", "planar.Carriage")
    engine.connect("block.p1", "crank.P")
    engine.connect("piston.flange", "pin.flange")
    engine.join("planar.ConnectingRod", "crank.C1", "pin.p1", {"length": 0.2}, name="rod")
    engine.join("planar.RelativeAngle", "block.p1", "crank.C2", name="flywheel")
    engine.drive("flywheel.angle", 100.0 * t)
    return engine


def main() -> None:
    report = Report("Cams and pistons")
    run = valve().simulate(2 * np.pi / 300)
    report.figure("lift of the valve", np.ptp(run["valve.q"]), 2 * 0.004, "m", within=1e-4)
    nose = 0.1 * (9.81 - 0.004 * 300.0**2) + 30e3 * (0.024 - 0.002)
    report.figure("force on the nose of the cam", np.interp(np.pi / 300, run.time, run["cam.lambda[1]"]), nose, "N", within=1e-3)
    report.show(run, "valve.q", "cam.lambda[1]")
    run = dwell().simulate(2 * np.pi / 30)
    report.figure("lift of the cam with a dwell", np.ptp(run["tappet.q"]), 0.008, "m", within=1e-4)
    report.figure("force of the spring in the dwell", run["cam.lambda[1]"][0], 0.1 * 9.81 + 300 * 0.018, "N", within=1e-4)
    report.show(run, "tappet.q", "cam.lambda[1]")
    run = piston().simulate(2 * np.pi / 100)
    report.figure("stroke of the piston", np.ptp(run["piston.s"]), 0.1, "m", within=1e-4)
    report.figure("force of the rod at the dead centre", run["rod.reaction"][0], 0.5 * 0.05 * 100.0**2 * (1 + 0.05 / 0.2), "N")
    report.show(run, "piston.s", "pin.guide.force")
    report.end()


if __name__ == "__main__":
    main()
