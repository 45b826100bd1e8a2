"""The binaries of FMUs, opened once for each process, however many instances they have."""

from __future__ import annotations

from pathlib import Path

from coupling.errors import BuildError
from coupling.fmus import FmuError
from coupling.fmus.archive import check_complete, is_noexec
from coupling.kernel.instance import LoadedLibrary
from coupling.plan.graph import Part


def library_of(part: Part) -> LoadedLibrary:
    """The binary that an instance runs by; refuses one that cannot be opened, by the instance's name."""
    fmu = part.fmu
    try:
        path = fmu.library(part.kind)
    except FmuError as error:
        raise FmuError(f"'{part.name}' cannot be loaded: {error}") from None
    try:
        if path not in _opened:
            check_complete(path)
            _opened[path] = LoadedLibrary(str(path), fmu.version)
        _opened[path].check(part.kind)
    except FmuError as error:
        raise FmuError(f"'{part.name}' cannot be loaded: {error}") from None
    except OSError as error:
        place = path.parent
        if is_noexec(place):
            raise BuildError(
                f"'{part.name}' cannot be loaded: '{place}' lies where no program may be run (noexec); name another folder in the environment "
                "variables JOURDAIN_CACHE and TMPDIR"
            ) from None
        tool = f"'{fmu.generation_tool}'" if fmu.generation_tool else "the tool that wrote it"
        notes = "".join(f"; {note}" for note in fmu.notes)
        raise BuildError(
            f"'{part.name}' cannot be loaded: the binary of '{fmu.path}' is refused: {error}; "
            f"export it again for this platform, or report this to the makers of {tool}{notes}"
        ) from None
    return _opened[path]


_opened: dict[Path, LoadedLibrary] = {}
"""Kept as long as the process, since code cannot be unloaded under a caller."""
