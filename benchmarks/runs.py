"""Many runs of one system: the cost of a run when only values differ, and a check for leftovers."""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import gc
import importlib.util
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from coupling import System

HERE = Path(__file__).parent


def pendulum() -> System:
    """Returns the pendulum of the README: 3 FMUs, 2 s, 501 rows."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


def example(file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file, HERE.parent / "examples" / f"{file}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def milliseconds(run: Callable[[int], float], repetitions: int) -> tuple[float, float]:
    """Returns medians of a run, and of its time beyond integration; ``run`` returns the seconds of the integration."""
    whole, beyond = [], []
    for i in range(repetitions):
        began = time.perf_counter()
        integrating = run(i)
        seconds = time.perf_counter() - began
        whole.append(1e3 * seconds)
        beyond.append(1e3 * (seconds - integrating))
    return statistics.median(whole), statistics.median(beyond)


def times(name: str, make: Callable[[], System], stop: float, mass: str, repetitions: int, **options: object) -> None:
    kept = make()

    def again(i: int) -> float:
        return kept.simulate(stop, start_values={mass: 1.0 + 0.001 * (i % 100)}, **options).statistics.seconds_running  # type: ignore[arg-type]

    def new(i: int) -> float:
        return make().simulate(stop, start_values={mass: 1.0 + 0.001 * (i % 100)}, **options).statistics.seconds_running  # type: ignore[arg-type]

    again(0)
    for what, run, count in (("a new System", new, max(10, repetitions // 10)), ("again", again, repetitions)):
        whole, beyond = milliseconds(run, count)
        print(f"{name:14}{what:14}{count:8}{whole:12.2f}{beyond:22.2f}")


def leaks(count: int) -> None:
    system = pendulum()

    def run(number: int) -> None:
        for i in range(number):
            system.simulate(2.0, start_values={"rod.m": 1.0 + 0.001 * (i % 100)})

    run(200)
    gc.collect()
    files, memory = len(os.listdir("/proc/self/fd")), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    run(count)
    gc.collect()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
    print(
        f"\n{count} runs in {time.perf_counter() - began:.1f} s: memory has grown by {grown:.2f} MB, "
        f"open files by {len(os.listdir('/proc/self/fd')) - files}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="of the pendulum, of which the median counts (default 1000)")
    parser.add_argument("--leaks", type=int, default=10_000, help="runs for the count of what is left behind (default 10000; 0: none)")
    options = parser.parse_args()
    print(f"{'system':14}{'':14}{'runs':>8}{'ms a run':>12}{'ms beyond integration':>22}")
    for name, way in {"pendulum": "fmus", "by tape": "tape", "compiled": "compiled"}.items():
        times(name, pendulum, 2.0, "rod.m", options.runs, evaluation=way)
    seven = example("03_seven_body_mechanism")
    times(
        "seven bodies", seven.system, seven.STOP, "link1.m" if "link1" in seven.system().instances else "K1.m", max(20, options.runs // 20)
    )
    if options.leaks:
        leaks(options.leaks)


if __name__ == "__main__":
    main()
