"""Runs in real time at 1 kHz: points that are late, and delays.

Each piece of 1 ms is one call that returns a value; the run then waits for the wall clock. A point is late if its piece is not computed when
the clock comes to its end. Delays last until the call goes on, and include the time to wake up. Computing is the time of a piece in the same run
without the clock. ``--busy`` adds processes that compute all the time, one for each core.
"""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from runs import example

from coupling import Index3, System
from coupling.record import Lateness

Controller = Callable[[np.ndarray], list[float]]
SYSTEMS: dict[str, tuple[Callable[[], System], list[str], list[str], Controller, float]] = {
    "seven bodies": (
        lambda: example("03_seven_body_mechanism").system(),
        ["drive.effort"],
        ["link1.theta", "link1.omega"],
        lambda found: [0.033 * (1.0 - found[1] / 50.0)],
        1e-4,
    ),
    "crane": (lambda: example("06_hydraulic_crane").system(), [], ["boom.theta"], lambda found: [], 5e-4),
}
"""Systems by name: a function that makes each, inputs, outputs, a controller between them, and the fixed step in s. The controller of the seven
bodies is a motor with 0.033 N.m at rest and none at 50 rad/s."""
SOLVERS = ("index3", "dopri5")


def measure(name: str, solver: str, seconds: float, piece: float) -> tuple[Lateness, np.ndarray]:
    """Runs a system in real time; returns its delays, and the seconds that each of as many pieces takes without the clock."""
    make, inputs, outputs, controller, step = SYSTEMS[name]
    options: dict[str, Any] = {"solver": Index3(step_size=step)} if solver == "index3" else {"solver": solver, "rtol": 1e-6}
    pieces = round(seconds / piece)
    with make().start(outputs=outputs, evaluation="compiled", **options) as run:
        run.signals(inputs=inputs, outputs=outputs)
        found = run[outputs]
        for _ in range(10):  # the first pieces make what the others use
            found = run.advance(piece, controller(found))
        start, first = run.save(), found
        gc.collect()
        gc.disable()
        computing = np.zeros(pieces)
        for i in range(pieces):
            began = time.perf_counter()
            found = run.advance(piece, controller(found))
            computing[i] = time.perf_counter() - began
        run.restore(start)
        found = first
        began = time.perf_counter()
        for i in range(pieces):
            found = run.advance(piece, controller(found), real_time=1.0)
            if time.perf_counter() - began < (i + 1) * piece - 1e-6:
                raise SystemExit(f"{name}, {solver}: point {i} was ahead of the clock")
        gc.enable()
        late = run.result.statistics.late
    assert late and run.outcome and run.outcome.completed
    return late, computing


@contextmanager
def busy(wanted: bool) -> Iterator[None]:
    """Keeps all cores busy with other processes."""
    others = [multiprocessing.Process(target=_compute, daemon=True) for _ in range(os.cpu_count() or 1 if wanted else 0)]
    for each in others:
        each.start()
    try:
        yield
    finally:
        for each in others:
            each.kill()
            each.join()


def _compute() -> None:
    while True:
        sum(range(10_000))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="duration of each run in s (default: 60)")
    parser.add_argument("--rate", type=float, default=1e3, help="pieces per second (default: 1000)")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS), help="systems (default: all)")
    parser.add_argument("--solvers", nargs="+", choices=SOLVERS, default=list(SOLVERS), help="solvers (default: all)")
    parser.add_argument("--busy", action="store_true", help="keep all cores busy with other processes")
    chosen = parser.parse_args()
    print("| system | solver | points | late | share | worst delay | delay, 99.9 % | computing, median | 99.9 % |\n|" + "---|" * 9)
    with busy(chosen.busy):
        for name in chosen.systems:
            for solver in chosen.solvers:
                late, computing = measure(name, solver, chosen.seconds, 1 / chosen.rate)
                times = [late.worst, late.p999, *np.quantile(computing, [0.5, 0.999])]
                row = [
                    name,
                    solver,
                    late.points,
                    late.number,
                    f"{late.number / late.points:.3%}",
                    *(f"{1e3 * each:.3g} ms" for each in times),
                ]
                print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()
