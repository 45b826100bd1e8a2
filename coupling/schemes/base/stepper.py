"""Steppers, which make one communication step after another, and the error that stops them."""

from __future__ import annotations

from typing import Any, Protocol

from coupling.kernel.system.status import Status
from coupling.live.checkpoints import Kept
from coupling.live.session import Session


class CommunicationStepper(Protocol):
    """Makes steps from one communication point to the next."""

    order: int
    """Order of the scheme: an error of one step shrinks with one power more."""
    extrapolation: int
    """Degree of the polynomials for which it needs former points."""
    lone: bool
    """True if one instance steps, and need not go back if its step ends early."""
    past: Any
    """Memory of former points; step control restores it with a step that it takes back."""

    @property
    def beside(self) -> tuple[Kept, ...]:
        """Data of the stepper that a checkpoint keeps."""

    def begin(self, restart: bool) -> None:
        """Notes that the system is at a point; ``restart`` is true if no past continues."""

    def step(self, h: float) -> float:
        """Takes all instances a step further, or to an event before; returns the time reached."""


class CouplingStopped(Exception):
    """The kernel cannot continue: that of the session given, or of the one that runs."""

    def __init__(self, status: Status, session: Session | None = None) -> None:
        super().__init__(status.name)
        self.status, self.session = status, session


def require(status: Status, session: Session | None = None) -> None:
    """Raises CouplingStopped unless a call of the kernel succeeded, or that of another session inside."""
    if status is not Status.DONE:
        raise CouplingStopped(status, session)
