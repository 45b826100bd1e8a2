"""Mounts in space.

A granite table stands on four air springs. A container is lashed to the deck of a ship.
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


def ship() -> System:
    """Returns a container of 5 t on a deck that heaves by 2 m in 8 s."""
    sea = System("ship", gravity=(0.0, 0.0, -G))
    sea.add("deck", "spatial.Motion")
    sea.add("container", "spatial.Body1", {"m": 5e3, "Ixx": 8e3, "Iyy": 8e3, "Izz": 8e3, "p1.rz": -1.2, "z": 1.2, "vz": np.pi / 2})
    sea.join("spatial.Weld", "deck.p1", "container.p1", name="lashing")
    sea.drive("deck.z", 2.0 * sympy.sin(sympy.pi * t / 4))
    return sea


def main() -> None:
    report = Report("Mounts in space")
    run, sag = granite_table().simulate(1.0), 640.0 * G / 200e3
    rate, frequency = 4 * 300.0 / (2 * 640.0), np.sqrt(200e3 / 640.0)
    damped = np.sqrt(frequency**2 - rate**2)
    now = sag * (1 - np.exp(-rate) * (np.cos(damped) + rate / damped * np.sin(damped)))
    report.figure("the table has sunk after 1 s by", -run["table.z"][-1], now, "m", within=1e-4)
    report.show(run, "table.z", "spring 1.translation.effortz")
    run = ship().simulate(8.0)
    report.figure("greatest force on the deck", run["lashing.reaction"].max(), 5e3 * (G + 2.0 * (np.pi / 4) ** 2), "N", within=1e-4)
    report.show(run, "container.z", "lashing.reaction")
    report.end()


if __name__ == "__main__":
    main()
