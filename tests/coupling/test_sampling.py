"""Points that are drawn: where they lie, and that the same seed gives the same."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.stats

from coupling import BuildError
from coupling.sampling import sample
from tests.support.systems.systems import refusal

GIVEN = {"a.m": (1.0, 3.0), "a.k": scipy.stats.norm(10.0, 2.0), "a.b": (-1, 1)}


@pytest.mark.parametrize("method", ["latin", "sobol", "halton", "random"])
def test_points_fill_their_intervals(method: str) -> None:
    """They do so as evenly as the method does. The same seed gives the same points, another seed others."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        points = sample(GIVEN, 256, method, seed=3)
    assert list(points) == list(GIVEN) and all(len(values) == 256 for values in points.values())
    uniform = [(points["a.m"] - 1) / 2, scipy.stats.norm.cdf((points["a.k"] - 10) / 2), (points["a.b"] + 1) / 2]
    for u in uniform:
        assert u.min() >= 0 and u.max() <= 1
        assert scipy.stats.kstest(u, "uniform").statistic < (0.1 if method == "random" else 0.02)
        if method == "latin":
            assert sorted(np.floor(256 * u)) == list(range(256))
    assert np.abs(np.corrcoef(uniform) - np.eye(3)).max() < 0.2
    again, other = sample(GIVEN, 256, method, seed=3), sample(GIVEN, 256, method, seed=4)
    assert all((again[name] == points[name]).all() and (other[name] != points[name]).any() for name in GIVEN)


def test_what_is_measured_from_a_sample_is_what_was_drawn_from() -> None:
    """Mean and deviation of the normal distribution, and the order of names does not matter to the first."""
    points = sample({"a.k": scipy.stats.norm(10.0, 2.0)}, 1024, "sobol")
    assert (points["a.k"].mean(), points["a.k"].std()) == pytest.approx((10.0, 2.0), abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (({}, 3), "sample: {} is refused: give intervals or distributions by name, such as {'rod.m': (1, 3)}"),
        ((GIVEN, 0), "sample: n = 0 is refused: give a whole number of points, of at least 1"),
        ((GIVEN, 2.5), "sample: n = 2.5 is refused: give a whole number of points, of at least 1"),
        ((GIVEN, 3, "grid"), "sample: method = 'grid' is unknown; choose 'latin', 'sobol', 'halton' or 'random'"),
        ((GIVEN, 100, "sobol"), "sample: n = 100 is refused: a Sobol sequence is even at powers of 2 alone; take 64 or 128"),
        *(
            ((GIVEN, 3, "latin", seed), f"sample: seed = {seed!r} is refused: give a whole number of at least 0")
            for seed in (-1, 1.5, None, "a", True)
        ),
        (({3: (0, 1)}, 3), "sample: 3 is no name; give full names of parameters, such as 'rod.m'"),
        *(
            (
                ({"a.m": given}, 3),
                f"sample: 'a.m': {given!r} is refused: give an interval such as (1.0, 3.0), or a distribution such as scipy.stats.norm(1.0, 0.1)",
            )
            for given in (2.0, (3.0, 1.0), (1.0, float("inf")), "ab", (1, 2, 3))
        ),
        (({"a.m": scipy.stats.norm(0.0, -1.0)}, 2), "sample: the distribution of 'a.m' gives nan; give one whose values are finite"),
    ],
)
def test_samples_that_there_are_not(arguments: tuple, sentence: str) -> None:
    assert refusal(lambda: sample(*arguments), BuildError) == sentence
