"""The seven-body mechanism of example 3, for tests: its system, its seven angles, and how far a result is from the known digits."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np

from coupling import Result, System


def _example() -> ModuleType:
    path = Path(__file__).parents[3] / "examples" / "03_seven_body_mechanism.py"
    spec = importlib.util.spec_from_file_location("seven_body_mechanism", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


EXAMPLE = _example()
STOP: float = EXAMPLE.STOP
START: dict[str, float] = EXAMPLE.START
REFERENCE: dict[str, float] = EXAMPLE.REFERENCE
"""The angles at ``STOP``, in digits on which three independent computations agree."""


def system() -> System:
    """A new one; it can be simulated as often as one likes."""
    return EXAMPLE.system()


def angles(result: Result) -> dict[str, np.ndarray]:
    """The seven angles over time, from the recorded ``link*.theta``."""
    return EXAMPLE.angles(result)


def error(result: Result) -> float:
    """The largest difference of any angle at the end from the reference."""
    assert result.outcome.completed and result.time[-1] == STOP, result.outcome
    return max(abs(values[-1] - REFERENCE[name]) for name, values in angles(result).items())
