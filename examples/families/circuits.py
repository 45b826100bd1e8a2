"""Circuits, motors and controllers.

A defibrillator discharges a capacitor over a coil and the patient. A field-oriented controller runs up a spindle with a synchronous motor.
"""

import numpy as np
from report import Report

from jourdain import System


def defibrillator() -> System:
    """Returns a capacitor of 32 uF at 5 kV, a coil of 50 mH with 5 Ohm, and a patient of 50 Ohm to ground."""
    device = System("defibrillator")
    device.add("capacitor", "electrical.Capacitor", {"C": 32e-6, "v": 5e3})
    device.add("node", "electrical.Capacitor", {"C": 1e-9})
    device.add("ground", "electrical.Ground")
    device.join("electrical.Inductor", "capacitor.pin", "node.pin", {"L": 50e-3, "R": 5.0}, name="coil")
    device.join("electrical.Resistor", "node.pin", "ground.pin", {"R": 50.0}, name="patient")
    return device


def spindle() -> System:
    """Returns a spindle of 2 g.m2 with a motor of three pairs of poles, and a controller that asks for 15 A across the field."""
    mill = System("spindle")
    motor = {"pole_pairs": 3.0, "flux": 0.05, "Ld": 2e-3, "Lq": 2e-3, "R": 0.4}
    mill.add("motor", "electrical.PMSM", motor)
    mill.add("control", "electrical.DQCurrentController", {**motor, "bandwidth": 2000.0, "limit": 150.0})
    mill.add("rotor", "mechanical1d.Inertia", {"I": 2e-3})
    mill.connect("motor.flange", "rotor.flange")
    for axis in ("d", "q"):
        mill.connect(f"motor.current.{axis}", f"control.measurement.{axis}")
        mill.connect(f"control.v{axis}", f"motor.v{axis}")
    mill.connect("motor.speed", "control.speed")
    mill.drive("control.setpoint.q", 15.0)
    return mill


def main() -> None:
    report = Report("Circuits, motors and controllers")
    run, rate = defibrillator().simulate(0.012, solver="cvode"), 55.0 / (2 * 50e-3)
    growth = np.sqrt(rate**2 - 1 / (50e-3 * 32e-6) + 0j)
    peak = np.arctan(abs(growth) / rate) / abs(growth)
    current = 5e3 / (50e-3 * abs(growth)) * np.exp(-rate * peak) * np.sin(abs(growth) * peak)
    report.figure("greatest current through the patient", run["patient.current"].max(), current, "A", within=1e-3)
    report.figure(
        "energy that the patient takes", np.trapezoid(run["patient.loss"], run.time), 32e-6 * 5e3**2 / 2 * 50 / 55, "J", within=1e-2
    )
    report.show(run, "patient.current", "capacitor.v", moving=False)
    run, torque = spindle().simulate(0.05), 1.5 * 3 * 0.05 * 15.0
    report.figure("the current reaches", run["motor.iq"][-1], 15.0, "A", within=1e-4)
    report.figure("the spindle turns at", run["rotor.w"][-1], torque / 2e-3 * (0.05 - 1 / 2000.0), "rad/s", within=1e-3)
    report.show(run, "rotor.w", ("motor.id", "motor.iq"), moving=False)
    report.end()


if __name__ == "__main__":
    main()
