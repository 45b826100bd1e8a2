"""ecos: fixed steps, all outputs passed on between them."""

from __future__ import annotations

import ctypes
import importlib.metadata
from functools import cache
from pathlib import Path

import numpy as np

from tests.support.interoperability.assembly import Assembly, Recording


@cache
def load() -> None:
    """Its library needs that of TBB, which a wheel puts where the loader does not look."""
    tbb = next(file for file in importlib.metadata.files("tbb") or () if file.name == "libtbb.so.12")
    ctypes.CDLL(str(tbb.locate()), ctypes.RTLD_GLOBAL)


def run(assembly: Assembly, fmi: int, folder: Path) -> Recording:
    load()
    from ecospy import EcosLib, EcosSimulation, EcosSimulationStructure

    EcosLib.set_log_level("err")
    with EcosSimulationStructure() as structure:
        for name, part in assembly.parts.items():
            structure.add_model(name, part.fmu(fmi))
        start = {f"{name}::{variable}": value for name, part in assembly.parts.items() for variable, value in part.start.items()}
        structure.add_parameter_set("start", start)
        for giver, output, taker, input in assembly.link():
            structure.make_real_connection(f"{giver}::{output}", f"{taker}::{input}")
        with EcosSimulation(structure=structure, step_size=assembly.step) as simulation:
            if not simulation.init(parameter_set="start"):
                raise RuntimeError(EcosLib.get_last_error())
            identifiers = {name: name.replace(".", "::", 1) for name in assembly.outputs}
            recorded = {name: np.empty(assembly.steps + 1) for name in assembly.outputs}
            for point in range(assembly.steps + 1):
                if point:
                    simulation.step()
                for name, values in recorded.items():
                    values[point] = simulation.get_real(identifiers[name])
            simulation.terminate()
    return Recording(assembly.times, recorded)
