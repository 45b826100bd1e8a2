"""Forks and slots on carriages.

A carriage couples a mass on a line with the plane. In the first machine the pin of a crank runs in a slot of the carriage, as in a Scotch yoke. In the
second one a block slides in an inclined fork of a carriage that rolls freely.
"""

import numpy as np
from report import Report

from jourdain import System
from jourdain.declare import t

G = 9.81  # m/s2
OMEGA, RADIUS = 20.0, 0.05  # rad/s and m, of the crank
SLOPE, BLOCK, TROLLEY = np.radians(35), 2.0, 5.0  # rad and kg, of the fork, the block and the carriage


def yoke() -> System:
    """Returns a crank whose pin slides in an upright slot, and with it a mass of 1.5 kg to and fro."""
    saw = System("yoke", gravity=(0.0, 0.0))
    saw.add("frame", "planar.Fixed")
    saw.add("crank", "planar.RevoluteBody", {"m": 1.0, "I": 1e-3, "C1.rx": RADIUS, "qd": OMEGA})
    saw.add("blade", "mechanical1d.Mass", {"m": 1.5, "s": RADIUS})
    saw.add("carriage", "planar.Carriage", {"p1.angle": np.pi / 2})  # the direction of the slot
    saw.connect("frame.p1", "crank.P")
    saw.connect("blade.flange", "carriage.flange")
    saw.join("planar.TranslationalRevolute", "crank.C1", "carriage.p1", name="slot")
    saw.join("planar.RelativeAngle", "frame.p1", "crank.C2", name="motor")
    saw.drive("motor.angle", OMEGA * t)
    return saw


def trolley() -> System:
    """Returns a block that slides down the fork of a trolley, which rolls the other way."""
    ramp = System("trolley", gravity=(0.0, -G))
    ramp.add("wheels", "mechanical1d.Mass", {"m": TROLLEY})
    ramp.add("carriage", "planar.Carriage", {"p1.angle": -SLOPE})
    ramp.add("block", "planar.Body1", {"m": BLOCK, "I": 0.01, "theta": -SLOPE})
    ramp.connect("wheels.flange", "carriage.flange")
    ramp.join("planar.Translational", "carriage.p1", "block.p1", name="fork")
    return ramp


def main() -> None:
    report = Report("Forks and slots on carriages")
    run = yoke().simulate(2 * np.pi / OMEGA)
    report.figure("stroke of the blade", np.ptp(run["blade.s"]), 2 * RADIUS, "m", within=1e-4)
    report.figure("force of the pin at the dead centre", run["slot.reaction"][0], 1.5 * RADIUS * OMEGA**2, "N")
    report.show(run, "blade.s", "slot.reaction")
    run = trolley().simulate(0.5)
    acceleration = -BLOCK * G * np.sin(SLOPE) * np.cos(SLOPE) / (TROLLEY + BLOCK * np.sin(SLOPE) ** 2)
    report.figure("way of the trolley in 0.5 s", run["wheels.s"][-1], acceleration * 0.5**2 / 2, "m")
    slid = np.hypot(run["block.x"][-1] - run["wheels.s"][-1], run["block.y"][-1])
    relative = G * np.sin(SLOPE) - acceleration * np.cos(SLOPE)
    report.figure("way of the block in the fork", slid, relative * 0.5**2 / 2, "m")
    report.show(run, "wheels.s", "fork.reaction")
    report.end()


if __name__ == "__main__":
    main()
