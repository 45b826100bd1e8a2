"""The coupling schemes on the two-mass oscillator: step by step what theory says, its stability limits, and its orders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from coupling import Scheme, System
from coupling.errors import BuildError
from coupling.outcome import Ending
from docs.programs import stability_page as page
from docs.programs.stability_page import EXPLICIT, LINKED_START, ORDERS, START, Explicit
from tests.support.oracles.two_masses import (
    APART,
    DISPLACEMENT_DISPLACEMENT,
    FORCE_DISPLACEMENT,
    FREE_LINK,
    MASSES_ALONE,
    PARTING,
    SPLITS,
    Oscillator,
    Step,
    continuous,
    explicit,
    exponential,
    implicit,
    limit,
    linked,
    radius,
    repetition,
    rigid,
    stabilised,
    subsystems,
)
from tests.support.systems.two_mass_systems import FORCE, linked_system, measured_step, run, split_system, states

STIFF = float("inf")
each_split = pytest.mark.parametrize("split", SPLITS)
each_explicit = pytest.mark.parametrize("scheme", EXPLICIT, ids=lambda scheme: "-".join(scheme.shown))


def stiffness(o: Oscillator) -> np.ndarray:
    (a, b), c = o.walls, o.middle
    return np.array([[a + c, -c], [-c, b + c]])


# -- the theory in itself ------------------------------------------------------------------------------------------------------


@each_split
def test_all_splits_are_the_same_oscillator(split: str) -> None:
    """M s'' + tau K s' + K s = 0, wherever it is cut; and its fastest mode is damped as it says."""
    o = Oscillator(damping=0.1)
    per_mass = stiffness(o) / np.array(o.masses)[:, None]
    whole = continuous(subsystems(o, split))
    np.testing.assert_allclose(whole[1::2, 0::2], -per_mass, rtol=1e-14)
    np.testing.assert_allclose(whole[1::2, 1::2], -o.tau * per_mass, rtol=1e-14)
    np.testing.assert_array_equal(whole[0::2], np.eye(4)[1::2])
    fastest = max(np.linalg.eigvals(whole), key=abs)
    assert abs(fastest) == pytest.approx(o.omega) and -fastest.real / abs(fastest) == pytest.approx(0.1)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_a_part_answers_to_polynomials_as_its_equation_says(degree: int) -> None:
    """The matrix exponential against a Runge-Kutta method."""
    side, h = subsystems(Oscillator(damping=0.1), DISPLACEMENT_DISPLACEMENT)[0], 0.3
    phi, gammas = side.gammas(h, degree)
    x, u = np.array([0.3, -1.0]), np.array([0.7, -0.4])
    solved = solve_ivp(lambda t, y: side.A @ y + side.B @ u * t**degree, (0, h), x, method="DOP853", rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(phi @ x + gammas[degree] @ u, solved.y[:, -1], rtol=0, atol=1e-11)


@pytest.mark.parametrize("damping", [0.01, 0.05, 0.2])
def test_a_held_force_is_a_negative_damper(damping: float) -> None:
    """It acts half a step late: of bare masses the limit h omega is 4 times the damping ratio."""
    o = Oscillator(damping=damping)
    assert limit(explicit(subsystems(o, MASSES_ALONE), 0), o) == pytest.approx(4 * damping, rel=1e-6)


def test_limits_of_implicit_coupling_without_damping() -> None:
    """Motions of bare masses grow from (h omega)^2 = 12 on, repetitions from 6 on."""
    o = Oscillator()
    sides = subsystems(o, MASSES_ALONE)
    assert limit(implicit(sides), o) ** 2 == pytest.approx(12, rel=1e-6)
    assert limit(repetition(sides), o) ** 2 == pytest.approx(6, rel=1e-6)


@pytest.mark.parametrize("x", [0.1, 1.0, 3.0, 10.0])
def test_one_after_another_keeps_the_energy_where_both_have_the_spring(x: float) -> None:
    """While one mass moves, the other stands still: with held inputs each keeps the energy of the whole, exactly."""
    o = Oscillator()
    step = explicit(subsystems(o, DISPLACEMENT_DISPLACEMENT), 0, in_turn=True)(x / o.omega)
    energy = np.zeros((4, 4))
    energy[0::2, 0::2], energy[1::2, 1::2] = stiffness(o), np.diag(o.masses)
    np.testing.assert_allclose(step.T @ energy @ step, energy, atol=1e-11)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_limit_of_the_stabilisation_of_a_link(degree: int) -> None:
    """Between free masses a deviation begins to alternate and grow at a value of h alpha that is known in closed form."""
    free = Oscillator(walls=(0.0, 0.0), middle=STIFF)
    for factor, grows in ((0.999, False), (1.001, True)):
        roots = np.linalg.eigvals(explicit([stabilised(free, 2.0, 2.0)], degree)(factor * FREE_LINK[degree] / 2.0))
        assert (np.abs(roots[roots.real < 0]).max() > 1) == grows
        assert np.abs(roots[roots.real >= 0]).max() < 1 + 1e-6


def test_roots_of_implicit_schemes_between_free_masses() -> None:
    """-1 where a condition meets a single force; -2 - sqrt(3) and -2 + sqrt(3) for the scheme that is refused."""
    free = Oscillator(walls=(0.0, 0.0), middle=STIFF)
    expected = {
        "implicit-position": [-1],
        "implicit-velocity": [-1],
        "implicit": [],
        "implicit-position-linear": [-2 - 3**0.5, -2 + 3**0.5],
    }
    for scheme, roots in expected.items():
        found = sorted(z.real for z in np.linalg.eigvals(rigid(free, scheme)(0.1)) if z.real < -1e-3)
        np.testing.assert_allclose(found, roots, rtol=1e-6)


@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0])
def test_the_exponential_is_that_of_scipy(size: float) -> None:
    """The matrices are one of a part and one that only shifts."""
    for matrix in (size * subsystems(Oscillator(damping=0.1), MASSES_ALONE)[0].A, size * linked(Oscillator(damping=0.1)).A / 40):
        np.testing.assert_allclose(exponential(matrix), expm(matrix), rtol=1e-11, atol=1e-13)


