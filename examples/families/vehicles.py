"""Wheels and coins.

A robot drives a circle. A car brakes with locked wheels. A coin rolls down a ramp.
"""

import numpy as np
from report import Report

from jourdain import System

G = 9.81  # m/s2
SLOPE = np.radians(10.0)


def robot() -> System:
    """Returns a robot of 5 kg on a driven wheel, which turns at 1 rad/s and drives at 0.5 m/s."""
    floor = System("robot", gravity=(0.0, 0.0))
    floor.add("robot", "planar.Body1", {"m": 5.0, "I": 0.1, "vx": 0.5, "omega": 1.0})
    floor.add("axle", "mechanical1d.Inertia", {"I": 1e-3, "w": 10.0})
    floor.add("wheel", "planar.IdealWheel", {"radius": 0.05})
    floor.connect("robot.p1", "wheel.M")
    floor.connect("axle.flange", "wheel.axle")
    return floor


def braking() -> System:
    """Returns a car of 1.2 t at 20 m/s, whose wheels are locked; the sliding coefficient is 0.7."""
    road = System("braking", gravity=(0.0, 0.0))
    road.add("car", "planar.Body1", {"m": 1200.0, "I": 1500.0, "vx": 20.0})
    road.add("pads", "mechanical1d.Fixed1D")
    road.add("wheels", "planar.FrictionWheel", {"load": 1200.0 * G, "adhesion.mu": 1.0, "sliding.mu": 0.7})
    road.connect("car.p1", "wheels.M")
    road.connect("pads.shaft", "wheels.axle")
    return road


def coin() -> System:
    """Returns a coin that rolls down the slope on its rim."""
    desk = System("coin", gravity=(G * np.sin(SLOPE), 0.0, -G * np.cos(SLOPE)))
    desk.add("desk", "spatial.Fixed")
    inertia = {"Ixx": 0.25 * 8e-3 * 0.012**2, "Iyy": 0.5 * 8e-3 * 0.012**2, "Izz": 0.25 * 8e-3 * 0.012**2}
    desk.add("coin", "spatial.Body1", {"m": 8e-3, **inertia, "z": 0.012, "p1.zy": 1.0, "p1.zz": 0.0})
    desk.join("spatial.RollingDisc", "desk.p1", "coin.p1", {"radius": 0.012}, name="contact")
    return desk


def main() -> None:
    report = Report("Wheels and coins")
    run = robot().simulate(6.0)
    report.figure("diameter of the robot's circle", np.ptp(run["robot.y"]), 2 * 0.5 / 1.0, "m", within=1e-4)
    report.show(run, "robot.x", "robot.y")
    run = braking().simulate(2.0)
    report.figure("way of the car after 2 s", run["car.x"][-1], 20.0 * 2.0 - 0.7 * G * 2.0**2 / 2, "m")
    report.show(run, "car.vx", "wheels.force.x")
    run = coin().simulate(0.5)
    report.figure("speed of the coin after 0.5 s", run["coin.vx"][-1], 2 / 3 * G * np.sin(SLOPE) * 0.5, "m/s")
    report.show(run, "coin.vx", "contact.reaction")
    report.end()


if __name__ == "__main__":
    main()
