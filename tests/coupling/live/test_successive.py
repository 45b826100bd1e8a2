"""Successive multipliers: free directions on random systems and on the paper's disc, and runs against simultaneous ones."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import partial
from time import process_time

import numpy as np
import pytest

from benchmarks.chain import chain
from coupling import BuildError, Successive, System
from coupling.live.successive import eliminated, free_directions, full_form, reduced_form, reflected
from tests.support.oracles.constrained import random_system
from tests.support.systems import seven_bodies
from tests.support.systems.machines import EXAMPLES, example
from tests.support.systems.rolling import disc, eccentric_disc, hinge, plank, rod
from tests.support.systems.sessions import started
from tests.support.systems.systems import refusal
from tests.support.systems.zoo import geared, rolling, springs


def gram_schmidt(row: np.ndarray) -> np.ndarray:
    """The unit vectors but that of the greatest entry, made orthogonal to the row and to each other."""
    greatest = np.abs(row).argmax()
    kept = np.delete(np.eye(len(row)), greatest, axis=1)
    return np.linalg.qr(np.column_stack([row, kept]))[0][:, 1:]


@pytest.mark.parametrize("H", [eliminated, reflected, gram_schmidt])
@pytest.mark.parametrize("row", [[0.0, 1, 0], [1, 1, 1, 1, 1e-9], [1e-9, 0, 2], [-3.0]])
def test_what_is_left_of_the_free_directions_is_orthogonal_to_the_constraint(H, row):
    row = np.array(row, dtype=float)
    found = H(row)
    assert found.shape == (len(row), len(row) - 1)
    assert np.abs(row @ found).max(initial=0) < 1e-15 * np.abs(row).max()
    assert np.linalg.matrix_rank(found) == len(row) - 1


def test_the_paper_s_disc_has_the_paper_s_matrices():
    """Stage 1 takes y = r; stage 2 x + r phi = 0. The paper's H of the second is [r, -1]; any multiple of a column will do."""
    m, r, J = 2.0, 0.3, 0.09
    A = np.diag([m, m, J])
    D1 = eliminated(np.array([0.0, 1.0, 0.0]))
    assert np.array_equal(D1, [[1, 0], [0, 0], [0, 1]])
    assert np.array_equal(D1.T @ A, [[m, 0, 0], [0, 0, J]])
    beta = np.array([1.0, 0.0, r]) @ D1
    assert np.array_equal(beta, [1.0, r])
    H = eliminated(beta) * -1
    assert np.array_equal(H, [[r], [-1]])
    assert np.array_equal(D1 @ H, [[r], [0], [-1]])
    assert np.array_equal((D1 @ H).T @ A, [[r * m, 0, -J]])
    assert not ((D1 @ H).T @ np.array([0.0, -m * 9.81, 0.0])).any()


@pytest.mark.parametrize("form", [full_form, reduced_form])
@pytest.mark.parametrize("seed", range(10))
def test_both_forms_are_the_direct_solution(seed, form):
    """They also agree with the solution of Udwadia and Kalaba, a0 + A^-1/2 (G A^-1/2)^+ (-g0 - G a0)."""
    system = random_system(seed)
    exact, _ = system.solution()
    assert form(system.free, system.G, system.V, -system.g0) == pytest.approx(exact, rel=1e-10, abs=1e-10)
    values, vectors = np.linalg.eigh(system.A)
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    pseudo = system.free + root @ np.linalg.pinv(system.G @ root) @ (-system.g0 - system.G @ system.free)
    assert pseudo == pytest.approx(exact, rel=1e-10, abs=1e-10)
    assert np.abs(system.G @ free_directions(system.G)).max() < 1e-13


