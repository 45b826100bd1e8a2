"""Turntables and satellites.

An antenna turns and tilts. The arm of a governor slides out and slows its column down. Thrusters turn a satellite with two panels.
"""

import sympy
from report import Report

from jourdain import System
from jourdain.declare import t

G = 9.81  # m/s2


def antenna() -> System:
    """Returns a fork of 0.5 kg.m2 that turns by formula, and in it a balanced dish of 0.2 kg.m2, tilted by 0.1 N.m."""
    roof = System("antenna", gravity=(0.0, 0.0, -G))
    roof.add("mast", "spatial.Fixed")
    roof.add("fork", "spatial.Body2", {"m": 10.0, "Ixx": 0.5, "Iyy": 0.5, "Izz": 0.5, "p2.zy": 1.0, "p2.zz": 0.0})
    roof.add("dish", "spatial.Body1", {"m": 4.0, "Ixx": 0.2, "Iyy": 0.2, "Izz": 0.2, "p1.zy": 1.0, "p1.zz": 0.0})
    roof.join("spatial.Revolute", "mast.p1", "fork.p1", name="bearing")
    roof.join("spatial.RelativeAngle", "mast.p1", "fork.p1", name="azimuth")
    roof.join("spatial.ActuatedRevolute", "fork.p2", "dish.p1", name="elevation")
    roof.drive("azimuth.angle", 0.5 * (1 - sympy.cos(2 * t)))
    roof.drive("elevation.effort", 0.1)
    return roof


def governor() -> System:
    """Returns a column of 0.1 kg.m2 at 8 rad/s, with an arm along which a ball of 1 kg slides out from 0.2 m."""
    engine = System("governor", gravity=(0.0, 0.0, -G))
    engine.add("bed", "spatial.Fixed")
    engine.add("column", "spatial.RevoluteBody", {"Izz": 0.1, "qd": 8.0, "C1.zx": 1.0, "C1.zz": 0.0, "C1.xx": 0.0, "C1.xz": -1.0})
    engine.add("ball", "spatial.PrismaticBody", {"m": 1.0, "Ixx": 0.0, "Iyy": 0.0, "Izz": 0.0, "q": 0.2})
    engine.connect("bed.p1", "column.P")
    engine.connect("column.C1", "ball.P")
    return engine


def satellite() -> System:
    """Returns a satellite of 20 kg.m2 with two panels of 10 kg, 1.5 m off its axis; thrusters give 4 N.m."""
    orbit = System("satellite", gravity=(0.0, 0.0, 0.0))
    orbit.add("stars", "spatial.Fixed")
    orbit.add(
        "hub", "spatial.Body4", {"m": 200.0, "Ixx": 15.0, "Iyy": 15.0, "Izz": 20.0, "p1.rx": 1.5, "p2.rx": -1.5, "p4.zy": 1.0, "p4.zz": 0.0}
    )
    for panel, point in (("left", "p1"), ("right", "p2")):
        orbit.add(panel, "spatial.WeldedBody", {"m": 10.0, "Izz": 2.0})
        orbit.connect(f"hub.{point}", f"{panel}.P")
    orbit.add("thrusters", "spatial.FollowerWrench")
    orbit.connect("hub.p3", "thrusters.M")
    orbit.join("spatial.Gimbal", "stars.p1", "hub.p4", name="sensor")
    orbit.drive("thrusters.Cz", 4.0)
    return orbit


def main() -> None:
    report = Report("Turntables and satellites")
    run = antenna().simulate(1.0)
    report.figure("torque at the start", run["azimuth.torque"][0], (0.5 + 0.2) * 0.5 * 4, "N.m")
    report.figure("the dish tilts by", run["elevation.rotation.q"][-1], 0.1 / 0.2 / 2, "rad")
    report.show(run, "elevation.rotation.q", "azimuth.torque")
    run = governor().simulate(0.2)
    out = run["ball.q"][-1]
    report.figure("the column turns at", run["column.qd"][-1], 8.0 * (0.1 + 0.2**2) / (0.1 + out**2), "rad/s")
    report.show(run, "ball.q", "column.qd")
    run = satellite().simulate(10.0)
    report.figure(
        "the satellite turns in 10 s by",
        run["sensor.rotation1.q"][-1] - run["sensor.rotation1.q"][0],
        4.0 / (20 + 2 * (2 + 10 * 1.5**2)) * 50,
        "rad",
    )
    report.show(run, "sensor.rotation1.q", "hub.omegaz")
    report.end()


if __name__ == "__main__":
    main()
