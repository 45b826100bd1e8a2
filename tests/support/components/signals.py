"""Common parts of the tests of signals: systems of blocks, and the events that a result shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coupling import Result, System


def blocks(parts: Mapping[str, tuple[str, Mapping[str, float]]], connections: Sequence[tuple[str, str]] = ()) -> System:
    """Instances by name, each a component and its start values, and what connects them."""
    system = System("blocks")
    for name, (component, values) in parts.items():
        system.add(name, component, values)
    for pair in connections:
        system.connect(*pair)
    return system


def event_times(result: Result) -> np.ndarray:
    """The times of which there are two rows."""
    return np.unique(result.time[1:][np.diff(result.time) == 0])


def apart(result: Result, instants: Sequence[float], distance: float = 1e-9) -> np.ndarray:
    """The rows that are not at any of these instants, where a jump has two values."""
    return np.abs(result.time[:, None] - np.asarray(instants)[None, :]).min(axis=1) > distance
