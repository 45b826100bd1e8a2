"""Skates and wheels from above.

A skate on a slope moves on a cycloid, never down the slope, in a plane and in space. A robot drives a circle. A car brakes with locked wheels. A coin rolls down a ramp.
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
    report = Report("Skates and wheels from above")
    for system in (skate(), skate_in_space()):
        run = system.simulate(2 * np.pi / TURN)
        report.figure("the skate slides downhill by", run["skate.x"].max(), G * np.sin(SLOPE) / (2 * TURN**2), "m", within=1e-4)
        report.figure("the skate moves across in a turn by", run["skate.y"][-1], np.pi * G * np.sin(SLOPE) / TURN**2, "m", within=1e-4)
        report.show(run, "skate.x", "skate.y")
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
