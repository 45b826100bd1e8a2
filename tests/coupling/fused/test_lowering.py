"""A built system as one graph: its derivatives, stage by stage, are those that the instances give."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from coupling import System
from coupling.fused.expressions import Op
from coupling.fused.lowering import lower
from coupling.fused.not_fused import NotFused
from coupling.fused.roots import derivatives
from coupling.plan.build import build
from coupling.plan.jacobian import build_jacobian, pattern_of
from coupling.plan.kinds import Mode
from tests.support.fused.agreement import ALLOWED, Fused, begun, disagreement, events_disagreement, random_point, readings_disagreement
from tests.support.fused.chains import chain
from tests.support.fused.smallest import smallest
from tests.whole.spatial.test_balloon import SETS, balloon


def four_bar() -> System:
    system = System("four-bar", gravity=(0.0, -9.81))
    for name, x in (("A", 0.0), ("D", 2.0)):
        system.add(name, "planar.Fixed", {"p1.rx": x})
    for name in ("crank", "coupler", "rocker"):
        system.add(name, "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5})
    for number, (a, b) in enumerate((("A.p1", "crank.p1"), ("crank.p2", "coupler.p1"), ("coupler.p2", "rocker.p1"), ("rocker.p2", "D.p1"))):
        system.join("planar.Revolute", a, b, name=f"pin{number}")
    system.join("planar.SpringDamper", "A.p1", "coupler.p2", {"k": 30.0}, name="spring")
    return system


def test_derivatives_are_those_of_the_instances():
    assert disagreement(four_bar().build(communication=False)) < ALLOWED


def test_positions_and_velocities_of_constraints_are_those_of_the_instances():
    """Projection reads these levels; nothing is solved for."""
    built = build(four_bar().definition, Mode.PROJECTED)
    lowered = lower(built)
    read = lowered.graph.order(node for levels in lowered.readings for node in levels if node is not None)
    assert not any(lowered.graph.op[node] is Op.UNKNOWN for node in read)
    assert readings_disagreement(built) < ALLOWED


@pytest.mark.parametrize("component", ["planar.PointContact"])
def test_event_indicators_are_those_of_the_instances(component):
    """Indicators of contacts and friction depend on multipliers and modes."""
    assert events_disagreement(smallest(component).build(communication=False)) < ALLOWED


def test_lowering_again_gives_the_same_graph():
    """The graph contains no address and no order of sets."""
    found = [lower(four_bar().build(communication=False)) for _ in range(2)]
    for lowered in found:
        derivatives(lowered)
    first, again = (each.graph for each in found)
    assert (first.op, first.args, first.value, first.owner) == (again.op, again.args, again.value, again.owner)


def test_positions_of_points_are_states_and_what_else_needs_anyway():
    """Each is a state and an arm, which velocities are made of as well: one operation, in whatever order SymPy has the terms."""
    lowered = lower(chain(1).build(communication=False))
    graph = lowered.graph
    turned = [
        node for node in range(len(graph)) if graph.op[node] is Op.MULTIPLY and {graph.op[a] for a in graph.args[node]} & {Op.SIN, Op.COS}
    ]
    read_by = Counter(a for node in range(len(graph)) for a in graph.args[node] if a in turned)
    assert turned and set(read_by.values()) == {1}


@pytest.mark.parametrize("component", [None, "planar.PointContact", "mechanical1d.MasslessShaft", "signal.Gain"])
def test_entries_are_where_the_kernel_has_them(component):
    """The entries are found separately, with the derivatives."""
    system = four_bar() if component is None else with_own_loop() if component == "signal.Gain" else smallest(component)
    schedule = system.build(communication=False).schedule
    assert schedule.loops
    for loop in schedule.loops:
        found = build_jacobian(schedule.graph, loop, lambda part, unknowns, known: [2.0] * len(unknowns))
        assert pattern_of(schedule.graph, loop) == (found.row_start, found.columns)


def with_own_loop() -> System:
    """An algebraic loop of signals, x = 0.5 (x + sin t)."""
    system = System("loop")
    system.add("sine", "signal.Sine")
    system.add("sum", "signal.Sum")
    system.add("gain", "signal.Gain", {"k": 0.5})
    for source, target in (("sine.y", "sum.u1"), ("gain.y", "sum.u2"), ("sum.y", "gain.u")):
        system.connect(source, target)
    return system


def test_equations_of_joints_are_eliminated_along_the_diagonal():
    roots = derivatives(lower(four_bar().build(communication=False)))
    assert roots.eliminations[0].symmetric
    assert sorted(roots.eliminations[0].pivots) == [(i, i) for i in range(8)]


def test_equations_without_pivots_on_the_diagonal_tell_how_well_they_are_solved():
    """A shaft without mass has the unknown of its acceleration in the coupling's equation alone: symmetric, but not definite."""
    built = smallest("mechanical1d.MasslessShaft").build(communication=False)
    fused = Fused(built)
    assert not fused.roots.eliminations[0].symmetric
    with begun(built, {}) as session:
        t, x = random_point(session, np.random.default_rng(1))
        session.kernel.evaluate(t, x)
        assert fused.values(fused.roots.misfits, fused.leaves(session, t, x))[0] < 1e-14


def test_what_runs_in_co_simulation_is_not_fused():
    system = four_bar()
    built = system.build(communication=True)
    with pytest.raises(NotFused, match="'crank' runs in Co-Simulation, where its equations are its own"):
        lower(built)


@pytest.mark.slow
def test_a_graph_does_not_depend_on_what_was_lowered_before() -> None:
    """The same one of two equal forms stays in a process that has lowered other systems."""

    def graph(*absolute: str) -> tuple[object, ...]:
        found = lower(balloon(*SETS["A"], absolute=absolute).build(communication=False)).graph
        return list(found.op), list(found.args), list(map(str, found.value))

    first = graph("upper")
    graph()
    graph("slider", "upper", "lower")
    assert graph("upper") == first
