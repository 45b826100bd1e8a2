"""The hydraulic crane as co-simulation, with a valve that crashes at random, and is restarted: again and again, with the same bits and nothing left."""

from __future__ import annotations

import gc
import importlib.util
import os
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from coupling import Checkpoint, Isolation, Result, Scheme, System
from coupling.plan.definition import define_instance
from tests.support.kernel.processes import children, shared_memories
from tests.support.runtime.with_code import with_code

ONE_IN = 2000
"""Number of steps of which the valve fails in one."""
STOP = 3.0

_CRASHES = f"if (__builtin_ia32_rdtsc() / 16 % {ONE_IN} == 0) __builtin_trap();"


def valve_that_crashes() -> Path:
    """It gives the bits of a valve that does not, as long as it lives."""
    return with_code("hydraulic.ProportionalValve43", "fmi2DoStep", _CRASHES)


@cache
def example() -> ModuleType:
    path = Path(__file__).parents[2] / "examples" / "06_hydraulic_crane.py"
    spec = importlib.util.spec_from_file_location("hydraulic_crane", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_valve(fmu: Path, **options: Any) -> System:
    """The crane with another valve."""
    definition = example().system().definition
    valve = next(each for each in definition.instances if each.name == "valve")
    other = define_instance("valve", fmu, dict(valve.start), "cs", **options)
    return System.of(replace(definition, instances=tuple(other if each.name == "valve" else each for each in definition.instances)))


def run(system: System, **options: Any) -> Result:
    return system.simulate(STOP, communication_step=example().STEP, scheme=Scheme(extrapolation=2), output_interval=0.02, **options)


class Held(NamedTuple):
    """The resources that a process holds."""

    memory: int
    """Bytes that are resident."""
    files: int
    processes: int
    shared: int


def held() -> Held:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Held(pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir("/proc/self/fd")), len(children()), shared_memories())


class Found(NamedTuple):
    runs: int
    restarts: int
    before: Held
    """Resources after the first runs."""
    after: Held


def soak(minutes: float, folder: Path, isolate: str = "none", process: str | None = None) -> Found:
    """Runs for so long; each has the bits of the crane that nothing happens to."""
    undisturbed = run(example().system())
    machine = with_valve(valve_that_crashes(), process=process)
    end, runs, restarts, before = time.monotonic() + 60 * minutes, 0, 0, held()
    while time.monotonic() < end or runs < 5:
        result = run(
            machine,
            checkpoint=Checkpoint(path=folder / "crane.ckpt", interval=0.02),
            isolate=Isolation(which=isolate, on_crash="restart", max_restarts=10_000),
        )
        assert result.outcome.completed, result.outcome
        assert np.array_equal(result.time, undisturbed.time)
        assert np.array_equal(result.values, undisturbed.values), f"run {runs + 1} has other values"
        restarts += sum(int(word) for each in result.outcome.warnings for word in _times(each))
        runs += 1
        del result
        if runs == 3:
            before = held()
    return Found(runs, restarts, before, held())


def _times(warning: str) -> list[str]:
    _, found, after = warning.partition("the run was restarted ")
    return [] if not found else ["1"] if after.startswith("once") else [after.split()[0]]
