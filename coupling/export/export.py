"""Exports a system as one FMU."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from coupling.analysis.initial import assemble, check
from coupling.errors import BuildError, listed, shown
from coupling.export.choice import Choice, choose
from coupling.export.package import pack
from coupling.export.sources import model_sources
from coupling.export.table import Interface, MechanismTable
from coupling.fmus import Fmu
from coupling.kernel.kernel import Kernel
from coupling.live.master import Master
from coupling.options import Run
from coupling.plan.connections import check_drive, wires_of
from coupling.plan.drives import Constant, Function
from fmu_components.export import compile as c

if TYPE_CHECKING:
    from coupling.system import System

_VERSIONS = (2, 3)
_LONGEST = 100
"""Of names, in characters: those of files have limits of their own."""


def export_fmu(
    system: System,
    path: str | os.PathLike[str],
    inputs: Sequence[str] | None,
    outputs: Sequence[str] | None,
    parameters: Sequence[str] | None,
    fmi: int,
    platforms: Sequence[str] | None,
    initial: str,
    implicit: bool,
    ls_dae: bool,
    stop_time: float,
) -> Path:
    """See ``System.export_fmu``."""
    target = _target(path)
    if not isinstance(fmi, int) or fmi not in _VERSIONS:
        raise BuildError(f"fmi = {shown(fmi)} is refused: choose 2 or 3, the versions of FMI")
    for name, value in (("implicit", implicit), ("ls_dae", ls_dae)):
        if not isinstance(value, bool):
            raise BuildError(f"{name} = {shown(value)} is refused: give True or False")
    chosen = _platforms(platforms)
    run = Run(0.0, stop_time, "dopri5", 1e-8, None, initial, (), None, None, float("inf"), 10_000_000, False)
    models = model_sources(system.instances)
    _check_names(system.name, system.instances)
    choice = _choose(system, inputs, outputs, parameters)
    opened = system.opened([".".join(name) for name in choice.inputs])
    built = opened.build()
    functions = [drive.name for _, drive in built.drives if isinstance(drive, Function)]
    if functions:
        raise BuildError(
            f"{listed(functions)} cannot be exported: a Python function drives {'it' if len(functions) == 1 else 'them'}, and there is no Python in the "
            "FMU; drive by a table, add a component such as signal.Sine, or leave the drive out and name the input in inputs=[...]"
        )
    start: dict[tuple[int, str], float] = {}
    if initial == "assemble":
        with Master(built, run, {}, assembling=True) as master:
            start = assemble(master)
    with Master(built, run, start, kernel=_RecordingKernel) as master:
        if initial != "relax":
            check(master)
        table = MechanismTable(built, Interface(choice, ls_dae, implicit, initial == "relax", stop_time), start)
        pack(target, table, master, models, fmi, chosen)
    return target


class _RecordingKernel(Kernel):
    """A kernel that notes how it is built."""

    def __init__(self, slots: int, states: int) -> None:
        super().__init__(slots, states)
        self.calls = []


def _choose(system: System, inputs: Sequence[str] | None, outputs: Sequence[str] | None, parameters: Sequence[str] | None) -> Choice:
    fmus = system.instances
    drives = {check_drive(name, fmus, drive): drive for name, drive in system.drives.items()}
    wires = wires_of(fmus, system.connections, drives, complete=False)
    constant = [name for name, drive in drives.items() if isinstance(drive, Constant)]
    started = [(instance, name) for instance, values in system.start_values.items() for name in values]
    varying = [name for name, drive in drives.items() if not isinstance(drive, Constant)]
    given = [name for name in (*constant, *started) if name not in varying]
    return choose(fmus, wires, drives, given, inputs, outputs, parameters)


def _target(path: str | os.PathLike[str]) -> Path:
    """Where the FMU is to be written, if that can be."""
    if not isinstance(path, str | os.PathLike):
        raise BuildError(f"path = {shown(path)} is refused: give the name of a file, such as 'crane.fmu'")
    target = Path(path)
    if not target.name or target.name == ".fmu":
        raise BuildError(f"path = {shown(str(path))} is refused: give the name of a file, such as 'crane.fmu'")
    if target.suffix != ".fmu":
        raise BuildError(f"'{path}' is refused as the name of an FMU: it must end in .fmu, such as '{target.with_suffix('.fmu')}'")
    if target.is_dir():
        raise BuildError(f"'{path}' is a folder; give the name of a file in it, such as '{target / 'mechanism.fmu'}'")
    folder = target.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise BuildError(
            f"'{path}' cannot be written: '{folder}' {'may not be written in' if folder.is_dir() else 'is no folder'}; choose another path"
        )
    return target


def _platforms(names: Sequence[str] | None) -> list[c.Platform]:
    if names is None:
        return c.available_platforms()
    wanted = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in wanted if name not in c.PLATFORMS]
    if unknown or not wanted:
        raise BuildError(f"platforms = {shown(names)} is refused: choose among {listed(c.PLATFORMS)}")
    return [c.PLATFORMS[name] for name in dict.fromkeys(wanted)]


def _check_names(name: str, fmus: Mapping[str, Fmu]) -> None:
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST:
        raise BuildError(
            f"the system's name {shown(name)} cannot be that of an FMU; give it one of at most {_LONGEST} characters, such as System('crane')"
        )
    for text in (name, *fmus):
        if not text.isprintable():
            raise BuildError(f"the name {shown(text)} holds a character that cannot be printed, which no FMU may have; choose another one")
    for instance, own in (("solver", "implicit"),):
        if instance in fmus and own in fmus[instance].variables:
            raise BuildError(
                f"the instance '{instance}' has a variable '{own}', and '{instance}.{own}' is the name of a parameter that every exported FMU has; "
                "give the instance another name"
            )
