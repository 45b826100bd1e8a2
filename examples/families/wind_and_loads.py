"""Wind and hanging loads.

The wind bends the post of a road sign. A skydiver falls with measured resistance. The trolley of an overhead crane moves in a plane; its load swings in space.
"""

import numpy as np
from report import Report

from jourdain import System

G = 9.81  # m/s2


def road_sign() -> System:
    """Returns a sign of 1 m2, 2.5 m above the weld of its post, in wind of 30 m/s."""
    road = System("road sign", gravity=(0.0, 0.0, -G))
    road.add("ground", "spatial.Fixed")
    road.add("post", "spatial.Body2", {"m": 25.0, "z": 1.25, "p1.rz": -1.25, "p2.rz": 1.25})
    road.join("spatial.Weld", "ground.p1", "post.p1", name="weld")
    road.add("sign", "spatial.Drag", {"c": 1.2 * 1.1 * 1.0 / 2})
    road.connect("post.p2", "sign.M")
    road.drive("sign.medium.vx", 30.0)
    return road


def skydiver() -> System:
    """Returns a person of 80 kg who leaves an aeroplane at 50 m/s; the resistance was measured in a wind tunnel (m/s, N)."""
    sky = System("skydiver", gravity=(0.0, -G))
    sky.add("person", "planar.PointMass1", {"m": 80.0, "vx": 50.0})
    sky.add("air", "planar.TableDrag", {"resistance": [[0, 20, 40, 60, 80], [0, 120, 450, 950, 1700]]})
    sky.connect("person.p1", "air.M")
    return sky


def overhead_crane() -> System:
    """Returns a trolley of 200 kg, free on its rail, and a load of 300 kg on a rod of 4 m, which is off by 0.02 m along the rail and across."""
    hall = System("overhead crane", gravity=(0.0, -G, 0.0))
    hall.add("rail", "planar.Fixed")
    hall.add("trolley", "planar.TranslationalBody", {"m": 200.0, "I": 20.0})
    hall.add("hook", "spatial.PlanarFrame")
    hall.add("load", "spatial.PointMass1", {"m": 300.0, "x": 0.02, "y": -np.sqrt(16.0 - 2 * 0.02**2), "z": 0.02})
    hall.connect("rail.p1", "trolley.P")
    hall.connect("trolley.C1", "hook.planar")
    hall.join("spatial.Rod", "hook.spatial", "load.p1", {"length": 4.0}, name="rod")
    return hall


def main() -> None:
    report = Report("Wind and hanging loads")
    run = road_sign().simulate(0.1)
    report.figure("torque in the weld", run["weld.M.Cy"][-1], 1.2 * 1.1 / 2 * 30.0**2 * 2.5, "N.m")
    report.show(run, "sign.force", "weld.reaction")
    run = skydiver().simulate(60.0)
    report.figure("final speed of the skydiver", -run["person.vy"][-1], np.interp(80.0 * G, [450, 950], [40, 60]), "m/s", within=1e-4)
    report.show(run, "person.vx", "person.vy")
    run, frequency = overhead_crane().simulate(3.0), np.sqrt(G / 4.0)
    along = 0.02 * np.cos(3.0 * frequency * np.sqrt(1 + 300.0 / 200.0))
    report.figure("the load is after 3 s along the rail at", run["load.x"][-1] - run["trolley.q"][-1], along, "m", within=1e-3)
    report.figure("the load is after 3 s across at", run["load.z"][-1], 0.02 * np.cos(3.0 * frequency), "m", within=1e-3)
    report.show(run, "load.x", "load.z")
    report.end()


if __name__ == "__main__":
    main()
