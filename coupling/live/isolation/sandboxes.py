"""Folders that FMUs in a sandbox may access."""

from __future__ import annotations

from collections.abc import Iterable

from coupling.errors import BuildError
from coupling.fmus import Fmu
from coupling.fmus.cache import Sharing
from coupling.kernel.hosts.sandbox import Sandbox, folders_of_python, lacks


def sandbox_of(fmus: Iterable[Fmu]) -> Sandbox:
    """Returns the access that a process of FMUs has: their unpacked files, writable where they are its own. Refuses where no sandbox
    exists."""
    if lacks():
        raise BuildError(
            f"sandbox = True is refused: {lacks()}; leave it out, or run the FMUs where they can do no harm, such as in a container without a network"
        )
    each = list(fmus)
    folders = dict.fromkeys((folder, fmu.sharing is not Sharing.MACHINE) for fmu in each for folder in fmu.folders)
    if any(fmu.needs_python for fmu in each):
        folders |= {(folder, False): None for folder in folders_of_python()}
    return Sandbox(*(tuple(folder for folder, own in folders if own is writable) for writable in (False, True)))
