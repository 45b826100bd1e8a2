"""Absolute tolerances by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from coupling.live.master import Master
    from coupling.options import Run


def matches(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern in which ``*`` stands for anything; all other characters, brackets too, stand for themselves."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


def state_tolerances(master: Master, run: Run) -> np.ndarray:
    """The absolute tolerance of each state: as given, or relative to its nominal value."""
    built = master.built
    default = np.empty(built.states)
    for part, instance in zip(built.parts, master.instances, strict=True):
        count = len(part.states)
        if count:
            _, nominals = instance.nominals(count)
            default[part.first_state : part.first_state + count] = run.rtol * np.where(nominals > 0, nominals, 1.0)
    if run.atol is not None and not isinstance(run.atol, Mapping):
        default[:] = run.atol
    if not isinstance(run.atol, Mapping):
        return default
    return given_tolerances(run, [master.label(slot) for slot in range(built.states)], default)


def given_tolerances(run: Run, names: Sequence[str], default: np.ndarray) -> np.ndarray:
    """The default, but for names that a mapping holds, or matches; of several keys that match, the last counts."""
    result = np.array(default, dtype=float)
    for pattern, value in run.atol.items() if isinstance(run.atol, Mapping) else ():
        result[[matches(name, pattern) for name in names]] = value
    return result
