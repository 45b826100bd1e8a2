"""Runs that are repeated, for each solver, scheme and place of FMUs, and the memory by which processes grow meanwhile."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from coupling import Index3, Scheme, System
from coupling.schemes.base.scheme import SCHEMES
from coupling.solvers.base.solver import SOLVERS
from tests.support import foreign
from tests.support.kernel.processes import children
from tests.support.systems.exported import exported
from tests.support.systems.hard_systems import line_of_masses
from tests.support.systems.systems import pendulum

FLAT = 64
"""KiB by which memory may grow; a leak of 4 KiB a run is 160 in 40 runs."""
STOP = 0.02


@dataclass(frozen=True)
class Repeated:
    """A system that runs again and again."""

    system: Callable[[], System]
    options: dict[str, Any] = field(default_factory=dict)


def _alone(fmu: Callable[[], Path], **options: Any) -> System:
    system = System("alone")
    system.add("it", fmu(), **options)
    return system


_STEPS = {"communication_step": 0.005}
_CHAIN = partial(line_of_masses, 20, 1000.0)
_EXPORTED = partial(exported, "double pendulum")
CASES = {
    **{name: Repeated(pendulum, {"solver": Index3(step_size=0.01) if name == "index3" else name}) for name in SOLVERS},
    "LSODA, 40 states": Repeated(_CHAIN, {"solver": "LSODA"}),
    **{name: Repeated(pendulum, {**_STEPS, "scheme": Scheme(name)}) for name in SCHEMES},
    "exported, FMI 2": Repeated(partial(_alone, partial(_EXPORTED, 2), kind="cs"), _STEPS),
    "exported, FMI 3": Repeated(partial(_alone, partial(_EXPORTED, 3), kind="cs"), _STEPS),
    "a guard": Repeated(partial(_alone, foreign.mass_spring, kind="me", process="own")),
    "a guard, exported": Repeated(partial(_alone, partial(_EXPORTED, 2), kind="cs", process="own"), _STEPS),
    "a host": Repeated(pendulum, {"isolate": "all"}),
    "a host, exported": Repeated(partial(_alone, partial(_EXPORTED, 3), kind="cs"), {**_STEPS, "isolate": "all"}),
}


class _Mallinfo(ctypes.Structure):
    """The structure of mallinfo2."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ["arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"]
    ]


_libc = ctypes.CDLL(None)
_libc.mallinfo2.restype = _Mallinfo
_BLOCK = 64
"""Bytes of a small object of Python, on average."""


def held() -> tuple[int, int]:
    """Returns two measures of memory in KiB.

    The first counts what this process has allocated: a leak that still fits into freed parts of the heap shows there alone. The second counts
    pages of this process and of its children that no file has.
    """
    gc.collect()
    heap = _libc.mallinfo2()
    allocated = heap.uordblks + heap.hblkhd + _BLOCK * sys.getallocatedblocks()
    return allocated // 1024, sum(_anonymous(Path("/proc", str(process))) for process in ("self", *children()))


def _anonymous(process: Path) -> int:
    lines = (process / "smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Anonymous:")).split()[1])


def growth(name: str, count: int) -> int:
    """Returns the growth of memory over ``count`` runs, in KiB: the least of up to three rounds, since others may have left what one moves."""
    case = CASES[name]
    system, found = case.system(), []

    def runs(count: int) -> None:
        for _ in range(count):
            system.simulate(STOP, output_interval=STOP, **case.options)

    runs(20)
    while len(found) < 3 and min(found, default=FLAT) >= FLAT:
        before = held()
        runs(count)
        found.append(max(now - then for now, then in zip(held(), before, strict=True)))
    return min(found)
