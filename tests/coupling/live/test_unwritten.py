"""Sentences of results: no result is lost to one. Each is written from whatever numbers a run may leave, and a failure to write it is
reported."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from coupling import Index3, Result, System, held
from coupling.kernel.events import switching
from coupling.kernel.hosts.host import Death, DeathKind
from coupling.kernel.system.status import Status
from coupling.live import (
    conclusion,
    dependencies,
    enforcement,
    failures,
    fused,
    switched_failures,
    violations,
    warnings,
)
from coupling.live import successive as successive_
from coupling.live import switching as live_switching
from coupling.live.derivatives import sensitivities
from coupling.live.isolation import lost_processes
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.session import Session
from coupling.live.start import start
from coupling.live.unwritten import attempted, sentences, total
from coupling.options import Run
from coupling.outcome import Ending, Outcome
from coupling.plan.build import build
from coupling.plan.kept import Kept
from coupling.plan.kinds import Mode
from coupling.schemes.base import divergence
from coupling.schemes.base import failures as coupled
from coupling.solvers import index3
from coupling.solvers.base import runge_kutta
from tests.support.oracles.planar import FourBar
from tests.support.switched import frictions
from tests.support.systems.systems import pendulum, system_of

ODD = (0.0, -1.0, 1e-320, 1e300, math.inf, -math.inf, math.nan)
INDICES = (-1, 0, 3)
MODULES = (
    *(warnings, failures, switched_failures, live_switching, enforcement, successive_, violations, coupled, divergence, conclusion),
    *(lost_processes, dependencies, held, fused, sensitivities, runge_kutta, index3),
)
FAILED = "about this run could not be written"


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
        self.limits = self.present = np.full(kernel.states + 1, number)
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
        return 1000, 0, self._number

    def roughest(self) -> tuple[int, int, float]:
        return 1000, 0, self._number

    def passed(self, bond: int) -> float:
        return self._number


@contextmanager
def left(system: System, run: Run, number: float, index: int) -> Iterator[Session]:
    """A session whose kernel left odd numbers, modes that have no name, and impacts of any size."""
    built = build(system.definition, Mode.PROJECTED)
    program = compile_program(built, [])
    with start(program, Running(run=run)) as session:
        kernel, unknowns = session.kernel, sum(len(loop.unknowns) for loop in session.schedule.loops)
        notes = SimpleNamespace(two=0, shared=0, several=0, two_closed=True)
        for name in ("two_time", "two_mu", "shared_time", "several_time", "mu", "below"):
            setattr(notes, name, number)
        change = switching.ModeChange(number, 0, -1, 7, 0)
        strike = switching.Strike(number, number, 0, np.full(unknowns, number), np.full(unknowns, number))
        with (
            patch.object(switching, "notes", lambda kernel: notes),
            patch.object(switching, "begun", lambda kernel: True),
            patch.object(sensitivities, "grazing", lambda kernel: number),
            patch.object(switching, "mode_changes", lambda kernel: [change]),
            patch.object(switching, "strikes", lambda kernel, count: [strike] * 4),
        ):
            session.kernel = Odd(kernel, number, index)  # type: ignore[assignment]  # stands in for one
            try:
                yield session
            finally:
                session.kernel = kernel


def arguments(session: Session, number: float) -> dict[str, Any]:
    """Returns the arguments of all functions that write sentences, by the names of their parameters."""
    rows = np.full((2, 1 + len(session.program.columns)), number)
    record = SimpleNamespace(statistics=SimpleNamespace(projected={"energy": number}), columns=session.program.columns, rows=rows, off={})
    address = session.schedule.loops[0].unknowns[0]
    unknowns = sum(len(loop.unknowns) for loop in session.schedule.loops)
    death = Death(DeathKind.SIGNALLED, 99, 0, number, 2, -1, -1, number)
    report = SimpleNamespace(ringing=0, ringing_since=number, worst=0, change=number, unfinished=number)
    return {
        "session": session, "t": number, "time": number, "at": "at t = 0 s", "loop": 0, "number": 0, "passing": False, "indicator": 0, "counts": {"steps": 1000, "rejected": 1000},
        "record": record, "loose": (), "multipliers": ["pin.lambda[1]"], "worst": 0, "change": number, "names": ["pin"], "count": 3,
        "status": Status.NOT_FINITE, "kind": "friction", "joint": "pin", "message": "", "part": session.built.parts[0], "pivot": number,
        "run": session.run, "h": number, "control": "adaptive", "tolerance": number, "repetitions": 3, "name": "a.b", "gain": number,
        "violation": number, "noise": number, "others": ["a"], "value": number, "scheme": "explicit", "step": number, "left": number,
        "joints": ["pin"], "partners": {"pin": number}, "outcome": Outcome(Ending.COMPLETED, "completed", counts={"steps": 1000, "rejected": 1000}), "unsolved": coupled.StepUnsolved("no"),
        "instance": "a", "own": number, "other": "b", "start_time": 0.0, "stop_time": 1.0, "remedy": "", "ending": Ending.NOT_SOLVED,
        "found": Outcome(Ending.NOT_FINITE, "stopped"), "warned": (), "given": (), "rows": 2, "level": "position", "address": address,
        "references": [address.reference] * 2, "marked": np.full(unknowns, number), "multiplier": session.named(address.part, address.reference),
        "struck": SimpleNamespace(impulse=np.full(unknowns, number)), "death": death, "printed": "", "when": "", "report": report,
        "library": SimpleNamespace(instances={}, printed="", death=death), "asked": session.run, "unprojectable": "", "why": "", "way": "",
        "kept": [Kept(address, address)], "among": ["pin"], "stable": True, "named": session.built, "by": KeyboardInterrupt(),
    }  # fmt: skip


OTHERWISE: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "_which_fails": lambda known: {"part": known["address"].part, "names": ["a", "b"]},
    "_units": lambda known: {"part": known["address"].part},
    "step_contradictory": lambda known: {"worst": known["address"]},
    "told": lambda known: {"found": SimpleNamespace(given_up=known["t"])},
}
"""Parameters that have one name and several meanings."""

NOT_WRITERS = {
    *("begin_switching", "name_modes", "schedule_enforcement", "follow_gauge", "check_start_state", "gauge_starts"),
    *("broken_off", "conclude", "judge", "rows_of", "outcome", "ended", "decided", "integrate", "_asks_for_more"),
    "_coupling_beyond_limit",
}
"""Functions of these files that act on a run, that decide before it, that are tested by their callees, or that need a co-simulation."""


def writers() -> Iterator[Callable[..., object]]:
    """The functions of these files that return a sentence, a change, or what a sentence is made of; private ones too."""
    for module in MODULES:
        for name, each in inspect.getmembers(module, inspect.isfunction):
            annotation = str(each.__annotations__.get("return", ""))
            writes = any(word in annotation for word in ("str", "Outcome", "StepUnsolved", "Change"))
            if each.__module__ == module.__name__ and writes and name not in NOT_WRITERS:
                yield each


def place_of(writer: Callable[..., object]) -> str:
    return f"{writer.__module__.rpartition('.')[2]}.{writer.__name__}"


def attempts(make: Callable[[], System], run: Run, number: float, index: int) -> dict[str, str]:
    """Returns what each function writes in a session, or the error that it ends with."""
    found = {}
    with left(make(), run, number, index) as session:
        known = arguments(session, number)
        for each in writers():
            own = {**known, **OTHERWISE.get(each.__name__, lambda known: {})(known)}
            try:
                text = each(**{name: own[name] for name in inspect.signature(each).parameters})
                found[place_of(each)] = repr(list(text) if inspect.isgenerator(text) else text)
            except Exception as error:
                found[place_of(each)] = f"{FAILED}: {error!r}"
    return found


STEPPED = Run(stop_time=1.0, solver=Index3(step_size=0.01))
SYSTEMS: dict[str, tuple[Callable[[], System], Run]] = {
    "loop": (lambda: system_of(FourBar()), STEPPED),
    "switched": (frictions.clutch, Run(stop_time=1.0)),
}


def test_every_sentence_is_written_from_odd_numbers() -> None:
    """Each is shown by an ordinary number in one of the systems, and by no other number fails there; a new sentence is here by itself."""
    shown: set[str] = set()
    for make, run in SYSTEMS.values():
        ordinary = {name for name, text in attempts(make, run, 1.0, 0).items() if FAILED not in text}
        shown |= ordinary
        for number in ODD:
            odd = attempts(make, run, number, 0)
            assert not {name: odd[name] for name in ordinary if FAILED in odd[name]}, number
    missing = {place_of(each) for each in writers()} - shown
    assert not missing, "give arguments() what they ask for"


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("name", SYSTEMS)
def test_no_failure_that_the_kernel_may_report_is_an_exception(name: str, index: int) -> None:
    """The failures have any kind, indices and numbers."""
    make, run = SYSTEMS[name]
    for status in Status:
        with left(make(), run, math.nan, index) as session:
            session.kernel.failure.kind = int(status)
            outcome = failures.outcome(session, status, math.nan)
            assert isinstance(outcome, Outcome) and outcome.sentence
            assert all(isinstance(each, str) for each in warnings.warnings(session))


def test_a_sentence_that_cannot_be_written_is_one() -> None:
    """The sentence stands for one of a list, one of a generator, and an ending."""

    def broken(session: object) -> Iterator[str]:
        yield "first"
        raise KeyError(-1)

    @total
    def ended(session: object) -> Outcome:
        raise ZeroDivisionError("division by zero")

    expected = (
        "a sentence about this run could not be written (test_unwritten.broken: KeyError: -1), but the rows are kept; please report it"
    )
    assert sentences(broken, None) == ["first", expected]
    assert sentences(lambda: "") == [] and sentences(lambda: "one") == ["one"]
    outcome = ended(None)
    assert outcome.ending is Ending.SOLVER_FAILED
    assert outcome.sentence == (
        "stopped; a sentence about this run could not be written (test_unwritten.ended: ZeroDivisionError: division by zero), but the rows "
        "are kept; please report it. The result holds everything up to there"
    )


class Injected(Exception):
    pass


def failing_in(code: CodeType | None, seen: set[CodeType], make: Callable[[], System], options: dict[str, Any]) -> Result:
    """A run in which one function of Python fails whenever it is called; ``seen`` gets those that are."""

    def look(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.add(frame.f_code)
            if frame.f_code is code:
                raise Injected

    system = make()
    sys.setprofile(look)
    try:
        return system.simulate(**options)
    finally:
        sys.setprofile(None)


RUNS: dict[str, tuple[Callable[[], System], dict[str, Any]]] = {
    "loop": (lambda: system_of(FourBar()), {"stop_time": 0.05}),
    "fixed steps": (lambda: system_of(FourBar()), {"stop_time": 0.05, "solver": Index3(step_size=0.01)}),
    "switched": (frictions.clutch, {"stop_time": 0.6}),
    "stepped": (pendulum, {"stop_time": 0.05, "communication_step": 0.01}),
}
DESCRIPTIONS = (dependencies.check_end, enforcement.off_rows, live_switching.not_held)
"""Functions that a sentence needs, or that describe rows, and that return no sentence."""


@pytest.mark.parametrize("name", RUNS)
def test_a_run_keeps_its_rows_whichever_sentence_fails(name: str) -> None:
    """Every function that writes sentences, and is called in such a run, fails once: there are all rows, and a sentence that names it."""
    make, options = RUNS[name]
    called: set[CodeType] = set()
    rows = len(failing_in(None, called, make, options))
    codes = {inspect.unwrap(each).__code__: each for each in (*writers(), *DESCRIPTIONS)}
    tried = [each for code, each in codes.items() if code in called]
    assert rows > 5 and len(tried) > 8, tried
    for each in tried:
        result = failing_in(inspect.unwrap(each).__code__, set(), make, options)
        assert len(result) >= rows and "Injected" in str(result.outcome), place_of(each)


def test_a_mode_without_a_name_is_shown_by_its_number() -> None:
    with left(frictions.clutch(), Run(stop_time=1.0), 0.5, 0) as session:
        (what,) = {each.what for each in live_switching.switches_of(session) if "->" in each.what}
        assert what == "slips back -> mode 7"


def test_what_cannot_be_found_out_is_told_with_its_place_and_cause() -> None:
    """The rest of the run is kept; the end of a process is passed on."""

    def fails(number: int) -> int:
        raise ValueError(f"{number} is too many")

    said: list[str] = []
    assert attempted(said, 7, abs, -3) == 3 and not said
    assert attempted(said, 7, fails, 5) == 7
    (sentence,) = said
    assert sentence.startswith(f"{FAILED.replace('about', 'a sentence about')} (test_unwritten.fails: ValueError: 5 is too many)")
