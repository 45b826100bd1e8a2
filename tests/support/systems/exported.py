"""Systems as exported FMUs, for tests; each is exported once."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from coupling import System
from tests.support.oracles.planar import DoublePendulum, FourBar, Pendulum, SliderCrank
from tests.support.systems.blocks import four_bar, limbs
from tests.support.systems.systems import system_of
from tests.support.systems.zoo import geared, rolling, springs

Drive = Callable[[float], float]


@dataclass(frozen=True)
class Case:
    """A system that can be exported, and the same with its open inputs driven by functions of time."""

    system: Callable[[], System]
    open: Callable[[], System] | None = None
    inputs: Mapping[str, Drive] = field(default_factory=dict)

    @property
    def exportable(self) -> System:
        return (self.open or self.system)()


CASES = {
    "pendulum": Case(lambda: system_of(Pendulum(angle=0.3, speed=1.0))),
    "double pendulum": Case(lambda: system_of(DoublePendulum())),
    "slider-crank": Case(lambda: system_of(SliderCrank(angle=0.3, speed=1.0, stiffness=30.0, rest=1.0, torque=0.4))),
    "four-bar": Case(lambda: system_of(FourBar(angle=0.9, speed=1.0))),
    "springs": Case(springs, lambda: springs(False), {"push.force": lambda t: math.sin(3 * t)}),
    "rolling": Case(
        rolling,
        lambda: rolling(False),
        {"relative.velocity": lambda t: 0.3 * math.sin(t), "relative.velocity.rate": lambda t: 0.3 * math.cos(t)},
    ),
    "geared": Case(geared),
    "limbs": Case(limbs, lambda: limbs(False), {"rod5.torque": lambda t: math.sin(3 * t)}),
    "four-bar of blocks": Case(lambda: four_bar(True)),
}


@cache
def exported(name: str, fmi: int, **options: Any) -> Path:
    """The FMU of a case."""
    case = CASES[name]
    return export(case.exportable, fmi, inputs=tuple(case.inputs), initial="relax", **options)


def export(system: System, fmi: int = 2, **options: Any) -> Path:
    """An FMU for this machine in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="exported-", dir=_root()))
    arguments = {"platforms": ["linux64"]} | {name: list(v) if isinstance(v, tuple) else v for name, v in options.items()}
    return system.export_fmu(folder / f"fmi{fmi}.fmu", fmi=fmi, **arguments)


@cache
def _root() -> Path:
    root = tempfile.TemporaryDirectory(prefix="mechanisms-")
    _kept.append(root)
    return Path(root.name)


_kept: list[tempfile.TemporaryDirectory[str]] = []
