"""Systems alive, for tests that look inside."""

from __future__ import annotations

from typing import Any

from coupling import System
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.session import Session
from coupling.live.start import start
from coupling.options import Run


def started(system: System, stop_time: float = 1.0, **options: Any) -> Session:
    """The instances of a system at its start, integrated continuously; a context manager that frees them."""
    run = Run(stop_time=stop_time, **options)
    return start(compile_program(system.build(communication=False), run.outputs), Running(run=run))
