"""Joints that form cycles."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.sparse.csgraph import connected_components

from coupling import System
from coupling.kernel.rows.rows import NONE
from coupling.plan.cycles import cycles, joints_and_cycles


def test_a_chain_has_none_and_a_ring_is_one():
    chain = [(j, b) for j in range(5) for b in (f"body{j}", f"body{j + 1}")]
    assert cycles(chain) == {}
    ring = cycles([*chain, (5, "body5"), (5, "body0")])
    assert ring == dict.fromkeys(range(6), 0)


def test_two_rings_at_one_body_are_two_cycles():
    edges = [(0, "a"), (0, "b"), (1, "a"), (1, "b"), (2, "b"), (2, "c"), (3, "b"), (3, "c"), (4, "c"), (4, "d")]
    found = cycles(edges)
    assert found[0] == found[1] != found[2] == found[3] and 4 not in found


def test_a_joint_of_three_bodies_joins_what_it_is_in():
    edges = [(0, "a"), (0, "b"), (0, "c"), (1, "a"), (1, "b"), (2, "b"), (2, "c")]
    assert set(cycles(edges).values()) == {0}


def apart(bodies: np.ndarray, one: int, other: int) -> bool:
    """Says whether two joints lie on no common cycle: then the removal of one body cuts all paths between them (Menger)."""
    for gone in range(bodies.max() + 1):
        matrix = np.zeros((bodies.max() + 1,) * 2)
        for a, b in bodies:
            matrix[a, b] = gone not in (a, b)
        _, label = connected_components(matrix, directed=False)
        if not {label[b] for b in bodies[one] if b != gone} & {label[b] for b in bodies[other] if b != gone}:
            return True
    return False


def test_random_graphs():
    """Joints between two bodies each: the same cycle is the same as a common cycle of any two."""
    random = np.random.default_rng(0)
    for count, joints in itertools.product((3, 6, 10), (4, 10, 15)):
        bodies = np.array([random.choice(count, 2, replace=False) for _ in range(joints)])
        found = cycles([(j, f"body{b}") for j, pair in enumerate(bodies) for b in pair])
        for one, other in itertools.combinations(range(joints), 2):
            together = one in found and found[one] == found.get(other)
            assert together != apart(bodies, one, other)


def test_a_four_bar_closes_over_the_ground_and_a_pendulum_hangs_free():
    """The ground has as many instances as one likes."""
    system = System("mechanism")
    for i in range(2):
        system.add(f"ground{i}", "planar.Fixed", {"p1.rx": float(i)})
        system.add(f"rocker{i}", "planar.Body2", {"p1.rx": -0.5, "p2.rx": 0.5})
    system.add("coupler", "planar.Body3", {"p1.rx": -0.5, "p2.rx": 0.5})
    system.add("bob", "planar.Body1")
    ends = {
        "foot0": ("ground0.p1", "rocker0.p1"),
        "foot1": ("ground1.p1", "rocker1.p1"),
        "left": ("rocker0.p2", "coupler.p1"),
        "right": ("rocker1.p2", "coupler.p2"),
        "hook": ("coupler.p3", "bob.p1"),
    }
    for name, (a, b) in ends.items():
        system.add(name, "planar.Revolute")
        system.connect(a, f"{name}.M")
        system.connect(b, f"{name}.N")
    schedule = system.build().schedule
    joint, cycle = joints_and_cycles(schedule.graph, schedule.loops[0])
    names = [schedule.graph.parts[a.part].name for a in schedule.loops[0].unknowns]
    assert dict(zip(names, cycle, strict=True)) == {**dict.fromkeys(ends, 0), "hook": NONE}
    assert all((joint[i] == joint[k]) == (names[i] == names[k]) for i in range(len(names)) for k in range(len(names)))
