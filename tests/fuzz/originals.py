"""The FMUs that are damaged: components and an exported mechanism, in both versions. Our own, whose binaries refuse what makes no sense."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.runtime.runtime_components import Relay, Sampler
from tests.support.systems.exported import exported


@cache
def originals() -> tuple[Path, ...]:
    components = [find(name) for name in ("planar.Body1", "planar.Revolute", "hydraulic.Cylinder", "signal.PID")]
    found = [cached_fmu(each, fmi) for each in (*components, Relay, Sampler) for fmi in (2, 3)]
    return (*found, exported("pendulum", 2), exported("pendulum", 3))
