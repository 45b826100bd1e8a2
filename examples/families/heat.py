"""Heat of motors and brakes.

A motor heats its winding, which cools in a draught. A brake that is used for too long gets hot and fades. A hot plate radiates.
"""

import numpy as np
from report import Report

from jourdain import System

ROOM = 293.15  # K


def winding() -> System:
    """Returns a stalled motor at 3 V; its winding is copper, and a fan cools it."""
    drive = System("winding")
    drive.add("battery", "electrical.VoltageSource", {"voltage": 3.0})
    drive.add("motor", "electrical.DCMotor", {"R": 0.5}, heat_port=True)
    drive.add("stall", "mechanical1d.Fixed1D")
    drive.add("copper", "thermal.Capacity", {"C": 30.0})
    drive.add("room", "thermal.FixedTemperature")
    drive.add("probe", "thermal.Sensor")
    drive.join("thermal.Convection", "copper.port", "room.port", {"area": 0.02, "h.still": 5.0, "h.moving": 5.0, "speed": 4.0}, name="fan")
    for a, b in {
        "battery.pin": "motor.pin",
        "stall.shaft": "motor.flange",
        "copper.port": "motor.heat",
        "probe.port": "copper.port",
    }.items():
        drive.connect(a, b)
    return drive


def descent() -> System:
    """Returns a brake that holds 20 rad/s against a torque of 60 N.m, until its disc is hot."""
    road = System("descent")
    road.add("frame", "mechanical1d.Fixed1D")
    road.add("wheel", "mechanical1d.Inertia", {"I": 5.0, "w": 20.0})
    road.add("slope", "mechanical1d.Torque", {"torque": 60.0})
    road.add("disc", "thermal.Capacity", {"C": 400.0, "reference": ROOM})
    road.connect("slope.flange", "wheel.flange")
    start = {"force": 750.0, "fade.temperature": 400.0, "fade.rate": 2e-3}
    road.join("mechanical1d.Brake", "frame.shaft", "wheel.flange", start, name="brake", heat_port=True)
    road.connect("disc.port", "brake.heat")
    return road


def plate() -> System:
    """Returns a plate under a heater of 100 W, which radiates and leads heat into a cold support."""
    oven = System("plate")
    oven.add("steel", "thermal.Capacity", {"C": 200.0})
    oven.add("heater", "thermal.PrescribedFlow", {"flow": 100.0})
    oven.add("room", "thermal.FixedTemperature")
    oven.connect("heater.port", "steel.port")
    oven.join("thermal.Radiation", "steel.port", "room.port", {"area": 0.05}, name="surface")
    oven.join("thermal.Conductor", "steel.port", "room.port", {"G": 0.1}, name="support")
    return oven


def main() -> None:
    report = Report("Heat of motors and brakes")
    run = winding().simulate(1500.0, solver="cvode")
    rise = 9 / 0.5 / (15 * 0.02)  # W/K
    hot = (np.sqrt(1 + 4 * 3.93e-3 * rise) - 1) / (2 * 3.93e-3)
    report.figure("the winding reaches", run["probe.celsius"][-1], ROOM - 273.15 + hot, "C", within=1e-4)
    report.show(run, "probe.celsius", "motor.current", moving=False)
    run = descent().simulate(60.0)
    lasts = 400 * (400 - ROOM) / (60 * 20)
    report.figure("speed before fading", run.at(0.99 * lasts)["wheel.w"], 20.0, "rad/s", within=1e-6)
    report.figure("heat in the disc", run.at(0.99 * lasts)["disc.heat"], 1200 * 0.99 * lasts, "J")
    report.show(run, "wheel.w", "disc.T", moving=False)
    run = plate().simulate(5000.0, solver="cvode")
    T = run["steel.T"][-1]
    report.figure("heat that leaves", 0.9 * 5.670374419e-8 * 0.05 * (T**4 - ROOM**4) + 0.1 * (T - ROOM), 100.0, "W", within=1e-4)
    report.show(run, "steel.T", ("surface.flow", "support.flow"), moving=False)
    report.end()


if __name__ == "__main__":
    main()
