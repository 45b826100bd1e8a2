"""The binaries of FMUs, opened once for each process, however many instances they have."""

from __future__ import annotations

from coupling.errors import BuildError
from coupling.fmus import FmuError
from coupling.fmus.archive import check_complete, is_noexec
from coupling.kernel import library as own
from coupling.kernel.guard import Guard, GuardedLibrary
from coupling.kernel.instance import LoadedLibrary
from coupling.kernel.own import Library
from coupling.plan.graph import Part

_NO_ROOM = "failed to map", "annot allocate", "cannot create shared object descriptor", "cannot map"
"""What the system says of a binary where a process may take no more memory."""


def library_of(part: Part, home: Library = own, guard: Guard | None = None) -> LoadedLibrary:
    """The binary that an instance runs by, in a process, or in that of a guard; refuses one that cannot be opened, by the instance's name."""
    fmu, opened = part.fmu, home.opened if guard is None else guard.opened
    try:
        path = fmu.library(part.kind)
    except FmuError as error:
        raise FmuError(f"'{part.name}' cannot be loaded: {error}") from None
    try:
        if path not in opened:
            check_complete(path)
            name, version = str(path), fmu.version
            opened[path] = LoadedLibrary(name, version, home) if guard is None else GuardedLibrary(guard, name, version)
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
                f"'{part.name}' cannot be loaded: memory = {memory:g} bytes is too little for the binary of '{fmu.path.name}' and what is loaded with "
                "it; give more, such as memory=1e9, or leave it out to have no limit"
            ) from None
        tool = f"'{fmu.generation_tool}'" if fmu.generation_tool else "the tool that wrote it"
        notes = "".join(f"; {note}" for note in fmu.notes)
        raise BuildError(
            f"'{part.name}' cannot be loaded: the binary of '{fmu.path}' is refused: {error}; "
            f"export it again for this platform, or report this to the makers of {tool}{notes}"
        ) from None
    return opened[path]
