"""Seconds of a loop with redundant constraints against its twin without any, in alternating runs."""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))
from jourdain import System
from tests.support.systems.space import planar_loop


def seconds(system: System, evaluation: str) -> float:
    began = perf_counter()
    system.simulate(10.0, rtol=1e-8, evaluation=evaluation)
    return perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=9, help="runs of each (default: 9)")
    given = parser.parse_args()
    print("evaluated | redundant, ms | twin, ms | median ratio")
    for way, evaluation in (("by FMUs", "fmus"), ("by tape", "tape"), ("compiled", "compiled")):
        pair = planar_loop(), planar_loop(replaced=True)
        for system in pair:
            seconds(system, evaluation)
        runs = [[seconds(system, evaluation) for system in pair] for _ in range(given.repetitions)]
        loop, twin = (1e3 * median(each) for each in zip(*runs, strict=True))
        print(f"{way} | {loop:.1f} | {twin:.1f} | {median(a / b for a, b in runs):.2f}", flush=True)


if __name__ == "__main__":
    main()
