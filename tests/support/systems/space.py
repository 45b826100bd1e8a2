"""Mechanisms in space whose motion is known, each by its FMUs; those of the examples are there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from coupling import Result, System
from fmu_components.declare.orientation import orientation
from tests.support.systems.machines import example

WRENCH = ("Fx", "Fy", "Fz", "Cx", "Cy", "Cz")


# -- what is told and read of bodies ------------------------------------------------------------------------------------------------------


def vector(name: str, values: Any) -> dict[str, float]:
    return {f"{name}{axis}": float(value) for axis, value in zip("xyz", values, strict=True)}


def port(name: str, **values: float) -> dict[str, float]:
    """Parameters of one port."""
    return {f"{name}.{parameter}": value for parameter, value in values.items()}


def turning(r: Any, omega: Any) -> dict[str, float]:
    """Start values of a body that turns about the origin, with its mass centre at r."""
    return vector("", r) | vector("v", np.cross(omega, r)) | vector("omega", omega)


def joined(system: System, *joints: tuple[Any, ...]) -> None:
    """Joints by name, component of the library, the ports that M and N are connected to, and their parameters, if any."""
    for name, component, a, b, *parameters in joints:
        system.add(name, f"spatial.{component}", *parameters)
        system.connect(a, f"{name}.M")
        system.connect(b, f"{name}.N")


def three(result: Result, name: str) -> np.ndarray:
    """The components of a vector, one row for each time."""
    return np.stack([result[f"{name}{axis}"] for axis in "xyz"], axis=1)


def quaternions(result: Result, name: str) -> np.ndarray:
    return np.stack([result[f"{name}.q{i}"] for i in range(4)], axis=1)


def attitude_of(result: Result, name: str) -> Rotation:
    return Rotation.from_quat(np.roll(quaternions(result, name), -1, axis=1))


# -- one body -----------------------------------------------------------------------------------------------------------------------------


def free_body(values: dict[str, float], kind: str | None = None) -> System:
    """A body on which no wrench acts, without gravity."""
    system = System("free body")
    system.add("top", "spatial.Body1", {"gz": 0.0, **values}, kind=kind)
    for name in WRENCH:
        system.drive(f"top.p1.{name}", 0.0)
    return system


EULER_TOP = {"Ixx": 1.0, "Iyy": 2.0, "Izz": 3.0, "omegax": 0.1, "omegay": 2.0, "omegaz": 0.2}


def on_a_joint(joint: str, values: dict[str, float], parameters: dict[str, float] | None = None) -> System:
    """A body whose port p1 is held at the origin by a joint."""
    system = System(f"body on a {joint}")
    system.add("ground", "spatial.Fixed")
    system.add("pin", f"spatial.{joint}", parameters)
    system.add("top", "spatial.Body1", values)
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "top.p1")
    return system


def rolling_disc() -> System:
    """A disc of 0.5 m that leans by 60 degrees and rolls on the plane z = 0."""
    leaning = np.pi / 3
    start = vector("", (0, 0, 0.5 * np.sin(leaning))) | vector("v", (2.75, 0, 0)) | vector("omega", (0, 6 * np.sin(leaning), -2))
    return on_a_joint("RollingDisc", {"Ixx": 1 / 16, "Iyy": 1 / 16, "Izz": 1 / 8, **orientation((1, 0, 0), leaning), **start})


chaplygin = example("25_chaplygin")
"""A ball with the inertia of a wheel rolls on the plane z = 0."""


# -- several bodies -----------------------------------------------------------------------------------------------------------------------

ROD = {"m": 1.0, "Ixx": 0.001, "Iyy": 1 / 12, "Izz": 1 / 12, "p1.rx": -0.5}


def two_rods() -> System:
    """A rod on a spherical joint, and another on a skew hinge at its end, both along x at the start."""
    hinge, omega = np.array((0, -1, 1)) / np.sqrt(2), np.array((1, 2, 0.5))
    turned, skew = omega + 3 * hinge, {"zx": 0.0, "zy": -1.0, "zz": 1.0}
    system = System("two rods")
    system.add("ground", "spatial.Fixed")
    system.add("first", "spatial.Body2", ROD | port("p2", rx=0.5, **skew) | turning((0.5, 0, 0), omega))
    end = np.cross(omega, (1, 0, 0))
    start = vector("", (1.5, 0, 0)) | vector("v", end + np.cross(turned, (0.5, 0, 0))) | vector("omega", turned)
    system.add("second", "spatial.Body1", ROD | port("p1", **skew) | start)
    joined(system, ("ball", "Spherical", "ground.p1", "first.p1"), ("hinge", "Revolute", "first.p2", "second.p1"))
    return system


def governor() -> System:
    """A stiff flyball governor: two rods with balls, hinged on top of a shaft, hold a slider by springs.

    Lengths are 1 m, rods and shaft are 0.01 m square and of 0.3 kg, balls of 5 kg, the slider is a cube of 0.1 m and 3 kg.
    """

    def box(m: float, a: float, b: float, c: float) -> dict[str, float]:
        return {"m": m, "Ixx": m * (b**2 + c**2) / 12, "Iyy": m * (a**2 + c**2) / 12, "Izz": m * (a**2 + b**2) / 12}

    rate, top, hinge_axis = 2 * np.pi, np.array((0, 0, 1)), {"zy": 1.0, "zz": 0.0}
    system = System("governor")
    system.add("ground", "spatial.Fixed")
    shaft = box(0.3, 0.01, 0.01, 1.0) | port("p1", rz=-0.5) | port("p2", rz=0.5, **hinge_axis)
    system.add("shaft", "spatial.Body2", shaft | turning((0, 0, 0.5), (0, 0, rate)))
    system.add("slider", "spatial.Body1", box(3.0, 0.1, 0.1, 0.1) | turning((0, 0, 0.5), (0, 0, rate)))
    joined(system, ("bearing", "Revolute", "ground.p1", "shaft.p1"), ("guide", "Prismatic", "shaft.p1", "slider.p1"))
    rod, ball = box(0.3, 1.0, 0.01, 0.01), 5.0
    m = rod["m"] + ball
    centre = (rod["m"] * 0.5 + ball) / m  # from the hinge
    across = rod["Iyy"] + rod["m"] * (centre - 0.5) ** 2 + ball * (1 - centre) ** 2
    for n, side in (("1", 1), ("2", -1)):
        along = np.array((side * np.cos(np.pi / 6), 0, -0.5))
        R = np.stack([along, (0, 1, 0), np.cross(along, (0, 1, 0))], axis=1)
        values = {"m": m, "Ixx": rod["Ixx"], "Iyy": across, "Izz": across, **orientation(matrix=R)}
        values |= port("p1", rx=-centre, **hinge_axis) | port("p2", rx=0.5 - centre)
        system.add(f"rod{n}", "spatial.Body2", values | turning(top + centre * along, (0, 0, rate)))
        joined(system, (f"hinge{n}", "Revolute", "shaft.p2", f"rod{n}.p1"))
        system.add(f"spring{n}", "spatial.SpringDamper", {"k": 8e5, "b": 4e4, "rest": 0.5})
        system.connect(f"rod{n}.p2", f"spring{n}.M")
        system.connect("slider.p1", f"spring{n}.N")
    return system


def shafts(joint: str, bend: float, rate: float, bearing: dict[str, float] | None = None) -> System:
    """Two shafts that meet at the origin under an angle, joined there; the first one turns about x in a bearing, the far end of the second
    stays on its axis.
    """
    second = np.array((np.cos(bend), np.sin(bend), 0))
    aside = np.array((-np.sin(bend), np.cos(bend), 0))
    R = np.stack([second, aside, (0, 0, 1)], axis=1)
    start = rate * np.array((1.0, 0, 0)), rate * second * (1 / np.cos(bend) if joint == "Universal" else 1.0)
    along_x, second_axis = {"zx": 1.0, "zz": 0.0, "xx": 0.0}, vector("p1.z", second) | vector("p1.x", aside)
    # The cross turns about x of the first shaft's port, which lies in the plane of the shafts at the start, and about y of the second's.
    towards = {"xy": 1.0} if joint == "Universal" else {"xz": 1.0}
    system = System(f"shafts with a {joint}")
    system.add("ground", "spatial.Fixed", port("p1", **along_x, xy=1.0))
    system.add("wall", "spatial.Fixed", vector("p1.r", second) | second_axis)
    tensor = {"Ixx": 0.02, "Iyy": 0.1, "Izz": 0.1, "gz": 0.0}
    first = tensor | port("p1", **along_x, xy=1.0) | port("p2", **along_x, **towards)
    system.add("first", "spatial.Body2", first | vector("omega", start[0]))
    values = tensor | {"Ixx": 0.03} | port("p1", **along_x, **towards) | port("p2", rx=1.0)
    system.add("second", "spatial.Body2", values | orientation(matrix=R) | vector("omega", start[1]))
    joined(
        system,
        ("bearing", "Revolute", "ground.p1", "first.p1", bearing),
        ("joint", joint, "first.p2", "second.p1"),
        ("end", "PointOnLine", "wall.p1", "second.p2"),
    )
    return system


def planar_loop(replaced: bool = False) -> System:
    """A four-bar in the plane z = 0 by joints in space: of four revolutes, or with one of them spherical and one universal.

    Crank, coupler and rocker are 1, 2.5 and 2 m long, the ground 2.2 m, and the crank stands upright at the start. The replaced joints are
    those of the coupler: the cross of the universal joint turns about an axis across the coupler and about the hinge's.
    """
    crank, coupler, rocker, ground = 1.0, 2.5, 2.0, 2.2
    A, D = np.array((0, crank, 0)), np.array((ground, 0, 0))
    distance, towards = np.linalg.norm(D - A), (D - A) / np.linalg.norm(D - A)
    foot = (coupler**2 - rocker**2 + distance**2) / (2 * distance)
    B = A + foot * towards + np.sqrt(coupler**2 - foot**2) * np.array((-towards[1], towards[0], 0))
    system = System("four-bar in space")
    system.add("left", "spatial.Fixed")
    system.add("right", "spatial.Fixed", vector("p1.r", D))
    across = {"zx": 1.0, "zz": 0.0, "xx": 0.0, "xy": 1.0}  # x of the port is across the bar, y is the absolute z
    rate = 4.0
    speed = np.cross((0, 0, rate), A)
    # The velocity of B as the end of coupler and rocker gives their rates.
    arms = np.stack([np.cross((0, 0, 1), B - A)[:2], -np.cross((0, 0, 1), B - D)[:2]], axis=1)
    rates = rate, *np.linalg.solve(arms, -speed[:2])
    speeds = np.zeros(3), speed, np.zeros(3)
    for name, start, end, omega, v in zip(("crank", "coupler", "rocker"), (0 * A, A, D), (A, B, B), rates, speeds, strict=True):
        length, centre = float(np.linalg.norm(end - start)), (start + end) / 2
        angle = float(np.arctan2(end[1] - start[1], end[0] - start[0]))
        tensor = {"m": length, "Ixx": 0.01, "Iyy": length**3 / 12, "Izz": length**3 / 12, "gy": -9.81, "gz": 0.0}
        ports = port("p1", rx=-length / 2) | port("p2", rx=length / 2)
        if replaced and name != "crank":
            ports |= port("p2", **across)
        motion = vector("", centre) | vector("v", v + np.cross((0, 0, omega), centre - start)) | {"omegaz": omega}
        system.add(name, "spatial.Body2", tensor | ports | orientation((0, 0, 1), angle) | motion)
    joined(
        system,
        ("hinge1", "Revolute", "left.p1", "crank.p1"),
        ("hinge2", "Spherical" if replaced else "Revolute", "crank.p2", "coupler.p1"),
        ("hinge3", "Universal" if replaced else "Revolute", "coupler.p2", "rocker.p2"),
        ("hinge4", "Revolute", "right.p1", "rocker.p1"),
    )
    return system


# -- those that keep their energy ----------------------------------------------------------------------------------------------------------


def _of_example(name: str, system: str = "system") -> System:
    return getattr(example(name), system)()


CONSERVATIVE: dict[str, Callable[[], System]] = {
    "Euler top": partial(free_body, EULER_TOP),
    "heavy top": partial(_of_example, "13_heavy_top"),
    "two rods": two_rods,
    "Bricard": partial(_of_example, "14_bricard"),
    "slider-crank": partial(_of_example, "15_spatial_slider_crank", "mechanics"),
    "rolling disc": rolling_disc,
    "Chaplygin's sphere": chaplygin.system,
}


COSTLY = ("slider-crank", "rolling disc")
"""Systems for which joints are built that few other tests need."""


def bodies(system: System) -> list[str]:
    return [name for name, instance in system.instances.items() if instance.model_name.startswith("spatial.Body")]
