"""The binaries of FMUs, opened once for each process, however many instances they have; those of other tools anew where they keep static state."""

from __future__ import annotations

import os
import re
import shutil
import weakref
from pathlib import Path

from coupling.errors import BuildError
from coupling.files import remove
from coupling.fmus import Fmu, FmuError
from coupling.fmus.archive import check_complete, is_noexec
from coupling.fmus.cache import own_folder
from coupling.kernel import library as own
from coupling.kernel.fmi.instance import LoadedLibrary
from coupling.kernel.hosts.guard import Guard, GuardedLibrary
from coupling.kernel.platform.own import Library
from coupling.plan.graph import Part

_NO_ROOM = "failed to map", "annot allocate", "cannot create shared object descriptor", "cannot map"
"""Phrases in which the system reports that a process may take no more memory for a binary."""


def library_of(
    part: Part, home: Library = own, guard: Guard | None = None, chosen: dict[Path, LoadedLibrary] | None = None, sandbox: bool = False
) -> LoadedLibrary:
    """Returns the binary of an instance, in a process or in that of a guard; refuses one that cannot be opened, by the instance's name.

    ``chosen`` holds the binaries of the same session by their paths. The binary is added to it, since the instances of the session share
    it. ``sandbox``: sources are compiled in a sandbox.
    """
    fmu, opened = part.fmu, guard.opened if guard is not None else {} if chosen is None else chosen
    try:
        path = fmu.library(part.kind, sandbox)
    except FmuError as error:
        raise FmuError(f"'{part.name}' cannot be loaded: {error}") from None
    try:
        if path not in opened:
            opened[path] = _opened(fmu, path, home) if guard is None else GuardedLibrary(guard, _complete(path), fmu.version)
        opened[path].check(part.kind)
    except FmuError as error:
        raise FmuError(f"'{part.name}' cannot be loaded: {error}") from None
    except OSError as error:
        place = path.parent
        if is_noexec(place):
            raise BuildError(
                f"'{part.name}' cannot be loaded: '{place}' lies where no program may be run (noexec); name another folder in the environment "
                "variables JOURDAIN_CACHE and TMPDIR"
            ) from None
        memory = home.memory if guard is None else guard.memory
        if memory is not None and any(sign in str(error) for sign in _NO_ROOM):
            raise BuildError(
                f"'{part.name}' cannot be loaded: memory = {memory:g} bytes is too little for the binary of '{fmu.path.name}' and the libraries that "
                "it loads; give more, such as Isolation(memory=1e9), or leave it out to have no limit"
            ) from None
        if lacking := _lacking(str(error), path):
            raise BuildError(f"'{part.name}' cannot be loaded: the binary of '{fmu.path.name}' needs {lacking}") from None
        tool = f"'{fmu.generation_tool}'" if fmu.generation_tool else "the tool that wrote it"
        notes = "".join(f"; {note}" for note in fmu.notes)
        raise BuildError(
            f"'{part.name}' cannot be loaded: the binary of '{fmu.path}' is refused: {error}; "
            f"export it again for this platform, or report this to the makers of {tool}{notes}"
        ) from None
    return opened[path]


def _lacking(error: str, path: Path) -> str:
    """Returns what this machine lacks, according to the system's message on a binary, with the remedy; empty if it lacks nothing."""
    missing = re.match(r"(\S+): cannot open shared object file: No such file", error)
    if missing and missing[1] != str(path):
        library = f"the shared library '{missing[1]}', which this machine does not have"
        return f"{library}; install the package that has it, or name its folder in LD_LIBRARY_PATH before Python starts"
    older = re.match(r"(\S+): version `([^']+)' not found", error)
    if older:
        return (
            f"{older[2]} of '{Path(older[1]).name}', which is older on this machine; install a newer one, or run the FMU on a newer system"
        )
    return ""


def _complete(path: Path) -> str:
    check_complete(path)
    return str(path)


def _opened(fmu: Fmu, path: Path, home: Library) -> LoadedLibrary:
    """Returns the binary as a session needs it. A binary of another tool may keep static state which the last session has left: it is
    loaded anew then."""
    known = home.opened.get(path)
    if known is not None and (fmu.is_own or not known.is_changed):
        return known
    name, version = _complete(path), fmu.version
    if fmu.is_own:
        home.opened[path] = LoadedLibrary(name, version, home)
        return home.opened[path]
    if known is not None:
        del home.opened[path]
        known.close()
    if home.library_is_loaded(name.encode()):
        folder = own_folder(fmu.path.stem, lambda new: _copy(path, new))
        loaded = LoadedLibrary(str(folder / path.relative_to(path.parents[2])), version, home)
        weakref.finalize(loaded, remove, folder, os.getpid())
    else:
        loaded = LoadedLibrary(name, version, home)
    loaded.watch()
    home.opened[path] = loaded
    return loaded


def _copy(path: Path, folder: Path) -> None:
    """Copies a binary into a folder of its own, with links to the files around it, for which its code may look."""
    target = folder / path.relative_to(path.parents[2])
    target.parent.mkdir(parents=True)
    for each in path.parent.iterdir():
        if each != path:
            (target.parent / each.name).symlink_to(each)
    resources = path.parents[2] / "resources"
    if resources.is_dir():
        (folder / resources.name).symlink_to(resources)
    shutil.copyfile(path, target)
