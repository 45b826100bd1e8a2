"""Communication steps of the kernel: inputs follow the polynomials through the last points, and the instances get these."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from coupling import System
from coupling.kernel.system.status import Status
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.start import start
from coupling.options import Run
from tests.support.foreign import Model, Variable, export

POINTS = [0.0, 0.1, 0.25, 0.33, 0.5]
"""Points in time with steps of different sizes."""


class Steps(NamedTuple):
    """The values that arrive at the inputs of two instances at each point; over each step the polynomials of the inputs, and the ends of these."""

    arriving: np.ndarray
    polynomials: list[list[Polynomial]]
    ends: np.ndarray


def taken(order: int, in_turn: bool, degree: int) -> Steps:
    """Steps from point to point of an instance that integrates a driven input, and of one that integrates the result of the first."""
    variables = [Variable("u", "input"), Variable("z", "output", rate="u")]
    declares = {"canInterpolateInputs": "true"} if degree else {}
    summing = export(Model("Summing", variables, declares=declares, input_orders=degree), 2)
    system = System("summing")
    system.add("first", summing, kind="cs")
    system.add("second", summing, kind="cs")
    system.drive("first.u", lambda t: float(np.exp(2 * t)))
    system.connect("first.z", "second.u")
    arriving, polynomials, ends = [], [], []
    run = Run(stop_time=1.0, communication_step=0.1)
    with start(compile_program(system.build(communication=True), run.outputs, in_turn), Running(run=run)) as session:
        kernel = session.kernel
        for i, t in enumerate(POINTS):
            assert kernel.point(t)[0] is Status.DONE
            arriving.append(kernel.arriving.copy())
            if t == POINTS[-1]:
                break
            kernel.note_inputs(i == 0)
            assert kernel.explicit_step(POINTS[i + 1] - t, order, in_turn, True) is Status.DONE
            polynomials.append([Polynomial(each) for each in zip(kernel.value, kernel.slope, kernel.curve / 2, strict=True)])
            ends.append(kernel.ends.copy())
    return Steps(np.array(arriving), polynomials, np.array(ends))


def through(times: list[float], values: np.ndarray, begin: float) -> Polynomial:
    """The polynomial through values at some times, by linear equations, over the time since the beginning of a step."""
    return Polynomial(np.linalg.solve(np.vander(np.array(times) - begin, increasing=True), values))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_inputs_are_extrapolated_through_the_last_points(order: int) -> None:
    """The polynomial takes as many points as the order wants and are known; the first instance has integrated it."""
    steps = taken(order, in_turn=False, degree=2)
    for i, (t, end) in enumerate(pairwise(POINTS)):
        known = slice(max(0, i - order), i + 1)
        for each in range(2):
            expected, found = through(POINTS[known], steps.arriving[known, each], t), steps.polynomials[i][each]
            s = np.linspace(0, end - t, 4)
            assert found(s) == pytest.approx(expected(s), rel=1e-13)
            assert steps.ends[i, each] == pytest.approx(expected(end - t), rel=1e-13)
        integral = steps.polynomials[i][0].integ()(end - t)
        assert steps.arriving[i + 1, 1] - steps.arriving[i, 1] == pytest.approx(integral, rel=1e-12)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_in_turn_the_end_of_the_step_is_known(order: int) -> None:
    """The second instance gets the polynomial through the result of the first one at the end, and through so many points before."""
    steps = taken(order, in_turn=True, degree=2)
    for i, (t, end) in enumerate(pairwise(POINTS)):
        known = slice(max(0, i + 1 - order), i + 2)
        expected, s = through(POINTS[known], steps.arriving[known, 1], t), np.linspace(0, end - t, 4)
        assert steps.polynomials[i][1](s) == pytest.approx(expected(s), rel=1e-12)


@pytest.mark.parametrize("degree", [0, 1])
def test_an_instance_that_takes_a_lower_degree_gets_the_mean_or_the_ends(degree: int) -> None:
    """The parabola passes through the last three points: a constant has its mean, a line its ends."""
    steps = taken(2, in_turn=False, degree=degree)
    for i in range(2, len(POINTS) - 1):
        t, h = POINTS[i], POINTS[i + 1] - POINTS[i]
        parabola = through(POINTS[i - 2 : i + 1], steps.arriving[i - 2 : i + 1, 0], t)
        ends = [parabola.integ()(h) / h] * 2 if degree == 0 else [parabola(0), parabola(h)]
        found = steps.polynomials[i][0]
        assert found.trim().degree() == degree
        assert found(np.array([0, h])) == pytest.approx(ends, rel=1e-13)
        assert steps.ends[i, 0] == pytest.approx(ends[1], rel=1e-13)
