"""Mounts and frames in space.

A granite table stands on four air springs. The wind bends the post of a road sign. A container is lashed to the deck of a ship. The trolley of an overhead crane
moves in a plane; its load swings in space.
"""

import numpy as np
import sympy
from report import Report

from jourdain import System
from jourdain.declare import t

G = 9.81  # m/s2


def granite_table() -> System:
    """Returns a table of 600 kg on four air springs of 50 kN/m, which was set down without load on them."""
    room = System("granite table", gravity=(0.0, 0.0, -G))
    corners = [(1.0, 0.6), (1.0, -0.6), (-1.0, 0.6), (-1.0, -0.6)]
    points = {f"p{i}.{axis}": value for i, corner in enumerate(corners, start=1) for axis, value in zip(("rx", "ry"), corner, strict=True)}
    room.add("table", "spatial.Body5", {"m": 600.0, "Ixx": 80.0, "Iyy": 210.0, "Izz": 280.0, **points})
    for i, (x, y) in enumerate(corners, start=1):
        room.add(f"foot {i}", "spatial.Fixed", {"p1.rx": x, "p1.ry": y})
        room.join("spatial.Bushing", f"foot {i}.p1", f"table.p{i}", {"translation.kz": 50e3, "translation.bz": 300.0}, name=f"spring {i}")
    room.add("instrument", "spatial.WeldedBody", {"m": 40.0, "Ixx": 2.0, "Iyy": 2.0, "Izz": 2.0})
    room.connect("table.p5", "instrument.P")
    return room


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


def ship() -> System:
    """Returns a container of 5 t on a deck that heaves by 2 m in 8 s."""
    sea = System("ship", gravity=(0.0, 0.0, -G))
    sea.add("deck", "spatial.Motion")
    sea.add("container", "spatial.Body1", {"m": 5e3, "Ixx": 8e3, "Iyy": 8e3, "Izz": 8e3, "p1.rz": -1.2, "z": 1.2, "vz": np.pi / 2})
    sea.join("spatial.Weld", "deck.p1", "container.p1", name="lashing")
    sea.drive("deck.z", 2.0 * sympy.sin(sympy.pi * t / 4))
    return sea


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
    report = Report("Mounts and frames in space")
    run, sag = granite_table().simulate(1.0), 640.0 * G / 200e3
    rate, frequency = 4 * 300.0 / (2 * 640.0), np.sqrt(200e3 / 640.0)
    damped = np.sqrt(frequency**2 - rate**2)
    now = sag * (1 - np.exp(-rate) * (np.cos(damped) + rate / damped * np.sin(damped)))
    report.figure("the table has sunk after 1 s by", -run["table.z"][-1], now, "m", within=1e-4)
    report.show(run, "table.z", "spring 1.translation.effortz")
    run = road_sign().simulate(0.1)
    report.figure("torque in the weld", run["weld.M.Cy"][-1], 1.2 * 1.1 / 2 * 30.0**2 * 2.5, "N.m")
    report.show(run, "sign.force", "weld.reaction")
    run = ship().simulate(8.0)
    report.figure("greatest force on the deck", run["lashing.reaction"].max(), 5e3 * (G + 2.0 * (np.pi / 4) ** 2), "N", within=1e-4)
    report.show(run, "container.z", "lashing.reaction")
    run, frequency = overhead_crane().simulate(3.0), np.sqrt(G / 4.0)
    along = 0.02 * np.cos(3.0 * frequency * np.sqrt(1 + 300.0 / 200.0))
    report.figure("the load is after 3 s along the rail at", run["load.x"][-1] - run["trolley.q"][-1], along, "m", within=1e-3)
    report.figure("the load is after 3 s across at", run["load.z"][-1], 0.02 * np.cos(3.0 * frequency), "m", within=1e-3)
    report.show(run, "load.x", "load.z")
    report.end()


if __name__ == "__main__":
    main()
