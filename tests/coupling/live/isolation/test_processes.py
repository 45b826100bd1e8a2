"""Runs in a process of their own: the same bits as in this one, and an outcome that says what has ended the process."""

from __future__ import annotations

import gc
import math
import os
import signal
import subprocess
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, Index3, Isolation, Result, Scheme, StartError, System
from coupling.kernel.hosts.hosted import HostedLibrary
from coupling.measures import final
from coupling.outcome import Ending
from coupling.sweep import sweep
from tests.coupling.test_progress import terminated
from tests.support import foreign
from tests.support.systems.systems import pendulum

_HELD = {"stabilisation": "projection"}
_POINTS = {"communication_step": 0.005}


def _bits(result: Result) -> tuple[bytes, ...]:
    record = result._record
    return record.rows.tobytes(), record.derivatives.tobytes(), *(each.tobytes() for each in record.created_energy.values())


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "dopri5"},
        {"solver": "dop853", "stabilisation": "baumgarte"},
        {"solver": Index3(step_size=0.007)},
        {"solver": "cvode", **_HELD},
        {"solver": "ida"},
        {"solver": "Radau", **_HELD},
        {"sensitivities": ["rod.m", "rod.theta"]},
        {"initial": "assemble", "start_values": {"rod.omega": 0.3}},
        {**_POINTS, "scheme": Scheme(step_control="adaptive")},
        {**_POINTS, "scheme": "implicit"},
    ],
    ids=lambda options: "-".join(str(each) for each in options.values() if isinstance(each, str)) or next(iter(options)),
)
def test_a_run_in_a_process_of_its_own_has_the_same_bits(options: dict) -> None:
    """The second run has them too, and finds its process and its instances waiting."""
    here = pendulum().simulate(0.1, output_interval=0.01, **options)
    system = pendulum()
    there = [system.simulate(0.1, output_interval=0.01, isolate="all", **options) for _ in range(2)]
    assert here.outcome.completed
    assert [_bits(each) for each in there] == [_bits(here)] * 2
    assert [each.outcome.key for each in there] == [here.outcome.key] * 2


def _driven(fmu: Path, kind: str = "me") -> System:
    system = System()
    system.add("it", fmu, kind=kind)
    return system


@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
def test_functions_of_time_stay_in_this_process(solver: str) -> None:
    """They may refer to whatever is here, and what they raise ends the run as it does without a process."""
    asked: list[float] = []

    def force(t: float) -> float:
        asked.append(t)
        if t > 0.3:
            raise ArithmeticError("no force from here on")
        return math.sin(t)

    drives = {"it.u": force}
    here = _driven(foreign.oscillator()).simulate(0.2, drives=drives, solver=solver)
    count = len(asked)
    there = _driven(foreign.oscillator()).simulate(0.2, drives=drives, solver=solver, isolate="foreign")
    assert _bits(there) == _bits(here) and len(asked) == 2 * count > 0
    with pytest.raises(ArithmeticError, match="no force"):
        _driven(foreign.oscillator()).simulate(1.0, drives=drives, solver=solver, isolate="foreign")


def test_events_are_as_in_this_process() -> None:
    """A state event of an FMU, whose values jump, and time events of a table."""
    bits = []
    for isolate in ("none", "all"):
        system = System()
        system.add("it", foreign.oscillator())
        system.drive("it.u", [(0.0, 0.0), (0.2, 1.0), (0.3, 0.0)])
        bits.append(_bits(system.simulate(1.0, isolate=isolate)))
    assert bits[0] == bits[1]


def test_all_is_in_the_process_for_foreign_fmus_only_where_there_is_one() -> None:
    """``foreign`` leaves systems of this library alone where they are."""
    ours, foreigners = pendulum(), _driven(foreign.oscillator())
    before = _hosts()
    ours.simulate(0.1, isolate="foreign")
    assert _hosts() == before
    foreigners.simulate(0.1, isolate="foreign")
    (host,) = _hosts() - before
    foreigners.simulate(0.1, isolate="foreign")
    assert _hosts() - before == {host}  # it has waited
    del foreigners
    assert host not in _hosts()


def test_foreign_fmus_that_have_processes_of_their_own_leave_the_run_here() -> None:
    """They do no harm to it; with ``all`` they share the process of the run, and a note says so."""
    system = System()
    system.add("it", foreign.oscillator(), process="own")
    before = _hosts()
    notes = [system.simulate(0.1, isolate=isolate).outcome.notes for isolate in ("foreign", "all")]
    note = "'it' ran in the process of the whole run (isolate = 'all'), where process changes nothing"
    assert [note in each for each in notes] == [False, True]
    assert len(_hosts() - before) == 1  # that of the second, which waits


def _hosts() -> set[int]:
    """Returns the children of this process, including dead ones that were not waited for; those of deleted systems have ended."""
    gc.collect()
    found = subprocess.run(["pgrep", "-P", str(os.getpid()), "jourdain-host"], capture_output=True, text=True)
    return {int(each) for each in found.stdout.split()}