@pytest.mark.parametrize("seed", range(5))
def test_reactions_of_the_first_constraints_follow_those_of_the_others_by_the_lemma_with_its_minus(seed):
    """C = -B^-1 [F; 0] with B = [F; D1'], F = G1 A^-1; the paper prints its sum with a plus."""
    system = random_system(seed)
    first, k = system.with_rows(range(3)), 3
    D1 = free_directions(first.G)
    F = np.linalg.solve(system.A, first.G.T).T
    B = np.vstack([F, D1.T])
    C = -np.linalg.solve(B, np.vstack([F, np.zeros_like(D1.T)]))
    _, multipliers = system.solution()
    r1, r2 = system.G[:k].T @ multipliers[:k], system.G[k:].T @ multipliers[k:]
    alone = first.G.T @ first.solution()[1]
    assert r1 - alone == pytest.approx(C @ r2, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(("share", "free"), [(1e-10, 1), (1e-14, 2)])
def test_a_row_that_differs_by_rounding_alone_takes_no_freedom(share, free):
    found = free_directions(np.array([[1.0, 0.0, 0.0], [1.0, share, 0.0]]))
    assert found.shape == (3, free) and np.abs(found[0]).max() == 0.0


def multipliers(result) -> dict[str, np.ndarray]:
    return {name: result[name] for name in result.names if ".lambda[" in name}


SYSTEMS = {
    "seven bodies": (seven_bodies.system, 0.003),
    "springs": (springs, 0.2),
    "rolling": (rolling, 0.2),
    "geared": (geared, 0.2),
    "chain": (lambda: chain(10), 0.05),
    "top": (example("13_heavy_top").system, 0.02),
    "plank": (plank, 0.1),
}


@pytest.mark.parametrize("redundant", ["least", "first"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_successive_multipliers_are_the_simultaneous_ones(name, redundant):
    """Redundant constraints are an exception: they have no multipliers when the first take the load."""
    build, stop = SYSTEMS[name]
    initial = "assemble" if name == "rolling" else "check"
    asked = {"output_times": [0.0, stop / 2, stop], "initial": initial}
    both = [build().simulate(stop, **asked, **options) for options in ({}, successive(redundant=redundant))]
    assert all(result.outcome.completed for result in both)
    simultaneous, one_by_one = map(multipliers, both)
    if name == "plank" and redundant == "first":
        assert one_by_one["right.lambda[2]"] == pytest.approx([0.0] * 3)
        assert one_by_one["left.lambda[2]"] == pytest.approx([9.81] * 3)
        return
    size = max(np.abs(each).max() for each in simultaneous.values())
    for each, values in simultaneous.items():
        assert one_by_one[each] == pytest.approx(values, abs=1e-9 * size), each


def successive(**options):
    own = {each.name: options.pop(each.name) for each in fields(Successive) if each.name in options}
    return {"multipliers": Successive(**own), **options}


MACHINES = [
    path.stem
    for path in sorted(EXAMPLES.glob("*.py"))
    if re.search(r"^def system\((?!\w+: Path\))", text := path.read_text(), re.MULTILINE) and "SALib" not in text
]
"""Examples whose systems need no FMU that is made before, and no tool that may be missing."""
ARGUMENTS = {"07_excavator": (None,), "35_walkers_foot": (0.3, 0.5)}
UNCLOSED = ("26_measured_pendulum", "29_quick_return", "36_walking_leg")
"""Examples that are assembled only when they run."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_the_machines_of_the_examples_have_the_same_multipliers(name, monkeypatch):
    """The runs take 10 ms, and the rolling disc until it grips."""
    monkeypatch.syspath_prepend(EXAMPLES)
    module, stop = example(name), 0.6 if name == "21_rolling_disc" else 0.01
    build = partial(module.system, *ARGUMENTS.get(name, ()))
    start = {"initial": "assemble"} if name in UNCLOSED else {}
    both = [build().simulate(stop, output_times=[0.0, stop], **start, **options) for options in ({}, successive())]
    simultaneous, one_by_one = map(multipliers, both)
    size = max((np.abs(each).max() for each in simultaneous.values()), default=1.0)
    for each, values in simultaneous.items():
        assert one_by_one[each] == pytest.approx(values, abs=1e-9 * size), each


@pytest.mark.parametrize("order", [None, ["right"], ["left", "right"], "independent first"])
@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte"])
def test_those_taken_first_carry_the_load_in_every_order(order, stabilisation):
    result = plank().simulate(0.1, **successive(order=order, redundant="first", stabilisation=stabilisation))
    assert result.outcome.completed
    load = {weld: result[f"{weld}.lambda[2]"][-1] for weld in ("left", "right")}
    assert sum(load.values()) == pytest.approx(9.81, abs=1e-9)
    if order == ["right"]:
        assert load["left"] == 0.0
    elif order != "independent first":
        assert load["right"] == 0.0


def test_what_carries_nothing_is_named_with_what_it_repeats():
    result = hinges().simulate(0.1, **successive(redundant="first"))
    assert result.outcome.warnings[0] == (
        "'hinge2' is redundant from t = 0 s on: its lambda[1] repeats hinge1.lambda[1] (1). It carries nothing, since 'hinge1' was taken first; "
        "remove it, or choose Successive(redundant='least')"
    )
    assert result["hinge1.lambda[2]"][0] == pytest.approx(2.4525, abs=1e-9)
    assert result["hinge2.lambda[2]"][0] == 0.0
    least = hinges().simulate(0.1, **successive())
    assert least["hinge2.lambda[2]"][0] == pytest.approx(1.22625, abs=1e-9)


def hinges() -> System:
    """A rod on two equal hinges."""
    system = rod(x=0.5, y=0.0, vy=0.0, gy=-9.81)
    for name in ("hinge1", "hinge2"):
        hinge(system, name, "ground.p1", "rod.p1")
    return system


def test_a_carrier_that_is_removed_is_replaced_by_what_repeated_it():
    system = plank()
    system.enforce("left", [(-1.0, 0.05)])
    result = system.simulate(0.1, **successive(redundant="first", output_times=[0.0, 0.1]))
    assert result["right.lambda[2]"][[0, -1]] == pytest.approx([0.0, 9.81], abs=1e-9)
    assert result["left.lambda[2]"][[0, -1]] == pytest.approx([9.81, 0.0], abs=1e-9)
    assert result.changes[0].heirs == ("right",)


def test_what_carries_nothing_has_no_heirs():
    system = plank()
    system.enforce("right", [(-1.0, 0.05)])
    result = system.simulate(0.1, **successive(redundant="first"))
    assert result.changes[0].heirs == () and not any("carries its load" in note for note in result.outcome.notes)


def test_redundant_constraints_that_contradict_each_other_end_a_run_in_which_the_first_carry_all():
    system = rod(x=0.0, y=0.0, vy=0.0)
    for name in ("rail1", "rail2"):
        hinge(system, name, "ground.p1", "rod.p1", "planar.RelativeVelocity")
        system.drive(f"{name}.velocity", (lambda t: 0.1 * t) if name == "rail1" else 0.0)
        system.drive(f"{name}.velocity.rate", 0.1 if name == "rail1" else 0.0)
    with pytest.raises(ValueError, match="contradict"):
        system.simulate(1.0, **successive(redundant="first"))


def with_friction() -> System:
    """Returns a disc whose normal force is passed on as a force along the plane: the equations of plane and grip become unsymmetric."""
    system = disc(0.3, vx=0.0)
    system.add("friction", "planar.Wrench")
    system.connect("disc.p1", "friction.M")
    system.connect("plane.multiplier[1]", "friction.Fx")
    return system


def test_equations_that_are_not_symmetric_are_refused_by_name():
    """S = [1/m, 0; 1/m, 3/m]: apart by 1 of the root of 3."""
    sentence = "the equations of 'plane' and 'grip' are not symmetric (58% apart)"
    assert sentence in refusal(lambda: with_friction().simulate(0.1, **successive()), BuildError)
    assert sentence in refusal(lambda: with_friction().simulate(0.1, **successive(order="independent first")), BuildError)
    assert sentence in refusal(lambda: with_friction().constraint_stages())
    assert with_friction().simulate(0.1).outcome.completed


ECCENTRIC = {
    0.5: (-1.4407614695549, -3.6026048727221, 22.172824306423, 0.31298918727537),
    1.0: (-2.9888781706288, -2.2454671046353, 19.074671503438, -2.4305648224264),
    2.0: (-3.9651485223592, -0.041361264696627, 19.410617310759, -1.764100250913),
    4.0: (-0.11242547988406, 2.1816874152795, 19.036597332135, 2.4490629988172),
}
"""Angle, rate, normal and tangential force by time: I w' = -m e cos(theta) (r w^2 + g), I = J + m (r^2 + e^2 + 2 r e sin(theta)), by its Taylor
series in 30 digits."""


def test_an_eccentric_disc_rolls_as_its_equation_says():
    names = ["disc.theta", "disc.omega", "roll.lambda[1]", "roll.lambda[2]"]
    result = eccentric_disc().simulate(4.0, solver="dop853", rtol=1e-13, atol=1e-13, output_times=list(ECCENTRIC), **successive())
    assert np.stack([result[name] for name in names], axis=1) == pytest.approx(np.array(list(ECCENTRIC.values())), abs=1e-10)


@pytest.mark.parametrize("form", ["full", "reduced"])
@pytest.mark.parametrize("solver", ["RK45", "cvode"])
def test_forms_with_free_directions_move_a_disc_as_multipliers_do(form, solver):
    options = {"solver": solver, "rtol": 1e-9, "output_times": [0.3]}
    both = [disc(0.3, vx=0.0).simulate(0.3, **options, **each) for each in ({}, successive(form=form))]
    ends = [[result[f"disc.{name}"][-1] for name in ("x", "theta", "vx", "omega")] for result in both]
    assert ends[1] == pytest.approx(ends[0], abs=1e-8)
    assert ends[1][0] == pytest.approx(3.27 * 0.09 / 2, abs=1e-8)


SENTENCES = {
    "typing": (successive(order=["grap"]), "order: 'grap' is no joint of the system; did you mean 'grip'?"),
    "ida": (
        successive(solver="ida"),
        "multipliers = 'successive' is refused with solver = 'ida', which integrates the multipliers along; choose another solver",
    ),
    "stepped": (
        successive(communication_step=0.1),
        "multipliers = 'successive' is refused with a communication_step: co-simulations solve for all of them at once; leave one of the two out",
    ),
    "in C": (
        successive(form="full"),
        "form = 'full' is refused with solver = 'dopri5', which evaluates in C; choose one whose evaluations pass through Python, such as 'RK45' or "
        "'DOP853'",
    ),
    "projected": (
        successive(form="full", solver="RK45", stabilisation="projection"),
        "form = 'full' is refused with stabilisation = 'projection', whose right-hand side solves for the multipliers itself; choose 'baumgarte'",
    ),
    "unknown": ({"multipliers": "both"}, "multipliers = 'both' is unknown; choose 'simultaneous', 'successive' or Successive(...)"),
}


REFUSED = {
    "order: 'grip' is named twice; name each joint once": {"order": ["grip", "grip"]},
    "order = 'grip' is refused: give the names of joints, such as ['plane', 'grip'], or 'independent first'": {"order": "grip"},
    "form = 'half' is unknown; choose 'multipliers', 'full' or 'reduced'": {"form": "half"},
    "redundant = 'most' is unknown; choose 'least' or 'first'": {"redundant": "most"},
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_a_field_that_makes_no_sense_is_refused(sentence):
    assert refusal(lambda: Successive(**REFUSED[sentence]), BuildError) == sentence


@pytest.mark.parametrize("case", SENTENCES)
def test_what_cannot_be_taken_successively_is_refused_in_a_sentence(case):
    options, sentence = SENTENCES[case]
    assert refusal(lambda: disc(0.3, vx=0.0).simulate(0.1, **options), BuildError) == sentence


@pytest.mark.slow
@pytest.mark.parametrize("bodies", [10, 100, 500])
def test_an_evaluation_costs_less_than_1_2_of_a_simultaneous_one(bodies):
    """The time is the process's own: the runs alternate, and the least of many times counts."""
    with started(chain(bodies), 1.0) as one, started(chain(bodies), 1.0, **successive()) as other:
        least = {}
        for _ in range(40):
            for session in (one, other):
                x, dx = session.x.copy(), np.empty_like(session.x)
                began = process_time()
                for _ in range(1 + 300 // bodies):
                    session.kernel.derivatives(0.0, x, dx)
                least[session] = min(process_time() - began, least.get(session, 1.0))
        assert least[other] < 1.2 * least[one], least.values()
