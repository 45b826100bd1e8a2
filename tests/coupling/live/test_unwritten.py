"""No result is lost to a sentence: each is written from whatever numbers a run may leave, and where that fails it is said."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from coupling import System
from coupling.kernel import switching
from coupling.kernel.status import Status
from coupling.live import conclusion, doubts, enforcement, failures, switched_failures, violations
from coupling.live import successive as successive_
from coupling.live import switching as live_switching
from coupling.live.program import compile_program
from coupling.live.session import Session
from coupling.live.start import start
from coupling.live.unwritten import sentences, total
from coupling.options import Run
from coupling.outcome import Ending, Outcome
from coupling.plan.build import build
from coupling.plan.kinds import Mode
from coupling.schemes.base import divergence
from coupling.schemes.base import failures as coupled
from tests.support.oracles.planar import FourBar
from tests.support.switched import frictions
from tests.support.systems.systems import system_of

ODD = (0.0, -1.0, 1e-320, 1e300, math.inf, -math.inf, math.nan)
INDICES = (-1, 0, 3)
MODULES = (doubts, failures, switched_failures, live_switching, enforcement, successive_, violations, coupled, divergence, conclusion)
FAILED = "could not be written"


class Odd:
    """A kernel with numbers of our own."""

    def __init__(self, kernel: Any, number: float, index: int) -> None:
        self._kernel, self._number = kernel, number
        self.failure = SimpleNamespace(
            kind=int(Status.CONTRADICTORY),
            instance=index,
            status=9,
            action=None,
            references=None,
            count=0,
            slot=index,
            index=index,
            time=number,
        )
        self.slots = np.full(len(kernel.slots), number)
        self.runge_kutta = SimpleNamespace(worst=index)
        self.index3 = SimpleNamespace(worst=index, change=number)
        self.time = self.reached = self.recorded_until = number

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)

    def worst_scaled(self) -> tuple[float, int, int, float]:
        return (self._number, 0, 0, self._number)

    def deficient(self, loop: int, passing: bool = False) -> tuple[int, float]:
        return 1, self._number

    def deficiency(self, loop: int, unknowns: int, passing: bool = False) -> tuple[int, np.ndarray, np.ndarray, float]:
        return 1, np.full(unknowns, self._number), np.full(unknowns, self._number), self._number

    def stiffness(self) -> tuple[int, int, float]:
        return 1, 0, self._number

    def passed(self, bond: int) -> float:
        return self._number


@contextmanager
def left(system: System, mode: Mode, number: float, index: int) -> Iterator[Session]:
    """A session whose kernel left odd numbers, modes that have no name, and impacts of any size."""
    built = build(system.definition, mode)
    program = compile_program(built, [])
    with start(program, Run(stop_time=1.0, communication_step=0.01 if mode is Mode.COUPLED else None), {}) as session:
        kernel, unknowns = session.kernel, sum(len(loop.unknowns) for loop in session.schedule.loops)
        notes = SimpleNamespace(two=0, shared=0, several=0, two_closed=True)
        for name in ("two_time", "two_mu", "shared_time", "several_time", "mu", "below"):
            setattr(notes, name, number)
        change = switching.ModeChange(number, 0, -1, 7, 0)
        strike = switching.Strike(number, number, 0, np.full(unknowns, number), np.full(unknowns, number))
        with (
            patch.object(switching, "notes", lambda kernel: notes),
            patch.object(switching, "mode_changes", lambda kernel: [change]),
            patch.object(switching, "strikes", lambda kernel, count: [strike] * 4),
        ):
            session.kernel = Odd(kernel, number, index)  # type: ignore[assignment]  # stands in for one
            session.switches = bool(built.switched)
            try:
                yield session
            finally:
                session.kernel = kernel


def arguments(session: Session, number: float, index: int) -> dict[str, Any]:
    """Whatever the functions that write sentences ask for, by the names of their parameters."""
    rows = np.full((2, 1 + len(session.program.columns)), number)
    record = SimpleNamespace(statistics=SimpleNamespace(projected={"energy": number}), columns=session.program.columns, rows=rows, off={})
    return {
        "session": session, "t": number, "time": number, "at": "at t = 0 s", "loop": 0, "number": 0, "passing": False, "indicator": 0,
        "record": record, "loose": (), "multipliers": ["pin.lambda[1]"], "worst": 0, "change": number, "names": ["pin"], "count": 3,
        "status": Status.NOT_FINITE, "kind": "friction", "joint": "pin", "message": "", "part": session.built.parts[0], "pivot": number,
        "run": session.run, "h": number, "control": "adaptive", "tolerance": number, "repetitions": 3, "name": "a.b", "gain": number,
        "violation": number, "noise": number, "others": ["a"], "value": number, "scheme": "explicit", "step": number, "left": number,
        "joints": ["pin"], "partners": {"pin": number}, "outcome": Outcome(Ending.COMPLETED, "completed"), "unsolved": coupled.StepUnsolved("no"),
        "instance": "a", "own": number, "other": "b", "start_time": 0.0, "stop_time": 1.0,
        "found": Outcome(Ending.NOT_FINITE, "stopped"), "warned": (), "given": (), "loose_": (), "rows": 2,
    }  # fmt: skip


NOT_WRITERS = {
    *("begin_switching", "name_modes", "not_held", "schedule_enforcement", "follow_gauge", "check_start_state", "gauge_starts"),
    *("broken_off", "conclude", "judge", "interrupted", "outcome"),
}
"""Functions of these files that act on a run; the last ones are tested by what they call."""


def writers(module: ModuleType) -> Iterator[Callable[..., object]]:
    """The functions of a file that can be called by the names of their parameters, private ones too."""
    for name, each in inspect.getmembers(module, inspect.isfunction):
        annotation = str(each.__annotations__.get("return", ""))
        writes = any(word in annotation for word in ("str", "Outcome", "StepUnsolved", "Change"))
        if each.__module__ == module.__name__ and writes and name not in NOT_WRITERS:
            yield each


def attempts(system: System, mode: Mode, number: float, index: int) -> dict[str, str]:
    """What each function writes in a session, or the error that it ends with."""
    found = {}
    with left(system, mode, number, index) as session:
        known = arguments(session, number, index)
        for each in (each for module in MODULES for each in writers(module)):
            names = inspect.signature(each).parameters
            if set(names) <= known.keys():
                try:
                    text = each(**{name: known[name] for name in names})
                    found[each.__qualname__] = repr(list(text) if inspect.isgenerator(text) else text)
                except Exception as error:
                    found[each.__qualname__] = f"{FAILED}: {error!r}"
    return found


SYSTEMS: dict[str, tuple[Callable[[], System], Mode]] = {
    "loop": (lambda: system_of(FourBar()), Mode.PROJECTED),
    "switched": (frictions.clutch, Mode.PROJECTED),
}


def test_every_sentence_is_written_from_odd_numbers() -> None:
    """Those that a system of its kind can call forth at all, which they show by an ordinary number."""
    shown: set[str] = set()
    for make, mode in SYSTEMS.values():
        system = make()
        ordinary = {name for name, text in attempts(system, mode, 1.0, 0).items() if FAILED not in text}
        shown |= ordinary
        for number in ODD:
            odd = attempts(system, mode, number, 0)
            assert not {name: odd[name] for name in ordinary if FAILED in odd[name]}, number
    assert len(shown) > 40, sorted(shown)


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("name", SYSTEMS)
def test_no_failure_that_the_kernel_may_report_is_an_exception(name: str, index: int) -> None:
    """Whatever its kind, its indices and its numbers."""
    make, mode = SYSTEMS[name]
    for status in Status:
        with left(make(), mode, math.nan, index) as session:
            session.kernel.failure.kind = int(status)
            outcome = failures.outcome(session, status, math.nan)
            assert isinstance(outcome, Outcome) and outcome.sentence
            assert all(isinstance(each, str) for each in doubts.warnings(session))


def test_a_sentence_that_cannot_be_written_is_one() -> None:
    """Of a list, of a generator, and of how a run ended."""

    def broken(session: object) -> Iterator[str]:
        yield "first"
        raise KeyError(-1)

    @total
    def ended(session: object) -> Outcome:
        raise ZeroDivisionError("division by zero")

    expected = "a sentence about this run could not be written (test_unwritten.broken: KeyError: -1); the values are not concerned; please report it"
    assert sentences(broken, None) == [expected]
    assert sentences(lambda: "") == [] and sentences(lambda: "one") == ["one"]
    outcome = ended(None)
    assert outcome.ending is Ending.SOLVER_FAILED
    assert outcome.sentence == (
        "stopped; a sentence about this run could not be written (test_unwritten.ended: ZeroDivisionError: division by zero); the values are not "
        "concerned; please report it; the result holds everything up to there"
    )


@pytest.mark.parametrize("where", ["coupling.live.doubts._far_apart", "coupling.live.conclusion.impacts_warned"])
def test_a_run_keeps_its_rows_where_a_sentence_fails(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(session: Session) -> list[str]:
        raise ValueError("math domain error")

    monkeypatch.setattr(where, fails)
    result = system_of(FourBar()).simulate(0.1)
    assert result.outcome.completed and len(result) > 10
    assert [each for each in result.outcome.warnings if "math domain error" in each]


def test_a_mode_without_a_name_is_shown_by_its_number() -> None:
    with left(frictions.clutch(), Mode.PROJECTED, 0.5, 0) as session:
        (what,) = {each.what for each in live_switching.switches_of(session) if "->" in each.what}
        assert what == "slips back -> mode 7"
