"""Gears and racks.

A cordless screwdriver tightens a screw up to the torque of its slip clutch. The Geneva drive of a film projector advances the film by one frame. A rack
moves the table of a router.
"""

import numpy as np
import sympy
from report import Report

from jourdain import System
from jourdain.declare import t


def screwdriver() -> System:
    """Returns a motor with a planetary gear and a slip clutch of 2 N.m, on a screw whose head is seated."""
    tool = System("screwdriver")
    tool.add("housing", "mechanical1d.Fixed1D")
    for name, inertia in {"rotor": 2e-5, "carrier": 1e-5, "chuck": 2e-5, "bit": 1e-5}.items():
        tool.add(name, "mechanical1d.Inertia", {"I": inertia})
    tool.add("motor", "mechanical1d.Torque", {"torque": 0.6})
    tool.add("windage", "mechanical1d.RotationalDrag", {"b": 5e-4})
    tool.add("gear", "mechanical1d.Planetary", {"ratio": 3.0})
    for shaft, wheel in {"rotor.flange": "gear.sun", "carrier.flange": "gear.carrier", "housing.shaft": "gear.ring"}.items():
        tool.connect(shaft, wheel)
    tool.connect("rotor.flange", "motor.flange")
    tool.connect("rotor.flange", "windage.flange")
    tool.join("mechanical1d.RigidShaft", "carrier.flange", "chuck.flange")
    tool.join("mechanical1d.RotationalFriction", "chuck.flange", "bit.flange", {"kinetic": 2.0}, name="clutch")
    tool.join("mechanical1d.RotationalSpringDamper", "housing.shaft", "bit.flange", {"k": 50.0, "b": 0.05}, name="screw")
    return tool


def projector() -> System:
    """Returns a Geneva drive of four slots, whose crank turns 24 times a second."""
    drive = System("projector")
    drive.add("crank", "mechanical1d.Speed", {"speed": 48 * np.pi, "angle": -np.pi / 2})
    drive.add("sprocket", "mechanical1d.Inertia", {"I": 1e-5})
    drive.join("mechanical1d.Geneva", "crank.flange", "sprocket.flange", {"slots": 4}, name="wheel")
    return drive


def router() -> System:
    """Returns a table of 40 kg that a pinion moves by 0.6 m and back in two seconds."""
    axis = System("router")
    axis.add("motor", "mechanical1d.Angle")
    axis.add("table", "mechanical1d.Mass", {"m": 40.0})
    axis.add("guide", "mechanical1d.Drag", {"b": 50.0})
    axis.connect("table.flange", "guide.flange")
    axis.join("mechanical1d.RackAndPinion", "motor.flange", "table.flange", {"radius": 0.02})
    axis.drive("motor.angle", 15 * (1 - sympy.cos(sympy.pi * t)))
    return axis


def main() -> None:
    report = Report("Gears and racks")
    run = screwdriver().simulate(0.6)
    report.figure("the screw is tightened by", run["screw.tension"][-1], 2.0, "N.m")
    report.figure("the chuck slips at", run["chuck.w"][-1], (0.6 - 2.0 / 4) / 5e-4 / 4, "rad/s", within=1e-4)
    report.show(run, "screw.tension", "chuck.w", moving=False)
    run = projector().simulate(2 / 24)
    report.figure("two turns of the crank turn the sprocket by", abs(np.ptp(run["sprocket.phi"])), np.pi, "rad")
    report.show(run, "sprocket.phi", "sprocket.w", moving=False)
    run = router().simulate(2.0)
    report.figure(
        "greatest torque of the motor", run["motor.torque"].max(), 0.02 * 0.3 * np.pi * np.hypot(40.0 * np.pi, 50.0), "N.m", within=1e-4
    )
    report.show(run, "table.s", "motor.torque", moving=False)
    report.end()


if __name__ == "__main__":
    main()
