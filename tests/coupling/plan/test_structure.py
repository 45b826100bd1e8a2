"""The digest of what equations follow from: systems share code by it, so that it must tell apart whatever has other equations."""

import pytest

from coupling import System
from coupling.plan.graph import constrained
from tests.support import foreign
from tests.support.systems.systems import pendulum

WIRES = [("ground.p1", "pin.M"), ("pin.N", "rod.p1"), ("rod.p2", "joint.M"), ("joint.N", "other.p1"), ("push.M", "other.p1")]
PARTS = [
    ("ground", "planar.Fixed"),
    ("pin", "planar.Revolute"),
    ("rod", "planar.Body2"),
    ("joint", "planar.Revolute"),
    ("other", "planar.Body1"),
    ("push", "planar.Wrench"),
]


def structure(wires=WIRES, parts=PARTS, names=None, drives=(), **start) -> str:
    system, called = System("any"), dict(names or {})
    for name, fmu in parts:
        system.add(called.get(name, name), fmu, start.get(name, {}))
    for ends in wires:
        system.connect(*(".".join([called.get(end.split(".")[0], end.split(".")[0]), end.split(".")[1]]) for end in ends))
    for name in drives:
        system.drive(name, lambda t: t)
    return system.build(communication=False).structure


def test_names_values_and_the_order_of_connections_of_different_ports_do_not_count():
    expected = structure()
    assert structure(names={"rod": "bar", "pin": "axis"}) == expected
    assert structure(rod={"m": 3.0}) == expected
    assert structure([*WIRES[1:3], WIRES[0], *WIRES[3:]]) == expected


@pytest.mark.parametrize(
    "other",
    [
        {"wires": [*WIRES[:2], ("rod.p1", "joint.M"), *WIRES[3:]]},
        {"wires": [*WIRES[:4], ("push.M", "rod.p2")]},
        {"wires": [("pin.N", "ground.p1"), ("pin.M", "rod.p1"), *WIRES[2:]]},
        {"parts": [*PARTS[:3], ("joint", "planar.Weld"), *PARTS[4:]]},
        {"parts": [PARTS[0], PARTS[1], PARTS[4], PARTS[3], PARTS[2], PARTS[5]]},
        {"drives": ["push.Fx"]},
        {"drives": ["push.Fy"]},
    ],
    ids=lambda other: next(iter(other)),
)
def test_whatever_has_other_equations_is_another_structure(other):
    assert structure(**other) != structure()


def test_which_input_is_driven_counts():
    assert structure(drives=["push.Fx"]) != structure(drives=["push.Fy"])


def test_in_which_order_forces_are_added_counts():
    """Sums are rounded in their order."""
    assert structure([*WIRES[:3], WIRES[4], WIRES[3]]) != structure()


def test_multipliers_are_sought_through_loops():
    """The search ends in a loop without any, and finds those that act on a body."""
    system = System("loop")
    for name in ("a", "b"):
        system.add(name, foreign.gain(factor=0.5))
    system.add("lag", "signal.FirstOrder", kind="cs")
    for wire in (("a.y", "b.u"), ("b.y", "a.u"), ("b.y", "lag.u")):
        system.connect(*wire)
    for each, found in ((system, False), (pendulum(), True)):
        schedule = each.build(communication=True).schedule
        assert constrained(schedule.graph, schedule.arriving) is found
