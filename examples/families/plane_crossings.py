"""Linkages in two planes.

A crank and a rod in one plane move a pin along the line where it crosses a second plane. There a rod moves the arm of a wiper. In the other machine
the pin is moved from the second plane, and swings a slotted lever in the first one. The angle between both planes is in no equation. The wiper is drawn
with its second plane turned by 90 and by 60 degrees.
"""

import numpy as np
from report import Report

from jourdain import System
from jourdain.declare import t
from jourdain.shapes import box, cylinder

OMEGA = 6.0  # rad/s of both cranks
UPRIGHT, OBLIQUE = np.pi / 2, np.pi / 3  # angles of the second plane


def crank_and_rod(system: System, pivot: float, crank: float, rod: float) -> None:
    """Adds a crank that turns evenly about a point of the line, and a rod that leads back to the line; both point along it."""
    system.add("motor", "planar.Fixed", {"p1.rx": pivot})
    system.add("crank", "planar.RevoluteBody", {"m": 0.2, "I": 1e-4, "C1.rx": crank, "qd": OMEGA})
    system.add("rod", "planar.RevoluteBody", {"m": 0.3, "I": 2e-3, "C1.rx": rod, "qd": -OMEGA * (1 + crank / rod)})
    system.connect("motor.p1", "crank.P")
    system.connect("crank.C1", "rod.P")
    system.join("planar.RelativeAngle", "motor.p1", "crank.C2", name="drive")
    system.drive("drive.angle", OMEGA * t)


def wiper() -> System:
    """Returns a wiper whose arm of 0.12 m is pulled by a rod of 0.22 m."""
    return wiper_called("wiper")


def wiper_called(name: str) -> System:
    car = System(name, gravity=(0.0, 0.0))
    crank_and_rod(car, 0.0, 0.03, 0.25)
    car.add("windscreen", "planar.Fixed", {"p1.rx": 0.5, "p1.ry": -0.12})
    car.add("arm", "planar.RevoluteBody", {"m": 0.3, "I": 3e-3, "q": np.pi / 2, "C1.rx": 0.12})
    car.add("pull", "planar.RevoluteBody", {"m": 0.2, "I": 1e-3, "q": np.pi / 2, "C1.rx": 0.22})
    car.connect("windscreen.p1", "arm.P")
    car.connect("arm.C1", "pull.P")
    car.join("planar.PlaneCrossing", "rod.C1", "pull.C1", name="pin")
    return car


def wiper_upright() -> System:
    """Returns the wiper, drawn with its arm and its rod in a plane at right angles to that of the crank."""
    return in_space(wiper_called("wiper_upright"), UPRIGHT)


def wiper_oblique() -> System:
    """Returns the wiper, drawn with its second plane turned by 60 degrees."""
    return in_space(wiper_called("wiper_oblique"), OBLIQUE)


def in_space(car: System, angle: float) -> System:
    """Draws the arm and the rod of the wiper in a plane that is turned about the line, instead of in the plane of crank and rod."""
    for name, length in (("arm", 0.12), ("pull", 0.22)):
        car.add(f"{name}_turned", "spatial.PlanarFrame", {"angle": angle})
        car.connect(f"{name}.C2", f"{name}_turned.planar")
        car.appearance(name, None)
        car.appearance(f"{name}_turned", [box(length, 0.02, 0.004, at=(length / 2, 0.0, 0.0)), cylinder(0.012, 0.02)], colour="#2980b9")
    car.appearance("windscreen", None)
    return car


def shaper() -> System:
    """Returns a lever that turns about a point 0.2 m below the line; the pin slides in its slot."""
    tool = System("shaper", gravity=(0.0, 0.0))
    crank_and_rod(tool, -0.3, 0.05, 0.3)
    tool.add("frame", "planar.Fixed", {"p1.ry": -0.2})
    tool.add("lever", "planar.RevoluteBody", {"m": 1.0, "I": 0.02, "q": -np.arctan(0.05 / 0.2), "C1.ry": 0.2, "C1.angle": np.pi / 2})
    tool.connect("frame.p1", "lever.P")
    tool.join("planar.PlaneCrossingTranslational", "lever.C1", "rod.C1", name="pin")
    return tool


def arm_angle(pin: float) -> float:
    """Returns the angle of the wiper's arm by the place of the pin, in the triangle of arm, rod and the line from pivot to pin."""
    distance = np.hypot(pin - 0.5, 0.12)
    return float(np.arctan2(0.12, pin - 0.5) - np.arccos((0.12**2 + distance**2 - 0.22**2) / (2 * 0.12 * distance)))


def main() -> None:
    report = Report("Linkages in two planes")
    run = wiper().simulate(2 * np.pi / OMEGA)
    report.figure(
        "the wiper sweeps", np.degrees(np.ptp(run["arm.q"])), np.degrees(arm_angle(0.22) - arm_angle(0.28)), "degrees", within=1e-4
    )
    report.show(run, "arm.q", "pin.reaction")
    for car, angle in ((wiper_upright(), UPRIGHT), (wiper_oblique(), OBLIQUE)):
        turned = car.simulate(2 * np.pi / OMEGA, outputs=["*"])
        report.figure(f"{car.name} sweeps", np.ptp(turned["arm.q"]), np.ptp(run["arm.q"]), "rad", within=1e-9)
        normal = turned["arm_turned.spatial.R23"][-1], turned["arm_turned.spatial.R33"][-1]
        report.figure("and its arm is drawn at", np.degrees(np.arctan2(-normal[0], normal[1])), np.degrees(angle), "degrees")
        report.show(turned, "arm.q", "pin.reaction")
    run = shaper().simulate(2 * np.pi / OMEGA)
    report.figure("the lever swings by", np.degrees(np.ptp(run["lever.q"])), np.degrees(2 * np.arctan(0.05 / 0.2)), "degrees", within=1e-4)
    report.show(run, "lever.q", "pin.reaction")
    report.end()


if __name__ == "__main__":
    main()
