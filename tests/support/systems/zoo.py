"""Systems in which many kinds of components meet, for tests of whatever evaluates systems."""

from __future__ import annotations

import math

from coupling import System

Parts = dict[str, tuple[object, dict[str, float]]]


def made(parts: Parts, connections: list[tuple[str, str]]) -> System:
    system = System("zoo")
    for name, (fmu, values) in parts.items():
        system.add(name, fmu, values)
    for a, b in connections:
        system.connect(a, b)
    return system


def body(**values: float) -> dict[str, float]:
    return {"m": 1.3, "I": 0.2, **values}


def at(**points: tuple[float, float]) -> dict[str, float]:
    return {f"{port}.{axis}": value for port, point in points.items() for axis, value in zip(("rx", "ry"), point, strict=True)}


def springs(driven: bool = True) -> System:
    """Two joints, and between the bodies a spring, and an actuator that pushes a mass against a spring."""
    system = made(
        {
            "ground": ("planar.Fixed", {}),
            "rail": ("planar.Fixed", {"p1.ry": -0.2}),
            "pin": ("planar.Revolute", {"rotation.b": 0.3}),
            "arm": ("planar.Body3", body(x=0.5, **at(p1=(-0.5, 0), p2=(0.5, 0), p3=(0, 0.2)))),
            "spring": ("planar.SpringDamper", {"k": 80.0, "b": 2.0, "rest": 0.3}),
            "actuator": ("planar.LinearActuator", {"offset": 0.3}),
            "mass": ("mechanical1d.Mass", {"m": 0.7, "s": 0.4}),
            "damper": ("mechanical1d.SpringDamper1D", {"k": 30.0, "b": 1.0}),
            "guide": ("planar.Translational", {"translation.k": 20.0, "translation.b": 1.0}),
            "block": ("planar.Body2", body(x=1.2, y=-0.2, **at(p2=(0, 0.3)))),
            "push": ("mechanical1d.Force", {}),
        },
        [
            ("ground.p1", "pin.M"),
            ("arm.p1", "pin.N"),
            ("arm.p2", "spring.M"),
            ("block.p1", "spring.N"),
            ("rail.p1", "guide.M"),
            ("block.p1", "guide.N"),
            ("arm.p3", "actuator.M"),
            ("block.p2", "actuator.N"),
            ("actuator.flange", "damper.M"),
            ("mass.flange", "damper.N"),
            ("mass.flange", "push.flange"),
        ],
    )
    if driven:
        system.drive("push.force", lambda t: math.sin(3 * t))
    return system


def rolling(driven: bool = True) -> System:
    """Joints at velocity level, one of them mixed, one prescribed."""
    system = made(
        {
            "ground": ("planar.Fixed", {"p1.angle": -0.2}),
            "rolls": ("planar.RollingDisc", {"radius": 0.5}),
            "disc": ("planar.Body2", body(y=0.5, **at(p2=(0.3, 0)))),
            "pin": ("planar.Revolute", {"rotation.k": 3.0}),
            "hanging": ("planar.Body2", body(x=0.3, y=0.1, **at(p1=(0, 0.4), p2=(0, -0.4)))),
            "ice": ("planar.Fixed", {}),
            "edge": ("planar.KnifeEdge", {}),
            "sleigh": ("planar.Body2", body(x=2.0, gy=0.0)),
            "pointed": ("planar.PointedVelocity", {}),
            "relative": ("planar.RelativeVelocity", {"direction": 0.3}),
            "free": ("planar.Body2", body(x=3.0, y=3.0)),
            "push": ("planar.Wrench", {"Fx": 1.0}),
        },
        [
            ("ground.p1", "rolls.M"),
            ("disc.p1", "rolls.N"),
            ("disc.p2", "pin.M"),
            ("hanging.p1", "pin.N"),
            ("ice.p1", "edge.M"),
            ("sleigh.p1", "edge.N"),
            ("sleigh.p1", "push.M"),
            ("sleigh.p2", "relative.M"),
            ("free.p1", "relative.N"),
            ("free.p2", "pointed.M"),
            ("hanging.p2", "pointed.N"),
        ],
    )
    if driven:
        system.drive("relative.velocity", lambda t: 0.3 * math.sin(t))
        system.drive("relative.velocity.rate", lambda t: 0.3 * math.cos(t))
    return system


def geared() -> System:
    """Shafts, gears in a row, an arm behind a gear, and a carriage: accelerations pass through many instances."""
    system = made(
        {
            "motor": ("mechanical1d.Inertia", {"I": 0.05}),
            "load": ("mechanical1d.Inertia", {"I": 1.4}),
            "third": ("mechanical1d.Inertia", {"I": 0.3}),
            "gear": ("mechanical1d.Gear", {"ratio": 4.0}),
            "gear2": ("mechanical1d.Gear", {"ratio": -0.5}),
            "gear3": ("mechanical1d.Gear", {"ratio": 3.0}),
            "spring": ("mechanical1d.RotationalSpringDamper", {"k": 10.0, "b": 0.1}),
            "wall": ("mechanical1d.Fixed1D", {}),
            "torque": ("mechanical1d.Torque", {}),
            "ground": ("planar.Fixed", {}),
            "joint": ("planar.ActuatedRevolute", {"rotation.k": 1.0}),
            "arm": ("planar.Body1", body(x=0.5, **at(p1=(-0.5, 0)))),
            "mass": ("mechanical1d.Mass", {"m": 2.0}),
            "carriage": ("planar.Carriage", {"direction": 0.4}),
            "pin": ("planar.Revolute", {}),
            "hanging": ("planar.Body1", body(y=-0.5, **at(p1=(0, 0.5)))),
            "tie": ("mechanical1d.SpringDamper1D", {"k": 40.0}),
        },
        [
            ("motor.flange", "gear.M"),
            ("load.flange", "gear.N"),
            ("load.flange", "gear2.M"),
            ("third.flange", "gear2.N"),
            ("third.flange", "spring.N"),
            ("wall.shaft", "spring.M"),
            ("motor.flange", "torque.flange"),
            ("ground.p1", "joint.M"),
            ("arm.p1", "joint.N"),
            ("joint.flange", "gear3.N"),
            ("motor.flange", "gear3.M"),
            ("mass.flange", "carriage.flange"),
            ("carriage.p1", "pin.M"),
            ("hanging.p1", "pin.N"),
            ("wall.flange", "tie.M"),
            ("mass.flange", "tie.N"),
        ],
    )
    system.drive("torque.torque", [(0, 0), (0.5, 1), (1, 0.2)])
    return system
