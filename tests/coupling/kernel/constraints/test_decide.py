"""Constraints that repeat others are told from constraints whose gradients depend on each other in one pose only, also at rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from coupling import System
from tests.coupling.live.test_stabilisation import joint
from tests.coupling.solvers.test_projected import begun
from tests.whole.test_singular_poses import rockers


def flat(length: float = 1.0) -> System:
    """A parallelogram whose links lie in one line."""
    system = System("flat")
    link = {"m": 1.0, "I": length**2 / 12, "p1.rx": -length / 2, "p2.rx": length / 2}
    for i in range(2):
        system.add(f"ground{i}", "planar.Fixed", {"p1.rx": i * length})
        system.add(f"rocker{i}", "planar.Body2", {**link, "x": (i + 0.5) * length})
        joint(system, f"foot{i}", f"ground{i}.p1", f"rocker{i}.p1")
    system.add("coupler", "planar.Body2", {**link, "x": 1.5 * length})
    joint(system, "left", "rocker0.p2", "coupler.p1")
    joint(system, "right", "rocker1.p2", "coupler.p2")
    return system


def spherical() -> System:
    """A spherical parallelogram whose axes lie in one plane: all bodies turn about one point, and none moves from its place. The first body
    does not move at all."""
    system, first, second, arm = System("sphere", gravity=(0.0, 0.0, 0.0)), 0.0, 1.0, 0.6

    def axis(port: str, angle: float) -> dict[str, float]:
        return {f"{port}.zx": np.sin(angle), f"{port}.zz": np.cos(angle), f"{port}.xx": 0.0, f"{port}.xy": 1.0}

    system.add("foundation", "spatial.Body1")
    for i, at in enumerate((first, second)):
        system.add(f"ground{i}", "spatial.Fixed", axis("p1", at))
        system.add(f"rocker{i}", "spatial.Body2", {**axis("p1", at), **axis("p2", at + arm)})
        system.join("spatial.Revolute", f"ground{i}.p1", f"rocker{i}.p1", name=f"foot{i}")
    system.add("coupler", "spatial.Body2", {**axis("p1", first + arm), **axis("p2", second + arm)})
    for i in range(2):
        system.join("spatial.Revolute", f"rocker{i}.p2", f"coupler.p{i + 1}", name=f"head{i}")
    system.add("ground", "spatial.Fixed")
    system.join("spatial.Weld", "ground.p1", "foundation.p1", name="weld")
    return system


@pytest.mark.parametrize(
    ("system", "freedoms"),
    [
        (flat, 1),
        (lambda: flat(2000.0), 1),
        (lambda: rockers(3, 0.0, 0.0), 1),
        (lambda: rockers(3, 1.0, 0.0), 1),
        (lambda: rockers(2, np.pi / 2, 0.0), 1),
    ],
    ids=["flat", "flat, of 2 km", "three flat rockers", "three rockers", "two rockers"],
)
def test_as_many_repeat_others_as_the_freedoms_say(system: Callable[[], System], freedoms: int) -> None:
    """Gruebler's count: velocities less constraints are the freedoms less what is redundant. In a line the rank is one less."""
    with begun(system()) as session:
        velocities = session.built.states // 2
        constraints = sum(len(loop.unknowns) for loop in session.schedule.loops)
        assert len(session.repeated) == constraints - velocities + freedoms


def test_bodies_that_only_turn_are_displaced_too() -> None:
    """Gruebler's count: 20 constraints of hinges, 18 velocities and one freedom, besides a weld with 6 of a body. Where all axes lie in one
    plane, the rank is one less."""
    with begun(spherical()) as session:
        assert sum(len(loop.unknowns) for loop in session.schedule.loops) == 20 + 6
        assert len(session.repeated) == 20 - 18 + 1
