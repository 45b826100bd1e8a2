"""Detection of constraints that repeat others: decided on projected poses, with NumPy's geometry."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from coupling.kernel import library
from tests.support.kernel.rank import Constraints, Status
from tests.support.runtime.sanitized import compiled, driven
from tests.support.systems.constrained import GROUND, Joint, Mechanism
from tests.support.systems.singular import Case, Maker, cases, healthy

KERNEL = Path(library._name).parent
HARNESS = Path(__file__).parents[3] / "support" / "kernel" / "rank_memory.c"


def constraints(mechanism: Mechanism) -> Constraints:
    """Returns the constraints at the present pose."""
    _, gradient = mechanism.geometry()
    return Constraints(gradient, mechanism.mobility(gradient), mechanism.joint, mechanism.groups)


@pytest.fixture(scope="module")
def systems() -> list[Case]:
    return cases()


def test_the_rank_of_298_systems_is_right_in_their_projected_poses(systems):
    counted, right = Counter(), Counter()
    kept, repeating, wrong = [], [], []
    for case in systems:
        assert case.mechanism.project() <= 1e-12, case.name
        rank = constraints(case.mechanism).rank()
        part = case.kind if case.violation <= 1e-12 or case.kind != "redundant" else "redundant and violated"
        counted[part] += 1
        right[part] += len(rank.redundant) == case.redundant
        wrong += [case.name] * (len(rank.redundant) != case.redundant)
        repeating += list(rank.eta[rank.redundant])
        kept.append(np.delete(rank.eta, rank.redundant).min())
    assert not wrong
    assert counted == right == {"scaled": 100, "redundant": 42, "redundant and violated": 84, "near": 72}
    assert max(repeating) <= 1e-14
    assert min(kept) >= 1e-9  # a pose at 1e-8 from a singular one


def test_masses_lengths_and_thin_bodies_have_no_part_in_eta(systems):
    for case in systems:
        if case.kind == "scaled":
            rank = constraints(case.mechanism).rank()
            assert rank.eta.min() >= 4e-3, case.name
            assert set(np.flatnonzero(rank.pivot < 1e-6)) == set(rank.badly_scaled), case.name


def test_576_decisions_on_contradictions_are_right():
    make, decisions = Maker(), Counter()
    for name, mechanism in healthy(make):
        assert mechanism.project() <= 1e-12, name
        decisions["healthy"] += 1
        rank = constraints(mechanism).rank()
        for right, contradicts, what in right_sides(mechanism, rank, make.random):
            assert any(relation.misfit(right) > 1e-6 for relation in rank.relations) == contradicts, (name, what)
            decisions[what] += 1
    assert decisions == {"healthy": 144, "healthy, with loads": 144, 1e-5: 144, 1e-2: 144}
    assert sum(decisions.values()) == 576


def right_sides(mechanism, rank, random):
    """Right sides at velocity or acceleration level that belong to some motion, and with one of them apart by a share of its terms.

    What the equation of a redundant row has to be follows from the active rows by NumPy's least squares.
    """
    _, gradient = mechanism.geometry()
    gradient = gradient * [mechanism.size if group % 2 == 0 else 1.0 for group in mechanism.groups]
    right = gradient @ random.normal(size=gradient.shape[1])
    yield right, False, "healthy, with loads"
    active = np.flatnonzero(rank.status != Status.REDUNDANT)
    row = random.choice(rank.redundant)
    c = np.linalg.lstsq(gradient[active].T, gradient[row], rcond=1e-12)[0]
    assert np.allclose(c @ gradient[active], gradient[row], atol=1e-9 * np.abs(gradient).max())
    for misfit in (1e-5, 1e-2):
        apart = right.copy()
        apart[row] += misfit * (abs(right[row]) + np.abs(c) @ np.abs(right[active]))
        yield apart, True, misfit


def test_accelerations_of_a_moving_redundant_mechanism_hold_together():
    """The terms of turning are consistent by themselves, to the rounding of a difference."""
    make = Maker()
    mechanism = make.planar_loop(1.0, masses=3)
    mechanism.project()
    rank = constraints(mechanism).rank()
    _, gradient = mechanism.geometry()
    velocity = make.random.normal(size=gradient.shape[1])
    velocity -= np.linalg.pinv(gradient, rcond=1e-10) @ (gradient @ velocity)
    here, step, sides = mechanism.pose(), 1e-5, []
    for sign in (1, -1):
        mechanism.set_pose(here)
        mechanism.move(sign * step * velocity)
        sides.append(mechanism.geometry()[1] @ velocity)
    right = (sides[0] - sides[1]) / (2 * step)
    assert max(relation.misfit(right, 1e3) for relation in rank.relations) <= 1e-8


def test_relations_are_combinations_that_vanish_and_name_the_rows_that_take_part():
    make = Maker(1)
    door, chain = make.door(3, 1.0), make.chain(30, planar=False)
    shift = len(door.joint)
    gradients = [m.geometry()[1] for m in (door, chain)]
    mobilities = [m.mobility(g) for m, g in zip((door, chain), gradients, strict=True)]
    gradient, mobility = (
        np.block([[a, np.zeros((len(a), b.shape[1]))], [np.zeros((len(b), a.shape[1])), b]]) for a, b in (gradients, mobilities)
    )
    joints = [*door.joint, *(3 + j for j in chain.joint)]
    rank = Constraints(gradient, mobility, joints, [*door.groups, *(2 + g for g in chain.groups)]).rank()
    assert len(rank.redundant) == len(rank.relations) == 10
    assert sorted(relation.row for relation in rank.relations) == list(rank.redundant)
    for relation in rank.relations:
        assert relation.members.max() < shift
        assert np.abs(relation.factors @ gradient[relation.members]).max() <= 1e-14 * np.abs(relation.factors).max()
        assert set(relation.members) & set(rank.redundant) == {relation.row}


def test_the_rows_that_are_left_have_full_rank():
    make = Maker(2)
    for mechanism in (make.plank(4, 1.0), make.door(3, 1e3), make.planar_loop(1.0, joints=6), make.bricard(1e-3, 6)):
        rank = constraints(mechanism).rank()
        _, gradient = mechanism.geometry()
        gradient = gradient * [mechanism.size if group % 2 == 0 else 1.0 for group in mechanism.groups]
        gradient /= np.linalg.norm(gradient, axis=1)[:, None]
        singular = np.linalg.svd(np.delete(gradient, rank.redundant, axis=0), compute_uv=False)
        assert singular.min() > 1e-6


def light_rod(mass: float) -> Mechanism:
    """Returns a rod between the ground and a bob of 1 kg."""
    centres = [(0, -0.25, 0), (0.3, -0.5, 0)]
    joints = [Joint("pin", GROUND, 0, (0, 0, 0)), Joint("pin", 0, 1, (0, -0.5, 0))]
    return Mechanism(centres, [mass, 1.0], [mass * 0.1, 0.1], joints, planar=True)


@pytest.mark.parametrize("mass", [1e-3, 1e-6, 1e-8, 1e-10, 1e-14])
def test_a_light_rod_is_no_redundancy_and_its_masses_are_named(mass):
    rank = constraints(light_rod(mass)).rank()
    assert not len(rank.redundant)
    assert len(rank.badly_scaled) == (mass < 1e-6)
    for row in rank.badly_scaled:
        assert (rank.light[row] // 2, rank.heavy[row] // 2) == (0, 1)
        assert rank.light_mobility[row] == pytest.approx(1 / mass)
        assert rank.heavy_mobility[row] == pytest.approx(1.0)
        assert mass / 10 < rank.pivot[row] < 10 * mass


@pytest.mark.parametrize("decades", [2, 6, 10, 12])
def test_a_thin_pendulum_is_not_even_badly_scaled(decades):
    rank = constraints(Maker().thin(1, decades)).rank()
    assert np.abs(rank.pivot - 1).max() <= 1e-15 * 10**decades
    assert not len(rank.redundant) + len(rank.badly_scaled)


@pytest.mark.parametrize("welds", [2, 3, 5])
def test_a_plank_on_welds_in_the_plane(welds):
    joints = [Joint("weld", GROUND, 0, (0.5 * k - 1, 0, 0)) for k in range(welds)]
    plank = Mechanism([(0, 0, 0)], [2.0], [0.3], joints, planar=True)
    assert len(constraints(plank).rank().redundant) == 3 * (welds - 1)


def test_a_pendulum_beside_a_heavy_body_that_nothing_holds():
    bodies = Mechanism([(0.5, 0, 0), (5, 5, 0)], [1e-10, 1e10], [1e-12, 1e12], [Joint("pin", GROUND, 0, (0, 0, 0))], planar=True)
    rank = constraints(bodies).rank()
    assert list(rank.status) == [Status.ACTIVE] * 2


def test_a_row_without_entries_repeats_nothing_and_is_redundant():
    gradient = np.array([[1.0, 0], [0, 0]])
    rank = Constraints(gradient, gradient, [0, 1], [0, 0]).rank()
    assert list(rank.status) == [Status.ACTIVE, Status.REDUNDANT]
    assert list(rank.relations[0].members) == [1]


def test_without_rows_nothing_is_decided():
    rank = Constraints(np.zeros((0, 3)), np.zeros((0, 3)), [], [0, 0, 0]).rank()
    assert len(rank.status) == len(rank.relations) == 0


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(wrong):
    gradient = np.array([[1.0, wrong]])
    with pytest.raises(ValueError, match="not finite"):
        Constraints(gradient, np.ones((1, 2)), [0], [0, 0]).rank()


def test_a_small_singular_value_that_pivots_hide_is_looked_for():
    """A triangle of -1 below a diagonal of 1: its rows' own parts are never small in this order, the last singular value is 3e-12."""
    count = 40
    gradient = np.eye(count) - np.tril(np.ones((count, count)), -1)
    gradient /= np.linalg.norm(gradient, axis=1)[:, None]
    rank = Constraints(gradient, gradient, range(count), range(count)).rank()
    assert len(rank.badly_scaled) and not len(rank.redundant)


