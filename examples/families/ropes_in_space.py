"""Ropes and rods in space.

A bungee jumper falls into his cord. A chair of a carousel flies out. A ball circles on a table, held by a weight below it. A tripod carries a lamp.
"""

import numpy as np
from report import Report

from jourdain import System

G = 9.81  # m/s2


def bungee() -> System:
    """Returns a jumper of 70 kg who has fallen by the length of his cord, 15 m of 120 N/m."""
    bridge = System("bungee", gravity=(0.0, 0.0, -G))
    bridge.add("bridge", "spatial.Fixed")
    bridge.add("jumper", "spatial.PointMass1", {"m": 70.0, "z": -15.0, "vz": -np.sqrt(2 * G * 15.0)})
    bridge.join("spatial.SpringDamper", "bridge.p1", "jumper.p1", {"k": 120.0, "rest": 15.0}, name="cord")
    return bridge


def carousel() -> System:
    """Returns a chair of 90 kg on a rope of 5 m, which circles at 45 degrees."""
    fair = System("carousel", gravity=(0.0, 0.0, -G))
    side = 5.0 * np.sqrt(0.5)
    fair.add("mast", "spatial.Fixed")
    fair.add("chair", "spatial.PointMass1", {"m": 90.0, "x": side, "z": -side, "vy": np.sqrt(G * side)})
    fair.join("spatial.Rope", "mast.p1", "chair.p1", {"length": 5.0}, name="rope")
    return fair


def table() -> System:
    """Returns a ball of 0.2 kg, which circles at 0.5 m about a hole in the table; the rope holds 0.3 kg below it."""
    room = System("table", gravity=(0.0, 0.0, -G))
    room.add("hole", "spatial.Fixed")
    room.add("ball", "spatial.PointMass1", {"m": 0.2, "x": 0.5, "vy": np.sqrt(0.3 * G * 0.5 / 0.2)})
    room.add("weight", "spatial.PointMass1", {"m": 0.3, "z": -0.5})
    room.join("spatial.PointOnPlane", "hole.p1", "ball.p1", name="top")
    room.add("rope", "spatial.PulleyRope", {"length": 1.0})
    for port, end in (("ball.p1", "M"), ("hole.p1", "A"), ("hole.p1", "B"), ("weight.p1", "N")):
        room.connect(port, f"rope.{end}")
    return room


def tripod() -> System:
    """Returns a lamp of 12 kg on three legs of 2 m, whose feet stand on a circle of 1.2 m."""
    studio = System("tripod", gravity=(0.0, 0.0, -G))
    studio.add("lamp", "spatial.PointMass1", {"m": 12.0, "z": 1.6})
    for leg, angle in enumerate((0.0, 2 * np.pi / 3, 4 * np.pi / 3), start=1):
        studio.add(f"foot {leg}", "spatial.Fixed", {"p1.rx": 1.2 * np.cos(angle), "p1.ry": 1.2 * np.sin(angle)})
        studio.join("spatial.Rod", f"foot {leg}.p1", "lamp.p1", {"length": 2.0}, name=f"leg {leg}")
    return studio


def main() -> None:
    report = Report("Ropes and rods in space")
    run, sag = bungee().simulate(4.0), 70 * G / 120
    report.figure("lowest point below the bridge", -run["jumper.z"].min(), 15 + sag + np.sqrt(sag**2 + 2 * sag * 15), "m", within=1e-4)
    report.show(run, "jumper.z", "cord.tension")
    run = carousel().simulate(4.0)
    report.figure("the rope of the chair bears", run["rope.reaction"].max(), 90 * G * np.sqrt(2), "N")
    report.show(run, "chair.x", "chair.y")
    run = table().simulate(2.0)
    report.figure("the ball keeps its distance of", np.hypot(run["ball.x"], run["ball.y"]).max(), 0.5, "m")
    report.show(run, "ball.x", "rope.tension")
    run = tripod().simulate(0.1)
    report.figure("each leg bears", run["leg 1.reaction"][-1], 12 * G / 3 * 2.0 / 1.6, "N")
    report.show(run, "leg 1.reaction")
    report.end()


if __name__ == "__main__":
    main()
