"""The container of fmu-manipulation-toolbox: one FMU that has the others in it and steps them; FMPy runs it."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

import fmpy
import numpy as np

from tests.support.interoperability.assembly import Assembly, Recording


def run(assembly: Assembly, fmi: int, folder: Path) -> Recording:
    return _run(assembly, fmi, folder, sequential=False)


def sequential(assembly: Assembly, fmi: int, folder: Path) -> Recording:
    """Steps the parts one after the other in their order, each with the results of those before it."""
    return _run(assembly, fmi, folder, sequential=True)


def outside(name: str) -> str:
    """Returns the name of a recorded variable outside of the container, which gives its own name to the link, where one exists."""
    return f"recorded.{name}"


def _run(assembly: Assembly, fmi: int, folder: Path, sequential: bool) -> Recording:
    from fmu_manipulation_toolbox.container import FMUContainer

    container = FMUContainer("Container", folder, fmi_version=fmi)
    for name, part in assembly.parts.items():
        copyfile(part.fmu(fmi), folder / f"{name}.fmu")
        container.get_fmu(f"{name}.fmu")
    for giver, output, taker, input in assembly.link():
        container.add_link(f"{giver}.fmu", output, f"{taker}.fmu", input)
    for name, part in assembly.parts.items():
        for variable, value in part.start.items():
            container.add_start_value(f"{name}.fmu", variable, value)
        for variable in assembly.recorded(name):
            container.add_output(f"{name}.fmu", variable, outside(f"{name}.{variable}"))
    container.make_fmu("container.fmu", step_size=assembly.step, sequential=sequential)
    result = fmpy.simulate_fmu(
        str(folder / "container.fmu"),
        fmi_type="CoSimulation",
        stop_time=assembly.stop,
        output_interval=assembly.step,
        output=[outside(name) for name in assembly.outputs],
    )
    return Recording(np.asarray(result["time"]), {name: np.asarray(result[outside(name)]) for name in assembly.outputs})
