"""Joints whose constraints come and go, by a tape and by compiled code: one graph for all modes, and the same switches and hits as by the FMUs."""

from __future__ import annotations

import math

import pytest

from coupling import Contacts, Index3, System
from tests.coupling.live.test_enforcement import through_all_stages
from tests.coupling.live.test_fused import EVENTS, both_ways, each_way
from tests.coupling.live.test_switched_components import incline, rods
from tests.coupling.live.test_switching import backlash, ball, stack

SWITCHED = {
    "friction": (stack, 2.0),
    "stops of which one holds": (backlash, 0.5),
    "a ball that bounces": (ball, 2.0),
    "a contact that slips and opens": (lambda: incline(0.5), 1.0),
    "a pendulum at a wall": (lambda: rods(1, (-2.2,), 0.0, 0.6, 0.3), 1.5),
}


@each_way
@pytest.mark.parametrize("name", SWITCHED)
def test_one_graph_serves_all_modes(name, way):
    """Constraints that are off hand over no evaluation: their equations say that their multipliers are 0. Searches for events, and steps
    whose error is rounding alone, leave the number of evaluations to rounding."""
    make, stop = SWITCHED[name]
    result = both_ways(make, stop, counts=EVENTS, way=way, rtol=1e-9)
    assert result.changes and result.statistics.handed_over == result.statistics.by_fmus == 0


@each_way
def test_joints_that_are_enforced_for_some_time_are_handed_over_while_they_are_off(way):
    """The FMU has no variable for a constraint that a schedule puts in force."""
    result = both_ways(through_all_stages, 1.6, way=way, rtol=1e-9)
    assert len(result.changes) == 4
    assert 0 < result.statistics.handed_over < result.statistics.evaluations


def cradle(lifted: int) -> System:
    """Five balls that touch; some are lifted and let go."""
    system = System("cradle")
    system.add("frame", "mechanical1d.Fixed1D")
    for k in range(5):
        system.add(f"ball{k}", "mechanical1d.Mass", {"m": 0.1, "s": 0.04 * k - (0.09 if k < lifted else 0)})
        system.join(
            "mechanical1d.SpringDamper1D", "frame.flange", f"ball{k}.flange", {"k": 0.1 * 32.7, "b": 0, "rest": 0.04 * k}, name=f"string{k}"
        )
    for k in range(4):
        system.join("mechanical1d.EndStop", f"ball{k}.flange", f"ball{k + 1}.flange", {"low": 0.04, "high": 1, "e": 1}, name=f"touch{k}")
    return system


@pytest.mark.parametrize("evaluation", ["fmus", "tape"])
@pytest.mark.parametrize(("lifted", "impacts"), [(2, "sequential"), (1, "simultaneous")])
def test_parts_that_move_alike_press_each_other_by_rounding_alone(lifted, impacts, evaluation):
    """Such a force opens no contact, and refutes no mode where it is the only one: changes happen at the impacts alone."""
    options = {"contacts": Contacts(impacts=impacts, rest_velocity=1e-12), "rtol": 1e-11, "atol": 1e-12}
    result = cradle(lifted).simulate(1.0, evaluation=evaluation, stabilisation="baumgarte", **options)
    quarter = math.pi / 2 / math.sqrt(32.7)
    assert result.outcome.completed
    assert {round(change.time / quarter, 9) for change in result.changes} == {1, 3}


@pytest.mark.parametrize("evaluation", ["fmus", "tape"])
@pytest.mark.parametrize(("lifted", "impacts"), [(2, "sequential"), (1, "simultaneous")])
def test_forces_of_rounding_that_change_their_sign_at_each_look_ask_for_no_updates_without_end(lifted, impacts, evaluation):
    """The steps have a fixed size, with multipliers as unknowns."""
    result = cradle(lifted).simulate(1.0, evaluation=evaluation, solver=Index3(step_size=1e-3), contacts=Contacts(impacts=impacts))
    quarter = math.pi / 2 / math.sqrt(32.7)
    assert result.outcome.completed
    assert {round(change.time / quarter, 4) for change in result.changes} == {1, 3}
