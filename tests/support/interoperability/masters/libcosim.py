"""libcosim: fixed steps, all outputs passed on between them; times are counted in nanoseconds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.support.interoperability.assembly import Assembly, Recording, split


def run(assembly: Assembly, fmi: int, folder: Path) -> Recording:
    from libcosimpy._internal import get_last_error_message
    from libcosimpy.CosimEnums import CosimVariableType
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    log_output_level(CosimLogLevel.FATAL)
    execution = CosimExecution.from_step_size(round(1e9 * assembly.step))
    numbers, references = {}, {}
    for name, part in assembly.parts.items():
        slave = CosimLocalSlave(str(part.fmu(fmi)), name)
        if not slave.ptr():  # what add_local_slave does not look at before it ends the process
            raise RuntimeError(get_last_error_message())
        number = numbers[name] = execution.add_local_slave(slave)
        references[name] = {variable.name.decode(): variable.reference for variable in execution.slave_variables(number)}
        for variable, value in part.start.items():
            initial_value = execution.boolean_initial_value if isinstance(value, bool) else execution.real_initial_value
            if not initial_value(number, references[name][variable], value):
                raise RuntimeError(get_last_error_message())
    for giver, output, taker, input in assembly.link():
        if execution.connect_real_variables(numbers[giver], references[giver][output], numbers[taker], references[taker][input]):
            raise RuntimeError(get_last_error_message())
    # The last of the samples is never given, hence one step more.
    observer = CosimObserver.create_time_series(assembly.steps + 2)
    execution.add_observer(observer)
    for name in assembly.outputs:
        instance, variable = split(name)
        observer.start_time_series(numbers[instance], references[instance][variable], CosimVariableType.REAL)
    if not execution.step(assembly.steps + 1):
        raise RuntimeError(get_last_error_message())
    recorded = {}
    for name in assembly.outputs:
        instance, variable = split(name)
        times, _, values = observer.time_series_real_samples(numbers[instance], references[instance][variable], 0, assembly.steps + 2)
        recorded[name] = np.array(values)
    return Recording(1e-9 * np.array(times), recorded)
