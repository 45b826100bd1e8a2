"""Memory that a run's process shares with this one, overwritten as an FMU might do it: in six ways, at any moment."""

from __future__ import annotations

import ctypes
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from unittest.mock import patch

import numpy as np

from coupling import Isolation, Result, StartError, System
from coupling.kernel import library
from coupling.kernel.hosts.hosted import HostedLibrary
from coupling.live.isolation import processes
from coupling.outcome import Ending
from tests.support import foreign

TIMEOUT, STOP = 0.5, 20_000.0
ISOLATED = Isolation(which="all", call_timeout=TIMEOUT)

HEADER = 416
"""Bytes of requests, answers, the present call and its place, before messages and data: see channel.h."""
WAYS = ("zeros", "ones", "random", "a word", "the answer count", "the place of the call")


def overwrite(hosted: HostedLibrary, way: str, chance: random.Random) -> None:
    """Overwrites what says of calls where they are."""
    library.host_channel.restype, library.host_channel.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    first = library.host_channel(hosted.host.handle)
    if way == "a word":
        at = 8 * chance.randrange(HEADER // 8)
        ctypes.memmove(first + at, chance.randbytes(8), 8)
    elif way == "the answer count":
        ctypes.memmove(first + 64, chance.randbytes(4), 4)
    elif way == "the place of the call":
        ctypes.memmove(first + 384, chance.randbytes(32), 32)
    else:
        written = chance.randbytes(HEADER) if way == "random" else (b"\0" if way == "zeros" else b"\xff") * HEADER
        ctypes.memmove(first, written, HEADER)


@contextmanager
def overwritten(way: str, after: float, chance: random.Random) -> Iterator[None]:
    """Overwrites the memory of the next host so many seconds after it has started."""
    hosts, begins = list[HostedLibrary](), threading.Event()

    class Noted(HostedLibrary):
        def __init__(self, *given: object) -> None:
            super().__init__(*given)  # type: ignore[arg-type]
            hosts.append(self)
            begins.set()

    def act() -> None:
        begins.wait(20)
        time.sleep(after)
        if hosts and hosts[0].death is None:
            overwrite(hosts[0], way, chance)

    thread = threading.Thread(target=act)
    thread.start()
    try:
        with patch.object(processes, "HostedLibrary", Noted):
            yield
    finally:
        begins.set()
        thread.join()


def oscillator(hangs: bool) -> Result:
    """Runs a foreign FMU in a process of its own, where one of its calls may last for ever."""
    fmu = foreign.of_oscillator(3, rates=f"if (time > {STOP / 2}) for (volatile int i = 0;; i++) ;") if hangs else foreign.oscillator()
    system = System()
    system.add("it", fmu, kind="me")
    return system.simulate(STOP, output_interval=50.0, isolate=ISOLATED)


@cache
def undisturbed(hangs: bool) -> tuple[Result, float]:
    """Returns such a run, and the seconds that it takes."""
    oscillator(hangs)
    began = time.perf_counter()
    return oscillator(hangs), time.perf_counter() - began


def check_damaged(seed: int) -> str:
    """Makes a run whose memory is overwritten once, in the half of them while a call lasts for ever; returns the way, and how the run ended."""
    way, hangs, chance = WAYS[seed % len(WAYS)], seed // len(WAYS) % 2 == 1, random.Random(seed)
    sound, seconds = undisturbed(hangs)
    with overwritten(way, chance.random() * seconds, chance):
        began = time.perf_counter()
        try:
            result = oscillator(hangs)
        except StartError as error:
            assert isinstance(error.ending, Ending), error
            return f"{way}: refused"
        took = time.perf_counter() - began
    assert took < 2 * seconds + TIMEOUT + 1, (took, seconds)
    rows = result._record.rows
    unnoticed = way in ("random", "a word")  # an answer may be another one
    assert unnoticed or np.array_equal(rows, sound._record.rows[: len(rows)])
    if result.outcome.completed:
        return f"{way}: completed"
    assert result.outcome.ending in (Ending.PROCESS_DIED, Ending.TIMED_OUT), result.outcome
    assert "The result holds everything up to there" in result.outcome.sentence
    return f"{way}: {result.outcome.ending.name}"
