"""Balls, wheels and bounces.

A bowling ball slides until it rolls. A barrel slips down a steep ramp. Balls bounce on a hard floor and on floors that give way, in a plane and in space.
"""

import numpy as np
from report import Report

from jourdain import System

G = 9.81  # m/s2


def bowling() -> System:
    """Returns a ball of 6 kg, thrown at 8 m/s without spin."""
    alley = System("bowling", gravity=(0.0, -G))
    alley.add("alley", "planar.Fixed")
    alley.add("ball", "planar.Body1", {"m": 6.0, "I": 0.4 * 6.0 * 0.11**2, "y": 0.11, "vx": 8.0})
    friction = {"radius": 0.11, "adhesion.mu": 0.12, "sliding.mu": 0.1}
    alley.join("planar.SlippingDisc", "alley.p1", "ball.p1", friction, name="contact")
    return alley


def barrel() -> System:
    """Returns a thin barrel on a ramp of 60 degrees with the coefficient of friction 0.3, too little for rolling."""
    yard = System("barrel", gravity=(0.0, -G))
    yard.add("ramp", "planar.Fixed", {"p1.angle": -np.pi / 3})
    yard.add("barrel", "planar.Body1", {"m": 20.0, "I": 20.0 * 0.3**2, "x": 0.3 * np.sin(np.pi / 3), "y": 0.3 * np.cos(np.pi / 3)})
    yard.join("planar.DiscContact", "ramp.p1", "barrel.p1", {"radius": 0.3, "mu": 0.3}, name="contact")
    return yard


def table_tennis() -> System:
    """Returns a ball that falls from 0.3 m on a table that gives way."""
    room = System("table tennis", gravity=(0.0, -G))
    room.add("table", "planar.Fixed")
    room.add("ball", "planar.Body1", {"m": 2.7e-3, "I": 7e-7, "y": 0.32})
    speed = np.sqrt(2 * G * 0.3)
    room.join("planar.CompliantContact", "table.p1", "ball.p1", {"radius": 0.02, "k": 1e6, "e": 0.9, "speed": speed}, name="contact")
    return room


def basketball() -> System:
    """Returns a ball that falls from 1.8 m on a hard floor, and one beside it on a floor that gives way."""
    hall = System("basketball", gravity=(0.0, 0.0, -G))
    hall.add("floor", "spatial.Fixed")
    for name in ("ball", "other"):
        hall.add(name, "spatial.Body1", {"m": 0.6, "Ixx": 6e-3, "Iyy": 6e-3, "Izz": 6e-3, "z": 1.92, "y": float(name == "other")})
    hall.join("spatial.PointContact", "floor.p1", "ball.p1", {"radius": 0.12, "e": 0.8}, name="hard")
    speed = np.sqrt(2 * G * 1.8)
    hall.join("spatial.CompliantContact", "floor.p1", "other.p1", {"radius": 0.12, "k": 1e7, "e": 0.8, "speed": speed}, name="soft")
    return hall


def main() -> None:
    report = Report("Balls, wheels and bounces")
    run = bowling().simulate(4.0)
    report.figure("the bowling ball rolls at", run["ball.vx"][-1], 8.0 * 5 / 7, "m/s", within=1e-3)
    report.show(run, "ball.vx", "contact.slip")
    run = barrel().simulate(1.0)
    report.figure(
        "speed of the barrel after 1 s", np.hypot(run["barrel.vx"], run["barrel.vy"])[-1], G * (np.sin(np.pi / 3) - 0.3 / 2), "m/s"
    )
    report.figure("it turns at", -run["barrel.omega"][-1], 0.3 * 20 * G / 2 * 0.3 / (20 * 0.3**2), "rad/s")
    report.show(run, "barrel.vx", "barrel.omega")
    run = table_tennis().simulate(0.6, max_step=1e-3)
    late = run.time > 0.3
    report.figure("the table tennis ball rises to", run["ball.y"][late].max() - 0.02, 0.9**2 * 0.3, "m", within=0.02)
    report.show(run, "ball.y", "contact.force")
    run = basketball().simulate(1.2, max_step=1e-3)
    late = run.time > 0.7
    report.figure("the basketball rises to", run["ball.z"][late].max() - 0.12, 0.8**2 * 1.8, "m", within=1e-4)
    report.figure("the basketball on a soft floor rises to", run["other.z"][late].max() - 0.12, 0.8**2 * 1.8, "m", within=0.02)
    report.show(run, "ball.z", "soft.force")
    report.end()


if __name__ == "__main__":
    main()
