"""Linear fractional representations against exact models between the nodes, and as arrays for other tools."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coupling import AnalysisError, LinearGrid
from coupling.analysis.sampled import response_error
from tests.coupling.analysis.test_grid import grid, upright
from tests.support.systems.arms import matrices
from tests.support.systems.systems import refusal
from tests.whole.spatial.test_balloon import balloon


def test_the_arm_over_payload_and_length() -> None:
    """Between the nodes the fit is the closed form."""
    found = grid().to_lfr(checks=3)
    assert (found.degree, found.error_on_grid < 1e-6, found.error_between < 1e-6) == (2, True, True)
    model = found.at({"lower.m": 0.9, "upper.C1.rx": 0.66})
    A, _ = matrices(0.9, 0.66)
    order = [model.states.index(name) for name in ("upper.q", "upper.qd", "lower.q", "lower.qd")]
    assert model.A[np.ix_(order, order)] == pytest.approx(A, abs=1e-6 * np.abs(A).max(), rel=0)
    assert f"Delta of order {found.order}" in str(found)


def floating(nodes: int) -> LinearGrid:
    """The balloon on its upright branch, with dampers, over the stiffness of its slider and the mass that hangs lowest."""
    system = balloon(50.0, 5.0, 0.2, start=(0.0, 0.1, 0.1))
    return system.linearise(
        ["slider.force"],
        ["slider.q", "upper.q", "lower.q"],
        along={"slider.k": np.linspace(40, 100, nodes), "lower.m": np.linspace(2, 4, nodes)},
        hold=["balloon.x", "balloon.y", "balloon.z"],
        free=["buoyancy.Fy"],
    )


@pytest.mark.slow
def test_the_balloon_over_stiffness_and_payload() -> None:
    """Stiffness enters by rank 1, the mass by rank 7 in the best coordinates."""
    found = floating(4).to_lfr(checks=2)
    assert found.degree == 1 and found.order <= 12
    assert found.error_on_grid < 1e-9 and found.error_between < 1e-8


@pytest.mark.slow
def test_the_balloon_at_a_thousand_points() -> None:
    """The largest singular value of the difference is at most 1e-3 of that of the response, at 200 frequencies up to 10 times the highest mode."""
    models = floating(6)
    found = models.to_lfr(checks=0)
    assert found.order <= 12
    assert max(response_error(found.at(values), model, 200) for values, model in models.between(1000, seed=2)) < 1e-3


def test_arrays_with_names(tmp_path: Path) -> None:
    """M and Delta from the file give the model at a point, by the formula of the documentation alone."""
    family = upright().linearise(inputs=["rod.torque"], along={"rod.m": np.linspace(0.5, 1.5, 5)})
    found = family.to_lfr()
    with np.load(found.save(tmp_path / "rod.npz")) as kept:
        M, delta = kept["M"], (1.2 - kept["centre"]) / kept["half"]
        assert set(kept["delta"]) == {"rod.m"} and list(kept["states"]) == ["rod.q", "rod.qd"]
    r = len(delta)
    A = (M[r:, r:] + M[r:, :r] @ np.diag(delta) @ np.linalg.inv(np.eye(r) - M[:r, :r] @ np.diag(delta)) @ M[:r, r:])[:2, :2]
    assert pytest.approx(family.model_at({"rod.m": 1.2}).A, abs=1e-8) == A


def test_a_divisor_that_vanishes_is_named() -> None:
    """The equation is x' = x / (1 - p)."""
    found = upright().linearise(along={"rod.m": np.linspace(0.5, 1.5, 5)}).to_lfr(checks=0)
    singular = replace(found, M=np.ones((4, 4)), blocks={"rod.m": 1})
    assert refusal(lambda: singular.at({"rod.m": 1.5}), AnalysisError) == (
        "the fit is singular at rod.m = 1.5: its divisor vanishes there; give a grid with more values, or another degree"
    )


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: grid().to_lfr(degree=4), "degree = 4 is refused: it must be 1, 2 or 3, or None for the least one that fits"),
        (lambda: grid().to_lfr(tolerance=0.0), "tolerance = 0.0 is refused: it must be greater than 0"),
        (
            lambda: upright().linearise(along={"rod.m": [0.5, 1.0]}).to_lfr(),
            "the grid over rod.m has too few values for a fit of degree 1: give at least 3 of each parameter",
        ),
        (
            lambda: grid().to_lfr(degree=1),
            "the models over lower.m, upper.C1.rx are no quotient of polynomials of degree 1: the best fit is off by ",
        ),
    ],
)
def test_sentences(ask, sentence) -> None:
    assert refusal(ask, AnalysisError).startswith(sentence)
