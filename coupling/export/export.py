"""Export of a system as one FMU."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coupling.analysis.assembly import assemble, at_pose
from coupling.analysis.in_parts import assemble_in_parts
from coupling.analysis.search import Wish, guesses_of
from coupling.checks import names_in
from coupling.errors import BuildError, listed, shown
from coupling.export.choice import Choice, choose
from coupling.export.closing import check_held
from coupling.export.equations import equations_of
from coupling.export.package import pack
from coupling.export.renamed import built_renamed, choice_renamed
from coupling.export.sources import model_sources
from coupling.export.table import ExportRequest, MechanismTable
from coupling.export.transformed import without_transformations
from coupling.fmus import Fmu
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.start import start
from coupling.live.violations import check_start_state, gauge_starts
from coupling.memory import without_collection
from coupling.names import renamed, without_blanks
from coupling.options import Run
from coupling.plan.build import build
from coupling.plan.connections import wires_of
from coupling.plan.definition import Definition, Value
from coupling.plan.drives import ConstantDrive, FunctionDrive
from coupling.plan.given import start_values_of_run
from coupling.plan.kinds import Mode
from coupling.plan.projection import of_no_effect, without_stabilisation
from coupling.plan.rates import drives_of
from fmu_components.export import compile as c

_VERSIONS = (2, 3)
_LONGEST = 100
"""Longest name in characters; names of files have limits as well."""


@without_collection()
def export_fmu(
    definition: Definition,
    path: str | os.PathLike[str],
    *,
    inputs: Sequence[str] | None,
    outputs: Sequence[str] | None,
    fmi: int,
    initial: str,
    parameters: Sequence[str] | None = None,
    platforms: Sequence[str] | None = None,
    pose: Mapping[str, Any] | None = None,
    hold: Sequence[str] | None = None,
    implicit: bool = False,
    ls_dae: bool = False,
    stop_time: float = 1.0,
    stabilisation: str | None = None,
    steps: Run | None = None,
    start_values: Mapping[str, Value] | None = None,
    locals_shown: bool = True,
) -> Path:
    """Exports a definition as an FMU. See ``System.export_fmu``.

    ``steps`` are those of fixed size, if it takes such. The FMU starts at the ``pose``, if one is given.
    """
    target = _target(path)
    if not isinstance(fmi, int) or fmi not in _VERSIONS:
        raise BuildError(f"fmi = {shown(fmi)} is refused: choose 2 or 3, the versions of FMI")
    for name, value in (("implicit", implicit), ("ls_dae", ls_dae), ("locals", locals_shown)):
        if not isinstance(value, bool):
            raise BuildError(f"{name} = {shown(value)} is refused: give True or False")
    chosen = _platforms(platforms)
    run = Run(stop_time=stop_time, initial=initial, stabilisation=stabilisation)
    if steps:
        _refuse_with_steps(steps, implicit=implicit, stabilisation=stabilisation, ls_dae=ls_dae)
    projected = steps is not None or stabilisation == "projection"
    if projected and ls_dae:
        raise BuildError(
            "ls_dae=True leaves the multipliers to the importer, and stabilisation='projection' moves states by how they answer to them; "
            "leave one of the two out"
        )
    definition = without_transformations(definition)
    fmus = {each.name: each.fmu.fmu for each in definition.instances}
    switched = next((name for name, fmu in fmus.items() if fmu.dae and fmu.dae.switched), None)
    if switched and (ls_dae or steps):
        asked = f"solver='{steps.solver_name}'" if steps else "ls_dae=True"
        raise BuildError(
            f"{asked} is refused: the modes of '{switched}' are chosen inside the FMU, where the multipliers are found; leave it out"
        )
    projected = projected or switched is not None
    models = model_sources(fmus)
    _check_names(definition.name, fmus)
    choice = choice_of(definition, fmus, inputs, outputs, parameters, projected)
    if definition.enforced:
        raise BuildError(
            f"export_fmu: '{definition.enforced[0][0]}' is switched by enforce(), which an exported FMU cannot do; leave out enforce(), or the joint"
        )
    opened, mode = definition.opened(starts_of_inputs(definition, fmus, choice)), Mode.PROJECTED if projected else Mode.CONTINUOUS
    built = build(opened, mode)
    check_held(built, () if hold is None else hold)
    functions = [drive.name for _, drive in built.drives if isinstance(drive, FunctionDrive)]
    if functions:
        raise BuildError(
            f"{listed(functions)} cannot be exported: a Python function drives {'it' if len(functions) == 1 else 'them'}, and the FMU has no "
            "Python. Drive by an expression of jourdain.declare.t or a table, add a component such as signal.Sine, or leave the drive out and name the input in inputs=[...]"
        )
    equations = None if steps else equations_of(built)
    program = compile_program(built, [], shortcuts=equations is None)
    unstabilised = without_stabilisation(built.parts, range(len(built.parts))) if projected else {}
    given = start_values_of_run(definition, built, start_values)
    near = start_values_of_run(definition, built, pose)
    for sentence in of_no_effect(built.parts, built.start, given, unstabilised):
        raise BuildError(sentence)
    moved = {**near, **unstabilised, **given}
    if near and given:
        with start(program, Running(run=run, values=moved, assembling=True)) as session:
            moved |= at_pose(session, definition, pose or {}, near, given) | given
    if initial == "assemble":

        def attempt(guesses: Mapping[tuple[int, str], float]) -> dict[tuple[int, str], float]:
            with start(program, Running(run=run, values={**unstabilised, **given, **guesses}, assembling=True)) as session:
                return {**guesses, **assemble(session, guesses, Wish(guess=guesses_of(definition))).changes()}

        moved |= assemble_in_parts(opened, mode, run, given, attempt)
    with start(program, Running(run=run, values=moved)) as session:
        if initial != "relax":
            check_start_state(session)
        starts = {**moved, **gauge_starts(session)}
        names = without_blanks(fmus, str(path))
        request = ExportRequest(
            choice_renamed(choice, names),
            ls_dae,
            implicit,
            initial == "relax",
            stop_time,
            steps.index3 if steps else None,
            initial == "assemble",
            tuple(renamed(name, names) for name in hold or ()),
            {new: name for name, new in names.items() if name != new},
            locals_shown,
        )
        table = MechanismTable(built_renamed(built, names), request, starts)
        models = {names[instance]: source for instance, source in models.items()}
        pack(target, table, session, equations, models, fmi, chosen)
    return target


def _refuse_with_steps(run: Run, **others: object) -> None:
    """Raises BuildError for options that exclude a solver which holds constraints by itself."""
    for name, value in others.items():
        if value and value != "projection":
            raise BuildError(
                f"{name} = {shown(value)} and solver='{run.solver_name}', which holds constraints by itself, exclude each other; leave one of the two out"
            )


def starts_of_inputs(definition: Definition, fmus: Mapping[str, Fmu], choice: Choice) -> list[tuple[str, float]]:
    """Returns the inputs that are opened, by full names, with their values until they are set."""
    given = {each.name: dict(each.start) for each in definition.instances}
    return [
        (f"{instance}.{name}", float(given[instance].get(name, fmus[instance].variables[name].start) or 0.0))  # type: ignore[arg-type]
        for instance, name in choice.inputs
    ]


def choice_of(
    definition: Definition,
    fmus: Mapping[str, Fmu],
    inputs: Sequence[str] | None,
    outputs: Sequence[str] | None,
    parameters: Sequence[str] | None,
    projected: bool,
) -> Choice:
    """Returns the variables that an FMU of the definition shows."""
    drives = drives_of(definition, fmus)
    wires = wires_of(fmus, definition.connections, drives, complete=False, transformations=definition.transformations)
    constant = [name for name, drive in drives.items() if isinstance(drive, ConstantDrive)]
    started = [(each.name, name) for each in definition.instances for name, _ in each.start]
    varying = [name for name, drive in drives.items() if not isinstance(drive, ConstantDrive)]
    given = [name for name in (*constant, *started) if name not in varying]
    return choose(fmus, wires, drives, given, inputs, outputs, parameters, projected)


def _target(path: str | os.PathLike[str]) -> Path:
    """Returns the path of the FMU; raises BuildError if it cannot be written there."""
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
    wanted = names_in(names)
    if not wanted or not set(wanted) <= set(c.PLATFORMS):
        raise BuildError(f"platforms = {shown(names)} is refused: choose among {listed(c.PLATFORMS)}")
    return [c.PLATFORMS[name] for name in dict.fromkeys(wanted)]


def _check_names(name: str, fmus: Mapping[str, Fmu]) -> None:
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST:
        raise BuildError(
            f"the system's name {shown(name)} cannot be that of an FMU; give it one of at most {_LONGEST} characters, such as System('crane')"
        )
    for text in (name, *fmus):
        if not (text if text == name else "_".join(text.split())).isprintable():
            raise BuildError(f"the name {shown(text)} holds a character that cannot be printed, which no FMU may have; choose another one")
    for instance, own in (("solver", "implicit"), ("initial", "assemble")):
        if instance in fmus and own in fmus[instance].variables:
            raise BuildError(
                f"the instance '{instance}' has a variable '{own}', and '{instance}.{own}' is the name of a parameter that every exported FMU has; "
                "give the instance another name"
            )
