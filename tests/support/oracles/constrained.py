"""Constrained systems A a = h + G' lambda, G a + g0 = 0 as matrices, and their direct solution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Constrained:
    A: np.ndarray
    h: np.ndarray
    G: np.ndarray
    g0: np.ndarray

    @cached_property
    def free(self) -> np.ndarray:
        return np.linalg.solve(self.A, self.h)

    @cached_property
    def V(self) -> np.ndarray:
        return np.linalg.solve(self.A, self.G.T)

    @cached_property
    def S(self) -> np.ndarray:
        S = self.G @ self.V
        return (S + S.T) / 2

    @cached_property
    def r(self) -> np.ndarray:
        """Residuals with all multipliers 0."""
        return self.G @ self.free + self.g0

    def with_rows(self, rows: Iterable[int]) -> Constrained:
        rows = list(rows)
        return Constrained(self.A, self.h, self.G[rows], self.g0[rows])

    def solution(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers, of the whole at once."""
        n, s = len(self.A), len(self.G)
        matrix = np.block([[self.A, -self.G.T], [self.G, np.zeros((s, s))]])
        found = np.linalg.solve(matrix, np.concatenate([self.h, -self.g0]))
        return found[:n], found[n:]


def random_system(seed: int) -> Constrained:
    """Returns a random system of 6 to 20 coordinates, with a mass matrix of condition 100."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 21))
    s = int(rng.integers(4, n - 1))
    Q = np.linalg.qr(rng.normal(size=(n, n)))[0]
    A = Q @ np.diag(np.geomspace(1, 100, n)) @ Q.T
    return Constrained((A + A.T) / 2, rng.normal(size=n), rng.normal(size=(s, n)), rng.normal(size=s))
