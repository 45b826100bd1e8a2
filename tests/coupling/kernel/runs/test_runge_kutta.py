"""The Runge-Kutta methods against their order conditions, against SciPy, and against what Hairer's own DOPRI5 prints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import DOP853, RK45, solve_ivp

from coupling.kernel.system.status import Status
from coupling.solvers import dop853, dopri5

# The method; the orders of its result, of its error estimates, and of its dense output; its name in SciPy.
from tests.support.kernel.methods import ARENSTORF, BOTH, METHODS, PERIOD, growth, integrated, oscillator, satellite
from tests.support.kernel.runge_kutta import Retry, RungeKutta

# --- accuracy ---


@pytest.mark.parametrize(("method", "order", "dense"), [(m[0], m[1], m[3]) for m in METHODS.values()], ids=list(METHODS))
def test_errors_of_a_step_shrink_with_the_order(method, order, dense):
    """One step's error goes as h^(order + 1), at its end and inside."""

    def errors(h):
        rk = RungeKutta(method, growth, 1e9, 1e9, 1)
        rk.start(0.3, [np.exp(np.sin(0.3))])
        rk.state.h = h
        rk.step()
        assert rk.state.t == 0.3 + h
        inside = 0.3 + h * np.linspace(0.1, 0.9, 9)
        return abs(rk.x[0] - np.exp(np.sin(0.3 + h))), max(abs(rk.interpolate(t)[0] - np.exp(np.sin(t))) for t in inside)

    coarse, fine = errors(0.4), errors(0.2)
    measured = np.log2(np.divide(coarse, fine))
    np.testing.assert_allclose(measured, [order + 1, dense + 1], atol=0.6)


@pytest.mark.parametrize(("method", "name"), [(m[0], m[4]) for m in METHODS.values()], ids=list(METHODS))
@pytest.mark.parametrize(
    ("f", "x", "end", "exact"),
    [(oscillator, [1.0, 0.0], 20 * np.pi, [1, 0]), (satellite, ARENSTORF, PERIOD, ARENSTORF), (growth, [1.0], 20.0, [np.exp(np.sin(20))])],
    ids=["oscillator", "Arenstorf", "growth"],
)
def test_effort_and_error_are_those_of_scipy(method, name, f, x, end, exact):
    for tolerance in (1e-7, 1e-10):
        ours = integrated(method, f, x, end, tolerance)
        theirs = solve_ivp(f, (0, end), x, name, rtol=tolerance, atol=tolerance)
        assert ours.state.evaluations == pytest.approx(theirs.nfev, rel=0.12)
        assert np.abs(ours.x - exact).max() < 3 * np.abs(theirs.y[:, -1] - exact).max()


def test_dopri5_prints_what_hairers_code_prints():
    """The output that comes with DOPRI5 for its driver, tolerance 1e-7: state by dense output, and how many steps it took until
    then. Begun with the size that the code chooses, every step is the same to roundoff."""
    printed = """
        2  -0.5798781411  0.6090775251  60
        4  -0.1983335270  1.137638086   73
        6  -0.4735743943  0.2239068118  91
        8  -1.174553350  -0.2759466982 110
        10 -0.8398073466  0.4468302268 122
        12  0.01314712468 -0.8385751499 145
        14 -0.6031129504 -0.9912598031 159
        16  0.2427110999 -0.3899948833 177"""
    rk = RungeKutta(dopri5.METHOD, satellite, 1e-7, 1e-7, 4)
    rk.start(0.0, ARENSTORF)
    rk.state.h = 0.0019744269645941633
    for t, x, y, steps in np.array(printed.split(), dtype=float).reshape(-1, 4):
        while rk.state.t < t:
            rk.step(PERIOD)
        assert rk.state.steps == steps
        np.testing.assert_allclose(rk.interpolate(t)[:2], [x, y], atol=2e-10)
    rk.integrate(PERIOD)
    np.testing.assert_allclose(rk.x[:2], [0.9940021016, 0.8911185692e-05], atol=2e-10)
    # It counts one evaluation more, for the first size, and 22 rejections, since it leaves out those before the first accepted step.
    assert (rk.state.evaluations, rk.state.steps, rk.state.rejected) == (1441, 216, 24)


