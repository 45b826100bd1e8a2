"""Models that are interpolated over parameters, against exact ones between the nodes."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import AnalysisError
from coupling.analysis.sampled import response_error
from tests.coupling.analysis.test_grid import LENGTHS, grid, upright
from tests.support.systems.systems import refusal

MIDDLE = {"lower.m": 1.1, "upper.C1.rx": 0.53}


def test_cubic_interpolation_is_nearer_than_linear_and_its_error_is_stated() -> None:
    linear, cubic = (grid().to_lpv(kind, checks=3) for kind in ("linear", "cubic"))
    exact = grid().model_at(MIDDLE)
    errors = [response_error(each.at(MIDDLE), exact) for each in (linear, cubic)]
    assert errors[1] < errors[0] / 5 and cubic.error < linear.error / 5
    assert cubic.error < 0.2


def test_at_a_node_it_is_the_model_of_the_node() -> None:
    model, found = grid()[2, 3], grid().to_lpv(checks=0).at({"lower.m": 1.25, "upper.C1.rx": LENGTHS[3]})
    assert pytest.approx(model.A, abs=1e-12) == found.A and found.states == model.states
    assert found.point["upper.q"] == pytest.approx(model.point["upper.q"])


def test_one_parameter_and_scipy() -> None:
    """A(p) is linear in the stiffness, so that linear interpolation is exact."""
    family = upright().linearise(along={"rod.k": np.linspace(20.0, 10.0, 4)})
    found = family.to_lpv("linear")
    assert found.error < 1e-8
    assert pytest.approx(family.model_at({"rod.k": 13.0}).A, abs=1e-9) == found.to_scipy({"rod.k": 13.0}).A


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: grid().to_lpv("quintic"), "kind = 'quintic' is refused: it must be 'linear' or 'cubic'"),
        (
            lambda: grid().to_lpv(checks=0).at({**MIDDLE, "lower.m": 3.0}),
            "lower.m = 3 is outside of the grid, which reaches from 0.5 to 2; give a value within",
        ),
        (
            lambda: grid().to_lpv(checks=0).at({"lower.m": 1.0}),
            "values = {'lower.m': 1.0} is refused: give one value for each of lower.m, upper.C1.rx",
        ),
        (
            lambda: upright().linearise(along={"rod.k": [20.0, 30.0]}).to_lpv(),
            "a cubic interpolation needs at least 4 values of each parameter; rod.k has 2",
        ),
    ],
)
def test_sentences(ask, sentence) -> None:
    assert refusal(ask, AnalysisError) == sentence
