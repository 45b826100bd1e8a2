"""FMUs that crash, hang, leave or flood their process, in each function: every run ends as promised, keeps its rows, and leaves nothing behind."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from coupling import Isolation, Result, Scheme, StartError, System
from tests.support.foreign.misdeeds import COMPLETED, MISDEEDS, TIMED_OUT, Misdeed
from tests.support.foreign.unruly import function, unruly
from tests.support.kernel.processes import children, shared_memories

WAYS = ("own", "all")
"""``process="own"`` of the FMU, and ``isolate="all"`` of the run."""
TIMEOUT = 1.0


def coupled(misdeed: Misdeed | None, way: str, kind: str, version: int) -> System:
    """A good oscillator and one that misbehaves, each of which feeds the other."""
    resets = misdeed is not None and misdeed.stage == "again"
    good = bad = unruly("nothing", "get", 0, version, kind, resets)
    if misdeed is not None:
        bad = unruly(misdeed.does, *place(misdeed, kind), version, kind, resets)
    system = System("two oscillators")
    system.add("good", good, kind=kind)
    system.add("bad", bad, kind=kind, **({"process": "own"} if way == "own" else {}))
    system.connect("good.y", "bad.u")
    system.connect("bad.y", "good.u")
    return system


def place(misdeed: Misdeed, kind: str) -> tuple[str, int]:
    """The function and the number of the call."""
    usual = ("get", 50) if kind == "me" else ("do step", 20)
    return misdeed.at or usual[0], misdeed.number or usual[1]


def run(system: System, way: str, kind: str, at: str, timeout: float | None = None) -> Result:
    options: dict[str, Any] = {}
    if kind == "cs":
        options |= {"communication_step": 0.02}
    if at in ("save", "restore"):
        options |= {"scheme": Scheme(step_control="adaptive", tolerance=1e-6)}
    if way != "none":
        options |= {"isolate": Isolation(which="all" if way == "all" else "none", call_timeout=timeout, memory=200e6)}
    return system.simulate(1.0, output_interval=0.02, **options)


def refused(system: System, way: str, kind: str, at: str) -> tuple[str, str]:
    """Returns the ending and the message of a run that does not begin."""
    with pytest.raises(StartError) as raised:
        run(system, way, kind, at)
    return raised.value.ending.name, str(raised.value)


@cache
def undisturbed(kind: str, version: int, at: str) -> Result:
    """Runs in this process."""
    return run(coupled(None, "none", kind, version), "none", kind, at)


def left() -> tuple[Any, ...]:
    """Returns what an unruly process might leave: children and zombies, shared memory, files held open (except locks of the cache, which a
    process keeps)."""
    gc.collect()
    files = [os.readlink(each) for each in Path("/proc/self/fd").iterdir() if os.path.lexists(each)]
    return children(), shared_memories(), sorted(each for each in files if not each.endswith(".lock"))


def cases() -> list[Any]:
    """Each misdeed in both ways, kinds and versions; in the quick tests one of these, and not the same for all."""
    found = []
    for name, each in MISDEEDS.items():
        mine = [(way, kind, version) for version in each.versions for kind in each.kinds for way in WAYS]
        shown = sum(map(ord, name)) % len(mine)
        for number, (way, kind, version) in enumerate(mine):
            marks = [] if each.quick and number == shown else [pytest.mark.slow]
            found.append(pytest.param(each, way, kind, version, id=f"{name}-{way}-{kind}-fmi{version}", marks=marks))
    return found


@pytest.mark.parametrize(("misdeed", "way", "kind", "version"), cases())
def test_it_ends_as_promised(misdeed: Misdeed, way: str, kind: str, version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names FMU, call and cause; rows before it are those of an undisturbed run; the next run, in another process, can be made."""
    at, _ = place(misdeed, kind)
    good = undisturbed(kind, version, at if at in ("save", "restore") else "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = left()
    system = coupled(misdeed, way, kind, version)
    began, timeout = time.monotonic(), TIMEOUT if misdeed.ends == TIMED_OUT else None
    if misdeed.stage == "start":
        (ending, sentence), result = refused(system, way, kind, at), None
    else:
        result = run(system, way, kind, at, timeout)
        if misdeed.stage == "again":
            assert result.outcome.completed, result.outcome.sentence
            ending, sentence = refused(system, way, kind, at)
        else:
            ending, sentence = result.outcome.ending.name, result.outcome.sentence
    seconds = time.monotonic() - began
    assert ending == (COMPLETED if misdeed.stage == "end" else misdeed.ends), sentence
    if misdeed.stage != "end" and misdeed.ends != COMPLETED:
        assert misdeed.says in sentence
        assert "'bad'" in sentence or misdeed.ends == "NOT_FINITE"  # which may show first where it arrives
        if misdeed.ends in ("PROCESS_DIED", TIMED_OUT):
            assert f"in {function(at, version, kind)}" in sentence, sentence
    assert seconds < 10 * (TIMEOUT + 1.0 if misdeed.ends == TIMED_OUT else 1.0)  # others may be at work here
    if result is not None:
        rows = len(result) if result.outcome.completed else len(result) - 1  # the last one is of where it ended
        assert rows == len(good) or not result.outcome.completed
        assert (result.time[:rows] == good.time[:rows]).all()
        assert (result.values[:rows] == good.values[:rows]).all()
    if misdeed.stage == "run" and misdeed.ends in ("PROCESS_DIED", TIMED_OUT):
        assert run(system, way, kind, at, timeout).outcome.ending.name == ending  # of another process, which comes to the same call
    del system, result
    assert left() == before
    assert list(tmp_path.iterdir()) == []


def test_all_misdeeds_are_counted() -> None:
    assert len(MISDEEDS) == 36
    assert sum(each.quick for each in MISDEEDS.values()) == 10
