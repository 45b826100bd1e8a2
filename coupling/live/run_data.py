"""Data that one run has beside its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from coupling.live.checkpoints import CheckpointWriter
from coupling.live.pausing import Integration, Pause
from coupling.live.session import Session
from coupling.live.streaming import Stream
from coupling.options import Run
from coupling.plan.definition import Value
from coupling.plan.drives import ConstantDrive


class RunData(NamedTuple):
    """Data that one run has beside its options."""

    start_values: Mapping[str, Value]
    fixed: Mapping[str, ConstantDrive] = {}
    """Constants that take the place of those of the definition."""
    pose: Mapping[str, Any] | None = None
    stream: Stream | None = None
    checkpoints: CheckpointWriter | None = None
    instead: Callable[[Session, Run], Integration] | None = None
    """Function that takes the place of the integration, at a start that may violate constraints."""
    pause: Pause | None = None
