"""Times runs in a separate process, and compares their bits with runs in this process.

``times`` is the cost of isolation today. ``least`` and ``usual`` are the costs that guards alone could reach. They are the time here, and
one message for each evaluation by FMUs, at the price of an undisturbed message and of a usual one. Under ``taskset -c 0`` both processes
share one core.
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import ctypes
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from math import sin
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

import masters
from runs import example, pendulum

from coupling import Index3, Result, Scheme, System
from coupling.kernel import library
from coupling.kernel.hosts.host import Host

_PING, _BURST = 1, 100
"""A call that does nothing, and the number of such calls that are timed together."""


def round_trips(bursts: int) -> tuple[float, float]:
    """Measures a message to a host and back in us, without the cost of a call from Python: the quickest hundredth of all bursts, and the median."""
    began = time.perf_counter()
    host = Host()
    started = 1e3 * (time.perf_counter() - began)
    handle = ctypes.c_void_p(host.handle)

    def microseconds(call: Callable[[], object]) -> list[float]:
        found = []
        for _ in range(bursts):
            began = time.perf_counter()
            for _ in range(_BURST):
                call()
            found.append(1e6 * (time.perf_counter() - began) / _BURST)
        return sorted(found)

    here = median(microseconds(lambda: library.host_spins(handle)))
    there = microseconds(lambda: library.host_call(handle, _PING))
    host.end()
    quick, usual = (max(0.0, each - here) for each in (there[bursts // 100], median(there)))
    cores = len(os.sched_getaffinity(0))
    print(f"a message takes {quick:.2f} us at best and {usual:.2f} us usually, cores: {cores}; a process starts in {started:.1f} ms")
    return quick, usual


class Table:
    """Comparison of runs in this process with isolated ones, and with the least time of one message for each evaluation by FMUs."""

    def __init__(self, repetitions: int, prices: tuple[float, float]) -> None:
        self.repetitions, self.prices = repetitions, prices
        columns = ("here", "there", "more", "times", "evaluations", "sleeps", "messages", "least", "usual")
        print(f"\n{'medians, ms a run':28}{''.join(f'{each:>12}' for each in columns)}")

    def row(self, name: str, stop: float, here: System, there: System, isolate: str = "all", *, few: int = 1, **options: object) -> None:
        """Runs here and there in turn, ``few`` times as seldom as cheap runs, and prints a line."""
        repetitions = max(5, self.repetitions // few)
        ways: tuple[tuple[System, str], ...] = (here, "none"), (there, isolate)
        taken, slept, results = ([], []), [0, 0], list[Result]()
        for _ in range(repetitions + 1):
            results.clear()
            for way, (system, isolated) in enumerate(ways):
                before, began = _sleeps(), time.perf_counter()
                results.append(system.simulate(stop, isolate=isolated, **options))  # type: ignore[arg-type]  # options of simulate
                taken[way].append(time.perf_counter() - began)
                slept[way] += _sleeps() - before
        took, takes = (1e3 * median(each[1:]) for each in taken)
        done = results[1].statistics
        # Equations in place of FMUs need no message, except where FMUs check an accepted step.
        messages = done.passes or (done.evaluations if "FMUs" in done.evaluated else done.steps)
        least = "".join(f"{1 + 1e-3 * messages * price / took:12.2f}" for price in self.prices)
        same = all(results[0][each].tobytes() == results[1][each].tobytes() for each in results[1].names)
        print(
            f"{name:28}{took:12.2f}{takes:12.2f}{takes - took:12.2f}{takes / took:12.2f}{done.evaluations:12}"
            f"{slept[1] / (repetitions + 1):12.1f}{messages:12}{least}   {'the same bits' if same else 'OTHER BITS'}"
        )


def _sleeps() -> int:
    """Returns how often this process has waited without a core so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw


def lags(folder: Path) -> System:
    """Returns two Co-Simulation FMUs of another tool, whose own step takes some nanoseconds."""
    masters.make(folder)
    system = System("two lags")
    for i in range(2):
        system.add(f"f{i}", folder / "Link.fmu", {f"u{k + 1}": 1.0 + k for k in range(i, masters.CHANNELS)}, kind="cs")
    system.connect("f0.y1", "f1.u1")
    return system


def with_guard(system: System, name: str) -> System:
    """Returns the same system with one instance in a separate process."""
    instances = tuple(replace(each, process="own") if each.name == name else each for each in system.definition.instances)
    return System.of(replace(system.definition, instances=instances))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50, help="of cheap cases; others have a tenth, at least 5 (default 50)")
    options = parser.parse_args()
    table = Table(options.runs, round_trips(2000))
    swing = pendulum()
    table.row("pendulum", 2.0, swing, swing)
    table.row("pendulum, by FMUs", 2.0, swing, swing, evaluation="fmus")
    table.row("pendulum, index3", 2.0, swing, swing, solver=Index3(step_size=0.01))
    table.row("pendulum, cvode in C", 2.0, swing, swing, solver="cvode")
    table.row("pendulum, cvode by Python", 2.0, swing, swing, few=10, solver="cvode", evaluation="fmus")
    pushed = pendulum()
    pushed.drive("rod.p1.Fx", sin)
    table.row("pendulum, a function", 2.0, pushed, pushed, few=5)
    seven = example("03_seven_body_mechanism")
    mechanism = seven.system()
    table.row("seven bodies", seven.STOP, mechanism, mechanism)
    table.row("seven bodies, by FMUs", seven.STOP, mechanism, mechanism, few=5, evaluation="fmus")
    with tempfile.TemporaryDirectory() as folder:
        chain = lags(Path(folder))
        stop = 100_000 * masters.STEP
        held = Scheme(masters.SCHEME, extrapolation=0)
        steps = {"communication_step": masters.STEP, "scheme": held, "output_interval": stop}
        table.row("two Co-Simulation FMUs", stop, chain, chain, "foreign", few=10, **steps)
    print('\nof one FMU in a guard, with evaluation="fmus" on both sides, since equations in place of FMUs would hardly call it')
    for name in "link3", "pin12":
        table.row(f"seven bodies, {name}", seven.STOP, mechanism, with_guard(mechanism, name), "none", few=10, evaluation="fmus")


if __name__ == "__main__":
    main()
