"""Rubber mounts and seats.

A jet engine hangs on three rubber mounts. A driver's seat on a spring rides over a shaking floor.
"""

import numpy as np
import sympy
from report import Report

from jourdain import System
from jourdain.declare import t


def jet_engine() -> System:
    """Returns an engine of 900 kg with a thrust of 40 kN, on three mounts of 2 MN/m."""
    wing = System("jet engine", gravity=(0.0, -9.81))
    points = {f"p{i + 1}.rx": rx for i, rx in enumerate((-0.8, 0.0, 0.8))}
    wing.add("engine", "planar.Body4", {"m": 900.0, "I": 250.0, **points})
    for i, rx in enumerate((-0.8, 0.0, 0.8), start=1):
        wing.add(f"pylon {i}", "planar.Fixed", {"p1.rx": rx})
        stiffness = {"translation.kx": 2e6, "translation.bx": 2e4, "translation.ky": 2e6, "translation.by": 2e4}
        wing.join("planar.Bushing", f"pylon {i}.p1", f"engine.p{i}", stiffness, name=f"mount {i}")
    wing.add("thrust", "planar.FollowerWrench")
    wing.connect("engine.p4", "thrust.M")
    wing.drive("thrust.Fx", 40e3)
    return wing


def seat() -> System:
    """Returns a seat of 80 kg on a spring of 8 kN/m with a damper, over a floor that moves by 10 mm at 5 Hz."""
    cabin = System("seat", gravity=(0.0, 0.0))
    cabin.add("floor", "planar.Motion")
    cabin.add("seat", "planar.TranslationalBody", {"m": 80.0, "I": 5.0, "k": 8e3, "b": 400.0, "P.angle": -np.pi / 2})
    cabin.connect("floor.p1", "seat.P")
    cabin.drive("floor.y", 0.01 * sympy.sin(10 * sympy.pi * t))
    cabin.drive("floor.theta", np.pi / 2)
    return cabin


def main() -> None:
    report = Report("Rubber mounts and seats")
    run = jet_engine().simulate(1.0)
    report.figure("the engine moves forward by", run["engine.x"][-1], 40e3 / 6e6, "m", within=1e-3)
    report.figure("it sinks by", -run["engine.y"][-1], 900 * 9.81 / 6e6, "m", within=1e-3)
    report.show(run, "engine.x", "mount 1.translation.effortx")
    run, s = seat().simulate(4.0), 10j * np.pi
    passed = abs((400.0 * s + 8e3) / (80.0 * s**2 + 400.0 * s + 8e3))
    report.figure("the seat moves by", np.abs(run["seat.C1.y"][run.time > 3.0]).max(), 0.01 * passed, "m", within=1e-2)
    report.show(run, "seat.C1.y")
    report.end()


if __name__ == "__main__":
    main()
