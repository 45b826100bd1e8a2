"""FMUs of PythonFMU and PythonFMU3 in processes of their own, which are Pythons: the steps of Euler in closed form; misdeeds end the run alone."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from coupling import Ending, Isolation, Result, System
from coupling.fmus import load
from coupling.kernel.hosts.sandbox import lacks
from jourdain.command import main
from tests.support.foreign import oscillator, python_slaves
from tests.support.foreign.python_slaves import ABORT, EXIT, LEAK, LEAVE, LOOP, PRINT, RAISE
from tests.support.kernel.processes import children, pipes, shared_memories

STEP = 0.1
PLACES = {"own": "none", "group": "none", None: "foreign"}
"""Isolations by the process that an instance is added with."""


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Checks that no process stays, no memory that was shared with one, and no pipe."""
    gc.collect()  # the leftovers of earlier tests
    before = children(), shared_memories(), pipes()
    yield
    gc.collect()
    assert (children(), shared_memories(), pipes()) == before


def slave(version: int) -> Path:
    if version == 3:
        pytest.importorskip("pythonfmu3", reason="PythonFMU3, of the extra 'test', is not installed")
    return python_slaves.lag(version)


def run(version: int = 2, what: int = 0, process: str | None = "own", **isolation: object) -> Result:
    system = System("slaves")
    system.add("lag", slave(version), {"what": what, "u": 2.0}, process=process)
    options = {"call_timeout": 20.0, **isolation}
    return system.simulate(1.0, communication_step=STEP, isolate=Isolation(which=PLACES[process], **options))  # type: ignore[arg-type]


def exact(times: np.ndarray) -> np.ndarray:
    """Steps of Euler from rest: y = u (1 - (1 - h)^n)."""
    return 2.0 * (1 - (1 - STEP) ** np.round(times / STEP))


@pytest.mark.parametrize("process", list(PLACES))
@pytest.mark.parametrize("version", [2, 3])
def test_a_slave_runs_in_another_process(version: int, process: str | None) -> None:
    result = run(version, process=process)
    assert result.outcome.completed and len(result) == 11
    assert result["lag.y"] == pytest.approx(exact(result.time), rel=1e-12)


@pytest.mark.parametrize(
    ("what", "ending", "cause"),
    [
        (ABORT, Ending.PROCESS_DIED, "crashed (abort) in fmi{}DoStep at t = 0.5 s"),
        (LEAVE, Ending.PROCESS_DIED, "ended its process by _exit(3) in fmi{}DoStep"),
        (EXIT, Ending.PROCESS_DIED, "ended its process by exit(4) in fmi{}DoStep"),
        (LOOP, Ending.TIMED_OUT, "did not return within 0.5 s in fmi{}DoStep"),
        (RAISE, Ending.FMU_FAILED, "at t = 0.5 s when stepping"),
    ],
)
@pytest.mark.parametrize(("version", "process"), [(2, "own"), (2, None), (3, None)])
def test_a_misdeed_ends_the_run_alone(version: int, process: str | None, what: int, ending: Ending, cause: str) -> None:
    """The rows up to there are kept, and the next run is sound."""
    result = run(version, what, process, **({"call_timeout": 0.5} if what == LOOP else {}))
    assert result.outcome.ending is ending
    assert cause.format(version) in result.outcome.sentence
    assert len(result) == 6 and result["lag.y"] == pytest.approx(exact(result.time), rel=1e-12)


@pytest.mark.parametrize("process", ["own", None])
def test_a_leak_meets_its_limit(process: str | None) -> None:
    """The slave alone gets the error of memory."""
    result = run(2, LEAK, process, memory=5e8)
    assert result.outcome.ending is Ending.FMU_FAILED and len(result) == 6


def test_prints_are_those_of_the_slave() -> None:
    assert run(2, PRINT).printed == {"lag": "a word of Python\n" * 5}


# Needed since a sandbox is a feature of the kernel (Landlock), which containers may lack.
@pytest.mark.skipif(bool(lacks()), reason="no sandbox here")
def test_a_slave_runs_in_a_sandbox() -> None:
    """It imports a package of the environment there."""
    assert run(2, process=None, sandbox=True)["lag.y"] == pytest.approx(exact(np.linspace(0, 1, 11)), rel=1e-12)


def test_a_slave_beside_an_fmu_of_c() -> None:
    """Both in one process that is a Python: the oscillator is stepped exactly as without isolation."""

    def results(which: str) -> Result:
        system = System("mixed")
        system.add("lag", slave(2))
        system.add("unit", oscillator(), {"u": 0.0}, kind="cs")
        system.connect("unit.y", "lag.u")
        return system.simulate(1.0, communication_step=STEP, isolate=which)

    here, there = results("none"), results("foreign")
    assert here["unit.y"].tobytes() == there["unit.y"].tobytes() and here["lag.y"].tobytes() == there["lag.y"].tobytes()
    assert here["lag.y"][-1] != 0


def test_the_command_line_runs_a_slave(tmp_path: Path) -> None:
    target = tmp_path / "lag.jrd"
    options = ["--stop", "1", "--communication-step", str(STEP), "--set", "u=2", "--out", str(target)]
    assert main(["simulate", str(slave(2)), *options]) == 0
    result = Result.load(target)
    assert result["Lag.y"] == pytest.approx(exact(result.time), rel=1e-12)


def test_a_binary_says_whether_it_takes_python() -> None:
    """Its undefined symbols count, whatever the tool calls itself; a binary of C takes no Python."""
    from coupling.fmus.symbols import needs_python

    fmu = load(slave(2))
    assert fmu.needs_python and needs_python(fmu.library("cs"))
    assert not load(oscillator()).needs_python