@pytest.mark.parametrize(
    ("mechanism", "redundant"),
    [
        pytest.param(lambda: Maker(3).chain(1000, planar=True), 0, id="chain in the plane"),
        pytest.param(lambda: Maker(3).chain(400, planar=False), 0, id="chain in space"),
        pytest.param(lambda: Maker(3).parallelograms(300, 0.3), 0, id="parallelograms"),
        pytest.param(lambda: Maker(3).planar_loop(1.0, joints=200), 3, id="ring"),
        pytest.param(lambda: Maker(3).plank(50, 1.0), 294, id="welds"),
    ],
)
def test_large_systems_take_little_time(mechanism, redundant):
    rows = constraints(mechanism())
    started = time.process_time()
    rank = rows.rank()
    assert time.process_time() - started < 0.5
    assert len(rank.redundant) == redundant


def test_memory_that_runs_out_is_answered_and_given_back(tmp_path):
    sources = [KERNEL / "platform" / "entries.c", *sorted((KERNEL / "rank").glob("rank*.c")), HARNESS]
    objects = [compiled(source, tmp_path / f"{source.stem}.o", [KERNEL], "-DARENA_PIECE=64") for source in sources]
    told = driven(tmp_path / "harness", objects)
    failures = int(told.split()[-2])
    assert failures > 1000
