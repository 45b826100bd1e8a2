"""FMPy's ``simulate_fmu``: one FMU, in Model Exchange with FMPy's own integration, or in Co-Simulation."""

from __future__ import annotations

from pathlib import Path

import fmpy
import numpy as np

from tests.support.interoperability.assembly import Assembly, Recording


def model_exchange(assembly: Assembly, fmi: int, folder: Path) -> Recording:
    return _simulate(assembly, fmi, "ModelExchange", relative_tolerance=1e-9)


def co_simulation(assembly: Assembly, fmi: int, folder: Path) -> Recording:
    return _simulate(assembly, fmi, "CoSimulation")


def _simulate(assembly: Assembly, fmi: int, kind: str, **options: float) -> Recording:
    if len(assembly.parts) > 1:
        raise ValueError("simulate_fmu runs one FMU")
    ((name, part),) = assembly.parts.items()
    outputs = assembly.recorded(name)
    result = fmpy.simulate_fmu(
        str(part.fmu(fmi)),
        fmi_type=kind,
        stop_time=assembly.stop,
        output_interval=assembly.step,
        start_values=dict(part.start),
        output=outputs,
        record_events=False,
        **options,
    )
    return Recording(np.asarray(result["time"]), {f"{name}.{variable}": np.asarray(result[variable]) for variable in outputs})
