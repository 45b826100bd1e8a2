"""Systems of blocks, each a joint and a body in one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from math import cos, sin

import numpy as np
from scipy.optimize import fsolve

from coupling import System


def four_bar(
    blocks: bool, closing: str = "planar.Revolute", values: Mapping[str, float] | None = None, crank: Mapping[str, float] | None = None
) -> System:
    """Crank, coupler and rocker of 1, 1.3 and 0.9 m on a ground of 1.5 m; the coupler's end is pinned to the rocker's, or joined by ``closing``."""
    lengths, first = {"crank": 1.0, "coupler": 1.3, "rocker": 0.9}, 1.0
    second, third = fsolve(
        lambda x: [cos(first) + 1.3 * cos(x[0]) - 1.5 - 0.9 * cos(x[1]), sin(first) + 1.3 * sin(x[0]) - 0.9 * sin(x[1])],
        [0.1, 1.6],
        xtol=1e-14,
    )
    angles = {"crank": first, "coupler": second, "rocker": third}
    system = System("four-bar")
    system.add("left", "planar.Fixed")
    system.add("right", "planar.Fixed", {"p1.rx": 1.5})
    ends = ("P", "C1") if blocks else ("p1", "p2")
    origin = {"crank": (0, 0), "coupler": (cos(first), sin(first)), "rocker": (1.5, 0)}
    for name, length in lengths.items():
        bar = {"m": length, "I": length**3 / 12, **((crank or {}) if name == "crank" else {})}
        if blocks:
            system.add(
                name,
                "planar.RevoluteBody",
                {**bar, "rx": length / 2, "C1.rx": length, "q": angles[name] - (first if name == "coupler" else 0)},
            )
        else:
            x, y = np.add(origin[name], np.multiply(length / 2, (cos(angles[name]), sin(angles[name]))))
            bar |= {"p1.rx": -length / 2, "p2.rx": length / 2}
            system.add(name, "planar.Body2", {**bar, "x": x, "y": y, "theta": angles[name]})
    pairs = (("left.p1", f"crank.{ends[0]}"), (f"crank.{ends[1]}", f"coupler.{ends[0]}"), ("right.p1", f"rocker.{ends[0]}"))
    for number, (a, b) in enumerate(pairs if not blocks else ()):
        system.add(f"pin{number}", "planar.Revolute")
        system.connect(a, f"pin{number}.M")
        system.connect(f"pin{number}.N", b)
    for a, b in pairs if blocks else ():
        system.connect(a, b)
    system.add("closing", closing, values or {})
    system.connect(f"coupler.{ends[1]}", "closing.M")
    system.connect("closing.N", f"rocker.{ends[1]}")
    return system


def limbs(driven: bool = True) -> System:
    """A free body that carries a limb of six blocks, so long that the master cuts it, and one of a single block. The last one is pushed."""
    system = System("limbs")
    system.add("base", "planar.Body2", {"m": 3.0, "I": 0.5, "p1.rx": 0.4, "p2.ry": 0.3, "omega": 0.5})
    parent = "base.p1"
    for i in range(6):
        kind = "Translational" if i == 3 else "Revolute"
        rod = {"m": 1.0 / (i + 1), "I": 0.1, "rx": 0.3, "C1.rx": 0.6, "C1.angle": 0.4, "q": 0.2 - 0.1 * i, "qd": 0.1 * i}
        system.add(f"rod{i}", f"planar.{kind}Body", {**rod, "k": 3.0, "b": 0.2})
        system.connect(parent, f"rod{i}.P")
        parent = f"rod{i}.C1"
    system.add("tail", "planar.RevoluteBody", {"m": 0.5, "I": 0.05, "rx": -0.2, "C1.rx": -0.4, "b": 0.1})
    system.connect("base.p2", "tail.P")
    if driven:
        system.drive("rod5.torque", lambda t: math.sin(3 * t))
    return system
