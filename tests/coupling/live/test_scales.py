"""A four-bar of any size: lengths and gravity times s, inertias times s^2. It moves as that of 1 m, and is judged by the same tolerances."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from coupling import Scheme, System
from coupling.errors import InitialStateError
from coupling.live.session import size_by
from coupling.result import Result
from tests.whole.test_singular_poses import LENGTHS, closed, joint

SIZES = [1e-3, 1e-6, 1e6]
FEWER = [pytest.param(1.0, marks=pytest.mark.slow), pytest.param(1e-3, marks=pytest.mark.slow), 1e-6, 1e6]
COUPLED = {"communication_step": 1e-2, "scheme": "implicit"}
EXACT = [
    *(
        {},
        {"solver": "dop853"},
        {"stabilisation": "baumgarte"},
        {"evaluation": "fmus"},
        COUPLED,
        {**COUPLED, "scheme": Scheme(step_control="adaptive")},
    ),
    *(pytest.param({**COUPLED, "scheme": f"implicit-{level}"}, marks=pytest.mark.slow) for level in ("velocity", "position")),
]
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


@cache
def assembled(size: float) -> np.ndarray:
    guess = {name: value + 0.01 * unit(name, size) for name, value in start(size).items()}
    pose = four_bar(size).assemble(guess=guess, velocities={"crank.omega": 2.0})
    return np.array([pose[name] / unit(name, size) for name in STATES])


@pytest.mark.parametrize("size", [*SIZES, 1e-5, 2e-7, 1e-9, 1e8])
def test_poses_and_velocities_are_assembled_to_rounding(size):
    """The distance from the guesses tells poses to 1e-8 only: a search that followed it alone stopped there or not, by its last bits."""
    assert assembled(size) == pytest.approx(assembled(1.0), rel=0, abs=1e-11)


def box(size: float) -> System:
    """A box that falls askew on the plane, bounces on its corners, slips and comes to rest."""
    system = System("box")
    system.add("ground", "planar.Fixed", {"p1.rx": size})
    box = {"I": size**2 / 6, "p1.rx": -0.5 * size, "p1.ry": -0.5 * size, "p2.rx": 0.5 * size, "p2.ry": -0.5 * size, "gy": -9.81 * size}
    system.add("box", "planar.Body2", {**box, "y": 0.75 * size, "theta": 0.1, "vx": 0.7 * size})
    for k in (1, 2):
        system.add(f"foot{k}", "planar.PointContact", {"e": 0.3, "mu": 0.4})
        system.connect("ground.p1", f"foot{k}.M")
        system.connect(f"foot{k}.N", f"box.p{k}")
    return system


@cache
def landing(size: float) -> Result:
    return box(size).simulate(1.5, rtol=1e-11)


@pytest.mark.parametrize("size", SIZES)
def test_contacts_of_any_size_have_the_same_modes(size):
    found, expected = landing(size), landing(1.0)
    assert [(each.joint, each.what) for each in found.changes] == [(each.joint, each.what) for each in expected.changes]
    assert [each.time for each in found.changes] == pytest.approx([each.time for each in expected.changes], abs=1e-8)
    assert len(expected.changes) > 5 and found["box.x"][-1] / size == pytest.approx(expected["box.x"][-1], abs=1e-8)


def caught(size: float, x: float = 0.5, vy: float = 2.0) -> System:
    """A rod of length 1 that flies by a pin with its left end, and is caught at t = 0.5 s."""
    system = System("rod")
    system.add("ground", "planar.Fixed")
    system.add("wall", "planar.Fixed", {"p1.rx": size})
    system.add(
        "rod", "planar.Body1", {"I": size**2 / 12, "p1.rx": -0.5 * size, "gy": 0.0, "x": x * size, "y": -vy / 2 * size, "vy": vy * size}
    )
    joint(system, "pin", "ground.p1", "rod.p1")
    system.enforce("pin", [(0.5, None)])
    return system


@pytest.mark.parametrize("size", FEWER)
def test_joints_that_are_added_fit_by_the_size(size):
    (change,) = caught(size, 0.5 + 0.9e-6).simulate(1.0).changes
    assert change.energy / size**2 == pytest.approx(0.5, abs=1e-5)
    outcome = caught(size, 0.5 + 3e-6).simulate(1.0).outcome
    allowed, value = f"{1e-6 * size:g}", f"{3e-6 * size:.4g}"
    assert f"'pin' cannot be added, position[1] = {value} m (at most {allowed} m is allowed)" in outcome.sentence


@pytest.mark.parametrize("size", FEWER)
def test_velocities_of_joints_that_are_added_are_judged_by_the_size(size):
    (warning,) = caught(size, vy=2e-5).simulate(1.0).outcome.warnings
    assert f"with a velocity of {2e-5 * size:.6g} m/s: an impulse" in warning
    assert not caught(size, vy=0.9e-5).simulate(1.0).outcome.warnings


@pytest.mark.parametrize("size", FEWER)
def test_joints_that_repeat_each_other_contradict_each_other_by_the_size(size):
    def ending(apart: float) -> str:
        system = System("rails")
        system.add("ground", "planar.Fixed", {"p1.rx": size})
        system.add("rod", "planar.Body1", {"I": size**2 / 12, "p1.rx": -0.5 * size, "gy": 0.0, "vx": 0.3 * size})
        for name, speed in (("rail1", 0.3), ("rail2", 0.3 - apart)):
            system.add(name, "planar.RelativeVelocity", {"velocity": speed * size})
            system.connect("ground.p1", f"{name}.M")
            system.connect(f"{name}.N", "rod.p1")
        system.enforce("rail2", [(0.5, None)])
        return system.simulate(1.0).outcome.sentence

    assert "but asks for another velocity" in ending(5e-5)
    assert "completed" in ending(0.9e-5)


@pytest.mark.parametrize("size", [2.0**-20])
def test_ida_controls_the_errors_of_forces_by_the_size(size):
    """A power of two leaves all digits as they are, so that the steps are the same ones."""
    found, expected = (four_bar(s).simulate(0.3, start_values=start(s), solver="ida", output_times=[0.3]) for s in (size, 1.0))
    assert found.statistics.steps == pytest.approx(expected.statistics.steps, rel=0.01)
    assert found["c.lambda[1]"][-1] / size == pytest.approx(expected["c.lambda[1]"][-1], rel=1e-6)


@pytest.mark.parametrize("size", [2.0**-30, pytest.param(2.0**20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", EXACT, ids=str)
def test_powers_of_two_leave_all_bits(size, options):
    """Projections end at the same share of the size: a four-bar of 1 um was left 1e-12 m off, as one of 1 m."""
    found, expected = (four_bar(s).simulate(0.2, start_values=start(s), **options) for s in (size, 1.0))
    assert found.statistics.steps == expected.statistics.steps
    for name in STATES:
        assert np.array_equal(found[name] / unit(name, size), expected[name])


def test_sizes_do_not_jump():
    assert [size_by(arm) for arm in (0.0, 0.01, 1.0, 100.0)] == [1.0] * 4
    assert [size_by(arm) for arm in (1e-9, 1e-3, 1e3, 1e7)] == [1e-9, 1e-3, 1e3, 1e7]
    arms = np.geomspace(1e-4, 1e4, 8001)
    rates = np.diff(np.log([size_by(arm) for arm in arms.tolist()])) / np.diff(np.log(arms))
    assert rates.min() >= -1e-9 and rates.max() <= 3 + 1e-9


def test_runs_do_not_jump_where_sizes_begin_to_count():
    found, expected = (four_bar(s).simulate(0.5, start_values=start(s), output_times=[0.5]) for s in (0.01 * (1 - 1e-6), 0.01))
    assert found.statistics.steps == expected.statistics.steps
    assert found["rocker.theta"][-1] == pytest.approx(expected["rocker.theta"][-1], rel=0, abs=1e-10)
