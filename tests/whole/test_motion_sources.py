"""Prescribed motions and their efforts: inverse dynamics by a run, against Newton's and Euler's equations written down for each."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

from coupling import System
from fmu_components.declare.declaration import TIME as t
from tests.support.systems.systems import refusal

G = 9.81


def along(expression: sympy.Expr, time: np.ndarray, order: int = 0) -> np.ndarray:
    """A derivative of an expression, at times."""
    return np.broadcast_to(sympy.lambdify(t, sympy.diff(expression, t, order) if order else expression)(time), time.shape)


def run(system: System, **options: object):
    return system.simulate(2.0, **{"rtol": 1e-10, "initial": "assemble", **options})


def close(found: np.ndarray, wanted: np.ndarray, within: float = 1e-8) -> None:
    assert np.abs(found - wanted).max() < within * max(1.0, np.abs(wanted).max())


SHAKEN = 3 * sympy.sin(2 * t + 0.3) + t**2 / 2


@pytest.mark.parametrize(
    ("source", "value", "joint", "load", "effort", "place"),
    [
        ("Angle", SHAKEN, "RigidShaft", ("Inertia", {"I": 0.7}), "torque", "phi"),
        ("Speed", sympy.diff(SHAKEN, t), "RigidShaft", ("Inertia", {"I": 0.7}), "torque", "phi"),
        ("Position", SHAKEN, "RigidRod", ("Mass", {"m": 0.7}), "force", "s"),
    ],
)
def test_shafts_and_slides(source, value, joint, load, effort, place) -> None:
    """A load of 0.7 takes 0.7 times the acceleration, and the power that goes with it."""
    system = System("shaft")
    kind, start = load
    first = float(SHAKEN.subs(t, 0))
    system.add("source", f"mechanical1d.{source}", {"angle": first} if source == "Speed" else None)
    system.add("load", f"mechanical1d.{kind}", start | {place: first})
    system.join(f"mechanical1d.{joint}", "source.flange", "load.flange")
    system.drive(f"source.{source.lower()}", value)
    result = run(system)
    close(result[f"load.{place}"], along(SHAKEN, result.time))
    wanted = 0.7 * along(SHAKEN, result.time, 2)
    close(result[f"source.{effort}"], wanted)
    close(result["source.power"], wanted * along(SHAKEN, result.time, 1))


def test_a_shaft_from_rest_to_rest() -> None:
    """Two rows of a smooth table of positions are the quintic 10 u^3 - 15 u^4 + 6 u^5, which has no jerk at its ends."""
    system = System("shaft")
    system.add("source", "mechanical1d.Angle")
    system.add("load", "mechanical1d.Inertia", {"I": 2.0})
    system.join("mechanical1d.RigidShaft", "source.flange", "load.flange")
    system.drive("source.angle", [(0.5, 0.0), (1.5, 3.0)], smooth=True)
    result = run(system)
    u = np.clip(result.time - 0.5, 0, 1)
    close(result["load.phi"], 3 * (10 * u**3 - 15 * u**4 + 6 * u**5))
    close(result["source.torque"], 6 * (60 * u - 180 * u**2 + 120 * u**3))
    functions = {
        "value": lambda x: 3 * (10 * x**3 - 15 * x**4 + 6 * x**5),
        "rate": lambda x: 3 * (30 * x**2 - 60 * x**3 + 30 * x**4),
        "acceleration": lambda x: 3 * (60 * x - 180 * x**2 + 120 * x**3),
    }
    short = system.simulate(1.0, rtol=1e-10, drives={"source.angle": functions})
    close(short["source.torque"], 6 * (60 * short.time - 180 * short.time**2 + 120 * short.time**3))
    sentence = refusal(lambda: system.simulate(1.0, drives={"source.angle": {"value": math.sin, "rate": math.cos}}))
    assert sentence.startswith("'source.angle' varies, and nothing gives 'source.angle.acceleration', which would be taken for 0; drive")
    assert "a function with rate= and acceleration=, or connect or drive" in sentence


def test_a_frame_in_the_plane() -> None:
    """A body whose mass centre lies off the point: m (a - g), and I alpha with the moment of that force."""
    m, moment, arm = 2.0, 0.3, np.array([0.4, -0.1])
    path = {"x": sympy.cos(t), "y": sympy.sin(3 * t), "theta": 1 + 4 * t + sympy.sin(t)}
    system = System("plate")
    system.add("source", "planar.Motion")
    system.add("plate", "planar.Body1", {"m": m, "I": moment, "p1.rx": -arm[0], "p1.ry": -arm[1], "theta": 1.0})
    system.join("planar.Weld", "source.p1", "plate.p1")
    for name, value in path.items():
        system.drive(f"source.{name}", value)
    result = run(system)
    time = result.time
    theta = path["theta"]
    centre = [
        path["x"] + arm[0] * sympy.cos(theta) - arm[1] * sympy.sin(theta),
        path["y"] + arm[0] * sympy.sin(theta) + arm[1] * sympy.cos(theta),
    ]
    Fx, Fy = m * along(centre[0], time, 2), m * (along(centre[1], time, 2) + G)
    rx, ry = (along(c - path[name], time) for c, name in zip(centre, "xy", strict=True))
    Cz = moment * along(theta, time, 2) + rx * Fy - ry * Fx
    for name, wanted in (("Fx", Fx), ("Fy", Fy), ("Cz", Cz)):
        close(result[f"source.{name}"], wanted)
    vx, vy, omega = (along(path[name], time, 1) for name in ("x", "y", "theta"))
    close(result["source.power"], Fx * vx + Fy * vy + Cz * omega)


def test_a_frame_in_space() -> None:
    """A body with three moments of inertia: Euler's equations in the absolute frame, by the rotation matrix and its derivatives."""
    m, inertia, arm = 2.0, np.diag([0.3, 0.5, 0.9]), np.array([0.2, -0.1, 0.3])
    path = {"x": sympy.cos(t), "y": sympy.sin(3 * t), "z": t, "roll": sympy.sin(2 * t), "pitch": 2 * t, "yaw": 1 + sympy.sin(t)}
    system = System("stone")
    system.add("source", "spatial.Motion")
    start = dict(zip(("q0", "q3"), (math.cos(0.5), math.sin(0.5)), strict=True))
    place = {f"p1.r{axis}": -value for axis, value in zip("xyz", arm, strict=True)}
    system.add("stone", "spatial.Body1", {"m": m, **{f"I{a}{a}": inertia[k, k] for k, a in enumerate("xyz")}, **place, **start})
    system.join("spatial.Weld", "source.p1", "stone.p1")
    for name, value in path.items():
        system.drive(f"source.{name}", value)
    result = run(system)

    def turn(axis: int, angle: sympy.Expr) -> sympy.Matrix:
        return (sympy.rot_axis1, sympy.rot_axis2, sympy.rot_axis3)[axis](-angle)

    R = turn(2, path["yaw"]) * turn(1, path["pitch"]) * turn(0, path["roll"])
    centre = sympy.Matrix([path[a] for a in "xyz"]) + R * sympy.Matrix(arm)
    at = sympy.lambdify(t, [R, R.diff(t), R.diff(t, 2), centre.diff(t, 2)])
    velocity = sympy.lambdify(t, [sympy.diff(path[axis], t) for axis in "xyz"])
    efforts, power, weight = [], [], np.array([0, 0, G])
    rows = slice(None, None, 20)
    for time in result.time[rows]:
        R0, R1, R2, a = (np.array(each, dtype=float) for each in at(time))
        skew, rate = R1 @ R0.T, R2 @ R0.T + R1 @ R1.T
        omega, alpha = (np.array([w[2, 1], w[0, 2], w[1, 0]]) for w in (skew, rate))
        J = R0 @ inertia @ R0.T
        F = m * (a.ravel() + weight)
        C = J @ alpha + np.cross(omega, J @ omega) + np.cross(R0 @ arm, F)
        efforts.append([*F, *C])
        power.append(F @ velocity(time) + C @ omega)
    close(np.column_stack([result[f"source.{name}"][rows] for name in ("Fx", "Fy", "Fz", "Cx", "Cy", "Cz")]), np.array(efforts))
    close(result["source.power"][rows], np.array(power))


