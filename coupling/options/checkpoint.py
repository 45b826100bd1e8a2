"""Options of checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from coupling.errors import BuildError, shown
from coupling.options.calls import OptionObject, option_object
from coupling.options.numbers import number


@option_object("checkpoint")
@dataclass(frozen=True, kw_only=True, repr=False)
class Checkpoint(OptionObject):
    """A file from which ``System.resume`` resumes the run: ``simulate(checkpoint=Checkpoint(path="run.ckpt", interval=10.0))``."""

    MAIN: ClassVar[str] = "path"

    path: Path | str
    interval: float = 60.0
    """Seconds of the clock between two checkpoints; a run writes one at its end as well."""
    inexact: bool = False
    """True: FMUs that cannot serialise their states are restarted from their continuous states alone."""

    def __post_init__(self) -> None:
        if not isinstance(self.inexact, bool):
            raise BuildError(f"inexact = {shown(self.inexact)} is refused: it is neither True nor False")
        seconds = number("interval", self.interval)
        if not seconds >= 0:
            raise BuildError(f"interval = {seconds:g} s is refused: it must be at least 0; {Checkpoint.interval:g} s is the default")
        object.__setattr__(self, "interval", seconds)
