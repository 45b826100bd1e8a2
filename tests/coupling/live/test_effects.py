"""Side effects of FMUs on their process are restored, and noted once for each instance: the floating-point mode, locale, working folder and signals."""

from __future__ import annotations

import locale
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from coupling import Isolation, Result, System
from tests.support import foreign
from tests.support.foreign import OSCILLATOR, export

TINY = "5e-324"
"""The smallest number, which is zero if tiny numbers are flushed."""
FLUSH, ROUND_UP = "__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);", "__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x4000);"
INCLUDES = {"#include <math.h>": "#include <locale.h>\nextern int chdir(const char *);\n#include <math.h>"}
MOVES = 'if (chdir("/")) return Error;'
BLOCKS = "extern long syscall(long, ...); unsigned long set = 1ul << 9; syscall(14, 0L, &set, 0L, sizeof set);"
"""SIGUSR1 is blocked; the C library's own functions need more than the C standard."""
SPEAKS = 'if (!setlocale(LC_ALL, "C.UTF-8") && !setlocale(LC_ALL, "C.utf8")) return Error;'

PLACES = {"here": ("none", None), "guard": ("none", "own"), "run": ("foreign", None)}


def rude(version: int, **hooks: str) -> Path:
    return export(replace(OSCILLATOR, hooks=hooks), version, changes=INCLUDES)


def run(path: Path, place: str = "here", kind: str = "me", **options: object) -> Result:
    which, process = PLACES[place]
    system = System("rude")
    system.add("unit", path, {"u": 0.0}, kind=kind, process=process)
    step = {"communication_step": 0.05} if kind == "cs" else {"output_interval": 0.05}
    return system.simulate(1.0, isolate=Isolation(which=which), **step, **options)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Checks that this process has the settings that it had."""

    def settings() -> tuple[object, ...]:
        tiny = float(TINY) * np.float64(1.0)
        up = np.float64(1.0) + np.float64(2.0**-54)
        return os.getcwd(), locale.setlocale(locale.LC_ALL), signal.pthread_sigmask(signal.SIG_BLOCK, []), tiny > 0, up == 1

    before = settings()
    assert before[-2:] == (True, True)
    yield
    assert settings() == before


def notes(result: Result) -> list[str]:
    return [note for note in result.outcome.notes if "of its process, restored" in note]


@pytest.mark.parametrize("place", list(PLACES))
@pytest.mark.parametrize("kind", ["me", "cs"])
@pytest.mark.parametrize("mode", [FLUSH, ROUND_UP], ids=["flush", "round"])
def test_the_floating_point_mode(fmi: int, place: str, kind: str, mode: str) -> None:
    """A call that changes it leaves no trace in the master: the numbers are those of a sound FMU."""
    for hook in ("rates", "initialize"):
        result = run(rude(fmi, **{hook: mode}), place, kind)
        assert result.outcome.completed
        assert notes(result) == ["'unit' (Oscillator.fmu) changed the floating-point mode of its process, restored after each call"]
        assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-6)
    assert notes(run(foreign.oscillator(fmi), place, kind)) == []


@pytest.mark.parametrize("place", list(PLACES))
@pytest.mark.parametrize("hook", ["instantiate", "initialize"])
@pytest.mark.parametrize(
    ("misdeed", "named"),
    [(MOVES, "the working folder"), (BLOCKS, "the mask of signals"), (MOVES + BLOCKS, "the working folder and the mask of signals")],
)
def test_settings_at_the_start(fmi: int, place: str, hook: str, misdeed: str, named: str) -> None:
    result = run(rude(fmi, **{hook: misdeed}), place)
    assert notes(result) == [f"'unit' (Oscillator.fmu) changed {named} of its process, restored after each call"]


@pytest.mark.parametrize("place", ["here", "guard"])
def test_the_locale(fmi: int, place: str) -> None:
    """A process that is a host has the locale C; this process gets another one before."""
    if "C.utf8" not in subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.replace("UTF-8", "utf8"):
        # Needed since a system without a second locale leaves nothing that an FMU could change to.
        pytest.skip("there is no second locale")
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, "C")
        result = run(rude(fmi, initialize=SPEAKS), place)
        assert locale.setlocale(locale.LC_ALL) == "C"
    finally:
        locale.setlocale(locale.LC_ALL, before)
    assert notes(result) == ["'unit' (Oscillator.fmu) changed the locale of its process, restored after each call"]


def test_a_change_when_it_is_loaded(fmi: int) -> None:
    """Code that a compiler adds for fast mathematics flushes tiny numbers as soon as the binary is opened."""
    changes = {**INCLUDES, "static int refuse(": f"__attribute__((constructor)) static void fast(void) {{ {FLUSH} }}\nstatic int refuse("}
    result = run(export(OSCILLATOR, fmi, changes=changes))
    assert notes(result) == ["'unit' (Oscillator.fmu) changed the floating-point mode of its process, restored after each call"]


def test_two_instances_have_a_note_each(fmi: int) -> None:
    system = System("two")
    for name in ("a", "b"):
        system.add(name, rude(fmi, rates=FLUSH), {"u": 0.0})
    system.add("c", foreign.oscillator(fmi), {"u": 0.0})
    for _ in range(2):
        assert [note[:3] for note in notes(system.simulate(0.5))] == ["'a'", "'b'"]
