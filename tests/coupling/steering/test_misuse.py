"""Runs in the hands of a new user: wrong values, calls in an odd order, and functions that raise or use the run that calls them."""

from __future__ import annotations

import copy
import math
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, RunEnded
from coupling.errors import NotRecorded
from coupling.steering.run import SteeredRun
from tests.coupling.steering.test_run import mass, stepped
from tests.support.systems.systems import refusal

FORCE = "mass.flange.f"


def test_values_that_are_none() -> None:
    with mass().start() as run:
        for names in (0, None, slice(None), [["mass.v"]], ["mass.v", 3], b"x", np.zeros((1, 1))):
            assert refusal(lambda given=names: run[given], NotRecorded).endswith(
                "is no name; give that of a recorded variable, such as 'rod.theta', or a list of names"
            )  # type: ignore[misc]
        for key in (["mass.v"], {}, None):
            assert refusal(lambda given=key: run.set(given, 1.0)).startswith(f"{key!r} cannot be set; give the full name of an input")  # type: ignore[misc]
        assert refusal(lambda: run.advance(math.nan)) == "dt = nan s is refused: it must be finite"
        assert refusal(lambda: run.signals([FORCE, FORCE])) == f"inputs: '{FORCE}' is named twice; name each input once"
        run.signals([FORCE], ["mass.v"])
        for dt in ("1", None, [1.0], True):
            assert refusal(lambda given=dt: run.advance(given, [1.0])).startswith(f"dt = {dt!r} is refused: it must be a number")  # type: ignore[misc]
        assert refusal(lambda: run.advance(0.1, [10**400])).startswith("values = [1000") and run.time == 0.0
        assert refusal(lambda: run.watch(show=3)).startswith("show = 3 is refused: give a function that takes the address")  # type: ignore[arg-type]
        assert run.time == 0.0
        for call in (lambda: copy.deepcopy(run), lambda: pickle.dumps(run)):
            assert refusal(call, TypeError) == (
                "a run can be neither copied nor pickled; fork() returns another run at the same point, save() a state"
            )


USES: dict[str, Callable[[SteeredRun], object]] = {
    "advance": lambda run: run.advance(0.1),
    "read": lambda run: run["mass.v"],
    "save": lambda run: run.save(),
    "close": lambda run: run.close(),
}


@pytest.mark.parametrize("arrays", [False, True])
@pytest.mark.parametrize("use", USES)
def test_a_function_cannot_use_the_run_that_calls_it(use: str, arrays: bool) -> None:
    """Neither within a piece, nor at the event of a value that is set: the process would crash."""
    runs: list[SteeredRun] = []

    def force(t: float) -> float:
        if runs and t > 0.1:
            USES[use](runs[0])
        return 1.0

    with mass().start(drives={FORCE: force}, outputs=["mass.v"]) as run:
        runs.append(run)
        if arrays:
            run.signals(outputs=["mass.v"])
        with pytest.raises(BuildError, match=r"^the run is being advanced: a function that it calls cannot use it, except for stop\(\)"):
            for _ in range(4):
                run.advance(0.05, *[[]] * arrays)
        assert run.time == pytest.approx(0.1)
        assert refusal(lambda: run["mass.v"], RunEnded).startswith("the run has ended by an error: the run is being advanced")
        assert run.outcome is None and refusal(lambda: run.result, RunEnded)


@pytest.mark.parametrize("options", [{}, {"solver": "cvode"}, stepped()], ids=("dopri5", "cvode", "explicit"))
def test_a_state_that_does_not_fit_leaves_the_run_as_it_was(options: dict[str, Any]) -> None:
    """A state of another run with the same options fits; one of other rows or of another method is refused, and the run goes on."""
    others = ({"outputs": ["mass.v"]}, {"solver": "dop853"}, {"sensitivities": ["mass.m"]})
    with mass().start(**options) as run, mass().start(**options) as plain:
        for each in (run, plain):
            each[FORCE] = 1.0
            each.advance(0.3)
        for given in others if not options else others[:1]:
            with mass().start(**options | given) as other:
                other.advance(0.7)
                state = other.save()
            assert refusal(lambda of=state: run.restore(of)).startswith("the state is of another system or run")  # type: ignore[misc]
            assert run.time == plain.time and run[FORCE] == 1.0
        again = pickle.loads(pickle.dumps(plain.save()))
        for each in (run, plain):
            each.advance(0.4)
        assert run["mass.v"] == pytest.approx(0.35, rel=1e-9) and len(run.result.time) == len(plain.result.time)
        if not options:
            assert np.array_equal(run.result._record.rows, plain.result._record.rows)
        run.restore(again)
        assert run.time == 0.3 and run["mass.v"] == pytest.approx(0.15, rel=1e-9)


def test_forks_of_forks_outlive_their_origin() -> None:
    first = mass().start()
    first[FORCE] = 1.0
    first.advance(1.0)
    second = first.fork()
    third = second.fork()
    first.close()
    second.advance(1.0)
    state = second.save()
    second.close()
    third[FORCE] = -2.0
    third.advance(1.0)
    assert third["mass.v"] == pytest.approx(-0.5, rel=1e-9)
    third.restore(state)
    assert third["mass.v"] == pytest.approx(1.0, rel=1e-9) and third[FORCE] == 1.0
    third.close()


def test_another_thread_does_not_close_it() -> None:
    found: list[str] = []
    with mass().start() as run:
        thread = threading.Thread(target=lambda: found.append(refusal(run.close, BuildError)))
        thread.start()
        thread.join()
        run.advance(0.1)
    assert found[0].startswith("the run belongs to another thread") and run.outcome and run.time == 0.1
