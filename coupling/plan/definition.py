"""What users put together, as data: it can be copied, compared, pickled, and built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from coupling.fmus import Fmu, FmuError, load
from coupling.plan.drives import Drive, PolynomialDrive

Value = float | int | bool | str
Name = tuple[str, str]
"""An instance and a variable of it."""


@dataclass(frozen=True, eq=False)
class FmuFile:
    """An FMU that is compared by its content, and pickled as its path."""

    fmu: Fmu

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FmuFile) and (self.fmu is other.fmu or self._key == other._key)

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def private(self) -> bool:
        """Whether it is unpacked into a folder of its own, since it writes there."""
        return self.fmu.private

    @property
    def _key(self) -> tuple[str, bool]:
        return self.fmu.sha256, self.private

    def __reduce__(self) -> tuple[Callable[[Path, str, bool], FmuFile], tuple[Path, str, bool]]:
        return _found_again, (self.fmu.path, self.fmu.sha256, self.private)


def _found_again(path: Path, sha256: str, private: bool) -> FmuFile:
    """Reads an FMU where it was; refuses another one that has taken its place."""
    fmu = load(path, private)
    if fmu.sha256 != sha256:
        raise FmuError(f"'{path}' is another FMU than it was when the system was defined; put the old one back, or define the system anew")
    return FmuFile(fmu)


@dataclass(frozen=True)
class InstanceDefinition:
    """One instance as its user adds it."""

    name: str
    fmu: FmuFile
    """For Model Exchange where there is a choice."""
    stepped: FmuFile
    """For Co-Simulation; of most FMUs it is the same file."""
    start: tuple[tuple[str, Value], ...] = ()
    kind: str | None = None
    """``me``, ``cs``, or what suits the run."""


@dataclass(frozen=True)
class Definition:
    """A whole system."""

    name: str
    instances: tuple[InstanceDefinition, ...] = ()
    connections: tuple[tuple[str, str], ...] = ()
    """By the names of ports and variables."""
    drives: tuple[tuple[str, Drive], ...] = ()
    unknown_accelerations: tuple[str, ...] = ()
    """Inputs of rigid couplings that are told no acceleration, which implicit schemes alone can do without."""

    def opened(self, inputs: Sequence[tuple[str, float]]) -> Definition:
        """Without kinds, and with these inputs, of variables, left to the caller who runs the system, from the values given."""
        drives = dict(self.drives) | {name: PolynomialDrive(start) for name, start in inputs}
        instances = tuple(replace(each, kind=None) for each in self.instances)
        return replace(self, instances=instances, drives=tuple(drives.items()))
