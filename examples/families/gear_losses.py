"""Gears with losses.

A hoist with a worm holds its load when the motor lets go. A ball screw lowers a table, which drives its motor. A chain and a planetary gear drive a mixer.
A chain hoist lifts a crate over a wheel with six pockets.
"""

import numpy as np
from report import Report

from jourdain import System

G = 9.81  # m/s2


def worm() -> System:
    """Returns a drum with 100 kg on a self-locking worm, whose motor drives for 2 s and lets go."""
    hoist = System("worm")
    hoist.add("motor", "mechanical1d.Inertia", {"I": 0.05})
    hoist.add("drum", "mechanical1d.Inertia", {"I": 1.0})
    hoist.add("current", "mechanical1d.Torque")
    hoist.add("load", "mechanical1d.Torque", {"torque": -100 * G * 0.1})
    hoist.connect("current.flange", "motor.flange")
    hoist.connect("load.flange", "drum.flange")
    hoist.join("mechanical1d.Worm", "motor.flange", "drum.flange", {"teeth": 40.0, "mu": 0.15}, name="gear")
    hoist.drive("current.torque", [(0.0, 7.0), (2.0, 7.0), (2.001, 0.0), (4.0, 0.0)])
    return hoist


def table() -> System:
    """Returns a table of 80 kg on a steep screw with little friction, which turns the motor."""
    press = System("table")
    press.add("motor", "mechanical1d.Inertia", {"I": 2e-3})
    press.add("table", "mechanical1d.Mass", {"m": 80.0})
    press.add("weight", "mechanical1d.Force", {"force": -80 * G})
    press.connect("weight.flange", "table.flange")
    press.join("mechanical1d.PowerScrew", "motor.flange", "table.flange", {"lead": 0.02, "mu": 0.01}, name="screw")
    return press


def mixer() -> System:
    """Returns a motor of 10 N.m, a chain of 15 to 45 teeth, a gear, a planetary gear with a held ring, and a viscous mixer."""
    plant = System("mixer")
    plant.add("motor", "mechanical1d.Torque", {"torque": 10.0})
    for name in ("first", "second", "third", "blade"):
        plant.add(name, "mechanical1d.Inertia", {"I": 0.1})
    plant.add("frame", "mechanical1d.Fixed1D")
    plant.add("dough", "mechanical1d.SpeedTorque", {"linear": 60.0})
    plant.connect("motor.flange", "first.flange")
    plant.connect("dough.flange", "blade.flange")
    plant.join(
        "mechanical1d.ToothedBelt", "first.flange", "second.flange", {"teeth_M": 15.0, "teeth_N": 45.0, "efficiency": 0.97}, name="chain"
    )
    plant.join("mechanical1d.LossyGear", "second.flange", "third.flange", {"ratio": 2.0, "efficiency": 0.96}, name="gear")
    plant.add("planets", "mechanical1d.LossyPlanetary", {"ratio": 3.0, "efficiency": 0.98})
    for a, b in {"third.flange": "sun", "blade.flange": "carrier", "frame.shaft": "ring"}.items():
        plant.connect(a, f"planets.{b}")
    return plant


def chain_hoist() -> System:
    """Returns a motor with 2 N.m, a gear, and a wheel with pockets at a pitch of 30 mm, over which a chain lifts 250 kg."""
    hoist = System("chain hoist")
    hoist.add("motor", "mechanical1d.Inertia", {"I": 0.01})
    hoist.add("wheel", "mechanical1d.Inertia", {"I": 0.02})
    hoist.add("crate", "mechanical1d.Mass", {"m": 250.0})
    hoist.add("current", "mechanical1d.Torque", {"torque": 2.0})
    hoist.add("weight", "mechanical1d.Force", {"force": -250 * G})
    hoist.connect("current.flange", "motor.flange")
    hoist.connect("weight.flange", "crate.flange")
    hoist.join("mechanical1d.LossyGear", "motor.flange", "wheel.flange", {"ratio": 60.0, "efficiency": 0.8, "back": 0.7}, name="gear")
    hoist.join("mechanical1d.RackAndPinion", "wheel.flange", "crate.flange", {"radius": 6 * 0.03 / (2 * np.pi)}, name="pockets")
    return hoist


def main() -> None:
    report = Report("Gears with losses")
    run = worm().simulate(4.0)
    report.figure("the drum creeps by", run["drum.phi"][-1] - run.at(3.0)["drum.phi"], 0.0, "rad", within=1e-9)
    report.show(run, "drum.phi", "motor.w", moving=False)
    run = table().simulate(1.0)
    r, lead = 0.02 / (2 * np.pi), np.arctan(0.02 / (np.pi * 0.02))
    rho = np.arctan(0.01 / np.cos(0.2618))
    back = np.tan(lead - rho) / np.tan(lead)
    report.figure("speed of the table", -run["table.v"][-1], back * 80 * G * r**2 / (2e-3 + back * 80 * r**2), "m/s")
    report.show(run, "table.v", "screw.loss", moving=False)
    run = mixer().simulate(60.0, solver="cvode")
    report.figure("torque on the blade", -run["dough.torque"][-1], 10 * 3 * 0.97 * 2 * 0.96 * (1 + 3 * 0.98), "N.m", within=1e-4)
    report.show(run, "blade.w", ("chain.loss", "gear.loss", "planets.loss"), moving=False)
    run = chain_hoist().simulate(1.0)
    r = 6 * 0.03 / (2 * np.pi) / 60
    lift = (2.0 - 250 * G * r / 0.8) / (0.01 + (0.02 / 60**2 + 250 * r**2) / 0.8) * r
    report.figure("the crate goes up at", run["crate.v"][-1], lift, "m/s")
    report.show(run, "crate.s", "gear.loss", moving=False)
    report.end()


if __name__ == "__main__":
    main()
