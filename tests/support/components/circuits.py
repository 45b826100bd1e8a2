"""Hydraulic circuits for several tests: systems in one call, their natural modes, and the times of their events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coupling import Result, System
from tests.support.systems.mechanism import Mechanism

Parts = Mapping[str, tuple[str, Mapping[str, float]]]
Connections = Sequence[tuple[str, str]]


def circuit(parts: Parts, connections: Connections, drives: Mapping[str, Any] | None = None) -> System:
    """A system of these instances, each a component and its start values."""
    system = System("circuit")
    for name, (component, start) in parts.items():
        system.add(name, component, start)
    for pair in connections:
        system.connect(*pair)
    for variable, value in (drives or {}).items():
        system.drive(variable, value)
    return system


def run(system: System, stop: float, **options: Any) -> Result:
    """The result of a stiff run that went through, recorded at its end unless told otherwise."""
    result = system.simulate(stop, **{"solver": "cvode", "rtol": 1e-9, "output_times": [0.0, stop], **options})
    assert result.outcome.completed, result.outcome.sentence
    return result


def modes(mechanism: Mechanism, scale: Sequence[float]) -> np.ndarray:
    """The eigenvalues at the start, by central differences over steps of these sizes in the states; fastest oscillation first."""
    columns = [
        (mechanism.evaluate(0.0, mechanism.start + step) - mechanism.evaluate(0.0, mechanism.start - step)) / (2 * step.sum())
        for step in np.diag(scale)
    ]
    found = np.linalg.eigvals(np.column_stack(columns))
    return found[np.argsort(-np.abs(found.imag))]


def event_times(result: Result) -> np.ndarray:
    """The times of which there are two rows."""
    return np.unique(result.time[1:][np.diff(result.time) == 0])
