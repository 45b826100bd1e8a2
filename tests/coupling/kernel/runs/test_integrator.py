"""An integrator in Python that the kernel calls back: what it raises is kept, ends the run, and is raised afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from coupling import System
from coupling.kernel.system.status import Status
from coupling.live.session import Session
from tests.support import foreign
from tests.support.systems.sessions import started


class Exact:
    """The oscillator's closed form, in steps of a tenth; it raises an error at a given place."""

    def __init__(self, where: str = "", error: type[BaseException] = ValueError) -> None:
        self.where, self.error = where, error
        self.t, self.limit, self.calls = 0.0, 0.0, []  # type: float, float, list[str]

    def note(self, name: str) -> None:
        self.calls.append(name)
        if name == self.where and self.t >= 0.35 * (name != "restart"):
            raise self.error(f"in {name}")

    def restart(self, t: float, x: np.ndarray, limit: float, first: float) -> None:
        self.t, self.limit = t, limit
        self.note("restart")

    def step(self) -> float:
        self.note("step")
        self.t = min(self.limit, self.t + 0.1)
        return self.t

    def state(self, t: float) -> np.ndarray:
        self.note("state")
        return np.array([np.cos(t), -np.sin(t)])


@contextmanager
def running(integrator: Exact, times: np.ndarray) -> Iterator[tuple[Session, Status]]:
    system = System()
    system.add("it", foreign.oscillator())
    with started(system) as session:
        kernel = session.kernel
        status = kernel.begin_outside(integrator, 0.0, 1.0, times)
        if status is Status.DONE:
            status = kernel.restart(0.0, session.x)
        if status is Status.DONE:
            status = kernel.advance(100)
        yield session, status


def test_the_kernel_takes_steps_and_outputs_from_an_integrator() -> None:
    """Ten steps, and outputs in between by its states."""
    times = np.linspace(0.05, 1.0, 39)
    with running(Exact(), times) as (session, status):
        assert status is Status.DONE and session.kernel.steps in (10, 11) and session.kernel.reached == 1.0
        rows = session.kernel.take_record()
        np.testing.assert_array_equal(rows[:, 0], times)
        np.testing.assert_allclose(session.kernel.present, [np.cos(1.0), -np.sin(1.0)])


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("where", ["restart", "step", "state"])
def test_what_an_integrator_raises_is_kept_and_ends_the_run(where: str, error: type[BaseException]) -> None:
    """The run stops where it was, calls nothing any more, and what was raised is there to be raised."""
    integrator = Exact(where, error)
    with running(integrator, np.linspace(0.0, 1.0, 101)[1:]) as (session, status):
        assert status is Status.STOPPED and integrator.calls[-1] == where
        assert session.kernel.reached == pytest.approx(0.0 if where == "restart" else 0.4 if where == "step" else 0.3)
        with pytest.raises(error, match=f"in {where}"):
            session.kernel.raise_kept()


def test_an_exception_that_nothing_could_keep_counts_as_an_interrupt() -> None:
    """Ctrl-C causes such an exception before the first line of a function that C calls."""
    with running(Exact("step"), np.zeros(0)) as (session, status):
        assert status is Status.STOPPED and session.kernel._callbacks
        session.kernel._callbacks.raised = None
        with pytest.raises(KeyboardInterrupt):
            session.kernel.raise_kept()