def test_a_motor_between_two_parts() -> None:
    """A rod on a pin that swings through more than a turn: (I + m r^2) alpha + m g r cos(angle)."""
    angle = 8 * sympy.sin(t)
    system = System("arm")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body1", {"m": 2.0, "I": 0.1, "p1.rx": -0.5, "x": 0.5})
    for name, kind in {"pin": "Revolute", "motor": "RelativeAngle"}.items():
        system.join(f"planar.{kind}", "ground.p1", "rod.p1", name=name)
    system.drive("motor.angle", angle)
    result = run(system)
    wanted = 0.6 * along(angle, result.time, 2) + 2 * G * 0.5 * np.cos(along(angle, result.time))
    close(result["motor.torque"], wanted)
    close(result["motor.power"], wanted * along(angle, result.time, 1))


def test_a_bead_on_a_rod_that_turns() -> None:
    """The distance is in the frame of M: m (s'' - s omega^2) and gravity along the rod."""
    distance, theta = 1 + sympy.sin(3 * t) / 2, 2 * t + sympy.sin(t)
    system = System("bead")
    system.add("rod", "planar.Motion")
    system.add("bead", "planar.Body1", {"m": 2.0, "x": 0.0, "y": 1.0, "theta": 0.5})
    system.join("planar.RelativePosition", "rod.p1", "bead.p1", {"direction": math.pi / 2}, name="drive")
    system.add("turned", "planar.Motion")
    system.join("planar.Translational", "turned.p1", "bead.p1", name="guide")
    for name, offset in (("rod", 0), ("turned", sympy.pi / 2)):
        system.drive(f"{name}.theta", theta + offset)
    system.drive("drive.distance", distance)
    result = run(system, start_values={"bead.theta": math.pi / 2})
    s, angle, omega = along(distance, result.time), along(theta, result.time), along(theta, result.time, 1)
    wanted = 2 * (along(distance, result.time, 2) - s * omega**2 + G * np.cos(angle))
    close(result["drive.force"], wanted)
    close(result["drive.power"], wanted * along(distance, result.time, 1))


