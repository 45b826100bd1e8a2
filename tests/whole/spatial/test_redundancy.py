"""Loops in space whose equations repeat each other: how many do is decided right, they are named, and what to do is said."""

from __future__ import annotations

import re

import numpy as np
import pytest

from jourdain import Result, System
from tests.support.systems.constrained import Mechanism
from tests.support.systems.machines import example
from tests.support.systems.rank_in_space import as_system
from tests.support.systems.singular import Case, cases
from tests.support.systems.space import planar_loop, shafts


def run(system: System, stop: float = 2.0) -> Result:
    return system.simulate(stop, solver="dop853", rtol=1e-11, output_interval=0.25)


def test_a_planar_loop_is_redundant_by_three_and_the_warning_says_what_to_replace():
    (warning,) = run(planar_loop(), 0.25).outcome.warnings
    assert warning.startswith("3 constraints are redundant at t = 0 s, among those of 'hinge1', 'hinge2', 'hinge3', 'hinge4'; ")
    assert warning.endswith(
        "the solution of least length is taken. To avoid this, replace one spatial.Revolute by a spatial.Spherical and the next one by a spatial.Universal. One of its axes (x of M, y of N) is the "
        "axis of the hinge; the other, on the body between the two, is across the line between them (hinges: 'hinge1', 'hinge2', 'hinge3', 'hinge4'). The others stay"
    )


@pytest.mark.parametrize("options", [{"solver": "cvode"}, {"solver": "dopri5", "stabilisation": "baumgarte"}])
def test_without_projection_there_is_one_warning_too(options):
    """The violation makes the redundant constraints differ a little, which is not the passage of a singular pose."""
    (warning,) = planar_loop().simulate(1.0, rtol=1e-6, **options).outcome.warnings
    assert warning.startswith("3 constraints are redundant at t = 0 s")


def test_a_loop_that_is_redundant_otherwise_is_not_told_to_replace_hinges():
    """Bricard's mechanism has one equation too many; without three it would be free to do more than it does."""
    (warning,) = run(example("14_bricard").system(), 0.0).outcome.warnings
    assert warning.startswith("1 constraint is redundant") and warning.endswith("the solution of least length is taken")


def test_with_the_replacement_the_loop_moves_alike():
    """It agrees over 2 s to 1e-8, without a warning."""
    redundant, replaced = run(planar_loop()), run(planar_loop(replaced=True))
    assert replaced.outcome.completed and not replaced.outcome.warnings
    for name in (f"{body}.{state}" for body in ("crank", "coupler", "rocker") for state in ("x", "y", "omegaz", "q3")):
        assert np.ptp(redundant[name]) > 0.1
        assert replaced[name] == pytest.approx(redundant[name], abs=1e-8)


def test_the_multipliers_of_least_length_load_a_planar_loop_in_its_plane_alone():
    """They are those of the loop without redundancy there; forces across it and torques are 0."""
    redundant, replaced = run(planar_loop(), 0.0), run(planar_loop(replaced=True), 0.0)
    for hinge in ("hinge1", "hinge2", "hinge3", "hinge4"):
        assert [redundant[f"{hinge}.multiplier[{n}]"][0] for n in (3, 4, 5)] == pytest.approx([0, 0, 0], abs=1e-12)
    for hinge in ("hinge1", "hinge2", "hinge4"):
        in_plane = [[result[f"{hinge}.multiplier[{n}]"][0] for n in (1, 2)] for result in (redundant, replaced)]
        assert in_plane[0] == pytest.approx(in_plane[1], abs=1e-9) and np.abs(in_plane).max() > 1


# -- decisions ----------------------------------------------------------------------------------------------------------------------------


def redundant_rows(mechanism: Mechanism, **options: str) -> int:
    """Returns the number of redundant rows, from the warnings of a run that ends at its start."""
    warnings = as_system(mechanism).simulate(0.0, outputs=[], **options).outcome.warnings
    counts = [re.match(r"(\d+) constraints? (?:is|are) redundant", warning) for warning in warnings]
    return sum(int(count.group(1)) for count in counts if count)


def is_thin(mechanism: Mechanism) -> bool:
    """Says whether m L^2 / I of a body exceeds 1e7."""
    return bool((mechanism.masses[:, None] * mechanism.size**2 / mechanism.inertias).max() > 1e7)


def in_space(ports: int) -> list[Case]:
    """Returns the systems of known rank in space whose bodies have at most so many ports, and whose violation is 1e-8 at most."""

    def used(mechanism: Mechanism) -> int:
        ends = [body for joint in mechanism.joints for body in (joint.a, joint.b)]
        return max(ends.count(body) for body in range(mechanism.bodies))

    found = [case for case in cases() if not case.mechanism.planar and case.violation <= 1e-8]
    return [case for case in found if used(case.mechanism) <= ports]


@pytest.mark.parametrize("ports", [2, pytest.param(4, marks=pytest.mark.slow)], ids=["some of two ports", "all"])
def test_the_rank_of_systems_of_fmus_is_right(ports):
    """Chains of any masses, lengths and slimness, welds, doors, loops and Bricard's mechanism; at rest, without any load.

    By projection on projected poses, where the start violates so little that it is accepted; by Baumgarte's stabilisation as they are.
    """
    chosen = in_space(ports)[:: 8 if ports == 2 else 1]
    asked = 0
    for case in chosen:
        assert redundant_rows(case.mechanism, initial="relax", stabilisation="baumgarte") == case.redundant, case.name
        if np.abs(case.mechanism.violations()).max() <= 1e-7:
            assert redundant_rows(case.mechanism, stabilisation="projection") == case.redundant, case.name
            asked += 1
    assert len(chosen) >= (11 if ports == 2 else 120) and asked >= 0.8 * len(chosen)


def test_the_rank_of_a_thin_plank_on_two_welds_is_right():
    """The damped pivots of a body whose m L^2 / I exceeds 1e7 are rounding; they are not counted besides the redundant ones."""
    thin = [case.mechanism for case in in_space(2) if case.name.startswith("two welds") and is_thin(case.mechanism)]
    for mechanism in thin:
        assert redundant_rows(mechanism, stabilisation="projection") == 6


def test_shafts_that_turn_evenly_without_any_force_are_solved():
    """All multipliers and accelerations vanish, up to the rounding of their terms."""
    result = shafts("ConstantVelocity", 0.3, 10.0).simulate(0.5, solver="dop853", rtol=1e-12)
    assert result.outcome.completed and not result.outcome.warnings
    assert result["bearing.rotation.q"][-1] == pytest.approx(5.0, abs=1e-9)
    assert np.abs(result["joint.reaction"]).max() < 1e-10
