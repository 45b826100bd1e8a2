"""Common parts of the tests of the machines in the examples."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np

from coupling import System

EXAMPLES = Path(__file__).parents[3] / "examples"


def example(name: str) -> ModuleType:
    """An example as a module."""
    specification = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def converges(
    build: Callable[[], System], scheme: str, stop: float, steps: Sequence[float], names: Sequence[str], allowed: float, order: int = 2
) -> None:
    """Checks that co-simulation converges to Model Exchange with an order: errors are relative to the range of each variable."""
    exact = build().simulate(stop, solver="cvode", rtol=1e-10, max_step=stop / 50)
    errors = []
    for h in steps:
        result = build().simulate(stop, communication_step=h, scheme=scheme, output_times=[0.0, stop])
        assert result.outcome.completed, result.outcome.sentence
        errors.append([abs(result[name][-1] - exact[name][-1]) / np.ptp(exact[name]) for name in names])
    assert max(errors[0]) < allowed, errors
    for coarse, fine, (h, finer) in zip(errors[:-1], errors[1:], pairwise(steps), strict=True):
        assert max(fine) < 1.2 * (finer / h) ** order * max(coarse), errors
