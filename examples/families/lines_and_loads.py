"""Buffers, brakes and loads.

A wagon hits another one with elastic buffers. A clamp stops a slide. A hoist drops its load against an eddy-current brake. A fan and a winder
load a motor. A claw coupling takes up its play. A seat hangs on a spring that hardens, by a formula.
"""

import numpy as np
from report import Report

from jourdain import System, force_law


def shunting() -> System:
    """Returns a wagon that meets an equal one, which stands; a rubber element in series holds it."""
    yard = System("shunting")
    yard.add("front", "mechanical1d.LongMass", {"m": 2e4, "length": 10.0, "s": 12.0})
    yard.add("back", "mechanical1d.LongMass", {"m": 2e4, "length": 10.0, "v": 2.0})
    yard.add("rail", "mechanical1d.Fixed1D", {"position": 18.0})
    yard.join("mechanical1d.ElasticGap", "back.upper", "front.lower", {"gap": 0.2, "k": 2e6}, name="buffers")
    yard.join("mechanical1d.SeriesSpringDamper", "front.upper", "rail.flange", {"k": 1e3, "b": 1e5, "rest": 1.0}, name="rubber")
    return yard


def clamp() -> System:
    """Returns a slide of 5 kg at 2 m/s, which a clamp of 100 N holds."""
    axis = System("clamp")
    axis.add("rail", "mechanical1d.Fixed1D")
    axis.add("slide", "mechanical1d.Mass", {"m": 5.0, "v": 2.0})
    axis.join("mechanical1d.LineBrake", "rail.flange", "slide.flange", {"force": 100.0, "mu": 0.3}, name="pads")
    return axis


def hoist() -> System:
    """Returns a drum whose load falls against an eddy-current brake of 40 N.m at 60 rad/s."""
    mine = System("hoist")
    mine.add("frame", "mechanical1d.Fixed1D")
    mine.add("drum", "mechanical1d.Inertia", {"I": 0.5})
    mine.add("load", "mechanical1d.Torque", {"torque": 32.0})
    mine.connect("load.flange", "drum.flange")
    mine.join("mechanical1d.EddyCurrentBrake", "frame.shaft", "drum.flange", {"peak": 40.0, "critical": 60.0}, name="brake")
    return mine


def loaded() -> System:
    """Returns a motor torque of 20 N.m on a claw coupling with play, a fan and a winder of constant power."""
    hall = System("loaded")
    hall.add("motor", "mechanical1d.Torque", {"torque": 20.0})
    hall.add("rotor", "mechanical1d.Inertia", {"I": 0.2, "phi": -0.05, "w": 50.0})
    hall.add("load", "mechanical1d.Inertia", {"I": 1.0, "w": 50.0})
    hall.add("fan", "mechanical1d.SpeedTorque", {"quadratic": 2e-3, "power": 500.0, "steady": 2.0, "slow": 1.0})
    hall.connect("motor.flange", "rotor.flange")
    hall.connect("fan.flange", "load.flange")
    hall.join("mechanical1d.RotationalElasticGap", "rotor.flange", "load.flange", {"gap": 0.0, "k": 2e3, "c": 10.0}, name="claws")
    return hall


def seat() -> System:
    """Returns a seat of 60 kg that swings by 50 mm on a spring that hardens."""
    cabin = System("seat")
    cabin.add("floor", "mechanical1d.Fixed1D")
    cabin.add("seat", "mechanical1d.Mass", {"m": 60.0, "s": 0.05})
    spring = force_law("k*s + k3*s**3", k=("N/m", 5e3), k3=("N/m3", 4e6))
    cabin.join(spring, "floor.flange", "seat.flange", name="spring")
    return cabin


def main() -> None:
    report = Report("Buffers, brakes and loads")
    run = shunting().simulate(2.0, rtol=1e-9)
    report.figure("speed of the wagon that stood", run["front.v"].max(), 2.0, "m/s", within=2e-3)
    report.figure("greatest force of the buffers", run["buffers.force"].max() / 1e3, 2 * np.sqrt(2e6 * 1e4) / 1e3, "kN", within=2e-3)
    report.show(run, ("front.v", "back.v"), "buffers.force", moving=False)
    run = clamp().simulate(0.5)
    report.figure("way of the slide", run["slide.s"][-1], 5 * 2.0**2 / 2 / 60, "m")
    report.show(run, "slide.v", moving=False)
    run = hoist().simulate(20.0)
    x = 40 / 32 - np.sqrt((40 / 32) ** 2 - 1)
    report.figure("the load falls at", run["drum.w"][-1], 60 * x, "rad/s", within=1e-5)
    report.show(run, "drum.w", "brake.torque", moving=False)
    run = loaded().simulate(60.0)
    w = max(np.roots([2e-3, 0, 2.0 - 20.0, 500.0]).real)
    report.figure("the fan turns at", run["load.w"][-1], w, "rad/s", within=1e-4)
    report.show(run, ("rotor.w", "load.w"), "claws.torque", moving=False)
    run = seat().simulate(1.0, rtol=1e-9)
    speed = np.sqrt((5e3 * 0.05**2 / 2 + 4e6 * 0.05**4 / 4) * 2 / 60)
    report.figure("greatest speed of the seat", abs(run["seat.v"]).max(), speed, "m/s", within=1e-3)
    report.show(run, "seat.s", "spring.tension", moving=False)
    report.end()


if __name__ == "__main__":
    main()
