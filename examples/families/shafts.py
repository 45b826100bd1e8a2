"""Shafts, belts and brakes.

A belt drives a fan. The shaft of a ship twists between engine and propeller. A steering wheel has play. A brake stops the flywheel of a mill.
"""

import numpy as np
import sympy
from report import Report

from jourdain import System
from jourdain.declare import t


def fan() -> System:
    """Returns a motor of 4 N.m that drives a fan by a belt, with pulleys of 0.05 m and 0.15 m; air resists by 2 mN.m s2."""
    drive = System("fan")
    drive.add("motor", "mechanical1d.Torque", {"torque": 4.0})
    drive.add("rotor", "mechanical1d.Inertia", {"I": 0.02})
    drive.add("fan", "mechanical1d.Inertia", {"I": 0.3})
    drive.add("air", "mechanical1d.RotationalDrag", {"c": 2e-3})
    drive.connect("rotor.flange", "motor.flange")
    drive.connect("fan.flange", "air.flange")
    drive.join("mechanical1d.BeltDrive", "rotor.flange", "fan.flange", {"radius_M": 0.05, "radius_N": 0.15, "tension": 200.0}, name="belt")
    return drive


def ship() -> System:
    """Returns an engine of 60 kg.m2 and a propeller of 20 kg.m2, whose shaft of 120 kN.m/rad is twisted by 0.01 rad."""
    shaft = System("ship")
    shaft.add("engine", "mechanical1d.Inertia", {"I": 60.0})
    shaft.add("propeller", "mechanical1d.Inertia", {"I": 20.0, "phi": 0.01})
    shaft.join("mechanical1d.RotationalSpringDamper", "engine.flange", "propeller.flange", {"k": 1.2e5}, name="shaft")
    return shaft


def steering() -> System:
    """Returns a steering wheel that is turned by half a radian to and fro; the column has 0.06 rad of play and dry friction."""
    car = System("steering")
    car.add("wheel", "mechanical1d.Angle")
    car.add("column", "mechanical1d.Inertia", {"I": 0.05})
    car.add("body", "mechanical1d.Fixed1D")
    car.join("mechanical1d.RotationalBacklash", "wheel.flange", "column.flange", {"play": 0.06}, name="joint")
    car.join("mechanical1d.RotationalFriction", "body.shaft", "column.flange", {"kinetic": 5.0}, name="bearing")
    car.drive("wheel.angle", 0.25 * (1 - sympy.cos(2 * t)))
    return car


def mill() -> System:
    """Returns a flywheel of 8 kg.m2 at 60 rad/s, on whose brake two pads of friction 0.4 press with 500 N at 0.3 m."""
    machine = System("mill")
    machine.add("frame", "mechanical1d.Fixed1D")
    machine.add("flywheel", "mechanical1d.Inertia", {"I": 8.0, "w": 60.0})
    machine.join("mechanical1d.Brake", "frame.shaft", "flywheel.flange", {"mu": 0.4, "radius": 0.3, "surfaces": 2}, name="brake")
    machine.drive("brake.force", 500.0)
    return machine


def main() -> None:
    report = Report("Shafts, belts and brakes")
    run, fastest = fan().simulate(4.0), np.sqrt(4.0 * 3 / 2e-3)
    report.figure("the fan turns after 4 s at", run["fan.w"][-1], fastest * np.tanh(4.0 * 12 / ((0.3 + 0.02 * 9) * fastest)), "rad/s")
    report.show(run, "fan.w", "belt.lambda[1]", moving=False)
    run, frequency = ship().simulate(0.1), np.sqrt(1.2e5 * (1 / 60 + 1 / 20))
    report.figure("twist of the shaft after 0.1 s", run["shaft.q"][-1], 0.01 * np.cos(0.1 * frequency), "rad", within=1e-4)
    report.show(run, "shaft.q", "shaft.tension", moving=False)
    run = steering().simulate(2 * np.pi)
    late = run.time > np.pi / 2
    report.figure("the column turns by", np.ptp(run["column.phi"][late]), 0.5 - 0.06, "rad", within=1e-4)
    report.show(run, "column.phi", "bearing.lambda[1]", moving=False)
    run, torque = mill().simulate(6.0), 0.4 * 0.3 * 2 * 500
    stands = next(change.time for change in run.changes if change.what.endswith("sticks"))
    report.figure("the flywheel stands after", stands, 8.0 * 60 / torque, "s")
    report.figure("heat in the brake", np.trapezoid(run["brake.loss"], run.time), 8.0 * 60**2 / 2, "J", within=1e-3)
    report.show(run, "flywheel.w", "brake.loss", moving=False)
    report.end()


if __name__ == "__main__":
    main()
