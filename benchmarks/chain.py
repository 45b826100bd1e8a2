"""Time per evaluation against the number of bodies: chains of links, and the N-four-bar mechanism.

An evaluation is one call of the kernel: all states to all bodies, all multipliers solved, all derivatives back. It calls the FMUs, or uses
a tape of the system's equations, or compiled code. The exponent is the slope of time over bodies between neighbouring rows, in logarithms:
1 is proportional. Lowered and compiled equations are kept: the time to start is that of the first run with an empty cache, and then that of
all others.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import argparse
import math
import statistics
import time
from collections.abc import Sequence

import numpy as np

from coupling import System
from coupling.live.fused import begin_fused
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.start import start
from coupling.options import Run

ROD = {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5}


def chain(bodies: int) -> System:
    """Returns a horizontal chain of rods that hangs at its first end."""
    system = System(f"chain of {bodies}")
    system.add("ground", "planar.Fixed")
    before = "ground.p1"
    for i in range(bodies):
        system.add(f"rod{i}", "planar.Body2", {**ROD, "x": i + 0.5})
        system.add(f"pin{i}", "planar.Revolute")
        system.connect(before, f"pin{i}.M")
        system.connect(f"pin{i}.N", f"rod{i}.p1")
        before = f"rod{i}.p2"
    return system


def four_bars(bodies: int) -> System:
    """Returns N loops in a row, two rods each and one more, upright, the couplers moving to the right at 1 m/s."""
    loops = (bodies - 1) // 2
    system = System(f"{loops} four-bars")
    for i in range(loops + 1):
        system.add(f"ground{i}", "planar.Fixed", {"p1.rx": float(i)})
        system.add(f"upright{i}", "planar.Body2", {**ROD, "x": float(i), "y": 0.5, "theta": math.pi / 2, "omega": -1.0, "vx": 0.5})
        system.add(f"foot{i}", "planar.Revolute")
        system.connect(f"ground{i}.p1", f"foot{i}.M")
        system.connect(f"foot{i}.N", f"upright{i}.p1")
    for i in range(loops):
        system.add(f"coupler{i}", "planar.Body2", {**ROD, "x": i + 0.5, "y": 1.0, "vx": 1.0})
        for side, upright, port in (("left", i, "p1"), ("right", i + 1, "p2")):
            system.add(f"{side}{i}", "planar.Revolute")
            system.connect(f"upright{upright}.p2", f"{side}{i}.M")
            system.connect(f"{side}{i}.N", f"coupler{i}.{port}")
    return system


MECHANISMS = {"chain": chain, "N-four-bar": four_bars}


WAYS = {"FMUs": "fmus", "tape": "tape", "compiled": "compiled"}


def measure(
    system: System, seconds: float, repetitions: int, recorded: str = "*0.theta", evaluation: str = "fmus"
) -> tuple[float, float, float]:
    """Measures the seconds per evaluation, to build and to start; fused code begins with the start."""
    run = Run(stop_time=0.01, rtol=1e-6, outputs=[recorded], output_times=[0.01], evaluation=evaluation)
    began = time.perf_counter()
    built = system.build(communication=False)
    ready = time.perf_counter()
    with start(compile_program(built, run.outputs), Running(run=run)) as session:
        begin_fused(session)
        started = time.perf_counter()
        kernel, x, dx = session.kernel, session.x.copy(), np.zeros(built.states)
        samples = []
        for _ in range(repetitions):
            count, first = 0, time.perf_counter()
            while time.perf_counter() - first < seconds:
                x[::6] += 1e-9  # a value that stays is not evaluated again
                x[2::6] += 1e-9
                kernel.derivatives(0.0, x, dx)
                count += 1
            samples.append((time.perf_counter() - first) / count)
    return statistics.median(samples), ready - began, started - ready


def table(name: str, way: str, systems: Sequence[System], options: argparse.Namespace, evaluation: str) -> None:
    before: tuple[int, float] | None = None
    for system in systems:
        count = sum(len(fmu.states) for fmu in system.instances.values()) // 6
        seconds, build, start = measure(system, options.seconds, options.repetitions, evaluation=evaluation)
        exponent = math.log(seconds / before[1]) / math.log(count / before[0]) if before and count != before[0] else math.nan
        counts = f"{name:12}{way:10}{count:8}{6 * count:8}"
        print(f"{counts}{1e6 * seconds:15.2f}{1e6 * seconds / count:10.3f}{exponent:10.2f}{build:9.2f}{start:9.2f}", flush=True)
        before = count, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bodies", type=int, nargs="+", default=[10, 100, 1000, 2000], help="how many (default 10 100 1000 2000)")
    parser.add_argument("--seconds", type=float, default=0.2, help="of evaluations in each repetition (default 0.2)")
    parser.add_argument("--repetitions", type=int, default=7, help="of which the median counts (default 7)")
    parser.add_argument("--ways", choices=WAYS, nargs="+", default=[*WAYS], help="of an evaluation (default: all)")
    options = parser.parse_args()
    print(
        f"{'mechanism':12}{'by':10}{'bodies':>8}{'states':>8}{'us/evaluation':>15}{'us/body':>10}{'exponent':>10}{'build s':>9}{'start s':>9}"
    )
    for name, make in MECHANISMS.items():
        for way in options.ways:
            table(name, way, [make(bodies) for bodies in options.bodies], options, WAYS[way])


if __name__ == "__main__":
    main()
