"""Algebraic loops that are no joints: gains in rings, one in another, a nonlinear one, and those without a solution."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coupling import Ending, StartError, System
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.systems.systems import refusal


@pytest.fixture(params=[True, False], ids=["derivatives", "differences"])
def derivatives(request: pytest.FixtureRequest) -> bool:
    return request.param


def adder(version: int, derivatives: bool = True, declared: bool = True) -> Path:
    """Returns an FMU with y = fa a + fb b + fc c."""
    names = "abc"
    return foreign.export(
        Model(
            "Adder",
            [
                *(Variable(f"f{name}", "parameter", 1.0) for name in names),
                *(Variable(name, "input") for name in names),
                Variable("y", "output", value="fa * a + fb * b + fc * c", depends=[*names] if declared else None),
            ],
            partials={("y", name): f"f{name}" for name in names} if derivatives else None,
        ),
        version,
    )


def ring(version: int, gain: float, *, derivatives: bool = True, declared: bool = True, drive: object = 1.0) -> System:
    """Returns a loop with s = drive + gain/2 g, g = 2 s; s = drive/(1 - gain)."""
    system = System("ring")
    system.add("sum", adder(version, derivatives, declared), {"fa": gain / 2})
    system.add("gain", foreign.gain(version), {"factor": 2.0})
    system.connect("sum.y", "gain.u")
    system.connect("gain.y", "sum.a")
    system.drive("sum.b", drive)
    return system


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "undeclared"])
@pytest.mark.parametrize("gain", [0.5, 6.0, -4.0])
def test_a_ring_of_gains(fmi, gain, derivatives, declared):
    """Its output is drive/(1 - gain) at all times, whether substitution would converge or not."""
    result = ring(fmi, gain, derivatives=derivatives, declared=declared, drive=lambda t: 1 + t).simulate(1.0)
    assert result["sum.y"] == pytest.approx((1 + result.time) / (1 - gain), rel=1e-12)
    assert result["gain.y"] == pytest.approx(2 * result["sum.y"], rel=1e-12)


@pytest.mark.parametrize("gain", [0.5, -3.0])
def test_an_instance_in_a_loop_with_itself(fmi, gain):
    system = System("self")
    system.add("sum", adder(fmi), {"fa": gain})
    system.connect("sum.y", "sum.a")
    system.drive("sum.b", 2.0)
    assert system.simulate(1.0)["sum.y"] == pytest.approx(2 / (1 - gain), rel=1e-13)


def test_a_gain_of_one_has_no_solution(fmi):
    """1 = 0, by the name of the input at which the loop is cut."""
    text = refusal(lambda: ring(fmi, 1.0).simulate(1.0), StartError)
    assert "gain.u" in text and "contradict" in text


def test_without_derivatives_a_gain_of_one_has_no_solution_either(fmi):
    """Differences cannot tell a small slope from none, but the iteration finds nothing."""
    text = refusal(lambda: ring(fmi, 1.0, derivatives=False).simulate(1.0), StartError)
    assert "gain.u" in text


def test_a_gain_of_one_without_a_drive_leaves_the_value_open(fmi):
    """Any value solves it: the least one is taken, and there is a warning."""
    result = ring(fmi, 1.0, drive=0.0).simulate(1.0)
    assert result.outcome.ending is Ending.COMPLETED
    assert np.abs(result["sum.y"]).max() == 0
    (warning,) = result.outcome.warnings
    assert "redundant" in warning and "gain" in warning


def test_two_loops_one_behind_the_other(fmi, derivatives):
    """They are solved one after the other, not together."""
    system = System("two")
    for name, gain in (("first", 0.5), ("second", 3.0)):
        system.add(name, adder(fmi, derivatives), {"fa": gain})
        system.connect(f"{name}.y", f"{name}.a")
    system.drive("first.b", 1.0)
    system.connect("first.y", "second.b")
    assert [len(loop.unknowns) for loop in system.build().schedule.loops] == [1, 1]
    result = system.simulate(1.0)
    assert result["second.y"] == pytest.approx(2 / (1 - 3.0), rel=1e-12)


def test_a_loop_inside_a_loop(fmi, derivatives):
    """x = 1 + x/2 - y, y = x + y/4: x = 1/(1 - 1/2 + 4/3), y = 4/3 x."""
    system = System("nested")
    system.add("x", adder(fmi, derivatives), {"fa": 0.5, "fc": -1.0})
    system.add("y", adder(fmi, derivatives), {"fa": 0.25})
    for a, b in (("x.y", "x.a"), ("y.y", "y.a"), ("x.y", "y.b"), ("y.y", "x.c")):
        system.connect(a, b)
    system.drive("x.b", 1.0)
    result = system.simulate(1.0)
    x = 1 / (0.5 + 4 / 3)
    assert [result["x.y"][-1], result["y.y"][-1]] == pytest.approx([x, 4 / 3 * x], rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_network_of_gains(seed, derivatives):
    """Eight sums that take from each other at random, some of them undeclared: as one matrix equation."""
    random = np.random.default_rng(seed)
    count = 8
    matrix, drives = np.zeros((count, count)), random.uniform(-1, 1, count)
    system, pairs = System("network"), []
    for k in range(count):
        factors = random.uniform(-1, 1, 2)
        system.add(f"s{k}", adder(3, derivatives, bool(random.integers(2))), dict(zip(("fa", "fb"), factors, strict=True)))
        system.drive(f"s{k}.c", drives[k])
        for name, factor, source in zip("ab", factors, random.integers(count, size=2), strict=True):
            matrix[k, source] += factor
            pairs.append((f"s{source}.y", f"s{k}.{name}"))
    for pair in pairs:
        system.connect(*pair)
    exact = np.linalg.solve(np.eye(count) - matrix, drives)
    result = system.simulate(1.0)
    assert [result[f"s{k}.y"][-1] for k in range(count)] == pytest.approx(list(exact), rel=1e-11)


# -- nonlinear ---------------------------------------------------------------------------------------------------------


def sphere(version: int, **options: object) -> System:
    """The plane and the sphere of foreign.nonlinear_loop."""
    linear, round_ = foreign.nonlinear_loop(version, **options)
    system = System("sphere")
    system.add("linear", linear)
    system.add("sphere", round_)
    for a, b in (("linear.a", "sphere.a"), ("linear.b", "sphere.b"), ("sphere.c", "linear.c")):
        system.connect(a, b)
    return system


@pytest.mark.parametrize("start", [None, 1.2])
@pytest.mark.parametrize("branch", ["positive", "negative"])
def test_a_nonlinear_loop(fmi, branch, derivatives, start):
    """The solution is, to 1e-12, the one that Newton's method reaches from the start value that the FMU gives to its input."""
    if start is not None and branch == "negative":
        start = -start
    result = sphere(fmi, branch=branch, derivatives=derivatives, start=start).simulate(1.0)
    found = [result[name] for name in ("linear.a", "linear.b", "sphere.c")]
    for values, exact in zip(found, foreign.NONLINEAR_LOOP[branch][0], strict=True):
        assert values == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("outside", ["discard", "nan"])
