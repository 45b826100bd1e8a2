"""Systems that are hard to integrate: stiff ones, and one with more constraints than it needs."""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from coupling import System
from tests.support.oracles.planar import DoublePendulum, ParallelFourBars, Pendulum, Rod


def damped_hinge(damping: float) -> System:
    """Two rods in a row whose hinge is damped so much that they swing as one, horizontal and at rest at the start.

    Of the modes of the hinge one decays within 0.05/damping seconds.
    """
    oracle, system = DoublePendulum(), System("damped hinge")
    for name, (component, values) in oracle.parts.items():
        system.add(name, component, {**values, "rotation.b": damping} if name == "pin2" else values)
    for a, b in oracle.connections:
        system.connect(a, b)
    return system


ONE_ROD = Pendulum(Rod(length=2.0, m=2.0))
"""Limit of two rods with a damped hinge as their damping grows."""


def line_of_masses(count: int, damping: float) -> System:
    """Masses of 1 kg in a row on a wall, each 0.9 m from the next where their springs of 100 N/m are at rest, but 1 m at the start."""
    system = System("line of masses")
    system.add("wall", "mechanical1d.Fixed1D")
    for i in range(count):
        system.add(f"mass{i}", "mechanical1d.Mass", {"s": i + 1.0})
        system.add(f"spring{i}", "mechanical1d.SpringDamper1D", {"k": 100.0, "b": damping, "rest": 0.9})
        system.connect(f"mass{i - 1}.flange" if i else "wall.flange", f"spring{i}.M")
        system.connect(f"mass{i}.flange", f"spring{i}.N")
    return system


def line_exact(count: int, damping: float, t: float) -> np.ndarray:
    """Returns the places of the masses."""
    pull = np.diag([2.0] * (count - 1) + [1.0]) - np.eye(count, k=1) - np.eye(count, k=-1)
    matrix = np.block([[np.zeros((count, count)), np.eye(count)], [-100 * pull, -damping * pull]])
    rest = 0.9 * np.arange(1, count + 1)
    start = np.concatenate([np.arange(1, count + 1) - rest, np.zeros(count)])
    return rest + (expm(matrix * t) @ start)[:count]


BRACED = ParallelFourBars(2, angle=1.2)
"""Three equal rods that carry a beam and stay parallel: the motion of two parallelograms in a row, whose two couplers are the beam."""


def braced_parallelogram() -> System:
    """Returns a parallelogram with a redundant third rod: its multipliers are not unique.

    The beam moves as the two couplers of ``BRACED`` do; it has the mass of both.
    """
    system, oracle = System("braced parallelogram"), BRACED
    parts = oracle.parts
    for name in [f"{kind}{k}" for kind in ("ground", "bearing", "rod") for k in range(3)]:
        system.add(name, *parts[name])
    (_, left), (_, right) = parts["coupler1"], parts["coupler2"]
    middle = {key: (left[key] + right[key]) / 2 for key in ("x", "y", "theta", "vx", "vy", "omega")}
    points = {"p1.rx": -1.0, "p2.rx": 0.0, "p3.rx": 1.0}
    system.add("beam", "planar.Body3", {"m": 2 * left["m"], "I": 2 / 3, "gy": left["gy"], **points, **middle})
    for k in range(3):
        system.add(f"hinge{k}", "planar.Revolute")
        system.connect(f"ground{k}.p1", f"bearing{k}.M")
        system.connect(f"rod{k}.p1", f"bearing{k}.N")
        system.connect(f"rod{k}.p2", f"hinge{k}.M")
        system.connect(f"beam.p{k + 1}", f"hinge{k}.N")
    return system
