"""A four-bar of any size: lengths and gravity times s, inertias times s^2. It moves as that of 1 m, and is judged by the same tolerances."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from coupling import System
from coupling.errors import InitialStateError
from coupling.result import Result
from tests.whole.test_singular_poses import LENGTHS, closed, joint

SIZES = [1e-3, 1e-6, 1e6]
STATES = [f"{name}.{state}" for name in LENGTHS for state in ("x", "y", "vx", "vy", "theta", "omega")]


def unit(name: str, size: float) -> float:
    return 1.0 if name.endswith(("theta", "omega")) else size


def four_bar(size: float) -> System:
    system = System("four-bar")
    system.add("left", "planar.Fixed")
    system.add("right", "planar.Fixed", {"p1.rx": size})
    for name, length in LENGTHS.items():
        arm = length / 2 * size
        system.add(name, "planar.Body2", {"I": (length * size) ** 2 / 12, "p1.rx": -arm, "p2.rx": arm, "gy": -9.81 * size})
    for pin, a, b in (("a", "left.p1", "crank.p1"), ("b", "crank.p2", "coupler.p1"), ("c", "coupler.p2", "rocker.p2")):
        joint(system, pin, a, b)
    joint(system, "d", "right.p1", "rocker.p1")
    return system


def start(size: float, off: float = 0.0) -> dict[str, float]:
    found = {name: value * unit(name, size) for name, value in closed(1.0).items()}
    return found | {"rocker.x": found["rocker.x"] + off * size}


@cache
def motion(size: float) -> Result:
    return four_bar(size).simulate(1.5, start_values=start(size), rtol=1e-11, output_times=np.linspace(0, 1.5, 16))


@pytest.mark.parametrize("size", SIZES)
def test_digits_are_the_same(size):
    result, reference = motion(size), motion(1.0)
    assert result.statistics.steps == reference.statistics.steps and result.outcome.warnings == reference.outcome.warnings == []
    for name in STATES:
        assert result[name] / unit(name, size) == pytest.approx(reference[name], rel=0, abs=1e-9)


@pytest.mark.parametrize("size", [1.0, *SIZES])
def test_starts_are_judged_by_the_size(size):
    """An arm of 1 may be off by 0.9e-6; 3e-6 is too much, and the sentence gives what is allowed."""
    system = four_bar(size)
    assert system.simulate(0.0, start_values=start(size, 0.9e-6)).outcome.completed
    allowed = f"{1e-6 * size:.4g}"
    with pytest.raises(
        InitialStateError, match=rf"violates constraints: c\.position\[1\] = {3e-6 * size:.4g} m, .*\(at most {allowed} is allowed\)"
    ):
        system.simulate(0.0, start_values=start(size, 3e-6))


@pytest.mark.parametrize("size", [*SIZES, 1e-9, 1e8])
def test_poses_and_velocities_are_assembled_to_rounding(size):
    def assembled(size: float) -> np.ndarray:
        guess = {name: value + 0.01 * unit(name, size) for name, value in start(size).items()}
        pose = four_bar(size).assemble(guess=guess, velocities={"crank.omega": 2.0})
        return np.array([pose[name] / unit(name, size) for name in STATES])

    assert assembled(size) == pytest.approx(assembled(1.0), rel=0, abs=1e-8 if size == 1e-9 else 1e-11)
