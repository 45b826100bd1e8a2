"""States that leave the range in which their component describes what happens, such as a pressure below zero or an empty battery."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from coupling.kernel.kernel import BOUND

if TYPE_CHECKING:
    from coupling.live.session import Session

_SLACK = 1e-6
"""The share of a state's nominal value by which it may leave its range without a warning."""


def watch_bounds(session: Session) -> None:
    """Has the kernel note at accepted steps by how much states of this library's components are out of their ranges."""
    found = [
        (part.first_state + k, variable)
        for part in session.built.parts
        if part.fmu.is_own
        for k, reference in enumerate(part.states)
        if math.isfinite((variable := part.fmu.by_reference[reference]).minimum) or math.isfinite(variable.maximum)
    ]
    if not found:
        return
    rows = np.zeros(len(found), dtype=BOUND)
    for row, (state, variable) in zip(rows, found, strict=True):
        slack = _SLACK * variable.nominal
        row["state"], row["low"], row["high"], row["slack"], row["off"] = state, variable.minimum, variable.maximum, slack, slack
    session.bounds = session.kernel.watch_bounds(rows)


def out_of_bounds(session: Session) -> Iterator[str]:
    """Returns a sentence for each such state: the first time, and the worst value."""
    for state, low, high, slack, off, worst, first, when in [] if session.bounds is None else session.bounds.tolist():
        if off <= slack:
            continue
        part = session.built.part_of_state(state)
        variable = part.fmu.by_reference[part.states[state - part.first_state]]
        limit = f"at least {low:g}" if worst < low else f"at most {high:g}"
        unit = f" {variable.unit}" if variable.unit else ""
        yield (
            f"'{part.name}.{variable.name}' leaves the range in which {part.fmu.model_name} describes it ({limit}{unit}) at t = {first:.6g} s, and is "
            f"{worst:.4g}{unit} at t = {when:.6g} s: what follows from it is not physical; change the loads, or connect what keeps it there"
        )
