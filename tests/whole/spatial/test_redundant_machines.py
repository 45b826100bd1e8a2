"""Machines whose constraints repeat each other move like those by one coordinate, at any heading, in any order, however their bodies are cut."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.systems.redundant import Machine, Variant, family, run, variants

MACHINES = family()
ONE_EACH = [0, 8, 13, 17, 26, *(pytest.param(larger, marks=pytest.mark.slow) for larger in (2, 9, 18))]


def check(machine: Machine, variant: Variant) -> None:
    found = run(machine, variant)
    assert found.error < 10, found.sentence
    assert found.redundant == machine.redundant
    assert found.others == ()


@pytest.mark.every_case
@pytest.mark.parametrize("number", ONE_EACH, ids=lambda number: MACHINES[number].name)
def test_a_redundant_machine_moves_like_its_coordinate(number: int) -> None:
    check(MACHINES[number], Variant(heading=1.2, order=1, cut=1))


@pytest.mark.slow
def test_headings_do_not_matter() -> None:
    """The steps are the same except a few, and the motion to the tolerance."""
    for machine in (MACHINES[17], MACHINES[13]):
        steps = [run(machine, Variant(heading=heading)).steps for heading in (0.0, 0.3, 1.5707963267948966)]
        assert max(steps) <= 1.05 * min(steps)


@pytest.mark.slow
def test_a_pose_in_line_is_passed_in_one_step_however_the_coupler_is_cut() -> None:
    """Four parallel cranks lose one rank more there; the reaction that vanishes is as great as it has to be until then, so that no step is rejected."""
    machine = MACHINES[10]
    for cut in (1, 2, 3):
        variant = Variant(heading=0.7853981633974483, cut=cut)
        check(machine, variant)
        assert run(machine, variant).steps < 60


@pytest.mark.parametrize("number", [0, 9, 13, 17])
def test_redundant_machines_are_evaluated_fast(number: int) -> None:
    """Constraints that repeat others are left out; the general equations are asked once, the FMUs never. Shares of loads are the same."""
    machine = MACHINES[number]
    ours, theirs = (machine.make(Variant(heading=0.7)).simulate(0.1, evaluation=way, rtol=1e-8) for way in ("tape", "fmus"))
    assert ours.statistics.by_fmus == 0 and ours.statistics.handed_over <= 2, ours.statistics
    assert ours.statistics.steps == theirs.statistics.steps
    for name in ours.names:
        if "lambda" in name:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=0, atol=1e-6 * (1 + np.abs(theirs[name]).max()), err_msg=name)


def test_the_summary_says_how_often_the_general_equations_were_asked() -> None:
    """Near poses in line, where the equations lose another rank."""
    statistics = MACHINES[9].make(Variant()).simulate(2.0).statistics
    assert 10 < statistics.handed_over < statistics.evaluations / 10
    assert f"except the multipliers of {statistics.handed_over} evaluations, which the general equations gave" in str(statistics)


def test_hinges_of_a_wheel_set_are_not_to_be_replaced() -> None:
    """Without one of them a wheel would fall over; three equations too many are those of its rolling."""
    (warning,) = MACHINES[17].make(Variant()).simulate(0.1).outcome.warnings
    assert warning.startswith("3 constraints are redundant") and warning.endswith("the solution of least length is taken")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(MACHINES)), ids=[f"{number} {each.name}" for number, each in enumerate(MACHINES)])
def test_a_tenth_of_all_variants(number: int) -> None:
    machine = MACHINES[number]
    found = {str(variant): run(machine, variant) for variant in variants()[number % 10 :: 10]}
    wrong = {name: each for name, each in found.items() if each.error >= 10 or each.redundant != machine.redundant or each.others}
    assert len(found) >= 7 and not wrong
