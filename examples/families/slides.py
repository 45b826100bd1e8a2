"""Screws, slides and drills.

A screw lifts a car. The quill of a drill springs back while its spindle runs down. A portal moves a tool, whose slide is balanced.
"""

import numpy as np
import sympy
from report import Report

from jourdain import System
from jourdain.declare import t

G = 9.81  # m/s2


def jack() -> System:
    """Returns a spindle with a pitch of 5 mm and a motor of 7 N.m, under a load of 800 kg."""
    garage = System("jack", gravity=(0.0, 0.0, -G))
    garage.add("nut", "spatial.Fixed")
    garage.add("spindle", "spatial.Body2", {"m": 800.0, "Izz": 0.02})
    garage.join("spatial.Screw", "nut.p1", "spindle.p1", {"pitch": 5e-3}, name="thread")
    garage.add("motor", "spatial.FollowerWrench")
    garage.connect("spindle.p2", "motor.M")
    garage.drive("motor.Cz", 7.0)
    return garage


def drill() -> System:
    """Returns a quill of 4 kg on a spring of 900 N/m, 0.1 m off its rest, whose spindle runs down at 0.02 N.m.s."""
    press = System("drill", gravity=(0.0, 0.0, 0.0))
    press.add("head", "spatial.Fixed")
    press.add("quill", "spatial.Body1", {"m": 4.0, "Izz": 0.01, "z": -0.1, "omegaz": 100.0})
    press.join("spatial.Cylindrical", "head.p1", "quill.p1", {"translation.k": 900.0, "rotation.b": 0.02}, name="guide")
    return press


def portal() -> System:
    """Returns a bridge of 50 kg that a linear motor moves by 0.4 m in a second, with a tool of 8 kg whose weight is balanced."""
    machine = System("portal", gravity=(0.0, 0.0, -G))
    along = {"p1.zx": 1.0, "p1.zz": 0.0, "p1.xx": 0.0, "p1.xy": 1.0}
    machine.add("bed", "spatial.Fixed", along)
    machine.add("bridge", "spatial.Body2", {"m": 50.0, **along})
    machine.add("tool", "spatial.Body1", {"m": 8.0, "z": -0.3, "vz": 0.1})
    machine.join("spatial.Prismatic", "bed.p1", "bridge.p1", name="rails")
    machine.join("spatial.RelativePosition", "bed.p1", "bridge.p1", name="motor")
    machine.join("spatial.ActuatedPrismatic", "bridge.p2", "tool.p1", name="slide")
    machine.drive("motor.distance", 0.2 * (1 - sympy.cos(sympy.pi * t)))
    machine.drive("slide.effort", 8.0 * G)
    return machine


def main() -> None:
    report = Report("Screws, slides and drills")
    run, turn = jack().simulate(1.0), 2 * np.pi / 5e-3
    report.figure("the jack lifts in 1 s by", run["spindle.z"][-1], (7.0 * turn - 800 * G) / (800 + 0.02 * turn**2) / 2, "m")
    report.show(run, "spindle.z", "thread.reaction")
    run = drill().simulate(1.0)
    report.figure("the quill is after 1 s at", run["quill.z"][-1], -0.1 * np.cos(np.sqrt(900.0 / 4.0)), "m", within=1e-4)
    report.figure("the spindle turns at", run["quill.omegaz"][-1], 100.0 * np.exp(-0.02 / 0.01), "rad/s")
    report.show(run, "quill.z", "quill.omegaz")
    run = portal().simulate(1.0)
    report.figure("greatest force of the motor", run["motor.force"].max(), (50.0 + 8.0) * 0.2 * np.pi**2, "N")
    report.figure("the tool rises by", np.ptp(run["tool.z"]), 0.1, "m")
    report.show(run, "bridge.x", "motor.force")
    report.end()


if __name__ == "__main__":
    main()
