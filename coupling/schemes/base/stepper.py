"""What makes one communication step after another, and what stops it."""

from __future__ import annotations

from typing import Any, Protocol

from coupling.kernel.system.status import Status
from coupling.live.checkpoints import Kept
from coupling.live.session import Session


class CommunicationStepper(Protocol):
    """Makes steps from one communication point to the next."""

    order: int
    """An error made in one step shrinks with one power more."""
    extrapolation: int
    """The degree of the polynomials for which it needs former points."""
    past: Any
    """What it remembers of former points; step control puts it back with a step that it takes back."""

    @property
    def beside(self) -> tuple[Kept, ...]:
        """What a checkpoint keeps of it."""

    def begin(self, restart: bool) -> None:
        """Notes that the system is at a point; ``restart`` where nothing goes on from what was before."""

    def step(self, h: float) -> float:
        """Takes all instances a step further, or to an event before; returns the time reached."""


class CouplingStopped(Exception):
    """The kernel cannot go on: that of the session given, or of the one that runs."""

    def __init__(self, status: Status, session: Session | None = None) -> None:
        super().__init__(status.name)
        self.status, self.session = status, session


def require(status: Status, session: Session | None = None) -> None:
    """Stops the run unless a call of the kernel went well, or of that of another session inside."""
    if status is not Status.DONE:
        raise CouplingStopped(status, session)
