"""Tasks of a master: FMU instances with start values, connections of single variables, and the outputs to record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from operator import itemgetter
from pathlib import Path

import numpy as np

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from fmu_components.declare.ports import Side
from fmu_components.export.build import cached_fmu


@dataclass(frozen=True)
class Part:
    """An instance. ``fmu`` gives the file for an FMI version, therefore an FMU from anywhere is a part too."""

    fmu: Callable[[int], Path]
    start: Mapping[str, float | bool] = field(default_factory=dict)


@cache
def _catalogue_fmu(component: str, fmi: int) -> Path:
    return cached_fmu(find(component), fmi)


def part(component: str, start: Mapping[str, float | bool] | None = None) -> Part:
    """A component of the catalogue."""
    return Part(partial(_catalogue_fmu, component), start or {})


@dataclass(frozen=True)
class Assembly:
    """Parts by name; connections from an output to an input; a variable is ``instance.variable``."""

    parts: Mapping[str, Part]
    connections: Sequence[tuple[str, str]]
    step: float
    stop: float
    outputs: Sequence[str]

    @property
    def steps(self) -> int:
        return round(self.stop / self.step)

    @property
    def times(self) -> np.ndarray:
        return self.step * np.arange(self.steps + 1)

    def recorded(self, instance: str) -> list[str]:
        """The variables of an instance that are recorded."""
        return [variable for owner, variable in map(split, self.outputs) if owner == instance]

    def link(self) -> list[tuple[str, str, str, str]]:
        """The connections, as instance, output, instance, input."""
        return [(*split(source), *split(target)) for source, target in self.connections]


def split(name: str) -> tuple[str, str]:
    """Instance and variable."""
    instance, _, variable = name.partition(".")
    return instance, variable


@dataclass(frozen=True)
class Recording:
    """The values that a master has recorded, by ``instance.variable``."""

    time: np.ndarray
    values: Mapping[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]


def assembly(
    components: Mapping[str, tuple[str, Mapping[str, float | bool]]],
    connections: Sequence[tuple[str, str]],
    step: float,
    stop: float,
    outputs: Sequence[str],
) -> Assembly:
    """Builds an assembly of components of the catalogue by name, each with its start values. Connections join ports, or an output and an
    input."""
    parts = {name: part(component, start) for name, (component, start) in components.items()}
    single = [pair for ends in connections for pair in _variables(ends, {name: component for name, (component, _) in components.items()})]
    # Motions come before efforts: a master that passes on one value after the other then computes efforts from motions of one time.
    return Assembly(parts, [(source, target) for _, source, target in sorted(single, key=itemgetter(0))], step, stop, outputs)


def _variables(ends: tuple[str, str], components: Mapping[str, str]) -> list[tuple[bool, str, str]]:
    """The variables of two ports, each from who gives it to who takes it, efforts marked; or what is a pair of variables already."""
    made = []
    for here, there in (ends, ends[::-1]):
        instance, name = split(here)
        for port in declaration(find(components[instance])).ports:
            if port.name == name:
                effort = port.side is Side.EFFORT
                made += [(effort, f"{here}.{quantity.name}", f"{there}.{quantity.name}") for quantity in port.kind.given_by(port.side)]
    return made or [(False, *ends)]
