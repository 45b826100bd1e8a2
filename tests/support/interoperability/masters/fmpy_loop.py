"""FMPy's slaves, one object for each instance, in a loop of our own: at each point all outputs are passed on, then all instances step."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import numpy as np

from tests.support.interoperability.assembly import Assembly, Recording, split
from tests.support.runtime.driver import Driver


def run(assembly: Assembly, fmi: int, folder: Path) -> Recording:
    with ExitStack() as stack:
        instances = {name: stack.enter_context(Driver(part.fmu(fmi), "cs", name)) for name, part in assembly.parts.items()}
        for name, part in assembly.parts.items():
            instances[name].start(part.start)
        method = {2: "Real", 3: "Float64"}[fmi]
        passed = []  # getter, references, setter, references; one for each pair of instances that is connected
        for pair in dict.fromkeys((giver, taker) for giver, _, taker, _ in assembly.link()):
            both = [(output, input) for giver, output, taker, input in assembly.link() if (giver, taker) == pair]
            giver, taker = (instances[name] for name in pair)
            passed.append(
                (
                    getattr(giver.fmu, f"get{method}"),
                    [giver.reference(output) for output, _ in both],
                    getattr(taker.fmu, f"set{method}"),
                    [taker.reference(input) for _, input in both],
                )
            )
        recorded = {name: np.empty(assembly.steps + 1) for name in assembly.outputs}
        for point, time in enumerate(assembly.times):
            for name, values in recorded.items():
                instance, variable = split(name)
                values[point] = instances[instance][variable]
            if point == assembly.steps:
                break
            for values, setter, references in [(get(given), setter, taken) for get, given, setter, taken in passed]:
                setter(references, values)
            for instance in instances.values():
                instance.step(time, assembly.step)
    return Recording(assembly.times, recorded)
