"""Parts of a run that its page needs."""

from __future__ import annotations

from typing import Any, Protocol

from coupling.fmus import FmuVariable
from coupling.outcome import Outcome
from coupling.result import Result


class Target(Protocol):
    """A variable that may be set."""

    @property
    def variable(self) -> FmuVariable:
        """The variable of its FMU."""

    @property
    def state(self) -> int | None:
        """The number of the state, if it is one."""

    @property
    def rates(self) -> tuple[int, ...]:
        """Drives of its rates, if it is a prescribed motion."""

    def checked(self, value: Any) -> float:
        """Returns a value as a number, or refuses it by a sentence."""


class Watched(Protocol):
    """A run that can be watched."""

    _stopping: bool
    _settings: Any

    @property
    def _fixed_step(self) -> float | None: ...
    @property
    def _session(self) -> Any: ...
    @property
    def time(self) -> float:
        """The time in s that the run has reached."""

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None as long as the run can go on."""

    @property
    def result(self) -> Result:
        """The rows so far."""

    def advance_to(self, time: float) -> None:
        """Advances to a time in s."""

    def set(self, name: str, value: Any) -> None:
        """Sets a variable from the present time on."""

    def close(self) -> None:
        """Ends the run."""

    def _check_running(self) -> None: ...
    def _interrupt(self) -> None: ...
