"""Cost of stepping a run from Python: seven bodies advanced by 1 ms, with one input that is set and three values that are read.

The integration itself is a run of ``simulate`` with the same input as a table and the same rows, which is subtracted. FMPy steps the
exported mechanism. MuJoCo steps a chain of seven bodies without loops, by one step of its own in 1 ms: it shows the cost of a call. Times
are those of the processor, the least of several repetitions.
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse
import cProfile
import math
import pstats
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from runs import example

from coupling import System

INPUT, OUTPUTS = "drive.effort", ("link1.theta", "link1.omega", "link7.theta")
PIECE = 1e-3
"""Seconds of a piece."""


def torques(pieces: int) -> np.ndarray:
    """Returns a torque in N.m for each piece, near that of the handbook."""
    return 0.033 + 1e-3 * np.sin(np.arange(pieces))


def each(run: Callable[[np.ndarray], float], pieces: int, repetitions: int) -> float:
    """Returns the time of a piece in us: the difference of runs over twice as many pieces and over so many, without start and end."""
    few, many = (min(run(torques(count)) for _ in range(repetitions)) for count in (pieces, 2 * pieces))
    return 1e6 * (many - few) / pieces


def seven_bodies() -> System:
    system: System = example("03_seven_body_mechanism").system()
    return system


def in_pieces(system: System, inputs: np.ndarray, by_name: bool) -> float:
    """Returns the processor time of all pieces, in s."""
    with system.start(inputs=[INPUT], outputs=list(OUTPUTS), evaluation="compiled") as run:
        if not by_name:
            run.signals(inputs=[INPUT], outputs=OUTPUTS)
        began = time.process_time()
        for value in inputs:
            if by_name:
                run[INPUT] = float(value)
                run.advance(PIECE)
                run[OUTPUTS]
            else:
                run.advance(PIECE, (value,))
        return time.process_time() - began


def by_simulate(system: System, inputs: np.ndarray) -> float:
    """Returns the processor time of one run of ``simulate`` with the same input and rows, in s."""
    stop = PIECE * len(inputs)
    rows = [(PIECE * (i + end), value) for i, value in enumerate(inputs) for end in (0, 1)]
    times = PIECE * np.arange(len(inputs) + 1)
    times[-1] = stop
    began = time.process_time()
    result = system.simulate(stop, drives={INPUT: rows}, output_times=times, outputs=list(OUTPUTS), evaluation="compiled")
    assert result.outcome.completed
    return time.process_time() - began


def by_fmpy(path: Path, inputs: np.ndarray) -> float:
    """Returns the processor time of the same by FMPy and the exported Co-Simulation FMU, in s."""
    import fmpy
    from fmpy.fmi2 import FMU2Slave

    description = fmpy.read_model_description(str(path))
    references = {each.name: each.valueReference for each in description.modelVariables}
    with TemporaryDirectory() as folder:
        unpacked = fmpy.extract(str(path), unzipdir=folder)
        slave = FMU2Slave(
            guid=description.guid, unzipDirectory=unpacked, modelIdentifier=description.coSimulation.modelIdentifier, instanceName="seven"
        )
        slave.instantiate()
        slave.setupExperiment(startTime=0.0)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        given, read = [references[INPUT]], [references[each] for each in OUTPUTS]
        began = time.process_time()
        for i, value in enumerate(inputs):
            slave.setReal(given, [value])
            slave.doStep(currentCommunicationPoint=PIECE * i, communicationStepSize=PIECE)
            slave.getReal(read)
        spent = time.process_time() - began
        slave.terminate()
        slave.freeInstance()
    return spent


def by_mujoco(inputs: np.ndarray) -> float:
    """Returns the processor time of as many steps of MuJoCo, in s; not a number without it."""
    try:
        import mujoco
    except ImportError:
        return math.nan
    body = "".join('<body pos="0.1 0 0"><joint axis="0 0 1"/><geom size=".01" fromto="0 0 0 .1 0 0" type="capsule"/>' for _ in range(7))
    text = f'<mujoco><option timestep="{PIECE}"/><worldbody>{body}{"</body>" * 7}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    began = time.process_time()
    for value in inputs:
        data.qfrc_applied[0] = value
        mujoco.mj_step(model, data)
        data.qpos[:3].copy()
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pieces", type=int, default=100)
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--profile", action="store_true", help="print the functions of Python that take the time")
    chosen = parser.parse_args()
    system = seven_bodies()
    if chosen.profile:
        profile = cProfile.Profile()
        profile.runcall(in_pieces, system, torques(5 * chosen.pieces), False)
        pstats.Stats(profile).sort_stats("tottime").print_stats(15)
        return
    by_simulate(system, torques(2)), in_pieces(system, torques(2), False)  # builds all that lasts
    with TemporaryDirectory() as folder:
        free = System.of(replace(seven_bodies().definition, drives=()))
        path = free.export_fmu(Path(folder) / "seven.fmu", platforms=["linux64"], inputs=[INPUT], outputs=list(OUTPUTS))
        runs = {
            "simulate, the same input as a table": lambda inputs: by_simulate(system, inputs),
            "advance(dt, values)": lambda inputs: in_pieces(system, inputs, False),
            "by names": lambda inputs: in_pieces(system, inputs, True),
            "FMPy, exported FMU": lambda inputs: by_fmpy(Path(path), inputs),
            "MuJoCo, mj_step of a chain": by_mujoco,
        }
        print(f"us a piece of {PIECE:g} s")
        base = 0.0
        for name, run in runs.items():
            found = each(run, chosen.pieces, chosen.repetitions)
            base = base or found
            beyond = f" {found - base:+8.1f} beyond the integration" if "advance" in name or "names" in name else ""
            print(f"{name:40} {found:8.1f}{beyond}" if math.isfinite(found) else f"{name:40} skipped: it is not installed")


if __name__ == "__main__":
    main()
