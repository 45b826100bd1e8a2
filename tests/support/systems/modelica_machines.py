"""Machines for the comparison of Modelica text with the master: each uses another way in which values enter the equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy

from coupling import System
from jourdain.declare import t
from tests.support.systems.machines import example
from tests.support.systems.seven_bodies import EXAMPLE as SEVEN

GRAVITY = (0.0, -9.81)


def pendulum() -> System:
    """A rod on a joint, the machine of the first page."""
    made = System("pendulum", gravity=GRAVITY)
    made.add("ground", "planar.Fixed")
    made.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    made.join("planar.Revolute", "ground.p1", "rod.p1", name="pin")
    return made


def driven_crank() -> System:
    """A slider-crank whose angle follows a smooth table, which the compiler differentiates twice."""
    made = System("driven crank", gravity=GRAVITY)
    made.add("ground", "planar.Fixed")
    made.add("crank", "planar.Body2", {"I": 0.02, "p1.rx": -0.1, "p2.rx": 0.1, "x": 0.1})
    made.add("rod", "planar.Body2", {"I": 0.05, "p1.rx": -0.3, "p2.rx": 0.3, "x": 0.5})
    made.add("slider", "planar.Body1", {"x": 0.8})
    made.join("planar.ActuatedRevolute", "ground.p1", "crank.p1", name="drive")
    made.join("planar.Revolute", "crank.p2", "rod.p1", name="big end")
    made.join("planar.Revolute", "rod.p2", "slider.p1", name="small end")
    made.join("planar.Translational", "ground.p1", "slider.p1", {"translation.b": 2.0}, name="guide")
    made.add("motor", "mechanical1d.Angle")
    made.join("mechanical1d.RigidShaft", "motor.flange", "drive.flange", name="shaft")
    made.drive("motor.angle", [(0.0, 0.0), (0.4, 0.8), (1.0, 2.0)], smooth=True)
    return made


def motor_with_gear() -> System:
    """A voltage by a formula drives a motor with a gear; a spring holds the load."""
    made = System("motor with gear")
    made.add("supply", "electrical.VoltageSource")
    made.add("motor", "electrical.DCMotor")
    made.add("rotor", "mechanical1d.Inertia", {"I": 1e-4})
    made.add("load", "mechanical1d.Inertia", {"I": 0.02, "phi": 0.1})
    made.add("wall", "mechanical1d.Fixed1D")
    made.connect("supply.pin", "motor.pin")
    made.connect("motor.flange", "rotor.flange")
    made.join("mechanical1d.Gear", "rotor.flange", "load.flange", {"ratio": -3.0}, name="gear")
    made.join("mechanical1d.RotationalSpringDamper", "wall.shaft", "load.flange", {"k": 2.0, "b": 0.01}, name="spring")
    made.drive("supply.voltage", 6 * sympy.sin(20 * t) + sympy.Piecewise((0.0, t < 0.3), (3.0, True)))
    return made


def oil() -> System:
    """Oil through two orifices with a volume between them; the pressure at the inlet is a table with a jump."""
    made = System("oil")
    made.add("pump", "hydraulic.PressureSource")
    made.add("tank", "hydraulic.Tank")
    made.add("volume", "hydraulic.Volume", {"p": 1e5})
    made.join("hydraulic.Orifice", "pump.port", "volume.port", {"area": 2e-6}, name="inlet")
    made.join("hydraulic.Orifice", "volume.port", "tank.port", name="outlet")
    made.drive("pump.pressure", [(0.0, 1e6), (0.1, 8e6), (0.1, 3e6), (0.2, 3e6), (0.3, 5e6)])
    return made


def control_loop() -> System:
    """A loop of signals with a factor, an offset and two terms of a sum; it moves a mass by a force on its port."""
    made = System("control loop")
    made.add("mass", "mechanical1d.Mass", {"m": 2.0, "s": 0.3})
    made.add("filter", "signal.FirstOrder", {"T": 0.1})
    made.add("error", "signal.Sum", {"k[2]": -1.0, "u1": 0.5})
    made.add("force", "mechanical1d.Force")
    made.connect("mass.flange.s", "error.u2", factor=1.0, offset=0.1)
    made.connect("mass.flange.v", "error.u3", factor=-0.2)
    made.connect("error.y", "filter.u")
    made.connect("filter.y", "force.force", factor=40.0)
    made.connect("force.flange", "mass.flange")
    made.drive("mass.flange.f", sympy.cos(7 * t))
    return made


def hung_from_a_point() -> System:
    """A body on a spring, whose upper end follows formulas."""
    made = System("hung from a point", gravity=GRAVITY)
    made.add("hook", "planar.Motion")
    made.add("load", "planar.Body1", {"m": 2.0, "I": 0.1, "y": -1.0, "p1.ry": 0.2})
    made.join(
        "planar.Bushing",
        "hook.p1",
        "load.p1",
        {"translation.kx": 300.0, "translation.ky": 900.0, "rotation.k": 5.0, "translation.by": 4.0},
        name="rope",
    )
    made.drive("hook.x", 0.1 * sympy.sin(5 * t))
    made.drive("hook.theta", 0.2 * t)
    return made


def sleigh() -> System:
    """A blade that does not slip sideways: a constraint of velocities alone."""
    made = System("sleigh", gravity=(0.0, 0.0))
    made.add("ground", "planar.Fixed")
    made.add("body", "planar.Body1", {"m": 3.0, "I": 0.4, "p1.rx": -0.3, "vx": 1.0, "vy": 0.24, "omega": 0.8})
    made.join("planar.KnifeEdge", "ground.p1", "body.p1", name="blade")
    return made


def legs() -> System:
    """Two copies of one system inside another one, on a carriage that they push."""
    leg = System("leg", gravity=GRAVITY)
    leg.add("rod", "planar.Body2", {"m": 1.0, "I": 0.05, "p1.ry": 0.3, "p2.ry": -0.3, "y": -0.3})
    leg.add("hip", "planar.Revolute", {"rotation.k": 4.0, "rotation.b": 0.1})
    leg.connect("hip.N", "rod.p1")
    leg.add("push", "planar.Wrench")
    leg.connect("push.M", "rod.p2")
    leg.drive("push.Fx", sympy.sin(6 * t))
    made = System("legs", gravity=GRAVITY)
    made.add("ground", "planar.Fixed")
    made.add("carriage", "planar.Body2", {"m": 4.0, "p1.rx": -0.5, "p2.rx": 0.5})
    made.join("planar.Translational", "ground.p1", "carriage.p1", name="rail")
    for side, port in (("left", "p1"), ("right", "p2")):
        made.include(side, leg)
        made.connect(f"{side}.hip.M", f"carriage.{port}")
    return made


def blocks() -> System:
    """Joints and bodies in one block, in a chain."""
    made = System("blocks", gravity=GRAVITY)
    made.add("ground", "planar.Fixed")
    values = {"m": 1.3, "I": 0.07, "rx": 0.4, "C1.rx": 0.9, "b": 0.05}
    made.add("upper", "planar.RevoluteBody", {**values, "q": 0.3, "qd": 1.5})
    made.add("lower", "planar.RevoluteBody", {**values, "q": -0.4, "torque": 0.4})
    made.connect("upper.P", "ground.p1")
    made.connect("lower.P", "upper.C1")
    return made


@dataclass(frozen=True)
class Machine:
    """A machine with the time of its run and the variables that are compared."""

    make: Callable[[], System]
    stop: float
    names: Sequence[str]
    allowed: float = 1e-8
    initial: str = "check"


def of_example(name: str) -> Callable[[], System]:
    return lambda: example(name).system()


MACHINES = {
    "pendulum": Machine(pendulum, 2.0, ["rod.theta"], 1e-11),
    "seven bodies": Machine(of_example("03_seven_body_mechanism"), SEVEN.STOP, [f"link{i}.theta" for i in range(1, 8)], 1e-9),
    "driven crank": Machine(driven_crank, 1.0, ["slider.x", "rod.theta", "crank.omega"]),
    "motor with gear": Machine(motor_with_gear, 1.0, ["load.phi", "motor.i"]),
    "oil": Machine(oil, 0.4, ["volume.p"]),
    "control loop": Machine(control_loop, 2.0, ["mass.s", "mass.v", "filter.x"]),
    "hung from a point": Machine(hung_from_a_point, 1.0, ["load.x", "load.y", "load.theta"]),
    "sleigh": Machine(sleigh, 2.0, ["body.x", "body.theta", "body.omega"]),
    "legs": Machine(legs, 1.0, ["left.rod.theta", "right.rod.theta", "carriage.x"], initial="assemble"),
    "blocks": Machine(blocks, 0.5, ["upper.q", "lower.q"]),
    "quarter car": Machine(of_example("17_quarter_car"), 1.0, ["body.s", "wheel.s"]),
    "pointing": Machine(of_example("18_pointing"), 1.0, ["A.x", "A.y"]),
    "wheel": Machine(of_example("19_wheel"), 5.0, ["wheel.x", "wheel.theta"]),
    "measured pendulum": Machine(of_example("26_measured_pendulum"), 1.0, ["rod.theta", "rod.omega"], initial="assemble"),
}
"""Differences that are allowed are relative to values that are greater than 1 in SI units."""


def end_of(machine: Machine) -> np.ndarray:
    """Returns the values of the master at the end."""
    result = machine.make().simulate(machine.stop, rtol=1e-12, solver="dop853", initial=machine.initial)
    assert result.outcome.completed, result.outcome.sentence
    return np.array([result[name][-1] for name in machine.names])
