"""The augmented Lagrangian of the index-3 paper: its steps against the paper to the letter, its examples, and what it says and refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy

from coupling import BuildError, Index3, Result, System
from tests.support.systems import fixed_steps as known
from tests.support.systems.fixed_steps import INSTANTS
from tests.support.systems.spring_and_rod import MASSES, Q, V, accelerations, constraint, forces, slope, spring_and_rod
from tests.support.systems.systems import pendulum, refusal

METRICS = ["mass", "tangent"]
PAPER = Index3(step_size=1e-3, iteration="augmented-lagrangian", velocity_level="projected")
"""Penalty and iterations are those of the paper as well, by default."""
WAYS = ("accelerations", "velocities")


def run(system: System, stop: float, solver: Index3, **options: object) -> Result:
    result = system.simulate(stop, solver=solver, **{"output_times": [0.0, stop], **options})
    assert result.outcome.completed, result.outcome
    return result


# -- the paper to the letter ---------------------------------------------------------------------------------------------------------------


def paper(h: float, steps: int, metric: str, penalty: float, passes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns coordinates, velocities and both reactions after steps by equations (8) to (43), with mass matrix and penalties.

    The signs of multipliers are those of the paper. Corrections of misprints are the only changes.
    """
    q, v, a = Q, V, accelerations(Q, V)
    g = slope(constraint, q)
    multipliers = np.linalg.lstsq(g.T, forces(q, v) - MASSES @ a)[0]
    totals = multipliers, multipliers
    for _ in range(steps):
        v_hat, a_hat = -(2 / h * q + v), -(4 / h**2 * q + 4 / h * v + a)  # (12), (13)
        new = q + h * v + h**2 / 2 * a
        for _ in range(passes):
            free, faster = 2 / h * new + v_hat, 4 / h**2 * new + a_hat  # (10), (11)
            g = slope(constraint, new)
            residual = h**2 / 4 * (MASSES @ faster + g.T @ (penalty * constraint(new) + multipliers) - forces(new, free))  # (17)
            stiffness, damping = -slope(lambda x, free=free: forces(x, free), new), -slope(lambda x, new=new: forces(new, x), free)  # (19)
            tangent = MASSES + h / 2 * damping + h**2 / 4 * (stiffness + penalty * g.T @ g)  # (18)
            new = new - np.linalg.solve(tangent, residual)  # (16)
            multipliers = multipliers + penalty * constraint(new)  # (9)
        free, faster, g = 2 / h * new + v_hat, 4 / h**2 * new + a_hat, slope(constraint, new)
        stiffness, damping = -slope(lambda x, free=free: forces(x, free), new), -slope(lambda x, new=new: forces(new, x), free)
        p, c = (MASSES, 1.0) if metric == "mass" else (MASSES + h / 2 * damping + h**2 / 4 * stiffness, h**2 / 4)
        leading = p + c * penalty * g.T @ g

        def projected(given: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            sums, moved = np.zeros(2), given
            for _ in range(passes):
                moved = np.linalg.solve(leading, p @ given - c * penalty * g.T @ rest - g.T @ sums)  # (23), (29)
                sums = sums + c * penalty * (g @ moved + rest)  # (24), (30)
            return moved, sums

        v, sigma = projected(free, np.zeros(2))
        bias = v[2] ** 2 / 2 * np.array([np.cos(new[2]), np.sin(new[2])])
        a, kappa = projected(faster, bias)
        q, totals = new, (multipliers + kappa, multipliers + 2 / h * sigma)  # (36), (42), (43)
    return q, v, *totals


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("penalty", "passes"), [(1e5, 10), (1e3, 4)], ids=["converged", "passes that end early"])
def test_steps_are_those_of_the_paper_in_generalised_coordinates(metric, penalty, passes):
    """The rod has a spring and a damper, so both metrics differ; a tolerance that no pass meets makes all of them count."""
    h, steps = 0.02, 5
    q, v, by_accelerations, by_velocities = paper(h, steps, metric, penalty, passes)
    solver = replace(PAPER, step_size=h, metric=metric, penalty=penalty, iterations=passes, newton_tolerance=1e-14)
    result = run(spring_and_rod(), steps * h, solver)
    names = [f"{body}.{name}" for body in ("rod", "free") for name in ("x", "y", "theta", "vx", "vy", "omega")]
    found = np.array([result[name][-1] for name in names]).reshape(2, 2, 3)
    assert found[:, 0].ravel() == pytest.approx(q, abs=1e-8)
    assert found[:, 1].ravel() == pytest.approx(v, abs=1e-6)
    for way, total in zip(WAYS, (by_accelerations, by_velocities), strict=True):
        assert [result[f"pin.lambda_by_{way}[{k}]"][-1] for k in (1, 2)] == pytest.approx(-total, rel=1e-4), way


