"""Runs that pause: a run is a generator, which yields where it waits and returns how it has ended."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from coupling.kernel.system.status import Status
from coupling.outcome import Outcome

T = TypeVar("T")


class Paused(Protocol):
    """A run that waits at a pause."""

    session: Any
    """The session of the run."""
    beside: tuple[Any, ...]
    """The parts of the run that are kept in Python, outside of the kernel."""

    @property
    def time(self) -> float:
        """The time in s at which it waits."""

    @property
    def steps(self) -> int:
        """The number of steps so far."""

    def pause_at(self, t: float, times: np.ndarray) -> Status:
        """Sets the next pause in s, and the times of the rows up to there; without any there is a row at the pause."""

    @property
    def states(self) -> np.ndarray:
        """A copy of the states of the instances that are integrated."""

    def set_states(self, x: np.ndarray) -> None:
        """Moves the states to others, before a jump."""

    def jump(self) -> Status:
        """Handles an event at the present time, at which inputs or parameters have jumped."""

    @property
    def restart(self) -> Callable[[], Status] | None:
        """Begins anew at a state that was loaded; None where the state has all that the method knows."""

    @property
    def advance(self) -> Callable[[int], Status] | None:
        """Takes so many steps, up to the pause at most; None where steps are not those of the kernel."""


Course = Generator[Paused, "Status | None", T]
"""A run that yields itself at its pauses. Whoever has taken it further meanwhile sends the status with which it came back."""
Integration = Course[Outcome]


@dataclass
class Pause:
    """The place at which a run pauses next; by default it never does."""

    time: float = math.inf
    """The time in s."""
    stepwise: bool = False
    """The run pauses after its next step."""
    clock: Any = None
    """The wall clock for which the run waits, once it is in real time."""


class PausedSteps:
    """A run by steps of a solver that waits."""

    beside = ()

    def __init__(self, session: Any, forgets: bool = False) -> None:
        """``forgets``: the method keeps nothing in a state of the kernel."""
        self.session, self._kernel, self.pause = session, session.kernel, session.running.pause
        self.advance, self.restart = self._kernel.advance, self._begin_anew if forgets else None

    def _begin_anew(self) -> Status:
        return Status(self._kernel.restart(self._kernel.reached, self._kernel.present))

    @property
    def time(self) -> float:
        return float(self._kernel.reached)

    @property
    def steps(self) -> int:
        return int(self._kernel.steps)

    def pause_at(self, t: float, times: np.ndarray) -> Status:
        self.pause.time = t
        return Status(self._kernel.pause_at(t, times))

    @property
    def states(self) -> np.ndarray:
        return np.asarray(self._kernel.present)

    def set_states(self, x: np.ndarray) -> None:
        self._kernel.set_present(x)

    def jump(self) -> Status:
        return Status(self._kernel.pass_jump())


class PausedCourse:
    """A course of explicit communication steps that waits."""

    beside, restart = (), None

    def __init__(self, session: Any) -> None:
        self.session, self._kernel, self.pause = session, session.kernel, session.running.pause
        self.advance = self._kernel.follow

    @property
    def time(self) -> float:
        return float(self._kernel.time)

    @property
    def steps(self) -> int:
        return int(self._kernel.course[1])

    def pause_at(self, t: float, times: np.ndarray) -> Status:
        self.pause.time = t
        return Status(self._kernel.pause_course_at(t, times))

    @property
    def states(self) -> np.ndarray:
        return np.zeros(0)

    def set_states(self, x: np.ndarray) -> None:
        assert not x.size

    def jump(self) -> Status:
        return Status(self._kernel.pass_jump_at_point())


def finished(course: Course[T]) -> T:
    """Runs to the end, without pauses, and returns what comes of it."""
    try:
        next(course)
    except StopIteration as end:
        found: T = end.value
        return found
    raise AssertionError("a run that was not to pause has paused")
