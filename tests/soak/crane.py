"""The hydraulic crane as co-simulation, with a valve that crashes at random, and is restarted: again and again, with the same bits and nothing left."""

from __future__ import annotations

import gc
import importlib.util
import os
import subprocess
import tempfile
import time
import zipfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from coupling import Result, System
from coupling.plan.definition import define_instance
from fmu_components.catalogue import all_components
from fmu_components.export.build import cached_fmu
from fmu_components.export.compile import FLAGS
from tests.support.foreign.archive import kept
from tests.support.kernel.processes import children, shared_memories

ONE_IN = 4000
"""Of so many steps the valve survives all but one."""
STOP = 10.0

_CRASHES = f"""
#include "fmi2Functions.h"
fmi2Status whole_step(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean last)
{{
    if (__builtin_ia32_rdtsc() / 16 % {ONE_IN} == 0)
        __builtin_trap();
    return whole_step(c, t, h, last);
}}
"""


def valve_that_crashes() -> Path:
    """Made of the valve's own sources, so that it gives the same bits as long as it lives."""
    original = cached_fmu(all_components()["hydraulic.ProportionalValve43"], 2)

    def make(path: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(original) as archive, zipfile.ZipFile(path, "w") as made:
            sources = [archive.extract(name, scratch) for name in archive.namelist() if name.startswith("sources/")]
            (Path(scratch) / "sources" / "crashes.c").write_text(_CRASHES)
            binary = next(name for name in archive.namelist() if name.endswith(".so"))
            library = Path(scratch) / Path(binary).name
            flags, folder = [each for each in FLAGS if not each.startswith("-W")], Path(scratch) / "sources"
            inner, step = library.with_name("inner.o"), str(folder / "crashes.c")
            own = [each for each in sources if each.endswith(".c")]
            subprocess.run(["gcc", *flags, f"-I{folder}", "-Dfmi2DoStep=whole_step", "-r", "-nostdlib", "-o", str(inner), *own], check=True)
            subprocess.run(["gcc", *flags, f"-I{folder}", "-shared", "-o", str(library), str(inner), step, "-lm"], check=True)
            for name in archive.namelist():
                made.writestr(name, library.read_bytes() if name == binary else archive.read(name))

    return kept("Valve", f"{original.read_bytes()!r}{_CRASHES}", make)


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
    return system.simulate(STOP, communication_step=example().STEP, extrapolation=2, output_interval=0.02, **options)


class Held(NamedTuple):
    """What a process has."""

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
    """After the first runs."""
    after: Held


def soak(minutes: float, folder: Path, **options: Any) -> Found:
    """Runs for so long; each has the bits of the crane that nothing happens to."""
    undisturbed = run(example().system())
    machine = with_valve(valve_that_crashes(), **options.pop("adding", {}))
    end, runs, restarts, before = time.monotonic() + 60 * minutes, 0, 0, held()
    while time.monotonic() < end or runs < 5:
        result = run(machine, checkpoint=folder / "crane.ckpt", checkpoint_interval=0.02, on_crash="restart", max_restarts=10_000, **options)
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
    before, found, after = warning.partition("the run was restarted ")
    return [] if not found else ["1"] if after.startswith("once") else [after.split()[0]]