@pytest.mark.parametrize("method", BOTH)
def test_the_satellite_returns(method):
    assert np.abs(integrated(method, satellite, ARENSTORF, PERIOD, 1e-13).x - ARENSTORF)[:2].max() < 1e-10


# --- the limit ---


@pytest.mark.parametrize("method", BOTH)
def test_nothing_happens_beyond_the_limit(method):
    """Limits are met exactly, and the derivative is never asked beyond one."""
    limit, asked = 0.0, []

    def f(t, x):
        assert t <= limit
        asked.append(t)
        return oscillator(t, x)

    rk = RungeKutta(method, f, 1e-6, 1e-6, 2)
    rk.start(0.0, [1.0, 0.0])
    for limit in (1e-12, 0.1, 0.1 + 1e-15, 0.3, *np.sort(np.random.default_rng(5).uniform(0.3, 6, 200)), 7.0):
        assert rk.integrate(limit) == Status.DONE
        assert rk.state.t == limit == max(asked)
    np.testing.assert_allclose(rk.x, [np.cos(7), -np.sin(7)], atol=1e-4)


@pytest.mark.parametrize("method", BOTH)
def test_roundoff_does_not_lead_beyond_the_limit(method):
    """Such limits are times where t + (limit - t) is not the limit."""
    asked = []
    rk = RungeKutta(method, lambda t, x: asked.append(t) or 0 * x, 1e-6, 1e-6, 1)
    for begin, limit in np.random.default_rng(5).uniform([0, 1], [0.1, 2], (100, 2)):
        rk.start(begin, [1.0])
        rk.state.h = limit
        rk.step(limit)
        assert rk.state.t == limit == max(asked)
        asked.clear()


@pytest.mark.parametrize("method", BOTH)
def test_a_limit_does_not_spoil_the_size(method):
    """The success of a shortened step says nothing against the longer one that was due."""
    rk = RungeKutta(method, oscillator, 1e-6, 1e-6, 2)
    rk.start(0.0, [1.0, 0.0])
    rk.integrate(2.0)
    for _ in range(5):
        rk.step()
    due = rk.state.h
    for _ in range(3):
        rk.step(rk.state.t + 1e-6)
    assert rk.state.h == due


@pytest.mark.parametrize("method", BOTH)
def test_a_limit_does_not_hide_that_the_size_was_too_long(method):
    """A step cut by the limit that only just passes shows that the longer one would not have."""

    def sizes(limit):
        rk = RungeKutta(method, oscillator, 1e-6, 1e-6, 2)
        rk.start(0.0, [1.0, 0.0])
        rk.state.h = 50.0
        rk.step(limit)
        return rk.state.rejected, rk.state.h

    limits = np.linspace(0.1, 2, 20)
    limit = max(limit for limit in limits if sizes(limit)[0] == 0)
    assert sizes(limit)[1] < limit


@pytest.mark.parametrize("method", BOTH)
def test_the_last_steps_share_what_is_left(method):
    """A remainder a little longer than a step is one step; one of less than two steps is halved."""
    for left, sizes in {1.005: [1.005], 1.2: [0.6, 0.6], 2.5: [1.0, 0.75, 0.75]}.items():
        rk = RungeKutta(method, lambda t, x: 0 * x, 1e-6, 1e-6, 1)
        rk.start(0.0, [1.0])
        taken = []
        while rk.state.t < left:
            rk.state.h = 1.0
            rk.step(left)
            taken.append(rk.state.t - rk.state.t_before)
        np.testing.assert_allclose(taken, sizes)


