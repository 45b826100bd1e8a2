"""Memory that is shared with the process of a run, overwritten at random moments; ``make soak`` does so 500 times."""

from __future__ import annotations

import ctypes
import threading
import time
from typing import Any
from unittest.mock import patch

from coupling import Isolation, System
from coupling.kernel import library
from coupling.kernel.hosts.guard import Guard
from coupling.live.isolation import guards
from coupling.outcome import Ending
from tests.support import foreign
from tests.support.foreign.damage import TIMEOUT, check_damaged

COUNT = 384
"""Place of the count of calls, which is odd in a call."""


def test_memory_that_is_overwritten() -> None:
    """Each of ten runs ends in time, with an ending and its rows; some of them lose their process."""
    found = [check_damaged(seed) for seed in range(2, 12)]
    assert sum("PROCESS_DIED" in each for each in found) >= 3


def test_a_guard_that_denies_its_call() -> None:
    """A guard hangs in a call and says that it is in none: the run ends at its time limit all the same."""
    system, noted, over = System(), list[Guard](), threading.Event()
    system.add("it", foreign.of_oscillator(3, rates="if (time > 0.5) for (volatile int i = 0;; i++) ;"), kind="me", process="own")

    class Noted(Guard):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            noted.append(self)

    def deny() -> None:
        library.host_channel.restype, library.host_channel.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
        while not over.wait(0.3):
            for guard in noted:
                count = ctypes.c_uint64.from_address(library.host_channel(guard.host.handle) + COUNT)
                count.value += count.value % 2
            return

    system.simulate(0.1)  # loads everything that a first run loads
    thread, began = threading.Thread(target=deny), time.monotonic()
    thread.start()
    try:
        with patch.object(guards, "Guard", Noted):
            outcome = system.simulate(1.0, isolate=Isolation(which="none", call_timeout=TIMEOUT)).outcome
    finally:
        over.set()
        thread.join()
    assert noted and outcome.ending is Ending.TIMED_OUT and time.monotonic() - began < TIMEOUT + 0.3 + 1
