"""Linear models over several parameters, against closed forms."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from coupling import AnalysisError, LinearGrid, System
from tests.support.systems.arms import arm, matrices
from tests.support.systems.systems import refusal

PAYLOADS, LENGTHS = np.linspace(0.5, 2.0, 5), np.linspace(0.4, 0.8, 6)


@cache
def grid() -> LinearGrid:
    return arm().linearise(inputs=["upper.torque"], along={"lower.m": PAYLOADS, "upper.C1.rx": LENGTHS})


def test_a_two_link_arm_is_its_closed_form_at_each_node() -> None:
    """It agrees over payload and length, to 1e-9 of the largest entry; states have the order of the first model."""
    assert grid().shape == (5, 6) and len(grid()) == 30
    for values, model in zip(grid().points, grid(), strict=True):
        A, B = matrices(values["lower.m"], values["upper.C1.rx"])
        order = [model.states.index(name) for name in ("upper.q", "upper.qd", "lower.q", "lower.qd")]
        assert model.A[np.ix_(order, order)] == pytest.approx(A, abs=1e-9 * np.abs(A).max(), rel=0)
        assert model.B[order] == pytest.approx(B, abs=1e-9 * np.abs(B).max(), rel=0)
    assert pytest.approx(grid().matrices("A")[4, 0]) == grid()[-1, 0].A
    assert grid().of("upper.q") == pytest.approx(np.full((5, 6), -np.pi / 2), abs=1e-9)
    assert not grid().branch_points and (grid().growth < 0).all()


def test_the_exact_model_between_nodes() -> None:
    model = grid().model_at({"lower.m": 0.77, "upper.C1.rx": 0.61})
    A, _ = matrices(0.77, 0.61)
    order = [model.states.index(name) for name in ("upper.q", "upper.qd", "lower.q", "lower.qd")]
    assert model.A[np.ix_(order, order)] == pytest.approx(A, abs=1e-9 * np.abs(A).max(), rel=0)


def upright() -> System:
    """A point on a rod of 0.5 m that stands on a spring."""
    system = System("upright")
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.RevoluteBody", {"m": 1.0, "I": 0.0, "rx": 0.5, "q": np.pi / 2, "rest": np.pi / 2, "k": 12.0, "b": 0.1})
    system.connect("ground.p1", "rod.P")
    return system


def test_stability_changes_where_the_weight_overcomes_the_spring() -> None:
    """It changes at m g l = k, for each stiffness."""
    found = upright().linearise(along={"rod.k": [8.0, 10.0, 12.0], "rod.m": np.linspace(1.0, 3.0, 5)})
    assert [point["rod.k"] for point in found.branch_points] == [8.0, 10.0, 12.0]
    for point in found.branch_points:
        assert point["rod.m"] == pytest.approx(point["rod.k"] / (9.81 * 0.5), rel=1e-4)


def test_a_map_and_a_root_locus_are_drawn(tmp_path: Path) -> None:
    grid().plot(tmp_path / "map.png")
    figure = grid().plot()
    assert (tmp_path / "map.png").stat().st_size > 1000
    assert [axes.get_xlabel() for axes in figure.axes if axes.get_xlabel()] == ["lower.m"]


@pytest.mark.parametrize(
    ("along", "sentence"),
    [
        ({"rod.k": [1.0], "rod.m": "heavy"}, "along: the values of 'rod.m', 'heavy', are refused: give a list of numbers, such as "),
        ({}, "along = {} is refused: give parameters and their values, such as {'spring.k': np.linspace(50, 5, 20)}"),
    ],
)
def test_what_is_no_grid_is_refused(along: dict[str, object], sentence: str) -> None:
    assert refusal(lambda: upright().linearise(along=along), AnalysisError).startswith(sentence)  # type: ignore[call-overload]


def test_a_node_without_equilibrium_is_named() -> None:
    """Nothing holds a body that falls."""
    system = System("falling")
    system.add("body", "planar.Body1", {"gy": -9.81})
    said = refusal(lambda: system.linearise(along={"body.m": [1.0, 2.0], "body.I": [1.0, 2.0]}), AnalysisError)
    assert said.startswith("body.m = 1, body.I = 1: no equilibrium was found") and "free=[...] with an input that can balance it" in said


def test_coordinates_that_fail_within_the_grid_are_named_with_the_node() -> None:
    """The place along x stands still where the rod lies along x."""
    system = System("rod")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute", {"rotation.k": 10.0})
    system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5, "gy": 0.0})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    along = {"rod.m": [1.0, 2.0], "pin.rotation.rest": [0.4, 0.2, 0.0]}
    said = refusal(lambda: system.linearise(coordinates=["rod.x"], along=along), AnalysisError)
    assert said.startswith("rod.m = 1, pin.rotation.rest = 0: coordinates: 'rod.x', 'rod.vx' cannot be among the coordinates at this point")


def test_an_index_outside_of_the_grid_is_refused() -> None:
    assert (
        refusal(lambda: grid()[5, 0], IndexError)
        == "(5, 0) is no node of the grid of (5, 6); give one index for each of lower.m, upper.C1.rx"
    )