_ENDS = {
    "crash": ("*(volatile int *)8 = 1;", "crashed (segmentation fault)"),
    "exit": ("exit(0);", "ended its process by exit(0)"),
    "loop": ("for (volatile int i = 0;; i++) ;", "did not return within"),
}


@pytest.mark.parametrize(
    ("kind", "version", "function"), [pytest.param("me", 2, "fmi2GetDerivatives", marks=pytest.mark.slow), ("cs", 3, "fmi3DoStep")]
)
@pytest.mark.parametrize("end", _ENDS)
def test_an_fmu_that_ends_the_process_ends_the_run(tmp_path: Path, end: str, kind: str, version: int, function: str) -> None:
    """The outcome names it, its call and the cause; all rows up to there are those of the sound one, in memory and in a file."""
    statement, cause = _ENDS[end]
    bad = foreign.of_oscillator(version, rates=f"if (time > 0.5) {{ {statement} }}")
    options = {"isolate": Isolation(which="all", call_timeout=1.0), "output_interval": 0.01} | (
        {"communication_step": 0.01} if kind == "cs" else {}
    )
    good = _driven(foreign.of_oscillator(version), kind).simulate(1.0, **options)
    system, before = _driven(bad, kind), _hosts()
    for file in (None, tmp_path / "rows.jrd"):
        result = system.simulate(1.0, record_to=file, **options)
        assert result.outcome.ending is (Ending.TIMED_OUT if end == "loop" else Ending.PROCESS_DIED)
        assert f"'it' (Oscillator.fmu of 'tests/support/foreign') {cause}" in result.outcome.sentence
        assert f"in {function}" in result.outcome.sentence
        rows = result._record.rows
        assert 0.45 < rows[-1, 0] < 0.52
        assert np.array_equal(rows, good._record.rows[: len(rows)])
        assert _hosts() <= before
    assert np.array_equal(Result.load(tmp_path / "rows.jrd")._record.rows, rows)


def test_a_start_that_ends_the_process_names_the_fmu() -> None:
    """The start has no outcome before a run: it is refused by a sentence."""
    bad = foreign.of_oscillator(3, initialize="*(volatile int *)8 = 1;")
    with pytest.raises(
        StartError, match=r"the start fails: 'it' \(Oscillator.fmu of .*\) crashed \(segmentation fault\) in fmi3ExitInit"
    ) as caught:
        _driven(bad).simulate(1.0, isolate="all")
    assert caught.value.ending is Ending.PROCESS_DIED


def test_ctrl_c_ends_a_call_without_end() -> None:
    """It ends after a second, in which the call might come back; the rows are there."""
    bad = foreign.of_oscillator(3, rates=f"if (time > 0.5) {{ {_ENDS['loop'][0]} }}")
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = _driven(bad).simulate(1.0, isolate=Isolation(which="all", call_timeout=20), output_interval=0.01)
    assert result.outcome.ending is Ending.INTERRUPTED and "was interrupted after" in result.outcome.sentence
    assert 0.45 < result._record.rows[-1, 0] < 0.52


_WAYS = {"all": ({}, "all"), "own": ({"process": "own"}, "none")}
"""Options of ``add`` and ``simulate``: the whole run in a process of its own, or the FMU alone."""


def _hanging(way: str, hook: str) -> System:
    system = System()
    system.add("it", foreign.of_oscillator(3, **{hook: _ENDS["loop"][0]}), **_WAYS[way][0])
    return system


@pytest.mark.parametrize("way", _WAYS)
def test_ctrl_c_ends_a_start_without_end(way: str, capfd: pytest.CaptureFixture[str]) -> None:
    """It ends at once, and once: an exception of the signal's handler is not lost in the callback in which it comes."""
    system = _hanging(way, "initialize")
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        system.simulate(0.1, isolate=Isolation(which=_WAYS[way][1], call_timeout=10))
    assert "ignored" not in capfd.readouterr().err


@pytest.mark.parametrize("way", _WAYS)
def test_ctrl_c_ends_the_freeing_of_an_instance(way: str) -> None:
    """The result is complete, and a warning says what was given up."""
    system = _hanging(way, "free")
    threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT)).start()
    result = system.simulate(0.1, isolate=Isolation(which=_WAYS[way][1], call_timeout=10))
    assert result.outcome.completed and len(result.outcome.warnings) == 1
    assert "after the run 'it' (Oscillator.fmu of" in result.outcome.warnings[0] and "interrupted" in result.outcome.warnings[0]
    assert result.outcome.warnings[0].endswith(" in fmi3FreeInstance; the result is complete")


@pytest.mark.slow
@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("hook", ["initialize", "free"])
def test_sigterm_ends_what_hangs(way: str, hook: str, tmp_path: Path) -> None:
    """It does so where rows are written, too, after which the signal is raised again."""
    path, system = tmp_path / "run.jrd", _hanging(way, hook)
    began = time.monotonic()
    run = partial(system.simulate, 0.1, record_to=path, isolate=Isolation(which=_WAYS[way][1], call_timeout=60))
    assert terminated(run, lambda: time.monotonic() > began + 0.4) == -signal.SIGTERM
    assert time.monotonic() - began < 50
    assert hook == "initialize" or Result.load(path).outcome.completed