@pytest.mark.parametrize("method", BOTH)
def test_a_limit_at_the_present_point_changes_nothing(method):
    rk = integrated(method, oscillator, [1.0, 0.0], 1.0, 1e-6)
    before = rk.x, rk.dx, rk.state.t, rk.state.h, rk.state.evaluations, rk.state.steps
    assert rk.step(1.0) == rk.step(0.5) == Status.DONE
    after = rk.x, rk.dx, rk.state.t, rk.state.h, rk.state.evaluations, rk.state.steps
    np.testing.assert_equal(after, before)
    np.testing.assert_array_equal(rk.interpolate(1.0), rk.x)


@pytest.mark.parametrize("method", BOTH)
def test_no_step_is_longer_than_allowed(method):
    rk = RungeKutta(method, oscillator, 1e-3, 1e-3, 2)
    rk.start(0.0, [1.0, 0.0])
    rk.state.largest = 0.03
    while rk.state.t < 1:
        rk.step(1.0)
        assert rk.state.t - rk.state.t_before <= 0.03 + 1e-15
    assert rk.state.steps <= 38  # 34, and those of the beginning


@pytest.mark.parametrize("method", BOTH)
def test_steps_grow_tenfold_at_most(method):
    rk = RungeKutta(method, lambda t, x: 0 * x, 1e-6, 1e-6, 1)
    rk.start(0.0, [1.0])
    rk.state.h = 1.0
    rk.step()
    assert rk.state.h == 10


@pytest.mark.parametrize(("method", "solver"), [(dopri5.METHOD, RK45), (dop853.METHOD, DOP853)], ids=list(METHODS))
@pytest.mark.parametrize(("f", "x"), [(oscillator, [1.0, 0.0]), (satellite, ARENSTORF), (growth, [1.0])])
def test_the_first_size_is_that_of_scipy(method, solver, f, x):
    # Once the size is chosen the derivative stays as it began, so that the first attempt succeeds.
    rk = RungeKutta(method, lambda t, now: f(t, now) if rk.state.evaluations <= 2 else f(0.0, np.array(x)), 1e-6, 1e-6, len(x))
    rk.start(0.0, x)
    rk.step()
    assert rk.state.t == pytest.approx(solver(f, 0.0, x, np.inf, rtol=1e-6, atol=1e-6).h_abs, rel=1e-3)


# --- steps that fail ---


@pytest.mark.parametrize("method", BOTH)
def test_a_refused_derivative_quarters_the_step(method):
    def f(t, x):
        if t > 0.3 and rk.state.refused == 0:
            raise Retry
        return oscillator(t, x)

    rk = RungeKutta(method, f, 1e-3, 1e-3, 2)
    rk.start(0.0, [1.0, 0.0])
    rk.state.h = 1.0
    assert rk.step() == Status.DONE
    assert (rk.state.t, rk.state.refused, rk.state.rejected) == (0.25, 1, 0)
    assert rk.state.h <= 0.25  # no growth after a refusal


@pytest.mark.parametrize("method", BOTH)
def test_a_refusal_while_the_first_size_is_chosen_quarters_it(method):
    def f(t, x):
        if rk.state.evaluations == 2:
            raise Retry
        return oscillator(t, x)

    rk = RungeKutta(method, f, 1e-3, 1e-3, 2)
    rk.start(0.0, [1.0, 1.0])
    assert rk.step() == Status.DONE
    assert (rk.state.t, rk.state.refused) == (0.01 / 4, 1)


@pytest.mark.parametrize("method", BOTH)
def test_refusals_are_passed_by_smaller_steps(method):
    """A trial state beyond where the derivative exists, as in a Newton iteration that goes astray, costs no accuracy."""

    def f(t, x):
        if x[0] < 0:
            raise Retry
        return -50 * x / (1 + x)

    rk = RungeKutta(method, f, 1e-7, 1e-7, 1)
    rk.start(0.0, [10.0])
    rk.state.h = 10.0
    while rk.state.t < 0.2:
        rk.step()
    assert rk.state.refused > 0
    assert rk.interpolate(0.2)[0] + np.log(rk.interpolate(0.2)[0]) == pytest.approx(np.log(10), abs=1e-5)  # x + log x falls by 50 t


