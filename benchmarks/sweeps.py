"""A sweep of the pendulum: its cost beyond its runs, the gain by a second process, and FMPy with one instance of the exported pendulum."""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import multiprocessing
import tempfile
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from shutil import rmtree

import fmpy
import numpy as np
from fmpy.simulation import instantiate_fmu
from runs import pendulum

from coupling.measures import final, peak
from coupling.sweep import sweep
from coupling.sweeps.table import SweepTable

MEASURE = {"end": final("rod.theta"), "load": peak("pin.reaction")}


def timed(runs: int, executor: str | int | Executor | None) -> tuple[SweepTable, float]:
    points = {"rod.m": np.linspace(1.0, 3.0, runs)}
    began = time.perf_counter()
    table = sweep(pendulum(), points, stop_time=2.0, measure=MEASURE, executor=executor)
    return table, time.perf_counter() - began


def line(what: str, table: SweepTable, seconds: float, serial: float, workers: int) -> None:
    each, of_runs = 1e3 * seconds / len(table), 1e3 * table.seconds.sum() / len(table) / workers
    print(f"{what:26}{len(table):8}{each:12.3f}{each - of_runs:18.3f}{serial / seconds:12.2f}")


def by_fmpy(masses: np.ndarray, kind: str) -> tuple[np.ndarray, float]:
    """Returns the last angles, and the seconds, of the exported pendulum in FMPy, by CVode or by its own steps.

    One instance is reset for each run.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pendulum.fmu"
        pendulum().export_fmu(path, parameters=["rod.m"], outputs=["rod.theta", "pin.reaction"], stop_time=2.0)
        unzipped = fmpy.extract(str(path))
    try:
        description = fmpy.read_model_description(unzipped)
        instance, found = instantiate_fmu(unzipped, description, kind), np.empty(len(masses))
        began = time.perf_counter()
        for i, mass in enumerate(masses):
            rows = fmpy.simulate_fmu(
                unzipped,
                validate=False,
                stop_time=2.0,
                output_interval=2.0 / 500,
                relative_tolerance=1e-8,
                start_values={"rod.m": mass},
                output=["rod.theta", "pin.reaction"],
                model_description=description,
                fmu_instance=instance,
            )
            found[i], _ = rows["rod.theta"][-1], np.abs(rows["pin.reaction"]).max()
            instance.reset()
        seconds = time.perf_counter() - began
        instance.freeInstance()
    finally:
        rmtree(unzipped, ignore_errors=True)
    return found, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="of the pendulum (default 2000)")
    parser.add_argument("--processes", type=int, default=2, help="that share them (default 2)")
    options = parser.parse_args()
    runs, workers = options.runs, options.processes
    print(f"{'':26}{'runs':>8}{'ms a run':>12}{'ms beyond runs':>18}{'times faster':>12}")
    timed(10, None)
    table, serial = timed(runs, None)
    line("serial", table, serial, serial, 1)
    for what, executor in (("threads", "threads"), (f"{workers} processes, cold", workers)):
        found, seconds = timed(runs, executor)  # type: ignore[arg-type]  # a name or a number
        line(what, found, seconds, serial, workers)
        assert all((found[name] == table[name]).all() for name in MEASURE)
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as own:
        timed(20 * workers, own)
        found, seconds = timed(runs, own)
        line(f"{workers} processes, warm", found, seconds, serial, workers)
        assert all((found[name] == table[name]).all() for name in MEASURE)
    few = max(1, runs // 20)
    for kind in ("ModelExchange", "CoSimulation"):
        angles, seconds = by_fmpy(table["rod.m"][:few], kind)
        assert np.abs(angles - table["end"][:few]).max() < 1e-5
        print(f"{f'FMPy, {kind}':26}{few:8}{1e3 * seconds / few:12.3f}{'':18}{serial / runs / (seconds / few):12.3f}")


if __name__ == "__main__":
    main()
