"""The rolling disc of the paper on the successive algorithm, with one joint for each of its two constraints, and rods that are caught."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coupling import System
from fmu_components.catalogue import from_file
from tests.support.systems.machines import EXAMPLES

MASS, RADIUS, GRAVITY, INCLINE = 2.0, 0.3, 9.81, np.pi / 6
INERTIA = MASS * RADIUS**2 / 2
GX, GY = GRAVITY * np.sin(INCLINE), -GRAVITY * np.cos(INCLINE)
TOUCHES = 0.2
"""Time at which the disc that falls from 0.47 m is as high as its radius."""


(PLANE,) = from_file(EXAMPLES / "rolling_disc" / "Plane.py")
(GRIP,) = from_file(EXAMPLES / "rolling_disc" / "Grip.py")


def disc(height: float = RADIUS - GY * TOUCHES**2 / 2, **start: float) -> System:
    """Returns a disc on an incline of 30 degrees, with both joints."""
    system = System("disc")
    system.add("ground", "planar.Fixed")
    system.add("disc", "planar.Body1", {"m": MASS, "I": INERTIA, "gx": GX, "gy": GY, "y": height, "vx": 0.4, **start})
    for name, joint in (("plane", PLANE), ("grip", GRIP)):
        system.add(name, joint)
        system.connect("ground.p1", f"{name}.M")
        system.connect("disc.p1", f"{name}.N")
    return system


def rod(**start: float) -> System:
    """1 kg and 1 m along x, without gravity; its left end comes to the origin after 0.5 s."""
    system = System("rod")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Body2", {"I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "gy": 0.0, "x": 0.5, "y": -1.0, "vy": 2.0, **start})
    return system


def hinge(system: System, name: str, a: str, b: str, component: str = "planar.Revolute") -> None:
    system.add(name, component)
    system.connect(a, f"{name}.M")
    system.connect(b, f"{name}.N")


def eccentric_disc() -> System:
    """2 kg, 0.2 kg m^2 and 0.5 m, its mass centre 0.1 m beside the centre; it rolls at -2 rad/s."""
    system = System("eccentric disc")
    system.add("ground", "planar.Fixed")
    start = {"m": 2.0, "I": 0.2, "p1.rx": -0.1, "x": 0.1, "y": 0.5, "omega": -2.0, "vx": 1.0, "vy": -0.2}
    system.add("disc", "planar.Body1", start)
    hinge(system, "roll", "ground.p1", "disc.p1", "planar.RollingDisc")
    return system


def plank(welds: Sequence[str] = ("left", "right")) -> System:
    """1 kg on welds at 1 m to the left and to the right, or in the middle."""
    places = {"left": ("p1", -1.0), "right": ("p2", 1.0), "middle": ("p3", 0.0)}
    system = System("plank")
    system.add("plank", "planar.Body3", {"p1.rx": -1.0, "p2.rx": 1.0})
    for weld in welds:
        port, x = places[weld]
        system.add(f"{weld}_post", "planar.Fixed", {"p1.rx": x})
        hinge(system, weld, f"{weld}_post.p1", f"plank.{port}", "planar.Weld")
    return system
