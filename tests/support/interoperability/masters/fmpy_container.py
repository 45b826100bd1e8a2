"""The container of FMPy: one FMU that has the others in it and steps them; FMPy runs it."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np
from attrs import evolve
from fmpy.model_description import CoSimulation, DefaultExperiment, ModelDescription, ModelVariable, Unknown

from tests.support.interoperability.assembly import Assembly, Recording


def run(assembly: Assembly, fmi: int, folder: Path) -> Recording:
    file = make(assembly, fmi, folder)
    result = fmpy.simulate_fmu(
        str(file),
        fmi_type="CoSimulation",
        stop_time=assembly.stop,
        output_interval=assembly.step,
        output=[outside(name) for name in assembly.outputs],
    )
    return Recording(np.asarray(result["time"]), {name: np.asarray(result[outside(name)]) for name in assembly.outputs})


def outside(name: str) -> str:
    """Returns the name of a recorded variable outside of the container: its own name may be that of a start value already."""
    return f"recorded.{name}"


def make(assembly: Assembly, fmi: int, folder: Path) -> Path:
    """Every start value is a parameter or an input of the container, every recorded variable an output."""
    from fmpy.container_fmu.cli import create_container_fmu
    from fmpy.container_fmu.config import Component, Configuration, Connection

    components, variables = {}, {}
    for name, part in assembly.parts.items():
        description = fmpy.read_model_description(str(part.fmu(fmi)))
        components[name] = Component(name, part.fmu(fmi), description)
        variables[name] = {variable.name: variable for variable in description.modelVariables}
    real = {2: "Real", 3: "Float64"}[fmi]
    mappings = {}
    for name, part in assembly.parts.items():
        for variable, value in part.start.items():
            inside = variables[name][variable]
            boolean = isinstance(value, bool)
            exposed = ModelVariable(
                name=f"{name}.{variable}",
                type="Boolean" if boolean else real,
                causality="input" if inside.causality == "input" else "parameter",
                variability="continuous" if inside.causality == "input" else "fixed",
                initial=None if inside.causality == "input" else "exact",
                start=str(value).lower(),
            )
            mappings[exposed] = [(components[name], inside)]
        for variable in assembly.recorded(name):
            exposed = ModelVariable(
                name=outside(f"{name}.{variable}"), type=real, causality="output", variability="continuous", initial="calculated"
            )
            mappings[exposed] = [(components[name], variables[name][variable])]
    time = ModelVariable(name="time", type=real, causality="independent", variability="continuous")
    outputs = [Unknown(variable=variable) for variable in mappings if variable.causality == "output"]
    container = ModelDescription(
        fmiVersion=f"{fmi}.0",
        modelName="Container",
        instantiationToken="",
        defaultExperiment=DefaultExperiment(stopTime=str(assembly.stop), stepSize=str(assembly.step)),
        coSimulation=CoSimulation(fixedInternalStepSize=assembly.step),
        modelVariables=[time, *mappings],
        outputs=outputs,
        initialUnknowns=outputs,
    )
    # The type is written into the container's configuration, whose reader knows only the names of FMI 3.
    connections = [
        Connection(components[giver], [evolve(variables[giver][output], type="Float64")], components[taker], [variables[taker][input]])
        for giver, output, taker, input in assembly.link()
    ]
    unpacked = folder / "container"
    unpacked.mkdir()
    file = folder / "container.fmu"
    create_container_fmu(Configuration(False, container, list(components.values()), connections, mappings), unpacked, file)
    return file
