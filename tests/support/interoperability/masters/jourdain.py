"""Master of this library with communication steps and held inputs: joints too are Co-Simulation FMUs, hence compliant."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np

from coupling import Scheme, System
from tests.support.interoperability.assembly import Assembly, Recording


def run(assembly: Assembly, fmi: int, folder: Path) -> Recording:
    system = System("assembly")
    taken = {target for _, target in assembly.connections}
    for name, part in assembly.parts.items():
        description = fmpy.read_model_description(str(part.fmu(fmi)))
        inputs = {variable.name: variable.start for variable in description.modelVariables if variable.causality == "input"}
        system.add(name, part.fmu(fmi), {variable: value for variable, value in part.start.items() if variable not in inputs}, kind="cs")
        # An open port is taken for a mistake, so that what is to keep its start value is driven; multipliers belong to no port.
        for variable, start in inputs.items():
            if f"{name}.{variable}" not in taken and not variable.startswith("lambda["):
                system.drive(f"{name}.{variable}", float(part.start.get(variable, start)))
    for source, target in assembly.connections:
        system.connect(source, target)
    result = system.simulate(
        stop_time=assembly.stop,
        communication_step=assembly.step,
        scheme=Scheme(extrapolation=0),
        output_times=assembly.times,
        outputs=list(assembly.outputs),
        initial="relax",
    )
    if not result.outcome.completed:
        raise RuntimeError(result.outcome.sentence)
    # Behind an event there is a second row for the same time; and events inside of steps have rows of their own.
    rows = np.searchsorted(result.time, assembly.times + 1e-6 * assembly.step) - 1
    return Recording(result.time[rows], {name: result[name][rows] for name in assembly.outputs})
