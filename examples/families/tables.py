"""Characteristic curves from tables.

A truck lands on a progressive spring. An engine with a map drives a fan, and a stepping motor rests in its detents. A metering edge
lets oil through.
"""

import numpy as np
from report import Report
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from jourdain import System
from jourdain.declare import t

DEFLECTION, FORCE = [-0.2, -0.1, 0.0, 0.1], [-60e3, -12e3, 0.0, 0.0]
"""Spring of a truck, which hardens when it is pressed and does not pull (m, N)."""


def landing() -> System:
    """Returns a mass of 500 kg that meets a spring by a table at 2 m/s."""
    truck = System("truck")
    truck.add("ground", "mechanical1d.Fixed1D")
    truck.add("mass", "mechanical1d.Mass", {"m": 500.0, "s": 0.0, "v": -2.0})
    truck.join("mechanical1d.TableSpring", "ground.flange", "mass.flange", {"force": [DEFLECTION, FORCE]}, name="spring")
    return truck


def engine() -> System:
    """Returns an engine whose torque is a map of throttle and speed, a fan by a curve of the speed, and a rotor in detents."""
    plant = System("engine")
    plant.add("rotor", "mechanical1d.Inertia", {"I": 0.5, "w": 100.0})
    plant.add("torque", "mechanical1d.Torque")
    plant.add("fan", "mechanical1d.TableTorque", {"torque": {"points": [[0, 100, 200], [0, -20, -80]], "kind": "cubic"}})
    plant.add("map", "signal.Map", {"map": [[0, 1], [0, 100, 200], [[0, -5, -10], [60, 80, 70]]]})
    plant.add("pedal", "signal.Curve", {"curve": [[0, 0.3, 1], [0, 0.1, 1]]})
    for end in ("torque.flange", "fan.flange"):
        plant.connect(end, "rotor.flange")
    plant.connect("pedal.y", "map.u1")
    plant.connect("rotor.flange.w", "map.u2")
    plant.connect("map.y", "torque.torque")
    plant.drive("pedal.u", 1.0)
    plant.add("stator", "mechanical1d.Fixed1D")
    plant.add("stepper", "mechanical1d.Inertia", {"I": 0.01, "phi": 0.1})
    step = np.linspace(0, np.pi / 4, 9)
    detent = {"points": [step, [*np.sin(8 * step[:-1]), 0.0]], "kind": "periodic cubic"}
    brake = [[-1, 1], [-0.02, 0.02]]
    plant.join("mechanical1d.RotationalTableSpring", "stator.shaft", "stepper.flange", {"force": detent, "damping": brake}, name="detent")
    return plant


def metering() -> System:
    """Returns a metering valve between a supply and a tank, whose opening is driven."""
    circuit = System("metering")
    circuit.add("supply", "hydraulic.PressureSource", {"pressure": 1e7})
    circuit.add("tank", "hydraulic.Tank")
    circuit.join("hydraulic.MeteringValve", "supply.port", "tank.port", {"area": [[0, 0.2, 1], [0, 1e-6, 2e-5]]}, name="valve")
    circuit.drive("valve.opening", 2.0 * t)
    return circuit


def main() -> None:
    report = Report("Characteristic curves from tables")
    run = landing().simulate(0.3, output_interval=1e-4, rtol=1e-9)
    left = 0.5 * 500 * 2**2 - 0.5 * 12e3 * 0.1  # energy beyond the soft part of the spring, in J
    travel = 0.1 + (np.sqrt(12e3**2 + 2 * 480e3 * left) - 12e3) / 480e3
    report.figure("travel of the truck", -min(run["mass.s"]), travel, "m", within=1e-4)
    report.show(run, "mass.s", "spring.tension", moving=False)
    run = engine().simulate(20.0)
    balance = brentq(lambda w: 90 - 0.1 * w + PchipInterpolator([0, 100, 200], [0, -20, -80])(w), 100, 200)
    report.figure("speed at which engine and fan agree", run["rotor.w"][-1], balance, "rad/s", within=1e-5)
    report.figure("detent in which the stepping motor rests", run["stepper.phi"][-1], 0.0, "rad", within=1e-6)
    report.show(run, "rotor.w", "stepper.phi", moving=False)
    run = metering().simulate(0.3)
    flow = 0.7 * np.interp(0.6, [0, 0.2, 1], [0, 1e-6, 2e-5]) * np.sqrt(2 * run["valve.drop"][-1] / 870)
    report.figure("flow over the metering edge", run["valve.flow"][-1], flow, "m3/s")
    report.show(run, "valve.flow", moving=False)
    report.end()


if __name__ == "__main__":
    main()
