"""What it costs to have a run in a process of its own, and that it gives the same bits."""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import ctypes
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

from runs import example, pendulum

from coupling import Result, System
from coupling.kernel import library
from coupling.kernel.host import Host

_PING = 1
"""A call that does nothing."""


def round_trips(count: int) -> None:
    """Of an empty call, with what Python needs for it, and of a function that is called here."""
    began = time.perf_counter()
    host = Host()
    started = 1e3 * (time.perf_counter() - began)
    handle = ctypes.c_void_p(host.handle)

    def microseconds(call: Callable[[], object]) -> float:
        found = []
        for _ in range(9):
            began = time.perf_counter()
            for _ in range(count):
                call()
            found.append(1e6 * (time.perf_counter() - began) / count)
        return median(found)

    there, here = microseconds(lambda: library.host_call(handle, _PING)), microseconds(lambda: library.host_spins(handle))
    host.end()
    cores = len(os.sched_getaffinity(0))
    print(
        f"a round trip takes {max(0.0, there - here):.2f} us with {cores} core{'s' if cores > 1 else ''}; a process starts in {started:.1f} ms"
    )


def compared(name: str, make: Callable[[], System], stop: float, repetitions: int, **options: object) -> None:
    """Runs here and there, turn about, so that both see the same machine, and those that others disturb least."""
    system, taken = make(), {"none": list[float](), "all": list[float]()}
    results: dict[str, Result] = {}
    for _ in range(repetitions + 1):
        for isolate, seconds in taken.items():
            began = time.perf_counter()
            results[isolate] = system.simulate(stop, isolate=isolate, **options)  # type: ignore[arg-type]  # options of simulate
            seconds.append(time.perf_counter() - began)
    here, there = (1e3 * sorted(each[1:])[repetitions // 10] for each in taken.values())
    evaluations = results["all"].statistics.evaluations
    same = all(results["none"][each].tobytes() == results["all"][each].tobytes() for each in results["all"].names)
    print(
        f"{name:24}{here:10.2f}{there:10.2f}{there - here:10.2f}{evaluations:14}{1e3 * (there - here) / evaluations:16.2f}"
        f"   {'the same bits' if same else 'OTHER BITS'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="of the pendulum, of which the fastest tenth counts (default 200)")
    options = parser.parse_args()
    round_trips(20_000)
    print(f"\n{'ms a run':24}{'here':>10}{'there':>10}{'more':>10}{'evaluations':>14}{'us of each':>16}")
    compared("pendulum", pendulum, 2.0, options.runs)
    compared("pendulum, index3", pendulum, 2.0, options.runs // 10 + 3, solver="index3", step_size=0.01)
    compared("pendulum, cvode", pendulum, 2.0, options.runs // 10 + 3, solver="cvode")
    seven = example("03_seven_body_mechanism")
    compared("seven bodies", seven.system, seven.STOP, options.runs // 10 + 3)


if __name__ == "__main__":
    main()
