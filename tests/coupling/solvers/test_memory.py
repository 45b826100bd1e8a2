"""Memory that runs take and give back: a system that runs again and again does not grow, whatever the solver."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from coupling import Index3
from coupling.solvers.base.solver import SOLVERS
from tests.support.systems.systems import pendulum

FLAT = 64
"""KiB; a leak of 4 KiB a run is 400."""


def anonymous() -> int:
    """Returns the memory of this process that no file has, in KiB."""
    gc.collect()
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Anonymous:")).split()[1])


QUICK = ("dopri5", "cvode", "Radau")
"""Solvers of the ordinary run: one of each library."""


@pytest.mark.every_case
@pytest.mark.parametrize("count", [100, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("solver", [pytest.param(each, marks=[] if each in QUICK else [pytest.mark.slow]) for each in SOLVERS])
def test_memory_is_flat(solver: str, count: int) -> None:
    """The least growth of three rounds counts, since other tests may have left what this one moves."""
    system = pendulum()
    asked = Index3(step_size=0.01) if solver == "index3" else solver

    def growth() -> int:
        before = anonymous()
        for _ in range(count):
            system.simulate(0.02, solver=asked, output_interval=0.02)
        return anonymous() - before

    for _ in range(20):
        system.simulate(0.02, solver=asked, output_interval=0.02)
    assert any(growth() < FLAT for _ in range(3))
