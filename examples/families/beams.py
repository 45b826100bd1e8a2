"""Beams by stiffness matrices.

A diver stands at the end of a springboard, and a camera hangs on a bracket in space. The board and the bracket are massless cantilevers: a loop closure holds the
free end by the stiffness matrix of Euler's beam. A linkage whose last pin gives way shows what a soft bearing does to it.
"""

import numpy as np
from report import Report

from jourdain import System

G = 9.81  # m/s2
LENGTH, BENDING, STRETCH, TWIST = 1.5, 12e3, 9e6, 7e3  # m, E I in N m2, E A in N, G J in N m2
DIVER, CAMERA = 70.0, 4.0  # kg
PIN = 2e6  # N/m


def springboard() -> System:
    """Returns a diver at the end of a board of 1.5 m, on which the weight acts suddenly."""
    system = System("springboard", gravity=(0.0, -G, 0.0))
    system.add("wall", "planar.Fixed", {"p1.rx": LENGTH})
    by_force, by_both, by_torque = (factor * BENDING / LENGTH**power for factor, power in ((12, 3), (-6, 2), (4, 1)))
    system.add("board", "planar.LoopClosure", {"K11": STRETCH / LENGTH, "K22": by_force, "K23": by_both, "K33": by_torque})
    system.add("diver", "planar.Body1", {"m": DIVER, "I": 8.0, "x": LENGTH})
    system.connect("wall.p1", "board.M")
    system.connect("board.N", "diver.p1")
    return system


def bracket() -> System:
    """Returns a camera at the end of a bracket along x."""
    system = System("bracket", gravity=(0.0, -G, 0.0))
    system.add("wall", "spatial.Fixed", {"p1.rx": LENGTH})
    k, c, r = 12 * BENDING / LENGTH**3, 6 * BENDING / LENGTH**2, 4 * BENDING / LENGTH
    beam = {"K11": STRETCH / LENGTH, "K22": k, "K33": k, "K26": -c, "K35": c, "K44": TWIST / LENGTH, "K55": r, "K66": r}
    system.add("beam", "spatial.LoopClosure", beam)
    system.add("camera", "spatial.Body1", {"m": CAMERA, "Ixx": 0.02, "Iyy": 0.02, "Izz": 0.02, "x": LENGTH})
    system.connect("wall.p1", "beam.M")
    system.connect("beam.N", "camera.p1")
    return system


def linkage() -> System:
    """Returns two rods of 1 m between fixed points 1.6 m apart, the second of which ends in a soft pin."""
    system = System("linkage", gravity=(0.0, -G, 0.0))
    rise = np.arccos(0.8)
    system.add("left", "planar.Fixed")
    system.add("right", "planar.Fixed", {"p1.rx": 1.6})
    system.add("first", "planar.RevoluteBody", {"m": 10.0, "I": 0.8, "rx": 0.5, "C1.rx": 1.0, "q": -rise})
    system.add("second", "planar.RevoluteBody", {"m": 10.0, "I": 0.8, "rx": 0.5, "C1.rx": 1.0, "q": 2 * rise})
    system.add("pin", "planar.LoopClosure", {"K11": PIN, "K22": PIN, "K33": 0.0, "D11": 2e3, "D22": 2e3})
    for a, b in (("left.p1", "first.P"), ("first.C1", "second.P"), ("right.p1", "pin.M"), ("pin.N", "second.C1")):
        system.connect(a, b)
    return system


def main() -> None:
    report = Report("Beams by stiffness matrices")
    rest = springboard().equilibrium()
    report.figure("the diver sinks by", -rest["diver.y"], DIVER * G * LENGTH**3 / (3 * BENDING), "m", within=1e-9)
    report.figure("the board's end turns by", -rest["diver.theta"], DIVER * G * LENGTH**2 / (2 * BENDING), "rad", within=1e-9)
    report.show(springboard().simulate(2.0), "diver.y", "board.torque")
    rest = bracket().equilibrium()
    report.figure("the camera sinks by", -rest["camera.y"], CAMERA * G * LENGTH**3 / (3 * BENDING), "m", within=1e-3)
    report.show(bracket().simulate(0.5), "camera.y", "beam.forcey")
    run = linkage().simulate(0.5)
    report.figure("the pin gives way along x by", -run["pin.translation.x"][-1], 10.0 * G * 2 / 3 / PIN, "m", within=1e-3)
    report.figure("the pin gives way along y by", -run["pin.translation.y"][-1], 10.0 * G / PIN, "m", within=1e-3)
    report.show(run, "first.q", "pin.forcex")
    report.end()


if __name__ == "__main__":
    main()
