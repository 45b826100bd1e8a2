"""Bevel and worm gears.

A differential of bevel gears drives two wheels of an axle, which turn as they like. A motor turns a table by a worm, which stops it.
"""

import numpy as np
from report import Report

from jourdain import System

SUN, PLANET = 0.04, 0.03  # m


def differential() -> System:
    """Returns a cage with 30 N.m, whose bevel gear drives wheels of 2 and 3 kg.m2 on either side."""
    axle = System("differential", gravity=(0.0, 0.0, 0.0))
    axle.add("frame", "spatial.Fixed")
    across = {"C1.rx": SUN, "C1.zx": 1.0, "C1.zz": 0.0, "C1.xx": 0.0, "C1.xz": -1.0}
    axle.add("cage", "spatial.RevoluteBody", {"m": 0.0, "Ixx": 0.0, "Iyy": 0.0, "Izz": 0.0, **across})
    axle.add("planet", "spatial.RevoluteBody", {"m": 0.0, "Ixx": 0.0, "Iyy": 0.0, "Izz": 0.0})
    axle.connect("frame.p1", "cage.P")
    axle.connect("cage.C1", "planet.P")
    for side, inertia, place in (("left", 2.0, PLANET), ("right", 3.0, -PLANET)):
        axle.add(side, "spatial.RevoluteBody", {"Izz": inertia, "C1.rz": place})
        axle.connect("frame.p1", f"{side}.P")
        axle.join("spatial.GearPair", f"{side}.C1", "planet.C1", {"radius_M": SUN, "radius_N": PLANET}, name=f"teeth_{side}")
    axle.drive("cage.torque", 30.0)
    return axle


def table() -> System:
    """Returns a table of 8 kg.m2 on a worm, whose motor has 2 N.m for 1 s."""
    shop = System("table", gravity=(0.0, 0.0, 0.0))
    shop.add("motor bed", "spatial.Fixed", {"p1.zy": 1.0, "p1.zz": 0.0})
    shop.add("table bed", "spatial.Fixed", {"p1.rx": 0.06})  # half of 20 mm and of 50 teeth of 2 mm
    shop.add("motor", "spatial.RevoluteBody", {"Izz": 2e-3})
    shop.add("table", "spatial.RevoluteBody", {"m": 40.0, "Izz": 8.0})
    for each in ("motor", "table"):
        shop.connect(f"{each} bed.p1", f"{each}.P")
    shop.join("spatial.WormGear", "motor.C1", "table.C1", {"teeth": 50.0, "mu": 0.12, "bearing": 0.5}, name="gear")
    shop.drive("motor.torque", [(0.0, 2.0), (1.0, 2.0), (1.001, 0.0), (2.0, 0.0)])
    return shop


def main() -> None:
    report = Report("Bevel and worm gears")
    run = differential().simulate(2.0)
    report.figure("the left wheel turns at", run["left.qd"][-1], 30 / 2 / 2.0 * 2, "rad/s")
    report.figure("the right wheel turns at", run["right.qd"][-1], 30 / 2 / 3.0 * 2, "rad/s")
    report.figure("force at the teeth", run["teeth_left.reaction"][-1], 30 / 2 / SUN, "N")
    report.show(run, ("left.qd", "right.qd", "cage.qd"))
    run = table().simulate(2.0)
    lead = np.arctan(2.0 / 20.0)
    efficiency = np.tan(lead) / np.tan(lead + np.arctan(0.12 / np.cos(0.2618)))
    speed = (2.0 - 0.5) * 50 * efficiency / (8.0 + 50**2 * 2e-3 * efficiency)
    report.figure("speed of the table", abs(run.at(1.0)["table.qd"]), speed, "rad/s")
    report.figure("it stops the table", run["table.qd"][-1], 0.0, "rad/s")
    report.show(run, "table.qd", "gear.loss")
    report.end()


if __name__ == "__main__":
    main()
