"""Cylinders, hoses and hydraulic motors.

A pump turns a winch over a long hose. A steering cylinder with two rods moves alike both ways.
"""

import numpy as np
from report import Report

from jourdain import System

BAR = 1e5  # Pa


def winch() -> System:
    """Returns a pump of 1 l/s, a hose of 5 m, and a motor of 80 ml/rad under a load of 400 N.m."""
    deck = System("winch")
    deck.add("pump", "hydraulic.FlowSource", {"flow": 1e-3})
    deck.add("hose", "hydraulic.Hose", {"length": 5.0, "diameter": 0.02, "turbulent": 0.0, "p": 54.5 * BAR, "flow": 1e-3})
    deck.add("inlet", "hydraulic.Volume", {"p": 54 * BAR})
    deck.add("tank", "hydraulic.Tank")
    deck.add("drum", "mechanical1d.Inertia", {"I": 0.5, "w": 12.0})
    deck.add("load", "mechanical1d.Torque", {"torque": -400.0})
    deck.connect("pump.port", "hose.A")
    deck.connect("inlet.port", "hose.B")
    deck.connect("load.flange", "drum.flange")
    deck.add("motor", "hydraulic.Motor", {"displacement": 8e-5, "viscous": 2.0, "leakage": 0.0})
    for port, end in {"inlet.port": "A", "tank.port": "B", "drum.flange": "flange"}.items():
        deck.connect(port, f"motor.{end}")
    return deck


def steering() -> System:
    """Returns a cylinder with two rods, which 0.2 l/s push to one side against 5 kN, while the oil of the other side goes to the tank."""
    ship = System("steering")
    ship.add("pump", "hydraulic.FlowSource", {"flow": 2e-4})
    ship.add("cylinder", "hydraulic.DoubleRodCylinder", {"viscous": 1e4})
    ship.add("rudder", "mechanical1d.Mass", {"m": 50.0, "s": 0.1})
    ship.add("water", "mechanical1d.Force", {"force": -5e3})
    ship.add("tank", "hydraulic.Tank")
    ship.connect("pump.port", "cylinder.A")
    ship.connect("rudder.flange", "cylinder.flange")
    ship.connect("rudder.flange", "water.flange")
    ship.join("hydraulic.Orifice", "cylinder.B", "tank.port", {"area": 1e-4})
    return ship


def main() -> None:
    report = Report("Cylinders, hoses and hydraulic motors")
    run = winch().simulate(4.0, solver="cvode")
    report.figure("the drum turns at", run["drum.w"][-1], 1e-3 / 8e-5, "rad/s", within=1e-4)
    report.figure(
        "loss of pressure in the hose",
        (run["hose.p"] - run["inlet.p"])[-1] / BAR,
        128 * 0.04 * 5 * 1e-3 / (np.pi * 0.02**4) / BAR,
        "bar",
        within=1e-3,
    )
    report.show(run, "drum.w", ("hose.p", "inlet.p"), moving=False)
    run, area = steering().simulate(1.0, solver="cvode"), np.pi / 4 * (0.08**2 - 0.035**2)
    report.figure("speed of the rudder", run["rudder.v"][-1], 2e-4 / area, "m/s", within=1e-3)
    report.show(run, "rudder.s", ("cylinder.p1", "cylinder.p2"), moving=False)
    report.end()


if __name__ == "__main__":
    main()
