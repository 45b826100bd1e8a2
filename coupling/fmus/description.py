"""Description of an FMU of any version and any tool."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from coupling.files import remove
from coupling.fmus.archive import file_stamp, find_library, no_binary, platform_folders, read_members, sha256, unpack
from coupling.fmus.build_description import has_sources, read_recipe
from coupling.fmus.cache import Sharing, folder_of_process, own_folder, shared_folder
from coupling.fmus.compiled import compiled_library
from coupling.fmus.errors import FmuError, Source
from coupling.fmus.interface import Interface
from coupling.fmus.manifest import Dae
from coupling.fmus.structure import Structure
from coupling.fmus.symbols import needs_python
from coupling.fmus.terminals import Terminal
from coupling.fmus.units import Unit
from coupling.fmus.variables import FmuVariable, Settable
from coupling.fmus.views import Element, View, elements_of_vectors

_KINDS = {"me": "Model Exchange", "cs": "Co-Simulation"}


@dataclass(frozen=True, eq=False)
class Fmu:
    """An FMU as its files describe it; :func:`coupling.fmus.load` makes one."""

    path: Path
    version: int
    model_name: str
    description: str
    token: str
    """The guid of FMI 1 and 2, the instantiation token of FMI 3."""
    generation_tool: str
    variables: Mapping[str, FmuVariable] = field(repr=False)
    """Variables by name, in the order of the file; an alias of FMI 3 follows its variable."""
    by_reference: Mapping[int, FmuVariable] = field(repr=False)
    """Variables by reference, the first one of aliases. In FMI 2 each type has its own value references, and reals go before others."""
    time: int | None
    """Settable reference of the independent variable."""
    states: tuple[int, ...]
    """Settable references of the continuous states, in the order of their derivatives."""
    structure: Structure = field(repr=False)
    dae: Dae | None = field(repr=False)
    terminals: Mapping[str, Terminal] = field(repr=False)
    picture: Mapping[str, Any] | None = field(repr=False)
    """Picture of the FMU, as its file describes it."""
    units: Mapping[str, Unit] = field(repr=False)
    """Units of all variables, by name."""
    arrays: Mapping[str, FmuVariable] = field(repr=False)
    """Arrays of numbers as wholes; ``variables`` holds their elements, such as ``A[1,2]``."""
    views: tuple[View, ...] = field(repr=False)
    in_base_units: Mapping[int, int] = field(repr=False)
    """References of real variables in SI base units, by their own references; only variables in other units have one."""
    structural: Mapping[str, Settable] = field(repr=False)
    """Values given to structural parameters."""
    model_exchange: Interface | None
    co_simulation: Interface | None
    scheduled: bool
    """True if the FMU offers Scheduled Execution, which is not supported."""
    default_stop_time: float | None
    tolerance: float | None
    notes: tuple[str, ...]
    """Notes for the user; the FMU can be used in spite of them."""
    stamp: tuple[int, int] = field(repr=False)
    """Size and time of change of the file as it was read."""
    sharing: Sharing = field(repr=False)
    """Processes that use the unpacked files."""
    unfit: str = field(default="", repr=False)
    """Reason why the FMU cannot run in Model Exchange, though it offers it."""
    scaled: Mapping[int, int] = field(default_factory=dict, repr=False)
    """The references of variables by those under which they are seen with a factor and an offset."""
    _kept: list[Path] = field(default_factory=list, init=False, repr=False)
    """Folder with the unpacked files, once it was used."""
    _binaries: dict[str, Path] = field(default_factory=dict, init=False, repr=False)
    """Binaries of this platform by identifiers, once they were asked for."""
    compiled: dict[str, str] = field(default_factory=dict, init=False, repr=False)
    """Notes on binaries that this process has compiled or found compiled, by identifiers."""

    @property
    def is_own(self) -> bool:
        """Returns whether this library wrote it, by its model description: its runtime computes a variable when the variable is read."""
        return self.generation_tool.startswith("Jourdain")

    def interface(self, kind: str) -> Interface:
        """Returns the interface for a ``kind``, ``me`` or ``cs``. A kind that the FMU does not offer raises FmuError."""
        if kind not in _KINDS:
            raise FmuError(f"'{self.path}' cannot run as '{kind}'; choose 'me' (Model Exchange) or 'cs' (Co-Simulation)")
        offered = {"me": self.model_exchange, "cs": self.co_simulation}
        found = offered[kind]
        if found is None:
            others = [f"{_KINDS[k]}, kind '{k}'" for k, interface in offered.items() if interface is not None]
            hint = f"it offers {others[0]}: choose that, or export it" if others else "export it"
            if self.scheduled and not others:
                hint = "it offers Scheduled Execution alone, whose model partitions are activated by an operating system: export it"
            raise FmuError(f"'{self.path}' has no interface for {_KINDS[kind]}; {hint} for {_KINDS[kind]}")
        if kind == "me" and self.unfit:
            raise FmuError(f"{self.unfit}, or run it with kind='cs'")
        return found

    def library(self, interface: Interface | str, sandbox: bool = False) -> Path:
        """Returns the unpacked binary for this platform, for an interface or its kind. It is compiled if the FMU brings only sources;
        ``sandbox``: in a sandbox.

        It lasts as long as the process, that of a private FMU as long as this object.
        """
        identifier = (self.interface(interface) if isinstance(interface, str) else interface).identifier
        known = self._binaries.get(identifier)
        if known is None or not known.is_file():  # the cache may have been emptied by hand
            known = find_library(self.folder, self.version, identifier) or self._compiled(identifier, sandbox)
            self._binaries[identifier] = known
        return known

    def _compiled(self, identifier: str, sandbox: bool) -> Path:
        self.check_sources(identifier)
        sharing = [each for each in (self.model_exchange, self.co_simulation) if each is not None and each.identifier == identifier]
        recipe = read_recipe(Source(self.path, self.generation_tool), self.version, sharing)
        made, note = compiled_library(self.path, self.sha256, self.version, identifier, recipe, sandbox=sandbox)
        self.compiled[identifier] = note
        if self.sharing is Sharing.MACHINE:
            return made
        target = self.folder / made.relative_to(made.parents[2])  # its code may look for files beside it
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, target)
        return target

    def check_sources(self, identifier: str, allowed: bool = True) -> None:
        """Refuses an FMU without a binary for this platform: one without sources, and any if sources are not ``allowed``."""
        if find_library(self.folder, self.version, identifier):
            return
        _, names = read_members(self.path, ())
        if not has_sources(names):
            raise no_binary(self.path, self.version, identifier, names, "export it for this platform")
        if not allowed:
            raise no_binary(self.path, self.version, identifier, names, "allow its sources to be compiled, or export it for this platform")

    @cached_property
    def needs_python(self) -> bool:
        """Says whether its binary takes Python from the process that loads it, as those of PythonFMU do."""
        if self.generation_tool.startswith("PythonFMU"):
            return True
        # A binary that is missing or damaged is refused with its reason when it is loaded.
        with suppress(FmuError, OSError):
            offered = dict.fromkeys(each.identifier for each in (self.model_exchange, self.co_simulation) if each is not None)
            found = (find_library(self.folder, self.version, each) for each in offered)
            return any(needs_python(each) for each in found if each)
        return False

    def seen(self, variable: FmuVariable, in_base: bool) -> int:
        """Returns the reference of a variable as it is, or in base units."""
        return self.in_base_units.get(variable.reference, variable.reference) if in_base else variable.reference

    def own(self, reference: int) -> int:
        """Returns the reference in the lists of the model structure, for a reference that may be in base units."""
        return self._own.get(reference, reference) if self._own else reference

    def place(self, reference: int) -> int:
        """Returns the place of a variable in the C code of a component of this library, where each element of an array has one."""
        array = next((view for view in self.views if view.array and 0 <= reference - view.first < view.size), None)
        return reference if array is None else array.own + reference - array.first

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """Variables that functions of the standard give as elements of vectors; the vectors count more than the variables themselves."""
        lists = self.states, *([each.reference for each in listed] for listed in (self.structure.derivatives, self.structure.indicators))
        return tuple(elements_of_vectors(lists, self.views, self._own))

    def factor(self, reference: int) -> float:
        """Returns the derivative of a value in base units by the same value as the FMU has it."""
        return next((view.factor for view in self.views if 0 <= reference - view.first < view.size), 1.0)

    @cached_property
    def _own(self) -> dict[int, int]:
        return {**{base: own for own, base in self.in_base_units.items()}, **self.scaled}

    @property
    def folders(self) -> list[Path]:
        """Folders of its unpacked and compiled files."""
        return list(dict.fromkeys((self.folder, *(each.parents[2] for each in self._binaries.values()))))

    def _unpacked_as(self, other: Fmu) -> Fmu:
        """Returns this object, with the unpacked files of another object of the same file."""
        object.__setattr__(self, "_kept", other._kept)
        object.__setattr__(self, "_binaries", other._binaries)
        object.__setattr__(self, "compiled", other.compiled)
        return self

    @property
    def resources(self) -> str | None:
        """Location for instantiation: in FMI 1 the address of the FMU, in FMI 2 that of its resources, in FMI 3 their folder if it exists."""
        if self.version == 1:
            return self.folder.as_uri()
        folder = self.folder / "resources"
        if self.version == 2:
            return folder.as_uri()
        return f"{folder}{os.sep}" if folder.is_dir() else None

    @property
    def unchanged(self) -> bool:
        """Says whether the file still exists as it was read."""
        try:
            return file_stamp(self.path) == self.stamp
        except OSError:
            return False

    @property
    def private(self) -> bool:
        """True if the FMU is unpacked into its own folder, because it writes there."""
        return self.sharing is Sharing.ALONE

    @cached_property
    def sha256(self) -> str:
        """The digest of the file's content."""
        self._check_unchanged()
        return sha256(self.path)

    @property
    def folder(self) -> Path:
        """Folder of its unpacked files."""
        folder = self._kept[-1] if self._kept else None
        if folder is None or not folder.is_dir():  # the cache may have been emptied by hand
            folder = self._place()
            self._kept.append(folder)
        return folder

    def _place(self) -> Path:
        name = self.path.stem
        if self.sharing is Sharing.MACHINE:
            return shared_folder(self.sha256, platform_folders(3)[0], name, self._unpack)
        if self.sharing is Sharing.PROCESS:
            return folder_of_process(self.sha256, name, self._unpack)
        folder = own_folder(name, self._unpack)
        weakref.finalize(self, remove, folder, os.getpid())
        return folder

    def _unpack(self, folder: Path) -> None:
        self._check_unchanged()
        unpack(self.path, folder, self.version)

    def _check_unchanged(self) -> None:
        try:
            now = file_stamp(self.path)
        except OSError:
            raise FmuError(f"'{self.path}' is no longer there; put it back, or load it from where it is now") from None
        if now != self.stamp:
            raise FmuError(f"'{self.path}' has changed since it was read; load it again")
