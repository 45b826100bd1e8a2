"""Transfer functions, state space, rate limiter and dead zone, against SciPy and closed forms; and classes of any order."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import signal
from scipy.integrate import solve_ivp

from fmu_components.catalogue import all_components
from jourdain import DeclarationError, StartError, StateSpace, TransferFunction
from tests.support.components.signals import blocks, event_times
from tests.support.systems.systems import refusal

TIMES = np.linspace(0.0, 3.0, 13)


def test_a_transfer_function_follows_a_step():
    """(2 s^2 + 3 s + 5)/(0.5 s^3 + 2 s^2 + 4 s + 6), as SciPy has its step response."""
    b, a = [2.0, 3.0, 5.0], [0.5, 2.0, 4.0, 6.0]
    values = {f"b[{k}]": each for k, each in enumerate(b[::-1])} | {f"a[{k}]": each for k, each in enumerate(a[::-1])}
    system = blocks({"one": ("signal.Constant", {"value": 1.0}), "filter": ("signal.TransferFunction3", values)}, [("one.y", "filter.u")])
    result = system.simulate(3.0, rtol=1e-11, output_times=TIMES)
    _, expected = signal.step((b, a), T=TIMES)
    assert result["filter.y"] == pytest.approx(expected, abs=1e-8)


def test_a_filter_passes_at_once_what_its_numerator_lets():
    """(s + 2)/(s + 1): the step arrives as 1, and goes to 2."""
    system = blocks(
        {"one": ("signal.Constant", {"value": 1.0}), "lead": ("signal.TransferFunction1", {"b[0]": 2.0, "b[1]": 1.0})},
        [("one.y", "lead.u")],
    )
    result = system.simulate(3.0, rtol=1e-11, output_times=TIMES)
    assert result["lead.y"] == pytest.approx(2 - np.exp(-TIMES), abs=1e-9)


def test_a_filter_without_its_highest_power_is_refused():
    """The sentence names the coefficient."""
    system = blocks({"filter": ("signal.TransferFunction2", {"a[2]": 0.0})})
    said = refusal(lambda: system.simulate(1.0), StartError)
    assert "a[2], the coefficient of the highest power in the denominator, is not 0" in said


def test_a_state_space_of_two_inputs_and_outputs():
    """A class that is made for its numbers; the states follow from sines, as SciPy integrates them."""
    rng = np.random.default_rng(7)
    A, B, C, D = rng.normal(size=(3, 3)) - 2 * np.eye(3), rng.normal(size=(3, 2)), rng.normal(size=(2, 3)), rng.normal(size=(2, 2))
    values = {
        f"{name}[{i + 1},{j + 1}]": M[i, j]
        for name, M in (("A", A), ("B", B), ("C", C), ("D", D))
        for i in range(M.shape[0])
        for j in range(M.shape[1])
    }
    plant = StateSpace(3, inputs=2, outputs=2)
    system = blocks({"plant": (plant, {**values, "x[2]": 0.5})})
    system.drive("plant.u[1]", np.sin)
    system.drive("plant.u[2]", np.cos)
    result = system.simulate(3.0, rtol=1e-11, output_times=TIMES)
    x = solve_ivp(
        lambda t, x: A @ x + B @ [np.sin(t), np.cos(t)], (0, 3), [0, 0.5, 0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=TIMES
    ).y
    expected = C @ x + D @ [np.sin(TIMES), np.cos(TIMES)]
    assert [result["plant.y[1]"], result["plant.y[2]"]] == [pytest.approx(row, abs=1e-8) for row in expected]
    assert pickle.loads(pickle.dumps(plant)) is plant
    assert plant.__name__ == "StateSpace3_2_2"


def test_orders_of_the_catalogue_and_others():
    """It has those up to 4; others are classes that are made once, found by name, and not in it; what is no order is refused."""
    for function, name in ((TransferFunction, "TransferFunction"), (StateSpace, "StateSpace")):
        assert function(2) is all_components()[f"signal.{name}2"]
        six = function(6)
        assert six is function(6) and pickle.loads(pickle.dumps(six)) is six
        assert f"signal.{name}6" not in all_components()
        for wrong in (0, 2.5, True):
            assert (
                refusal(lambda f=function, n=wrong: f(n), DeclarationError)
                == f"{name}({wrong}) is refused: give whole numbers of at least 1"
            )


def test_a_rate_limiter_keeps_its_rates():
    """A step up by 2 and down again: y rises by 1/s and falls by 2/s; the last of it in an exponential of T."""
    T = 0.01
    system = blocks(
        {
            "up": ("signal.Step", {"height": 2.0}),
            "down": ("signal.Step", {"start": 3.0, "height": -2.0}),
            "sum": ("signal.Sum", {}),
            "limiter": ("signal.RateLimiter", {"falling": -2.0, "T": T}),
        },
        [("up.y", "sum.u1"), ("down.y", "sum.u2"), ("sum.y", "limiter.u")],
    )
    result = system.simulate(5.0, rtol=1e-10, output_times=np.array([0.5, 1.0, 2.5, 3.5, 4.5]))
    late = 2 - T * np.exp(-(0.5 + T) / T)
    assert result["limiter.y"][np.searchsorted(result.time, [0.5, 1.0, 2.5])] == pytest.approx([0.5, 1.0, late], abs=1e-8)
    assert result["limiter.y"][np.searchsorted(result.time, 3.5)] == pytest.approx(1.0, abs=1e-7)
    assert event_times(result) == pytest.approx([2 - T, 3.0, 4 - T], abs=1e-8)


def test_a_dead_zone_takes_away_what_is_within():
    """A sine of amplitude 2 beyond -0.5 and 1, with state events where it meets them."""
    system = blocks(
        {"sine": ("signal.Sine", {"amplitude": 2.0}), "zone": ("signal.Deadzone", {"lower": -0.5, "upper": 1.0})}, [("sine.y", "zone.u")]
    )
    result = system.simulate(1.0, max_step=0.05)
    u = 2 * np.sin(2 * np.pi * result.time)
    assert result["zone.y"] == pytest.approx(u - np.clip(u, -0.5, 1.0), abs=1e-9)
    assert len(event_times(result)) == 4