@pytest.mark.parametrize("method", BOTH)
def test_a_derivative_that_keeps_refusing_ends_the_run_where_it_stood(method):
    def f(t, x):
        if t > 1:
            raise Retry
        return oscillator(t, x)

    rk = RungeKutta(method, f, 1e-6, 1e-6, 2)
    rk.start(0.0, [1.0, 0.0])
    assert rk.integrate(2.0) == Status.STEP_TOO_SMALL
    assert 1 - 1e-12 < rk.state.t <= 1
    assert rk.state.worst == -1
    assert rk.state.refused > 10
    np.testing.assert_allclose(rk.x, [np.cos(1), -np.sin(1)], atol=1e-5)
    np.testing.assert_array_equal(rk.dx, oscillator(1, rk.x))
    np.testing.assert_array_equal(rk.interpolate(rk.state.t), rk.x)


@pytest.mark.parametrize("method", BOTH)
def test_a_refusal_of_the_first_point_is_reported(method):
    def f(_t, _x):
        raise Retry

    rk = RungeKutta(method, f, 1e-6, 1e-6, 2)
    assert rk.start(0.0, [1.0, 0.0]) == Status.RETRY


@pytest.mark.parametrize("method", BOTH)
def test_other_failures_are_passed_on(method):
    """The state is then that of the last accepted step, and the integration can go on."""

    def f(t, x):
        if t > 1 and not forgiven:
            raise ZeroDivisionError("at 1")
        return oscillator(t, x)

    forgiven = False
    rk = RungeKutta(method, f, 1e-6, 1e-6, 2)
    rk.start(0.0, [1.0, 0.0])
    with pytest.raises(ZeroDivisionError, match="at 1"):
        rk.integrate(2.0)
    assert rk.state.t <= 1
    np.testing.assert_array_equal(rk.dx, oscillator(1, rk.x))
    forgiven = True
    rk.integrate(2.0)
    np.testing.assert_allclose(rk.x, [np.cos(2), -np.sin(2)], atol=1e-5)


@pytest.mark.parametrize("method", BOTH)
def test_a_blow_up_ends_with_who_was_to_blame(method):
    """The solution of x' = x^2 from 1 ends at t = 1."""
    rk = RungeKutta(method, lambda t, x: (1, -x[1], x[2] ** 2, 0), 1e-6, 1e-6, 4)
    rk.start(0.0, np.ones(4))
    assert rk.integrate(2.0) == Status.STEP_TOO_SMALL
    assert rk.state.worst == 2
    assert rk.state.t == pytest.approx(1, abs=1e-5)
    assert rk.x[2] > 1e10
    np.testing.assert_array_equal(rk.interpolate(rk.state.t), rk.x)


@pytest.mark.parametrize("method", BOTH)
def test_an_undefined_derivative_rejects_the_step(method):
    def f(t, x):
        return (1.0, np.nan if x[0] > 1 else 0.0, np.cos(10 * t))

    rk = RungeKutta(method, f, 1e-6, 1e-6, 3)
    rk.start(0.0, [0.0, 0.0, 0.0])
    rk.state.h = 10.0
    assert rk.step() == Status.DONE
    assert rk.state.rejected > 0
    assert rk.integrate(10.0) == Status.STEP_TOO_SMALL
    assert rk.state.worst == 1
    assert rk.state.t == pytest.approx(1)
    assert np.isfinite(rk.dx).all()