def test_a_sweep_has_a_process_for_each_worker() -> None:
    """The same numbers as without; a run that has lost its process is a row like any other that failed."""
    fmu = foreign.of_oscillator(3, rates="if (time > 0.05 && u > 2) { *(volatile int *)8 = 1; }")
    points = {"it.u": [1.0, 2.0, 3.0, 1.5]}
    table = sweep(_driven(fmu), points, stop_time=0.1, measure={"x": final("it.x")}, isolate="all", on_failure="record")
    sound = sweep(_driven(foreign.oscillator()), points, stop_time=0.1, measure={"x": final("it.x")})
    assert [each.ending for each in table.outcomes] == [Ending.COMPLETED, Ending.COMPLETED, Ending.PROCESS_DIED, Ending.COMPLETED]
    x = np.array(table.measures["x"])
    assert np.isnan(x[2]) and np.array_equal(np.delete(x, 2), np.delete(np.array(sound.measures["x"]), 2))


def test_a_process_that_has_ended_while_it_waited_is_replaced() -> None:
    """The run begins in another one."""
    system, before = pendulum(), _hosts()
    first = system.simulate(0.1, isolate="all")
    (host,) = _hosts() - before
    os.kill(host, signal.SIGKILL)
    assert _bits(system.simulate(0.1, isolate="all")) == _bits(first)
    assert len(_hosts() - before - {host}) == 1


@pytest.mark.parametrize(
    "options",
    [{}, {"solver": "cvode"}, {**_POINTS, "scheme": "implicit"}, {"sensitivities": ["rod.m"]}],
    ids=["plain", "cvode", "implicit", "sensitivities"],
)
def test_nothing_stays_of_a_process_that_nobody_needs(options: dict) -> None:
    """Neither its proxy in this process nor the addresses of its memory stay."""

    def there() -> tuple[int, int]:
        gc.collect()
        windows = [line for line in Path("/proc/self/maps").read_text().splitlines() if "2" <= line[0] < "5" and line[12] == "-"]
        return sum(type(each) is HostedLibrary for each in gc.get_objects()), len(windows)

    before = there()
    pendulum().simulate(0.05, isolate="all", drives={"rod.p1.Fx": math.sin}, **options)
    assert there() == before


def test_what_fmus_print_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    """The text appears unchanged, like that of FMUs in this process; logged messages do as well."""
    fmu = foreign.of_oscillator(3, initialize='printf("hello\\n");')
    _driven(fmu).simulate(0.1, isolate="all")
    assert capfd.readouterr().err == "hello\n"


@pytest.mark.parametrize("way", _WAYS)
def test_memory_that_is_too_little_for_a_binary_is_named(way: str) -> None:
    """The message has the remedy; a limit too large for a number counts as no limit."""
    system = System()
    system.add("it", foreign.oscillator(), {"u": 0.0}, **_WAYS[way][0])
    with pytest.raises(BuildError) as caught:
        system.simulate(0.1, isolate=Isolation(which=_WAYS[way][1], memory=1))
    assert str(caught.value) == (
        "'it' cannot be loaded: memory = 1 bytes is too little for the binary of 'Oscillator.fmu' and the libraries that it loads; give more, such as "
        "Isolation(memory=1e9), or leave it out to have no limit"
    )
    for memory in (1e9, 2.0**64, 1e30):
        assert system.simulate(0.1, isolate=Isolation(which=_WAYS[way][1], memory=memory)).outcome.completed


def test_a_limit_for_foreign_fmus_is_noted_where_there_is_none() -> None:
    """The limit is not refused: one call of ``simulate`` serves systems with and without foreign FMUs."""
    note = "memory = 1e+09 had no effect: all FMUs are of this library, and isolate = 'foreign' runs them in this process"
    assert note in pendulum().simulate(0.05, isolate=Isolation(which="foreign", memory=1e9, call_timeout=5)).outcome.notes
    assert (
        note
        not in _driven(foreign.oscillator())
        .simulate(0.05, isolate=Isolation(which="foreign", memory=1e9), drives={"it.u": 0.0})
        .outcome.notes
    )


def _no_effect(option: str, value: str) -> str:
    return (
        f"{option} = {value} has no effect: no FMU is in a process of its own; give isolate=Isolation(which='all', {option}={value}), or add an FMU with "
        "process='own', or leave it out"
    )


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"isolate": "some"}, "isolate = 'some' is unknown; choose 'all', 'foreign' or 'none'"),
        ({"isolate": Isolation(which="none", memory=2e9)}, _no_effect("memory", "2e+09")),
        ({"isolate": Isolation(which="none", call_timeout=5)}, _no_effect("call_timeout", "5")),
        ({"isolate": Isolation(which="none", on_crash="restart"), "checkpoint": "run.ckpt"}, _no_effect("on_crash", "'restart'")),
    ],
)
def test_refusals(option: dict, sentence: str) -> None:
    """Unknown values of options are refused."""
    with pytest.raises(BuildError) as caught:
        pendulum().simulate(0.1, **option)
    assert str(caught.value) == sentence