def test_both_metrics_differ_there():
    masses, tangent = (paper(0.02, 5, metric, 1e5, 10) for metric in METRICS)
    assert np.abs(masses[1] - tangent[1]).max() > 1e-4


# -- misprints -----------------------------------------------------------------------------------------------------------------------------


def test_the_misprint_of_equation_14_is_one():
    """Equation (11) with beta = 1/4 has 4/h^2, which motions of constant acceleration satisfy."""
    h, a = 0.1, 3.0
    q, v, new = 1.0, 2.0, 1.0 + 2.0 * 0.1 + a * 0.1**2 / 2
    rest = -(4 / h**2 * q + 4 / h * v + a)
    assert 4 / h**2 * new + rest == pytest.approx(a, abs=1e-10)
    assert abs(4 / h * new + rest - a) > 100


def test_the_misprint_of_equation_17_is_one():
    """The printed product does not exist where constraints and coordinates differ in number."""
    g = slope(constraint, Q)
    assert (g.T @ constraint(Q)).shape == Q.shape
    with pytest.raises(ValueError, match="mismatch"):
        g @ constraint(Q)


def test_the_misprint_of_equations_23_and_29_is_one():
    """One mass of 1 kg that a constraint brings to rest from 1 m/s, with a penalty of 999: passes leave 1e-3 each."""
    penalty, v, sigma, left = 999.0, 1.0, 0.0, []
    for _ in range(3):
        v = (1.0 - sigma) / (1 + penalty)
        sigma += penalty * v
        left.append(v)
    assert left == pytest.approx([1e-3, 1e-6, 1e-9])
    literal = (1.0 - penalty * 1.0) / (1 + penalty)  # with sigma_1 from the velocity before
    assert literal == pytest.approx(-1, abs=0.01)


def test_the_misprint_of_b_in_equation_29_is_one():
    """The derivative of A q' + b has b', not b."""
    t = sympy.Symbol("t")
    A, q, b = (sympy.Function(name)(t) for name in "Aqb")
    level = sympy.diff(A * q.diff(t) + b, t)
    assert sympy.simplify(level - (A * q.diff(t, 2) + A.diff(t) * q.diff(t) + b.diff(t))) == 0
    assert sympy.simplify(level - (A * q.diff(t, 2) + A.diff(t) * q.diff(t) + b)) != 0


def test_the_misprint_of_equation_43_is_one():
    """M q'' = Q + Q_c where the motion is known."""
    g = slope(constraint, Q)
    needed = MASSES @ accelerations(Q, V) - forces(Q, V)
    multipliers = np.linalg.lstsq(g.T, -needed)[0]
    assert -g.T @ multipliers == pytest.approx(needed, abs=1e-6)
    assert np.abs(g.T @ (1e6 * multipliers) - needed).max() > 1


# -- the paper's examples ------------------------------------------------------------------------------------------------------------------


def test_two_masses_with_the_paper_s_parameters():
    """The force is 5/6 N by both projections, and the distance drifts by T h f/(4 m1)."""
    result = run(known.two_masses(), 5.0, PAPER, output_times=INSTANTS)
    for way in WAYS:
        assert result[f"rail.lambda_by_{way}[1]"] == pytest.approx([5 / 6] * len(INSTANTS), abs=1e-9)
    assert result["A.x"][-1] - result["B.x"][-1] - 3 == pytest.approx(3.571428571e-4, rel=1e-8)
    assert 0 < result.statistics.projected["reactions"] < 1e-9 and not result.outcome.warnings


