"""Systems as Modelica files: native text, or an FMU with a wrapper."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from coupling.errors import BuildError, shown
from coupling.export.export import export_fmu
from coupling.files import written
from coupling.fmus import Fmu, load
from coupling.live.violations import values_of
from coupling.modelica.names import model_name
from coupling.modelica.native import native_text
from coupling.modelica.refusal import NoText
from coupling.modelica.wrapper import Wrapped, script_text, wrapper_text
from coupling.plan.definition import Definition, Value, define_instance
from coupling.plan.graph import Address
from coupling.simulate import Simulator

FORMS = ("native", "fmu")


class ModelicaNote(UserWarning):
    """A remark on the form in which a system is written."""


def to_modelica(
    definition: Definition,
    folder: str | os.PathLike[str],
    *,
    form: str | None,
    inputs: Sequence[str] | None,
    outputs: Sequence[str] | None,
    initial: str,
    pose: Mapping[str, Value] | None,
) -> Path:
    """Writes a definition as a Modelica model, and returns its file. See ``System.to_modelica``."""
    if form is not None and form not in FORMS:
        raise BuildError(f"form = {shown(form)} is refused: choose 'native' or 'fmu', or leave it out")
    if initial not in ("check", "assemble"):
        raise BuildError(f"initial = {shown(initial)} is refused: choose 'check' or 'assemble', or give a pose or a result")
    if not definition.instances:
        raise BuildError(f"the system '{definition.name}' is empty, and there is nothing to write; add instances first")
    target = _folder(folder)
    model = model_name(definition.name)
    if form != "fmu":
        try:
            text = native_text(definition, model, inputs, outputs, initial, pose)
        except NoText as error:
            if form == "native":
                raise
            warnings.warn(f"{error.reason}: the system is written as an FMU with a wrapper", ModelicaNote, stacklevel=4)
        else:
            return _write(target / f"{model}.mo", text)
    return _wrapped(definition, target, model, inputs, outputs, initial, pose)


def _wrapped(
    definition: Definition,
    folder: Path,
    model: str,
    inputs: Sequence[str] | None,
    outputs: Sequence[str] | None,
    initial: str,
    pose: Mapping[str, Value] | None,
) -> Path:
    """Writes a slim FMU of FMI 3, the model around it, and the script that imports both."""
    with written(folder / f"{model}.fmu", "FMU"):
        folder.mkdir(parents=True, exist_ok=True)
    path = export_fmu(
        definition,
        folder / f"{model}.fmu",
        inputs=inputs,
        outputs=outputs or [],
        fmi=3,
        initial=initial,
        pose=pose,
        locals_shown=False,
    )
    fmu = load(path)
    shown_outputs = [name for name, each in fmu.variables.items() if each.causality == "output"] if outputs else []
    members = {name for terminal in fmu.terminals.values() for name in terminal.members.values()}
    named = [name for name in shown_outputs if name not in members]
    wrapped = Wrapped(fmu, _values(fmu, members), model, f"{model}_FMU", definition.name, named)
    text = wrapper_text(wrapped)
    _write(folder / f"{model}.mos", script_text(wrapped))
    return _write(folder / f"{model}.mo", text)


def _values(fmu: Fmu, names: Collection[str]) -> dict[str, float]:
    """Returns the values of outputs of an exported FMU at its start."""
    wanted = [each for each in names if fmu.variables[each].causality == "output"]
    instance = define_instance("fmu", fmu.path, kind="me")
    inputs = [
        (f"fmu.{v.name}", float(v.start or 0.0))  # type: ignore[arg-type]  # those of reals are numbers
        for v in fmu.variables.values()
        if v.causality == "input" and v.type == "real"
    ]
    simulator = Simulator(Definition(name="start", instances=(instance,)).opened(inputs))
    try:
        with simulator.standing(None, "relax") as session:
            values = values_of(session, [Address(0, 0, fmu.variables[name].reference) for name in wanted])
    finally:
        simulator.close()
    return dict(zip(wanted, map(float, values), strict=True))


def _folder(folder: str | os.PathLike[str]) -> Path:
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        raise BuildError(f"folder = {shown(folder)} is refused: give the name of a folder, such as 'models'")
    path = Path(folder)
    if path.is_file():
        raise BuildError(f"'{path}' is a file; give the name of a folder for the model, such as '{path.parent / 'models'}'")
    return path


def _write(file: Path, text: str) -> Path:
    with written(file, "Modelica model"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    return file