@pytest.mark.parametrize("start", [0.0, 4.0])
def test_a_start_where_the_loop_cannot_be_evaluated(fmi, derivatives, start, outside):
    """The radicand is negative there; the sentence says who refused, and why or which value."""
    text = refusal(lambda: sphere(fmi, derivatives=derivatives, start=start, outside=outside).simulate(1.0), StartError)
    assert "sphere" in text
    assert "a and b are outside the sphere" in text if outside == "discard" else "'sphere.c' is not a finite number" in text


@pytest.mark.parametrize("outside", ["discard", "nan"])
def test_a_nonlinear_loop_without_a_solution(fmi, derivatives, outside):
    """The sentence names a variable of the loop."""
    text = refusal(lambda: sphere(fmi, branch="none", derivatives=derivatives, outside=outside).simulate(1.0), StartError)
    assert "'sphere.c'" in text or "linear.c" in text


def square(version: int, derivatives: bool, limit: float) -> System:
    """Returns y = y^2 + limit t, which has the solutions 1/2 -+ sqrt(1/4 - limit t), the lower of which is stable."""
    model = Model(
        "Square",
        [Variable("u", "input"), Variable("p", "input"), Variable("y", "output", value="u * u + p", depends=["u", "p"])],
        partials={("y", "u"): "2 * u", ("y", "p"): "1"} if derivatives else None,
    )
    system = System("square")
    system.add("square", foreign.export(model, version))
    system.connect("square.y", "square.u")
    system.drive("square.p", lambda t: limit * t)
    return system


def test_a_solution_is_followed_in_time(fmi, derivatives):
    """The branch is that of the start."""
    result = square(fmi, derivatives, 0.2).simulate(1.0)
    assert result["square.y"] == pytest.approx(0.5 - np.sqrt(0.25 - 0.2 * result.time), rel=1e-9, abs=1e-14)


def test_a_solution_that_ceases_to_exist_ends_the_run(fmi, derivatives):
    """Both solutions meet at t = 1/2; everything up to there is kept."""
    result = square(fmi, derivatives, 0.5).simulate(1.0)
    assert result.outcome.ending in (Ending.NOT_SOLVED, Ending.CONTRADICTORY)
    assert "the equations for square.u" in result.outcome.sentence
    assert result.time[-1] == pytest.approx(0.5, abs=0.01)
    # Where both meet, a small residual leaves room for its square root.
    exact = 0.5 - np.sqrt(np.maximum(0.25 - 0.5 * result.time, 0))
    assert result["square.y"] == pytest.approx(exact, abs=1e-3)
    assert result["square.y"][result.time < 0.49] == pytest.approx(exact[result.time < 0.49], abs=1e-9)