def test_ten_passes_in_the_tangent_s_metric_give_half_of_the_force():
    """Each pass leaves 1/(1 + alpha h^2/4 (1/m1 + 1/m2)) of what is left; more passes, or a longer step, give all of it."""
    left = 1 / (1 + 1e6 * 1e-6 / 4 * (1 / 7 + 1 / 5))
    tangent = replace(PAPER, metric="tangent")
    result = run(known.two_masses(), 5.0, tangent)
    assert result["rail.lambda_by_accelerations[1]"][-1] == pytest.approx(5 / 6 * (1 - left**10), rel=1e-9)
    assert result["rail.lambda_by_accelerations[1]"][-1] == pytest.approx(0.467179798, abs=1e-9)
    assert result["rail.lambda_by_velocities[1]"][-1] == pytest.approx(1.1995, abs=1e-4)
    assert result["rail.multiplier[1]"][-1] == pytest.approx(5 / 6, abs=1e-9)
    (warning, _) = result.outcome.warnings
    assert warning == (
        "iterations = 10 ended the augmented Lagrangian before newton_tolerance in 5000 steps: penalty = 1e+06 is small for steps of "
        "0.001 s; raise penalty or iterations, or choose iteration='bordered'"
    )
    for better in (replace(tangent, iterations=300), replace(tangent, penalty=1e9)):
        found = run(known.two_masses(), 0.1, better)
        assert found["rail.lambda_by_accelerations[1]"][-1] == pytest.approx(5 / 6, abs=1e-7) and not found.outcome.warnings, better


def forces_on_a(result: Result, way: str) -> np.ndarray:
    """Returns both components of the force on A: the multiplier, along the normal of the line from A to B."""
    d = np.array([result["B.x"] - result["A.x"], result["B.y"] - result["A.y"]])
    across = np.array([-d[1], d[0]]) / np.linalg.norm(d, axis=0)
    return result[f"pointer.lambda_by_{way}[1]"] * across


FORCES_ON_A = [
    (-0.061474062776, 0.411025022634),
    (-0.263706852191, 0.490520260741),
    (-0.298794272733, 0.277291181969),
    (-0.210155310661, 0.124417410097),
    (-0.136458629580, 0.058797337722),
]
"""After 1 to 5 s, by a Taylor series of the motion with 25 digits."""


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("level", "least", "most"), [("projected", 0.9, 1.1), ("stepped", 1.9, 2.1)])
def test_a_points_at_b(level, least, most, metric):
    """Errors of both components, by both projections, at halved steps; no stiffness or damping tells the metrics apart."""
    off = {}
    for h in (0.025, 0.0125):
        solver = replace(PAPER, step_size=h, velocity_level=level, metric=metric, penalty=4e4 / h**2)
        result = run(known.pointed(), 5.0, solver, output_times=INSTANTS)
        found = np.array([forces_on_a(result, way)[:, 1:] for way in WAYS])
        off[h] = np.abs(found - np.array(FORCES_ON_A).T).max(axis=2)
    orders = np.log2(off[0.025] / off[0.0125])
    assert ((least < orders) & (orders < most)).all(), orders


@pytest.mark.slow
def test_a_wheel_in_space_in_natural_coordinates():
    """Both reactions of the rolling condition differ by less than the paper's 3e-6 N with steps of 1 ms, and by the square of the step."""
    wheel, off = known.natural_wheel(), {}
    for h in (1e-2, 5e-3):
        result = run(wheel, 3.0, replace(PAPER, step_size=h), output_times=h * np.arange(round(3 / h) + 1))
        by_accelerations, by_velocities = (result[f"wheel.lambda_by_{way}[9]"] for way in WAYS)
        off[h] = np.abs(by_accelerations - by_velocities).max()
        pushed = (result.time > 1.5 + 1.5 * h) & (result.time < 2.5 - h / 2)
        assert -by_accelerations[pushed] == pytest.approx([known.GRIP] * pushed.sum(), abs=1e-9)
    assert off[1e-2] == pytest.approx(2.766e-4, rel=1e-3)
    assert np.log2(off[1e-2] / off[5e-3]) == pytest.approx(2, abs=0.1)


@pytest.mark.slow
def test_a_wheel_in_space_with_steps_of_a_millisecond():
    result = run(known.natural_wheel(), 5.0, PAPER, output_times=1e-3 * np.arange(5001))
    difference = result["wheel.lambda_by_accelerations[9]"] - result["wheel.lambda_by_velocities[9]"]
    assert 2.7e-6 < np.abs(difference).max() < 3e-6


