"""Steps of fixed size in real time: the duration of each step, the most iterations of a step, and the steps that miss a deadline of 1
ms.

Steps are taken one after the other by the kernel, without recording, by the equations of the system and by calls of its FMUs. A step misses
its deadline if it takes longer by wall time. On a machine with other work this also measures the machine; therefore the table has processor
time as well.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import fmpy
import numpy as np
from chain import chain
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from runs import example

from coupling import Index3, System
from coupling.kernel.system.status import Status
from coupling.live.fused import begin_fused
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.start import start
from coupling.options import Run
from coupling.plan.build import Mode, build
from coupling.plan.projection import without_stabilisation
from coupling.solvers.index3 import begin

DEADLINE = 1e-3
SYSTEMS: dict[str, tuple[Callable[[], System], float]] = {
    "seven bodies": (lambda: example("03_seven_body_mechanism").system(), 1e-4),
    "crane": (lambda: example("06_hydraulic_crane").system(), 1e-3),
    "chain of 10": (lambda: chain(10), 1e-3),
    "chain of 100": (lambda: chain(100), 1e-3),
}
"""Systems by name: a function that makes each, and its step in s. The seven bodies turn so fast that 1 ms would be too long."""


def measure(system: System, step: float, count: int, **options: object) -> tuple[np.ndarray, np.ndarray, int]:
    """Measures the seconds of each step by wall time and by processor time, and the most iterations of a step."""
    run = Run(stop_time=count * step, solver=Index3(step_size=step), output_times=[count * step], **options)  # type: ignore[arg-type]
    built = build(system.definition, Mode.PROJECTED)
    values = without_stabilisation(built.parts, range(len(built.parts)))
    wall, processor = [], []
    with start(compile_program(built, []), Running(run=run, values=values)) as session:
        begin_fused(session)
        kernel, status = session.kernel, begin(session, run)
        gc.disable()
        while status in (Status.DONE, Status.PAUSED) and kernel.reached < run.stop_time:
            began, used = time.perf_counter(), time.process_time()
            status = kernel.advance(1)
            wall.append(time.perf_counter() - began)
            processor.append(time.process_time() - used)
        gc.enable()
        if kernel.reached < run.stop_time:
            raise SystemExit(f"{system.name} stopped at t = {kernel.reached:g} s")
        return np.array(wall), np.array(processor), kernel.index3.most_iterations


def measure_exported(system: System, step: float, count: int, fmi: int) -> tuple[np.ndarray, np.ndarray]:
    """Measures the steps of an exported FMU in FMPy, each a communication step."""
    wall, processor = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = system.export_fmu(Path(folder) / "it.fmu", fmi=fmi, solver=Index3(step_size=step), initial="assemble")
        description, unzipped = fmpy.read_model_description(str(path)), fmpy.extract(str(path))
        kind = FMU2Slave if fmi == 2 else FMU3Slave
        identifier = description.coSimulation.modelIdentifier
        fmu = kind(guid=description.guid, unzipDirectory=unzipped, modelIdentifier=identifier, instanceName="it")
        fmu.instantiate()
        if fmi == 2:
            fmu.setupExperiment(startTime=0.0)
        fmu.enterInitializationMode()
        fmu.exitInitializationMode()
        gc.disable()
        for i in range(count):
            began, used = time.perf_counter(), time.process_time()
            fmu.doStep(i * step, step)
            wall.append(time.perf_counter() - began)
            processor.append(time.process_time() - used)
        gc.enable()
        fmu.terminate()
        fmu.freeInstance()
        shutil.rmtree(unzipped, ignore_errors=True)
    return np.array(wall), np.array(processor)


def row(name: str, step: float, most: str, wall: np.ndarray, processor: np.ndarray) -> str:
    median, high, longest = 1e6 * np.median(wall), 1e6 * np.quantile(wall, 0.99), 1e6 * wall.max()
    missed = np.mean(wall > DEADLINE)
    return f"{name:27}{step:7g}{len(wall):7}{most:>12}{median:11.0f}{high:8.0f}{longest:9.0f}{1e6 * processor.mean():11.0f}{missed:17.2%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=2000, help="of each mechanism (default: 2000; of the seven bodies 300 at most)")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--exported", nargs="*", choices=SYSTEMS, default=["seven bodies", "chain of 10"], help="as FMUs in FMPy too")
    arguments = parser.parse_args()
    print(
        f"{'mechanism':27}{'step':>7}{'steps':>7}{'iterations':>12}{'us a step':>11}{'99 %':>8}{'longest':>9}{'processor':>11}{'missed at 1 kHz':>17}"
    )
    for name in arguments.systems:
        make, step = SYSTEMS[name]
        count = min(arguments.steps, 300) if name == "seven bodies" else arguments.steps
        for way, evaluation in (("", "auto"), (", FMUs called", "fmus")):
            wall, processor, most = measure(make(), step, count, evaluation=evaluation)
            print(row(name + way, step, str(most), wall, processor), flush=True)
        for fmi in (2, 3) if name in arguments.exported else ():
            wall, processor = measure_exported(make(), step, count, fmi)
            print(row(f"{name}, FMI {fmi}, FMPy", step, "", wall, processor), flush=True)


if __name__ == "__main__":
    main()
