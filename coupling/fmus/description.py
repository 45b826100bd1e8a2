"""An FMU of FMI 2.0 or 3.0 as it describes itself, whatever tool it comes from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from coupling.fmus.archive import file_stamp, find_library, platform_folders, unpacked
from coupling.fmus.errors import FmuError
from coupling.fmus.interface import Interface
from coupling.fmus.manifest import Dae
from coupling.fmus.structure import Structure
from coupling.fmus.terminals import Terminal
from coupling.fmus.units import Unit
from coupling.fmus.variables import Variable

_KINDS = {"me": "Model Exchange", "cs": "Co-Simulation"}


@dataclass(frozen=True, eq=False)
class Fmu:
    """An FMU as its files describe it; :func:`coupling.fmus.load` makes one."""

    path: Path
    version: int
    model_name: str
    description: str
    token: str
    """The guid of FMI 2, the instantiation token of FMI 3."""
    generation_tool: str
    variables: Mapping[str, Variable] = field(repr=False)
    """By name, in the order of the file; an alias of FMI 3 follows its variable."""
    by_reference: Mapping[int, Variable] = field(repr=False)
    """The first of aliases; in FMI 2, where each type has value references of its own, reals go before others."""
    time: int | None
    """Value reference of the independent variable."""
    states: tuple[int, ...]
    """Value references of the continuous states, in the order of their derivatives."""
    structure: Structure = field(repr=False)
    dae: Dae | None = field(repr=False)
    terminals: Mapping[str, Terminal] = field(repr=False)
    units: Mapping[str, Unit] = field(repr=False)
    """Every unit that a variable has, by its name."""
    model_exchange: Interface | None
    co_simulation: Interface | None
    default_stop_time: float | None
    tolerance: float | None
    notes: tuple[str, ...]
    """Sentences on what a user should know; the FMU can be used all the same."""
    stamp: tuple[int, int] = field(repr=False)
    """Size and time of change of the file as it was read."""

    def interface(self, kind: str) -> Interface:
        """What the FMU offers for a ``kind``, ``me`` or ``cs``."""
        if kind not in _KINDS:
            raise FmuError(f"'{self.path}' cannot run as '{kind}'; choose 'me' (Model Exchange) or 'cs' (Co-Simulation)")
        offered = {"me": self.model_exchange, "cs": self.co_simulation}
        found = offered[kind]
        if found is None:
            others = [f"{_KINDS[k]}, kind '{k}'" for k, interface in offered.items() if interface is not None]
            hint = f"it offers {others[0]}: choose that, or export it" if others else "export it"
            raise FmuError(f"'{self.path}' has no interface for {_KINDS[kind]}; {hint} for {_KINDS[kind]}")
        return found

    def library(self, interface: Interface | str) -> Path:
        """The unpacked binary for this platform, for an interface or its kind; it lasts as long as the process."""
        identifier = (self.interface(interface) if isinstance(interface, str) else interface).identifier
        return find_library(self.path, self._folder, self.version, identifier)

    @cached_property
    def resources(self) -> str | None:
        """Where the FMU finds its resources, as instantiation wants it: in FMI 2 an address, in FMI 3 a folder where there is one."""
        folder = self._folder / "resources"
        if self.version == 2:
            folder.mkdir(exist_ok=True)  # FMI 2 has no way to say that there is none
            return folder.as_uri()
        return f"{folder}{os.sep}" if folder.is_dir() else None

    @cached_property
    def sha256(self) -> str:
        """The digest of the file's content."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    @property
    def unchanged(self) -> bool:
        """Whether the file is still there as it was read."""
        try:
            return file_stamp(self.path) == self.stamp
        except OSError:
            return False

    @cached_property
    def _folder(self) -> Path:
        try:
            now = file_stamp(self.path)
        except OSError:
            raise FmuError(f"'{self.path}' is no longer there; put it back, or load it from where it is now") from None
        if now != self.stamp:
            raise FmuError(f"'{self.path}' has changed since it was read; load it again")
        return unpacked(self.path, platform_folders(self.version))
