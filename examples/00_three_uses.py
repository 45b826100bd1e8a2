"""Mechanism, actuator, export.

1. A boom falls about its pin. The joint is ideal: Jourdain finds the force in the pin.
2. A hydraulic cylinder lifts the same boom. Oil and boom exchange force and motion every millisecond.
3. The boom on its pin becomes one FMU, which FMPy runs without Jourdain.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import fmpy
import numpy as np

from jourdain import System

MASS, LENGTH = 500.0, 1.0  # kg, m
FOOT = 0.5, -0.8  # m, of the cylinder


def boom() -> System:
    """Returns a boom that starts level, with its left end on a pin."""
    machine = System("boom", gravity=(0.0, -9.81))
    machine.add("ground", "planar.Fixed")
    machine.add("boom", "planar.Body2", {"m": MASS, "I": MASS * LENGTH**2 / 12, "p1.rx": -LENGTH / 2, "p2.rx": LENGTH / 2, "x": LENGTH / 2})
    machine.join("planar.Revolute", "ground.p1", "boom.p1", name="pin")
    return machine


def lifted() -> System:
    """Returns the same boom with a cylinder from the foot to its tip, which a pump fills."""
    machine = boom()
    machine.add("foot", "planar.Fixed", {"p1.rx": FOOT[0], "p1.ry": FOOT[1]})
    machine.join("planar.LinearActuator", "foot.p1", "boom.p2", {"offset": np.hypot(LENGTH - FOOT[0], FOOT[1])}, name="lift")
    machine.add("cylinder", "hydraulic.Cylinder", {"offset": -0.1, "p1": 10e5})
    machine.add("pump", "hydraulic.FlowSource", {"flow": 2e-4})
    machine.add("tank", "hydraulic.Tank")
    machine.connect("lift.flange", "cylinder.flange")
    machine.connect("pump.port", "cylinder.A")
    machine.join("hydraulic.Orifice", "cylinder.B", "tank.port", {"area": 1e-5}, name="return")
    return machine


def main() -> int:
    parser = argparse.ArgumentParser(description="Three uses of Jourdain, in a few lines each.")
    parser.add_argument("--out", type=Path, default=Path("build/demo"), help="folder for what is written (default: build/demo)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)

    print("1. A mechanism in motion: a boom of 500 kg falls about its pin.")
    fall = boom().simulate(2.0, progress=True)
    print(f"   It swings to {np.degrees(fall['boom.theta'].min()):.2f} degrees; the pin bears {fall['pin.reaction'].max():.1f} N.")

    print("2. A hydraulic actuator: a cylinder lifts the boom, coupled every millisecond.")
    rise = lifted().simulate(3.0, communication_step=1e-3, scheme="implicit", progress=True)
    print(f"   It rises to {np.degrees(rise['boom.theta'][-1]):.2f} degrees; the oil reaches {rise['cylinder.p1'].max() / 1e5:.2f} bar.")

    print("3. An export: the boom as one FMU, run by FMPy.")
    fmu = boom().export_fmu(folder / "boom.fmu", outputs=["boom.theta", "pin.reaction"])
    alone = fmpy.simulate_fmu(str(fmu), stop_time=2.0, output_interval=0.01)
    print(f"   It swings to {np.degrees(alone['boom.theta'].min()):.2f} degrees; the pin bears {alone['pin.reaction'].max():.1f} N.")

    rise.animate(folder / "lift.html")
    rise.plot("boom.theta", "cylinder.p1", path=folder / "lift.png")
    print(f"animation: {folder / 'lift.html'}\nplot: {folder / 'lift.png'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
