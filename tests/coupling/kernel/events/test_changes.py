"""Changes of constraints that a kernel knows beforehand leave nothing behind."""

from __future__ import annotations

import ctypes

import pytest

from tests.support.systems.rolling import disc
from tests.support.systems.sessions import started


class Heap(ctypes.Structure):
    """Figures of the heap, as glibc's ``mallinfo2`` returns them."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ["arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"]
    ]


def bytes_in_use() -> int:
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Heap
    return mallinfo().uordblks


# Needed since what is allocated is asked of glibc (mallinfo2), which other C libraries do not have.
@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="this libc does not count the bytes of its heap: glibc does from 2.33 on"
)
def test_scheduled_changes_are_freed_with_their_kernel() -> None:
    """Two thousand of them take about 50 kB, in each of ten sessions."""
    system = disc()
    system.enforce("plane", [(1e-4 * i, 1e-4 * i + 5e-5) for i in range(1000)])
    found = []
    for _ in range(12):
        with started(system):
            pass
        found.append(bytes_in_use())
    assert found[-1] - found[1] < 100_000
