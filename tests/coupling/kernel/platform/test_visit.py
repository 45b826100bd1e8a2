"""The walk through the state of a run, by one array."""

import ctypes

from coupling.kernel import library
from coupling.kernel.state.visit import Visited

LOADING = 2


class _Visit(ctypes.Structure):
    """``Visit`` in visit.h."""

    _fields_ = [
        ("mode", ctypes.c_int),
        ("bytes", ctypes.c_char_p),
        ("at", ctypes.c_size_t),
        ("size", ctypes.c_size_t),
        ("result", ctypes.c_int),
        ("instance", ctypes.c_int),
        ("restarted", ctypes.c_void_p),
    ]


def test_an_array_without_memory_ends_the_walk():
    """No process has memory for 2^59 numbers, which are said to follow; the array stays as it is, and no byte of it is read."""
    visit, room = _Visit(mode=LOADING, bytes=bytes(16), size=1 << 63), ctypes.c_size_t(3)
    take = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 3, *[ctypes.c_size_t] * 2)(("visit_array", library))
    array = (ctypes.c_double * 3)()
    there = take(ctypes.addressof(visit), ctypes.addressof(array), ctypes.addressof(room), 1 << 59, 8)
    assert there == ctypes.addressof(array) and room.value == 3
    assert visit.result == Visited.NO_MEMORY and visit.at == 0
