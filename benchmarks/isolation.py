"""What it costs to have a run in a process of its own, and that it gives the same bits."""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import ctypes
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from math import sin
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

from runs import example, pendulum

from coupling import Index3, Result, System
from coupling.kernel import library
from coupling.kernel.hosts.host import Host

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


def compared(name: str, stop: float, here: System, there: System, repetitions: int, isolate: str = "all", **options: object) -> None:
    """Runs here and there, turn about, so that both see the same machine, and those that others disturb least."""
    ways: tuple[tuple[System, str], ...] = (here, "none"), (there, isolate)
    taken, slept, results = ([], []), [0, 0], list[Result]()
    for _ in range(repetitions + 1):
        results.clear()
        for way, (system, isolated) in enumerate(ways):
            before, began = _sleeps(), time.perf_counter()
            results.append(system.simulate(stop, isolate=isolated, **options))  # type: ignore[arg-type]  # options of simulate
            taken[way].append(time.perf_counter() - began)
            slept[way] += _sleeps() - before
    took, takes = (1e3 * sorted(each[1:])[repetitions // 10] for each in taken)
    evaluations = results[1].statistics.evaluations
    same = all(results[0][each].tobytes() == results[1][each].tobytes() for each in results[1].names)
    print(
        f"{name:26}{took:10.2f}{takes:10.2f}{takes - took:10.2f}{takes / took:10.2f}{evaluations:14}{1e3 * (takes - took) / evaluations:16.2f}"
        f"{slept[1] / (repetitions + 1):10.1f}   {'the same bits' if same else 'OTHER BITS'}"
    )


def _sleeps() -> int:
    """How often this process has waited without a core so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw


def with_guard(system: System, name: str) -> System:
    """The same with one instance in a process of its own."""
    instances = tuple(replace(each, process="own") if each.name == name else each for each in system.definition.instances)
    return System.of(replace(system.definition, instances=instances))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="of the pendulum, of which the fastest tenth counts (default 200)")
    options = parser.parse_args()
    few = options.runs // 10 + 3
    round_trips(20_000)
    columns = f"{'here':>10}{'there':>10}{'more':>10}{'times':>10}{'evaluations':>14}{'us of each':>16}{'sleeps':>10}"
    print(f"\n{'ms a run':26}{columns}")
    swing = pendulum()
    compared("pendulum", 2.0, swing, swing, options.runs)
    compared("pendulum, index3", 2.0, swing, swing, few, solver=Index3(step_size=0.01))
    compared("pendulum, cvode in C", 2.0, swing, swing, few, solver="cvode")
    compared("pendulum, cvode by Python", 2.0, swing, swing, few, solver="cvode", evaluation="fmus")
    pushed = pendulum()
    pushed.drive("rod.p1.Fx", sin)
    compared("pendulum, a function", 2.0, pushed, pushed, few)
    seven = example("03_seven_body_mechanism")
    mechanism = seven.system()
    compared("seven bodies", seven.STOP, mechanism, mechanism, few)
    print('\nof one FMU in a guard, with evaluation="fmus" on both sides, since equations in place of FMUs would hardly call it')
    for name in "link3", "pin12":
        compared(f"seven bodies, {name}", seven.STOP, mechanism, with_guard(mechanism, name), few, isolate="none", evaluation="fmus")


if __name__ == "__main__":
    main()