@pytest.mark.parametrize("method", BOTH)
def test_a_step_to_where_the_derivative_is_undefined_is_rejected(method):
    """It is rejected even if the derivative is undefined only at the new point, which DOP853's error estimate does not see."""

    def f(_t, x):
        return 0 * x if rk.state.evaluations != 1 + method.stages else x + np.inf

    rk = RungeKutta(method, f, 1e-6, 1e-6, 1)
    rk.start(0.0, [1.0])
    rk.state.h = 1.0
    assert rk.step() == Status.DONE
    assert rk.state.rejected == 1
    assert rk.state.t == pytest.approx(0.2)


@pytest.mark.parametrize("method", BOTH)
def test_where_no_step_ends_well_the_state_without_derivative_is_to_blame(method):
    def f(_t, _x):
        return 1.0, np.inf if rk.state.evaluations % method.stages == 1 and rk.state.evaluations > 1 else 0.0, 0.0

    rk = RungeKutta(method, f, 1e-6, 1e-6, 3)
    rk.start(0.0, [0.0, 0.0, 0.0])
    rk.state.h = 1.0
    assert rk.step() == Status.STEP_TOO_SMALL
    assert rk.state.worst == 1


@pytest.mark.parametrize("method", BOTH)
def test_a_rejected_step_is_followed_by_no_growth(method):
    rk = RungeKutta(method, growth, 1e-8, 1e-8, 1)
    rk.start(0.0, [1.0])
    rk.state.h = 1.0
    rk.step()
    assert rk.state.rejected > 0
    assert rk.state.h <= rk.state.t


# --- dense output ---


@pytest.mark.parametrize("method", BOTH)
def test_interpolation_is_exact_at_the_ends_and_costs_its_stages_once(method):
    rk = RungeKutta(method, satellite, 1e-5, 1e-5, 4)
    rk.start(0.0, ARENSTORF)
    np.testing.assert_array_equal(rk.interpolate(0.0), ARENSTORF)
    for _ in range(10):
        before = rk.x
        rk.step()
        evaluations = rk.state.evaluations
        np.testing.assert_array_equal(rk.interpolate(rk.state.t_before), before)
        np.testing.assert_array_equal(rk.interpolate(rk.state.t), rk.x)
        assert rk.state.evaluations == evaluations
        h = rk.state.t - rk.state.t_before
        np.testing.assert_allclose(rk.interpolate(rk.state.t_before + 1e-9 * h), before, rtol=0, atol=1e-7)
        np.testing.assert_allclose(rk.interpolate(rk.state.t - 1e-9 * h), rk.x, rtol=0, atol=1e-7)
        rk.interpolate(rk.state.t_before + 0.4 * h)
        assert rk.state.evaluations == evaluations + method.extra


def test_a_refusal_in_an_extra_stage_is_reported():
    def f(t, x):
        if extra:
            raise Retry
        return oscillator(t, x)

    extra = False
    rk = RungeKutta(dop853.METHOD, f, 1e-6, 1e-6, 2)
    rk.start(0.0, [1.0, 0.0])
    rk.step()
    extra = True
    with pytest.raises(Retry, match="no value near"):
        rk.interpolate(rk.state.t / 2)
    extra = False
    np.testing.assert_allclose(rk.interpolate(rk.state.t / 2)[0], np.cos(rk.state.t / 2), rtol=1e-6)


# --- stiffness ---


def test_the_limits_of_stability_are_known():
    """The limit of DOPRI5 follows from its stability polynomial, whose last coefficient is 1/600. The limit of DOP853 is that of Hairer's
    code, to 5 %."""
    (limit,) = (root.real for root in np.roots([1 / 600, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 0]) if abs(root.imag) < 1e-12 and root.real < 0)
    assert dopri5.METHOD.stable == pytest.approx(-limit, rel=1e-9)
    assert dop853.METHOD.stable == pytest.approx(6.1, rel=0.05)


