"""Fixed steps whose equations and derivatives come from the graph, against those by the FMUs: as many iterations, and the same states."""

from __future__ import annotations

import math
from functools import partial

import pytest

from coupling import Index3, System
from coupling.live.derivatives import open_equations
from tests.coupling.fused.test_examples import example
from tests.coupling.fused.test_recursion import chain
from tests.coupling.live.test_enforcement import through_all_stages
from tests.coupling.live.test_fused import COUNTS, both_ways, four_bars, moving
from tests.coupling.live.test_switched_components import incline
from tests.coupling.live.test_switching import stack
from tests.support.systems import seven_bodies
from tests.support.systems.hard_systems import braced_parallelogram

ITERATIONS = tuple(each for each in (*COUNTS, "jacobians", "most_newton_iterations") if each != "factorisations")
"""Rounding tells whether there is anything to project at the end of a step."""


@pytest.fixture
def given(monkeypatch) -> list[object]:
    """Lists the structures that the kernel was given."""
    found: list[object] = []
    give = open_equations.set_fused_open
    monkeypatch.setattr(open_equations, "set_fused_open", lambda kernel, structure: found.append(structure) or give(kernel, structure))
    return found


slow = partial(pytest.param, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("make", "asked", "options"),
    [
        (seven_bodies.system, {"step_size": 1e-4, "metric": "tangent"}, {}),
        # with states that no constraint moves
        slow(lambda: example("06_hydraulic_crane").system(), {"step_size": 1e-3}, {}),
        # a quaternion
        (lambda: example("13_heavy_top").system(), {"step_size": 1e-3, "method": "generalised-alpha"}, {}),
        # constraints of velocities alone
        slow(lambda: example("25_chaplygin").system(), {"step_size": 1e-3, "velocity_level": "stepped"}, {}),
        (lambda: four_bars(2), {"step_size": 1e-3, "method": "trbdf2"}, {"start_values": moving(2, 1.0)}),
        (braced_parallelogram, {"step_size": 1e-3}, {}),
        # a tree of blocks, whose unknowns are others in an evaluation
        slow(lambda: chain(3), {"step_size": 1e-3}, {}),
        # friction: laws in place of constraints
        (stack, {"step_size": 1e-2}, {}),
        slow(lambda: incline(0.5), {"step_size": 1e-2}, {}),
    ],
    ids=["seven bodies", "crane", "heavy top", "knife edge", "four bars", "redundant", "tree of blocks", "friction", "contact"],
)
def test_steps_are_those_by_the_fmus(make, asked, options, given):
    """An inexact Jacobian would take more iterations."""
    both_ways(make, 50 * asked["step_size"], counts=ITERATIONS, solver=Index3(**asked), **options)
    assert len(given) == 1


def test_joints_that_are_enforced_for_some_time_are_left_to_the_fmus(given):
    both_ways(through_all_stages, 1.6, solver=Index3(step_size=0.01))
    assert not given


def test_where_values_are_not_finite_the_fmus_say_why():
    def pendulum() -> System:
        system = System("pendulum")
        system.add("ground", "planar.Fixed")
        system.add("pin", "planar.ActuatedRevolute")
        system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
        system.connect("ground.p1", "pin.M")
        system.connect("rod.p1", "pin.N")
        system.drive("pin.effort", lambda t: math.nan if t > 0.05 else 0.0)
        return system

    ours, theirs = (pendulum().simulate(0.1, solver=Index3(step_size=0.01), evaluation=each) for each in ("tape", "fmus"))
    assert not ours.outcome.completed and str(ours.outcome) == str(theirs.outcome)