def test_a_rolling_disc_in_space_has_no_difference():
    """Its coordinates make the rolling condition linear in this motion."""
    for h in (1e-3, 1e-2):
        result = run(known.wheel_in_space(), 3.0, replace(PAPER, step_size=h), output_times=[0.0, 2.0, 3.0])
        assert result.statistics.projected["reactions"] < 1e-10
        pushed = result.time.searchsorted(2.0)
        assert -result["contact.lambda_by_velocities[3]"][pushed] == pytest.approx(known.GRIP, abs=1e-10)


# -- other systems -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pendulum, known.lagging, known.shaken, known.door], ids=lambda each: each.__name__)
def test_a_large_penalty_gives_what_the_bordered_iteration_gives(make: Callable[[], System]):
    """First-order states, moving pivots and constraints that repeat others included."""
    times = [0.0, 0.25, 0.5]
    one = run(make(), 0.5, Index3(step_size=1e-3), output_times=times)
    other = run(make(), 0.5, replace(PAPER, velocity_level="stepped", penalty=1e10), output_times=times)
    for name in one.names:
        if one.names and not name.startswith("energy") and (".theta" in name or ".omega" in name or name.endswith(".y")):
            assert other[name] == pytest.approx(one[name], abs=2e-4), name
    loads = [name for name in one.names if ".multiplier[" in name]
    for name in loads:
        for way in WAYS:
            reaction = name.replace(".multiplier", f".lambda_by_{way}")
            assert other[reaction] == pytest.approx(one[name], abs=0.05), reaction


def test_reactions_are_recorded_with_the_joints_alone():
    solver = replace(PAPER, step_size=0.01)
    assert not any("_by_" in name for name in run(pendulum(), 0.1, solver, outputs=["rod"]).names)
    assert "pin.lambda_by_velocities[2]" in run(pendulum(), 0.1, solver, outputs=["pin"]).names
    assert not any("_by_" in name for name in run(pendulum(), 0.1, Index3(step_size=0.01)).names)


@pytest.mark.parametrize("options", [{"evaluation": "fmus"}, {"evaluation": "tape"}, {"isolate": "all"}])
def test_each_evaluation_gives_the_same(options):
    one, other = (run(pendulum(), 0.2, replace(PAPER, step_size=0.01), **each) for each in ({}, options))
    for name in ("rod.theta", "pin.lambda_by_accelerations[1]", "pin.lambda_by_velocities[2]"):
        assert other[name] == pytest.approx(one[name], rel=1e-9, abs=1e-9)


# -- what is refused -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"iteration": "augmented"}, "iteration = 'augmented' is unknown; choose 'bordered' or 'augmented-lagrangian'"),
        ({"penalty": 1e7}, "penalty = 1e+07 is for iteration='augmented-lagrangian', not for 'bordered'; leave it out"),
        ({"iterations": 5}, "iterations = 5 is for iteration='augmented-lagrangian', not for 'bordered'; leave it out"),
        (
            {"iteration": "augmented-lagrangian", "penalty": 0},
            "penalty = 0 is refused: it must be greater than 0 and finite; 1e6 is the default",
        ),
        ({"iteration": "augmented-lagrangian", "iterations": 1.5}, "iterations = 1.5 is refused: it must be a whole number of at least 1"),
        (
            {"iteration": "augmented-lagrangian", "method": "trbdf2"},
            "method = 'trbdf2' is refused with iteration='augmented-lagrangian', whose rule is 'trapezoidal'; leave it out",
        ),
        (
            {"iteration": "augmented-lagrangian", "newton_limit": 5},
            "newton_limit = 5 is not used by iteration='augmented-lagrangian', which has iterations; leave it out",
        ),
    ],
)
def test_options_that_do_not_belong_together(options, sentence):
    assert refusal(lambda: Index3(step_size=0.1, **options), BuildError) == sentence


def test_exports_do_not_carry_it(tmp_path: Path):
    assert (
        refusal(lambda: pendulum().export_fmu(tmp_path / "it.fmu", solver=PAPER), BuildError)
        == "iteration = 'augmented-lagrangian' is not carried by exported mechanisms; choose 'bordered', or leave it out"
    )