def test_motors_in_space() -> None:
    """An arm on an upright hinge, through whole turns, and a hoist: moment of inertia times acceleration, m (a + g)."""
    angle, distance = 8 * sympy.sin(t), 1 + sympy.sin(3 * t) / 2
    system = System("crane")
    system.add("ground", "spatial.Fixed")
    system.add("arm", "spatial.Body2", {"m": 3.0, "Izz": 0.4, "p1.rx": -0.5, "p2.rx": 0.5, "x": 0.5})
    system.add("load", "spatial.Body1", {"m": 2.0, "Izz": 0.2, "x": 1.0, "z": 1.0})
    system.join("spatial.Revolute", "ground.p1", "arm.p1", name="hinge")
    system.join("spatial.RelativeAngle", "ground.p1", "arm.p1", name="motor")
    system.join("spatial.Prismatic", "arm.p2", "load.p1", name="guide")
    system.join("spatial.RelativePosition", "arm.p2", "load.p1", name="hoist")
    system.drive("motor.angle", angle)
    system.drive("hoist.distance", distance)
    result = run(system)
    wanted = (0.4 + 3 * 0.25 + 0.2 + 2 * 1.0) * along(angle, result.time, 2)
    close(result["motor.torque"], wanted)
    close(result["motor.power"], wanted * along(angle, result.time, 1))
    lifted = 2 * (along(distance, result.time, 2) + G)
    close(result["hoist.force"], lifted)
    close(result["hoist.power"], lifted * along(distance, result.time, 1))
    backwards = refusal(lambda: system.simulate(0.1, drives={"motor.angle": math.pi}), Exception)
    assert "less than a right angle away from the given angle" in backwards


def test_relative_velocities_tell_their_efforts() -> None:
    """The effort is a force along the direction in the plane, and a torque about the axis in space."""
    system = System("velocities", gravity=(0.0, 0.0, 0.0))
    system.add("ground", "planar.Fixed")
    system.add("cart", "planar.Body1", {"m": 2.0})
    system.join("planar.RelativeVelocity", "ground.p1", "cart.p1", name="push")
    system.add("floor", "spatial.Fixed")
    system.add("top", "spatial.Body1", {"Izz": 0.5})
    system.join("spatial.RelativeVelocity", "floor.p1", "top.p1", name="spin")
    for name in ("push", "spin"):
        system.drive(f"{name}.velocity", sympy.sin(5 * t))
    result = run(system)
    speed, slope = np.sin(5 * result.time), 5 * np.cos(5 * result.time)
    for name, value in (
        ("push.force", 2 * slope),
        ("spin.torque", slope / 2),
        ("push.power", 2 * slope * speed),
        ("spin.power", slope / 2 * speed),
    ):
        close(result[name], value)
