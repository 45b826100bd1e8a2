"""The hydraulic crane as two exported FMUs, in masters that pass outputs on as they are and in Jourdain, which corrects them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from tests.support.interoperability.assembly import Recording
from tests.support.interoperability.cases import CRANE_STEP, SPLIT_CRANE
from tests.support.interoperability.exported import SPLITS
from tests.support.interoperability.registry import master

PLAIN = ("FMPy, a loop", "ecos", "libcosim")
"""They pass on what an FMU gave at the end of its step, and let all step at once."""


@cache
def recorded(title: str, split: str, fmi: int = 2, step: float = CRANE_STEP) -> Recording:
    return master(title).record(replace(SPLIT_CRANE.assembly, parts=SPLITS[split], step=step), fmi)


@cache
def _known(step: float) -> Mapping[str, np.ndarray]:
    return SPLIT_CRANE.expected(step * np.arange(round(SPLIT_CRANE.assembly.stop / step) + 1))


def largest(found: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> float:
    """The largest difference of any output, relative to its largest value."""
    return float(max(np.abs(found[name] - values).max() / np.abs(values).max() for name, values in other.items()))


def difference(title: str, split: str, fmi: int = 2, step: float = CRANE_STEP) -> float:
    """Returns the largest difference between a master and Jourdain's."""
    return largest(recorded(title, split, fmi, step).values, recorded("Jourdain", split, fmi, step).values)


def error(title: str, split: str, step: float = CRANE_STEP) -> float:
    """Returns the largest difference from the crane in one piece."""
    return largest(recorded(title, split, 2, step).values, _known(step))
