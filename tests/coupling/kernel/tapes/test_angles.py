"""Sines and cosines of many angles against long double, with and without AVX, and as systems are compiled here."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

import coupling.kernel
from coupling.fused.compiled import flags

TEXT = '#include "tapes/angles.h"\n__attribute__((visibility("default"))) void run(int count, const double *x, double *sine, double *cosine) { angles(count, x, sine, cosine); }\n'
COUNT = 40_000


@pytest.fixture(scope="module")
def ways(tmp_path_factory) -> list[ctypes.CDLL]:
    folder = tmp_path_factory.mktemp("angles")
    (folder / "run.c").write_text(TEXT)
    found = []
    for name, more in {"plain": (), "avx": ("-mavx",), "here": flags()}.items():
        library = folder / f"{name}.so"
        include = f"-I{Path(coupling.kernel.__file__).parent}"
        common = ["gcc", "-std=c11", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", include]
        subprocess.run([*common, *more, folder / "run.c", "-o", library, "-lm"], check=True)
        found.append(ctypes.CDLL(str(library)))
    return found


def turned(way: ctypes.CDLL, x: np.ndarray) -> np.ndarray:
    out = np.full((2, x.size), np.nan)
    way.run(x.size, *(ctypes.c_void_p(each.ctypes.data) for each in (x, out[0], out[1])))
    return out


def near_multiples(random: np.random.Generator, least: float, most: float) -> np.ndarray:
    """Numbers whose distance from a multiple of pi/2 is that power of 2, by turns above and below; or which are as near as numbers get."""
    number = random.integers(-63_000, 63_000, COUNT)
    return number * (np.pi / 2) + random.choice([-1, 1], COUNT) * 2.0 ** random.uniform(least, most, COUNT)


@pytest.mark.parametrize(
    "drawn",
    [
        lambda random: random.uniform(-0.8, 0.8, COUNT),
        lambda random: random.uniform(-10, 10, COUNT),
        lambda random: random.uniform(-1.1e5, 1.1e5, COUNT),
        lambda random: random.choice([-1, 1], COUNT) * 2.0 ** random.uniform(-1070, 60, COUNT),
        lambda random: near_multiples(random, -60, -30),
        lambda random: near_multiples(random, -12, -8),
        lambda random: np.arange(COUNT) * (np.pi / 4),
    ],
    ids=["small", "some turns", "many turns", "all sizes", "at multiples", "near multiples", "on diagonals"],
)
def test_sines_and_cosines_are_off_by_less_than_one_unit_in_the_last_place(ways, drawn):
    x = drawn(np.random.default_rng(1))
    found, *others = (turned(way, x) for way in ways)
    for other in others:
        np.testing.assert_array_equal(found.view(np.int64), other.view(np.int64))
    exact = np.array([np.sin(x.astype(np.longdouble)), np.cos(x.astype(np.longdouble))])
    assert np.max(np.abs(found - exact) / np.spacing(np.abs(exact.astype(float)))) < 0.9


def test_what_is_no_angle_has_neither_and_leaves_others_alone(ways):
    for way in ways:
        sine, cosine = turned(way, np.array([np.nan, np.inf, -0.0, 0.5, -np.inf, 1e300, 0.0, 2.0]))
        assert np.isnan(sine[[0, 1, 4]]).all() and np.isnan(cosine[[0, 1, 4]]).all()
        assert np.signbit(sine[2]) and sine[2] == 0 and not np.signbit(sine[6])
        np.testing.assert_allclose(sine[[3, 5, 7]], np.sin([0.5, 1e300, 2.0]), rtol=3e-16)
        np.testing.assert_allclose(cosine[[2, 3, 5, 7]], np.cos([0.0, 0.5, 1e300, 2.0]), rtol=3e-16)
