"""Drive shafts and bent joints.

A universal joint turns the driven shaft unevenly, a constant-velocity joint does not. Both shafts meet at 30 degrees; the driven one is centred at its far end.
"""

import numpy as np
from report import Report

from jourdain import System

BEND, SPEED = np.radians(30.0), 10.0  # rad, rad/s


def driveline(joint: str, name: str) -> System:
    """Returns an evenly driven shaft along z, and one that leads on from its end at an angle, about the absolute axis y."""
    car = System(name, gravity=(0.0, 0.0, 0.0))
    axis = {"p1.zx": np.sin(BEND), "p1.zz": np.cos(BEND)}
    car.add("gearbox", "spatial.Fixed")
    car.add("axle", "spatial.Fixed", {"p1.rx": np.sin(BEND), "p1.rz": np.cos(BEND), **axis})
    car.add("input", "spatial.RevoluteBody", {"m": 3.0, "qd": SPEED})
    half = {"q0": np.cos(BEND / 2), "q2": np.sin(BEND / 2), "x": np.sin(BEND) / 2, "z": np.cos(BEND) / 2}
    car.add("output", "spatial.Body2", {"m": 3.0, "Ixx": 0.25, "Iyy": 0.25, "Izz": 0.01, "p1.rz": -0.5, "p2.rz": 0.5, **half})
    car.connect("gearbox.p1", "input.P")
    car.join("spatial.RelativeVelocity", "gearbox.p1", "input.C2", name="engine")
    car.join(joint, "input.C1", "output.p1", name="joint")
    car.join("spatial.PointOnLine", "axle.p1", "output.p2", name="bearing")
    car.drive("engine.velocity", SPEED)
    return car


def universal() -> System:
    return driveline("spatial.Universal", "universal")


def constant_velocity() -> System:
    return driveline("spatial.ConstantVelocity", "constant velocity")


def main() -> None:
    report = Report("Drive shafts and bent joints")
    run = universal().simulate(2 * np.pi / SPEED, initial="assemble")
    report.figure("fastest turn by the universal joint", run["output.wz"].max(), SPEED / np.cos(BEND), "rad/s", within=1e-4)
    report.figure("slowest turn by the universal joint", run["output.wz"].min(), SPEED * np.cos(BEND), "rad/s", within=1e-4)
    report.show(run, "output.wz", "engine.torque")
    run = constant_velocity().simulate(2 * np.pi / SPEED, initial="assemble")
    report.figure("fastest turn by the constant-velocity joint", run["output.wz"].max(), SPEED, "rad/s")
    report.show(run, "output.wz", "engine.torque")
    report.end()


if __name__ == "__main__":
    main()