@pytest.mark.parametrize("method", BOTH)
def test_a_step_grows_beyond_the_limit_of_stability_only(method):
    for share, grows in ((0.999, False), (1.001, True)):
        rk = RungeKutta(method, lambda _t, x: -x, 1e9, 1e9, 1)
        rk.start(0.0, [1.0])
        rk.state.h = share * method.stable
        rk.step()
        assert (abs(rk.x[0]) > 1) == grows


@pytest.mark.parametrize("method", BOTH)
def test_stiffness_is_the_rate_times_the_step_over_the_limit(method):
    """The relation is exact for x' = A x with one fast direction; the state with the greater part in it is named, by its tolerance."""
    rate, h = 50.0, 0.02
    for tolerances, blamed in (([1.0, 1.0], 1), ([0.01, 1.0], 0)):
        rk = RungeKutta(method, lambda _t, x: -rate * (x @ [0.6, 0.8]) * np.array([0.6, 0.8]), 0.0, 1e-3 * np.array(tolerances), 2)
        rk.start(0.0, [1.0, 1.0])
        rk.state.h = h
        assert rk.stiffness() == (0.0, -1)
        while rk.state.t < 0.01:
            rk.step()
        size = rk.state.t - rk.state.t_before
        value, state = rk.stiffness()
        assert (value, state) == (pytest.approx(rate * size / method.stable, rel=1e-9), blamed)


@pytest.mark.parametrize("method", BOTH)
def test_stiffness_settles_at_the_limit_where_stability_limits_steps(method):
    rk = RungeKutta(method, lambda t, x: -1e3 * (x - np.cos(t)), 1e-5, 1e-5, 1)
    rk.start(0.0, [1.0])
    found = []
    while rk.state.t < 2.0:
        rk.step(2.0)
        found.append(rk.stiffness()[0])
    assert np.median(found[20:-2]) == pytest.approx(1, abs=0.05)


# --- what else may be asked ---


@pytest.mark.parametrize("method", BOTH)
def test_without_states_the_limit_is_reached_in_one_step(method):
    rk = RungeKutta(method, lambda t, x: x, 1e-6, [], 0)
    rk.start(0.0, [])
    assert rk.step(5.0) == Status.DONE
    assert (rk.state.t, rk.state.steps) == (5.0, 1)
    assert rk.interpolate(2.0).size == 0


@pytest.mark.parametrize("method", BOTH)
def test_a_state_that_stays_zero_needs_no_absolute_tolerance(method):
    rk = RungeKutta(method, lambda t, x: (0.0, -x[1]), 1e-6, [0.0, 0.0], 2)
    rk.start(0.0, [0.0, 1.0])
    assert rk.integrate(1.0) == Status.DONE
    np.testing.assert_allclose(rk.x, [0, np.exp(-1)], rtol=1e-5)


@pytest.mark.parametrize("method", BOTH)
def test_tolerances_are_by_state(method):
    """A state without interest does not determine the steps."""

    def f(t, x):
        return -x[0], 1e3 * np.cos(1e3 * t)

    effort = {}
    for second in (1e-6, 1e6):
        rk = RungeKutta(method, f, 0.0, [1e-6, second], 2)
        rk.start(0.0, [1.0, 0.0])
        rk.integrate(1.0)
        effort[second] = rk.state.steps
    assert 20 * effort[1e6] < effort[1e-6]


@pytest.mark.parametrize("method", BOTH)
def test_a_new_start_forgets(method):
    """The size is chosen anew after an event, and a run from there is the same as one from the beginning."""
    rk = integrated(method, oscillator, [1.0, 0.0], 30.0, 1e-9)
    evaluations = rk.state.evaluations
    rk.start(0.0, [1.0, 0.0])
    assert rk.integrate(30.0) == Status.DONE
    assert rk.state.evaluations == 2 * evaluations
    np.testing.assert_array_equal(rk.x, integrated(method, oscillator, [1.0, 0.0], 30.0, 1e-9).x)