# -- step by step --------------------------------------------------------------------------------------------------------------


def departure(rows: np.ndarray, step: np.ndarray, first: int = 0) -> float:
    """Returns the largest difference of the points from the powers of a matrix on the first of them; before ``first`` steps may be shorter."""
    size = rows.shape[1]
    memory = len(step) // size
    z = rows[first : first + memory][::-1].ravel()
    worst = 0.0
    for row in rows[first + memory :]:
        z = step @ z
        worst = max(worst, float(np.abs(z[:size] - row).max()))
    return worst


def assert_same(system: System, step: Step, h: float, scheme: Explicit) -> None:
    result = run(system, h, 200, **scheme.options)
    assert result.outcome.completed and len(result) == 201
    assert departure(states(result), step(h), scheme.degree) < 1e-10


@each_split
@each_explicit
@pytest.mark.parametrize("x", [0.05, 0.3])
def test_explicit_steps_are_those_of_theory(split: str, scheme: Explicit, x: float) -> None:
    """They agree over 200 steps, to rounding and the parts' own integration."""
    o = Oscillator(damping=0.1)
    assert_same(split_system(o, split, START), explicit(subsystems(o, split), *scheme), x / o.omega, scheme)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_turns_are_taken_in_the_order_of_adding(degree: int) -> None:
    """The part with the spring first: another matrix, and the FMUs follow it."""
    o, scheme = Oscillator(damping=0.1), Explicit(degree, in_turn=True)
    one, other = (explicit(sides, *scheme) for sides in (subsystems(o, FORCE_DISPLACEMENT), subsystems(o, FORCE_DISPLACEMENT)[::-1]))
    h = 0.3 / o.omega
    assert_same(split_system(o, FORCE_DISPLACEMENT, START, order=(1, 0)), other, h, scheme)
    result = run(split_system(o, FORCE_DISPLACEMENT, START, order=(1, 0)), h, 200, **scheme.options)
    assert departure(states(result), one(h), degree) > 1e-6


@each_split
@pytest.mark.parametrize("x", [0.1, 1.0])
def test_implicit_steps_with_springs_are_those_of_theory(split: str, x: float) -> None:
    """They agree up to the tolerance of the inputs at the ends of steps, a ten-millionth of their size in each."""
    o = Oscillator(damping=0.1)
    result = run(split_system(o, split, START), x / o.omega, 200, scheme="implicit")
    assert result.outcome.completed
    size = np.abs(states(result)).max()
    assert departure(states(result), implicit(subsystems(o, split))(x / o.omega)) < 3e-7 * size


@each_explicit
@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_explicit_steps_with_a_link_are_those_of_theory(scheme: Explicit, damping: float) -> None:
    """They agree one after another as well, since a new force is known only after all have stepped."""
    o = Oscillator(middle=STIFF, damping=damping)
    step = explicit([stabilised(o, 3.0, 4.0)], scheme.degree)
    assert_same(linked_system(o, LINKED_START, 3.0, 4.0), step, 0.05 / o.omega, scheme)


