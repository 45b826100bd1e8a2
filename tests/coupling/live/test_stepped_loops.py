"""Algebraic loops through Co-Simulation instances: as right at every point as what the FMUs tell lets them be."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import Scheme, StartError, System
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.systems.stepped import DERIVATIVES, INTERPOLATION, Cosine, Half, component, cosine_loop
from tests.support.systems.systems import refusal

SCHEMES = ["explicit", "gauss-seidel", "implicit"]
NAMES = ("linear.a", "linear.b", "sphere.c")


def sphere(version: int, branch: str, derivatives: bool) -> System:
    """The loop of :func:`foreign.nonlinear_loop`."""
    linear, ball = foreign.nonlinear_loop(version, "cs", derivatives=derivatives, branch=branch, rollback=True)
    system = System("loop")
    system.add("linear", linear)
    system.add("sphere", ball)
    for a, b in (("linear.a", "sphere.a"), ("linear.b", "sphere.b"), ("sphere.c", "linear.c")):
        system.connect(a, b)
    return system


@pytest.mark.parametrize("derivatives", [True, False], ids=["derivatives", "without"])
@pytest.mark.parametrize("branch", ["positive", "negative"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_start_is_solved(fmi, scheme, branch, derivatives):
    """The loop is solved to 1e-12, on the branch of the start values: by Newton's method, or by passing values around; and it stays solved."""
    result = sphere(fmi, branch, derivatives).simulate(0.05, communication_step=0.01, scheme=scheme)
    assert result.outcome.completed
    expected = foreign.NONLINEAR_LOOP[branch][0]
    assert [result[name][0] for name in NAMES] == pytest.approx(expected, abs=1e-12)
    for name, value in zip(NAMES, expected, strict=True):
        assert result[name] == pytest.approx(value, abs=1e-12 if derivatives else 1e-11)


@pytest.mark.parametrize("derivatives", [True, False], ids=["derivatives", "without"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_loop_without_a_solution(fmi, scheme, derivatives):
    """The refusal quotes the FMU itself, with the name of the requested output."""
    text = refusal(lambda: sphere(fmi, "none", derivatives).simulate(0.05, communication_step=0.01, scheme=scheme), StartError)
    assert "'sphere.c'" in text and "'discard'" in text and "a and b are outside the sphere" in text


def test_a_loop_that_values_passed_around_flee(fmi):
    """a = 1 - b, b = 3 tanh(a) has one solution; passed around, b goes to and fro between 3 and -3. The input is named."""
    system = System("ring")
    for name, value in (("one", "1 - u"), ("two", "3 * tanh(u)")):
        model = Model(name, [Variable("u", "input"), Variable("y", "output", value=value, depends=["u"])], kinds=("cs",))
        system.add(name, foreign.export(model, fmi))
    system.connect("one.y", "two.u")
    system.connect("two.y", "one.u")
    text = refusal(lambda: system.simulate(1.0, communication_step=0.1), StartError)
    assert text == (
        "the start fails: 'one.u' does not come to rest when inputs are passed around 1000 times; check the start values, or break the ring "
        "of instances that depend on each other at once"
    )


# -- a loop that moves -----------------------------------------------------------------------------------------------------------------


def worst(fmi: int, left_out: tuple[str, ...], steps: int, scheme: str, degree: int = 1) -> float:
    """The greatest error of y = cos(y/2) + sin(t) at points over 2 s."""
    system = System("loop")
    for name, declared in (("cosine", Cosine), ("half", Half)):
        system.add(name, component(declared, fmi, *left_out), kind="cs")
    system.connect("cosine.y", "half.u")
    system.connect("half.y", "cosine.u")
    system.drive("cosine.d", np.sin)
    result = system.simulate(
        2.0, communication_step=2.0 / steps, scheme=Scheme(scheme, extrapolation=degree), output_times=np.linspace(0, 2, 11)
    )
    assert result.outcome.completed
    exact = cosine_loop(result.time)
    assert exact[0] == pytest.approx(result["cosine.y"][0], abs=1e-12)
    return float(max(np.abs(result["cosine.y"] - exact).max(), np.abs(result["half.y"] - exact / 2).max()))


def test_an_implicit_scheme_closes_the_loop_at_every_point(fmi):
    """The error is below 1e-12 for all steps: the step is repeated until its inputs at the end agree with those that it used."""
    for steps in (20, 80):
        assert worst(fmi, (), steps, "implicit") < 1e-12


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel"])
def test_an_explicit_scheme_closes_the_loop_as_far_as_it_is_linear(fmi, scheme, degree):
    """Derivatives tell what outputs would be with other inputs: off by the square of an extrapolation error of order degree + 1."""
    errors = [worst(fmi, (), steps, scheme, degree) for steps in (20, 40)]
    assert np.log2(errors[0] / errors[1]) > 2 * (degree + 1) - 0.5
    assert errors[0] < 1e-3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_inputs_that_cannot_vary_within_a_step_cost_order(fmi, scheme):
    """They have their mean over the step, so that outputs at its end are those of half a step before, put right by derivatives: order 2."""
    errors = [worst(fmi, INTERPOLATION, steps, scheme) for steps in (40, 80, 160)]
    assert np.log2(errors[-2] / errors[-1]) == pytest.approx(2, abs=0.1)
    assert errors[-1] < 1e-5


# -- without derivatives nobody sees that there is a loop --------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel"])
def test_without_derivatives_outputs_are_passed_on_one_step_late(fmi, scheme):
    """The error is of order 1 with held inputs."""
    errors = [worst(fmi, DERIVATIVES, steps, scheme, 0) for steps in (40, 80, 160)]
    assert np.log2(errors[-2] / errors[-1]) == pytest.approx(1, abs=0.1)


def test_without_derivatives_extrapolation_around_a_loop_is_unstable(fmi):
    """Values that are one step late are extrapolated again and again, and smaller steps do not help: an implicit scheme does."""
    assert min(worst(fmi, DERIVATIVES, steps, "explicit", 2) for steps in (40, 160)) > 0.1


def test_without_derivatives_an_implicit_scheme_closes_the_loop(fmi):
    """Repetition alone closes it to the scheme's tolerance, 1e-7 of an input's size, with many more passes."""
    assert worst(fmi, DERIVATIVES, 40, "implicit") < 1e-7