@pytest.mark.parametrize("scheme", ORDERS)
@pytest.mark.parametrize("x", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_implicit_steps_with_a_link_are_those_of_theory(scheme: str, x: float, damping: float) -> None:
    """The states, and the force in the link; constraints hold to 5e-11, and with both of them the force answers to that by 1/h^2."""
    o = Oscillator(middle=STIFF, damping=damping)
    h = x / o.omega
    result = run(linked_system(o, LINKED_START), h, 200, scheme=scheme)
    assert result.outcome.completed, result.outcome.sentence
    rows = states(result)
    matrix = rigid(o, scheme)(h)
    force = result[FORCE]
    whole = departure(np.column_stack([rows, force]), matrix)
    if scheme == "implicit":
        assert departure(rows, matrix[:4, :4]) < 1e-9 and whole < 1e-9 / h**2
    else:
        assert whole < 1e-9
    held = {"implicit-position": [APART], "implicit-velocity": [PARTING], "implicit": [APART, PARTING]}[scheme]
    assert np.abs(rows @ np.array(held).T).max() < 1e-10


def test_long_steps_of_the_implicit_scheme_come_to_rest() -> None:
    """Newton's moves leave a third of the violation each time here, and what is learned from them must not hinder them."""
    for damping, x in ((0.0, 1.5), (0.0, 2.5), (0.1, 2.7)):
        o = Oscillator(middle=STIFF, damping=damping)
        result = run(linked_system(o, LINKED_START), x / o.omega, 100, scheme="implicit")
        assert result.outcome.completed and result.statistics.passes < 500


def test_the_unstable_scheme_is_refused() -> None:
    """Its matrix doubles errors and more; the sentence says by how much."""
    o = Oscillator(middle=STIFF)
    assert radius(rigid(o, "implicit-position-linear")(0.01)) == pytest.approx(2 + 3**0.5, rel=1e-3)
    with pytest.raises(BuildError, match=r"'implicit-position-linear' is refused: .*an error grows by 2 \+ sqrt\(3\) in every step"):
        linked_system(o, LINKED_START).simulate(1.0, communication_step=0.01, scheme="implicit-position-linear")


# -- stability -----------------------------------------------------------------------------------------------------------------


def energies(o: Oscillator, rows: np.ndarray) -> np.ndarray:
    s, v = rows[:, 0::2], rows[:, 1::2]
    springs = np.diag(o.walls) if np.isinf(o.middle) else stiffness(o)
    return (v**2 @ o.masses + np.einsum("ni,ij,nj->n", s, springs, s)) / 2


def trend(o: Oscillator, system: System, step: Step, h: float, options: dict) -> float:
    """The greatest energy late in a run over that early in it; the run is as long as it takes to see."""
    steps = int(np.clip(8 / abs(np.log(radius(step(h)))), 100, 100_000))
    found = energies(o, states(run(system, h, steps, **options)))
    fifth = steps // 5
    return float(found[-fifth:].max() / found[fifth : 2 * fifth].max())


def assert_limit(o: Oscillator, system: System, step: Step, options: dict, by: float = 0.02) -> None:
    greatest = limit(step, o)
    assert 0 < greatest < np.inf
    assert trend(o, system, step, (1 - by) * greatest / o.omega, options) < 0.9
    assert trend(o, system, step, (1 + by) * greatest / o.omega, options) > 2


@each_split
@each_explicit
def test_energy_decays_below_the_limit_and_grows_above(split: str, scheme: Explicit) -> None:
    """The step size differs from the limit by 2 percent; with held inputs in turn by 20, since growth is slow there."""
    o = Oscillator(damping=0.1)
    step, system = explicit(subsystems(o, split), *scheme), split_system(o, split, START)
    slow = scheme == Explicit(0, in_turn=True)
    if not (slow and split == DISPLACEMENT_DISPLACEMENT):
        assert_limit(o, system, step, scheme.options, 0.2 if slow else 0.02)
        return
    for x in (1.0, 5.0, 15.0):
        assert trend(o, system, step, x / o.omega, scheme.options) < 1


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_energy_decays_below_the_limit_of_a_link_and_grows_above(degree: int) -> None:
    """The start violates the link, which has to draw the masses together."""
    o = Oscillator(middle=STIFF, damping=0.1)
    step = explicit([stabilised(o, 5.0, 5.0)], degree)
    assert_limit(o, linked_system(o, START), step, {"scheme": Scheme(extrapolation=degree)})


@each_split
def test_held_inputs_grow_without_damping(split: str) -> None:
    """They grow with a short step too: held springs act late. Both masses with the spring, one after another, keep the energy."""
    o = Oscillator()
    for scheme in (Explicit(0), Explicit(0, in_turn=True)):
        step, system = explicit(subsystems(o, split), *scheme), split_system(o, split, START)
        if split == DISPLACEMENT_DISPLACEMENT and scheme.in_turn:
            kept = energies(o, states(run(system, 0.05 / o.omega, 5000, **scheme.options)))
            np.testing.assert_allclose(kept, kept[0], rtol=1e-8)
        else:
            assert trend(o, system, step, 0.05 / o.omega, scheme.options) > 2


@pytest.mark.slow  # at one damping the energy shows the same above, to 2 percent
@each_split
@each_explicit
def test_stability_limits_of_splits(split: str, scheme: Explicit) -> None:
    """FMUs begin to grow at the limit of theory, as in the table."""
    for damping in page.DAMPINGS:
        theory, measured = page.split_limit(split, scheme, damping)
        assert measured == pytest.approx(theory, rel=1e-4)


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_stability_limits_of_the_link(degree: int) -> None:
    """FMUs begin to grow at the limit of theory, as in the table."""
    for damping in page.DAMPINGS:
        theory, measured = page.link_limit(degree, damping)
        assert measured == pytest.approx(theory, rel=1e-4)


@each_split
def test_inputs_come_to_rest_where_the_scheme_is_stable(split: str) -> None:
    """They do so where mere repetition would diverge; at three times the limit of stability bare masses are stopped."""
    o = Oscillator(damping=0.1)
    step = implicit(subsystems(o, split))
    longest = limit(step, o)
    result = run(split_system(o, split, START), 0.9 * longest / o.omega, 20, scheme="implicit")
    assert result.outcome.completed and result.statistics.passes <= 6 * result.statistics.steps
    assert departure(states(result), step(0.9 * longest / o.omega)) < 1e-6 * np.abs(states(result)).max()
    if split == MASSES_ALONE:
        result = run(split_system(o, split, START), 3 * longest / o.omega, 20, scheme="implicit")
        assert result.outcome.ending is Ending.NOT_SOLVED
        assert "the coupling diverges: over a step of " in result.outcome.sentence


@pytest.mark.parametrize("scheme", ORDERS)
@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_roots_of_implicit_schemes(scheme: str, damping: float) -> None:
    """The roots beside those of the motion agree: they govern errors of the force and of the constraint."""
    theory, measured = page.added_roots(scheme, damping)
    np.testing.assert_allclose(measured, theory, rtol=1e-8)


def test_limit_of_the_implicit_scheme_with_a_link() -> None:
    """Without damping motions grow from h omega = 2.83 on; with the position or the velocity alone they never do."""
    o = Oscillator(middle=STIFF)
    greatest = limit(rigid(o, "implicit"), o)
    assert greatest == pytest.approx(2.83, abs=0.005)
    for factor, grows in ((0.995, False), (1.002, True)):
        system = [linked_system(o, unit) for unit in np.eye(4)]
        assert (radius(measured_step(system, factor * greatest / o.omega, 1, scheme="implicit")) > 1 + 1e-3) == grows
    for scheme in ("implicit-position", "implicit-velocity"):
        assert limit(rigid(o, scheme), o) == np.inf


# -- orders --------------------------------------------------------------------------------------------------------------------


@each_split
@pytest.mark.parametrize("scheme", [*EXPLICIT, None], ids=lambda scheme: "-".join(scheme.shown) if scheme else "implicit")
def test_orders_with_a_spring(split: str, scheme: Explicit | None) -> None:
    """Degree k of extrapolation gives order k + 1, implicit coupling order 2."""
    assert_order(page.split_order(split, scheme), scheme.degree + 1 if scheme else 2)


@pytest.mark.parametrize("scheme", [*EXPLICIT, *ORDERS], ids=str)
def test_orders_with_a_link(scheme: Explicit | str) -> None:
    """Degree k gives order k + 1, implicit schemes 2 by positions and 4 by velocities."""
    assert_order(page.link_order(scheme), ORDERS[scheme] if isinstance(scheme, str) else scheme.degree + 1)


def assert_order(found: Sequence[float], expected: int) -> None:
    np.testing.assert_allclose(found, expected, atol=0.1)


# -- the page ------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow  # its figures are tested above, one by one
def test_the_page_is_up_to_date() -> None:
    """docs/co-simulation-stability.md is what its tables come to now; otherwise run the command in its last line."""
    assert page.PAGE.read_text(encoding="utf-8") == page.stability_page(), f"run {page.COMMAND}"
