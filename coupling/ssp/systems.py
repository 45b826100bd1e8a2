"""Systems to packages, and packages to systems."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from typing import Any
from warnings import warn
from xml.etree.ElementTree import Element

from coupling.checks import is_word
from coupling.errors import BuildError, listed, shown
from coupling.files import remedy
from coupling.fmus import Fmu, FmuVariable, load
from coupling.fmus.ports import needed, needs_partner
from coupling.options import Run
from coupling.options.calls import check_names, flattened, gathered
from coupling.plan.definition import Definition, FmuFile, InstanceDefinition, Name, Transformation, define_instance, with_guess
from coupling.plan.drives import ConstantDrive
from coupling.plan.instances import started_fmu
from coupling.plan.transformations import UNCHANGED, Affine, conversion, unit_of
from coupling.plan.types import rounds
from coupling.ssp import annotation
from coupling.ssp.compliance import compliance_of
from coupling.ssp.flat import Component, Flat
from coupling.ssp.package import Package
from coupling.ssp.reading import read
from coupling.ssp.sketch import Sketch, written_sketch
from coupling.ssp.writing import Appearance, write

_CLOSE = 1e-12
"""Relative difference below which a factor is 1: conversions to another unit and back are not exact."""


@dataclass(frozen=True)
class Origin:
    """Data of a package beside the system itself."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    """Options of ``simulate``."""
    notes: tuple[str, ...] = ()
    appearance: Appearance = field(default_factory=Appearance)


def settings_to_keep(settings: Mapping[str, Any] | None, origin: Origin) -> dict[str, Any]:
    """Returns options of ``simulate`` by name, after all checks; without any, those of the package that a system was read from."""
    if settings is not None and not isinstance(settings, Mapping):
        raise BuildError(f"settings = {shown(settings)} is refused: give options of simulate by name, such as {{'stop_time': 2.0}}")
    chosen = dict(origin.settings if settings is None else settings)
    if not all(isinstance(name, str) for name in chosen):
        raise BuildError(f"settings = {shown(settings)} is refused: give options of simulate by name, such as {{'stop_time': 2.0}}")
    check_names("settings", chosen, [each.name for each in fields(Run)])
    chosen = flattened(chosen)
    for name, value in chosen.items():
        if name in ("start_time", "stop_time") and (isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value)):
            raise BuildError(f"settings: {name} = {shown(value)} is refused: give a number, in s")
        if not isinstance(value, bool | int | float | str | list | tuple | None):
            raise BuildError(f"settings: {name} = {shown(value)} is refused: a number, a text, or a list of them can be written")
    return chosen


def to_ssp(definition: Definition, path: str | os.PathLike[str], settings: Mapping[str, Any], parameters: str, origin: Origin) -> Path:
    """Writes a definition as a package, with settings that ``settings_to_keep`` has checked. See ``System.to_ssp``."""
    target = _target(path)
    if not is_word(parameters, ("inline", "file")):
        raise BuildError(f"parameters = {shown(parameters)} is refused: choose 'inline', or 'file' for files .ssv in the package")
    if not definition.instances:
        raise BuildError(f"the system '{definition.name}' is empty; add instances first")
    compliance, warnings = compliance_of(definition, settings.get("communication_step", annotation.STEP))
    started, left = _started(definition)
    for sentence in [*warnings, *left, *_structural(definition), *_assembled(settings)]:
        warn(f"'{path}': {sentence}", stacklevel=2)
    try:
        write(definition, target, settings, parameters == "file", origin.appearance, compliance, started)
    except OSError as error:
        raise OSError(f"'{path}' cannot be written: {error.strerror}; {remedy(error)}") from None
    return target


def _started(definition: Definition) -> tuple[dict[str, Fmu], list[str]]:
    """Returns FMUs that begin at the start values of their states, by instances, and a sentence on instances that have no such FMU.

    libcosim sets parameters and inputs only, so that states start where their FMU says.
    """
    set_by_all = ("parameter", "structuralParameter", "input")
    found, left = {}, []
    for each in definition.instances:
        known = each.stepped.fmu.variables
        values = {name: value for name, value in each.start if name in known and known[name].causality not in set_by_all}
        fmu = started_fmu(each.stepped.fmu, values) if values else None
        if fmu is not None:
            found[each.name] = fmu
        elif values:
            left += [f"{each.name}.{name}" for name in values]
    return found, [f"libcosim leaves out start values of states ({listed(left)}); form='mechanism' has them in its FMU"] if left else []


def _assembled(settings: Mapping[str, Any]) -> list[str]:
    """Returns a sentence on a start that only we close."""
    if settings.get("initial", Run.initial) == Run.initial:
        return []
    return [
        f"initial = '{settings['initial']}' is for Jourdain alone: in other tools the parts begin at their start values, also where these "
        "contradict joints; write the package with form='mechanism', whose FMU closes the joints"
    ]


def _structural(definition: Definition) -> list[str]:
    """Returns a sentence on FMUs that OMSimulator's Python reader refuses."""
    fmus = {each.name: each.stepped.fmu for each in definition.instances}
    names = [name for name, fmu in fmus.items() if any(each.causality == "structuralParameter" for each in fmu.variables.values())]
    return [f"OMSimulator's Python reader refuses structural parameters of FMI 3 ({listed(names)}); use FMUs of FMI 2"] if names else []


def _target(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike) or Path(path).suffix != ".ssp":
        raise BuildError(f"path = {shown(path)} is refused: give the name of a file that ends in .ssp, such as 'crane.ssp'")
    target = Path(path)
    if not target.parent.is_dir():
        raise BuildError(f"'{path}' cannot be written: there is no folder '{target.parent}'; make it, or choose another path")
    return target


def from_ssp(path: str | os.PathLike[str]) -> tuple[Definition, Origin]:
    """Reads a definition from a package. See ``System.from_ssp``."""
    if not isinstance(path, str | os.PathLike):
        raise BuildError(f"path = {shown(path)} is refused: give the name of a file that ends in .ssp, such as 'crane.ssp'")
    as_written: Definition | None = None
    with Package(Path(path)) as package:
        flat, own = read(package)
        definition, notes = _definition(flat), list(flat.notes)
        settings = dict(flat.settings)
        if own is not None:
            settings = dict(gathered(annotation.settings_of(own, settings)))
            as_written = _as_written(flat, own, package)
            if as_written is None:
                notes.append(
                    "the package was changed after Jourdain had written it: its elements and connections count, variable by variable, instead of "
                    "ports and drives"
                )
            else:
                definition = as_written
    if as_written is None:
        definition, left = _with_open_inputs(definition)
        notes += left
    notes += _notes_on_joints(definition) if own is None else []
    boxes = {name: each.box for name, each in flat.components.items() if each.box is not None}
    return definition, Origin(settings, tuple(notes), Appearance(boxes, flat.annotations))


def _notes_on_joints(definition: Definition) -> list[str]:
    joints = [each.name for each in definition.instances if each.fmu.fmu.dae and not each.fmu.fmu.states and each.kind != "cs"]
    if not joints:
        return []
    return [
        f"{listed(joints)} {'runs' if len(joints) == 1 else 'run'} ideal here, and compliant in other tools; kind='cs' gives the same as there"
    ]


def _with_open_inputs(definition: Definition) -> tuple[Definition, list[str]]:
    """Returns a definition whose ports keep the start values of inputs that nothing gives, as SSP has it, and notes on that.

    A joint that gets no accelerations is compliant: its constraint cannot be solved.
    """
    fed = {target for _, target in definition.connections}
    instances, drives, joints = [], [], []
    for each in definition.instances:
        fmu, start = each.fmu.fmu, dict(each.start)
        names = dict.fromkeys(name for port in fmu.terminals.values() if needs_partner(fmu, port) for name in needed(fmu, port).values())
        left = [name for name in names if f"{each.name}.{name}" not in fed]
        drives += [(f"{each.name}.{name}", ConstantDrive(float(start.pop(name, fmu.variables[name].start) or 0.0))) for name in left]  # type: ignore[arg-type]
        if left and fmu.dae and each.kind is None:
            joints.append(each.name)
        instances.append(replace(each, start=tuple(start.items()), kind="cs" if each.name in joints else each.kind))
    if not drives:
        return definition, []
    notes = [f"nothing gives {listed(name for name, _ in drives)}: the start {'value counts' if len(drives) == 1 else 'values count'}"]
    if joints:
        notes.append(
            f"{listed(joints)} {'gets' if len(joints) == 1 else 'get'} no accelerations, and {'is' if len(joints) == 1 else 'are'} compliant"
        )
    return replace(definition, instances=tuple(instances), drives=(*definition.drives, *drives)), notes


def _definition(flat: Flat) -> Definition:
    """Returns the definition with all components, and wires one by one."""
    if not flat.components:
        raise BuildError(f"'{flat.name}' has no components; a package with FMUs is wanted")
    instances = [define_instance(name, each.fmu, each.start, each.kind, dotted=True) for name, each in flat.components.items()]
    connections, transformations = [], []
    for (source, target), affine in flat.wires.items():
        pair = (".".join(source), ".".join(target))
        connections.append(pair)
        change, rounded = _change(flat, source, target, affine), _rounds(flat, source, target)
        if change != UNCHANGED or rounded:
            transformations.append(Transformation(pair, *change, convert=rounded))
    return Definition(name=flat.name, instances=tuple(instances), connections=tuple(connections), transformations=tuple(transformations))


def _ends(flat: Flat, *names: Name) -> Iterator[tuple[Fmu, FmuVariable]]:
    """Yields the FMU and the variable or array of each name."""
    for instance, name in names:
        fmu = flat.components[instance].fmu
        yield fmu, fmu.variables.get(name) or fmu.arrays[name]


def _rounds(flat: Flat, source: Name, target: Name) -> bool:
    """Says whether a connection rounds to Float32, for which SSP has no option."""
    a, b = (variable for _, variable in _ends(flat, source, target))
    return rounds(a, b)


def _change(flat: Flat, source: Name, target: Name, affine: Affine) -> Affine:
    """Returns the change that a connection has to make beside the conversion of units."""
    plain = conversion(*(unit_of(fmu, variable) for fmu, variable in _ends(flat, source, target)))
    factor = affine.factor / plain.factor
    offset = affine.offset - factor * plain.offset
    scale = max(abs(affine.offset), abs(plain.offset), 1.0)
    return Affine(1.0 if abs(factor - 1) < _CLOSE else factor, 0.0 if abs(offset) < _CLOSE * scale else offset)


def _as_written(flat: Flat, own: Element, package: Package) -> Definition | None:
    """Returns the definition as it was, with the values that the package has now; None if its structure has changed."""
    options = annotation.options_of(own)
    drives, overruled = dict(annotation.drives_of(own)), annotation.overruled_starts(own)
    compliance = annotation.compliance_of(own)
    written = {name: chosen.pop("component", name) for name, chosen in options.items()}
    if set(written.values()) != {name for name, each in flat.components.items() if not each.inserted}:
        return None
    instances: list[InstanceDefinition] = []
    in_package: list[InstanceDefinition] = []
    for name, chosen in options.items():
        start: dict[str, Any] = {}
        component = flat.components[written[name]]
        if chosen.get("started") not in (None, component.fmu.sha256):
            return None
        chosen_here = compliance.get(written[name], {})
        for variable, value in component.start.items():
            full = f"{name}.{variable}"
            if chosen_here.get(variable) == value:
                continue
            if isinstance(drives.get(full), ConstantDrive) and not any(t == (written[name], variable) for _, t in flat.wires):
                drives[full] = ConstantDrive(float(value))
                if full in overruled:
                    start[variable] = overruled[full]
            elif full not in drives or full in overruled:
                start[variable] = value
        instances.append(_instance(name, component, chosen, start, package))
        in_package.append(replace(instances[-1], stepped=FmuFile(component.fmu)))
    connections, transformations = annotation.connections_of(own)
    unknown = annotation.unknown_accelerations_of(own)
    found = Definition(
        name=own.get("name", flat.name),
        instances=tuple(instances),
        connections=connections,
        drives=tuple(drives.items()),
        unknown_accelerations=unknown,
        enforced=annotation.enforced_of(own),
        transformations=transformations,
        gravity=annotation.gravity_of(own),
        shown=annotation.shown_of(own),
    )
    return found if _says(written_sketch(replace(found, instances=tuple(in_package))), flat) else None


def _instance(name: str, component: Component, chosen: Mapping[str, Any], start: Mapping[str, Any], package: Package) -> InstanceDefinition:
    options = {key: value for key, value in chosen.items() if key not in ("modelExchange", "started", "stepped", "guess")}
    guess = {variable: tuple(value) if isinstance(value, list) else value for variable, value in chosen.get("guess", ())}
    files = {
        key: package.fmu(package.member(chosen[key], "", f"the component '{name}'"))
        for key in ("modelExchange", "stepped")
        if key in chosen
    }
    stepped = files.get("stepped", component.fmu.path)
    found = with_guess(define_instance(name, files.get("modelExchange", stepped), start, dotted=True, **options), guess)
    return replace(found, stepped=FmuFile(load(stepped, found.fmu.private))) if "modelExchange" in files else found


def _says(sketch: Sketch, flat: Flat) -> bool:
    """Says whether a package still has the form in which a definition is written, except for the values of its own instances."""
    if set(sketch.components) != set(flat.components) or set(sketch.wires) != set(flat.wires):
        return False
    same = all(
        sketch.components[name].fmu.sha256 == each.fmu.sha256
        and (not each.inserted or dict(sketch.components[name].start) == dict(each.start))
        for name, each in flat.components.items()
    )
    return same and all(_close(sketch.wires[wire], affine) for wire, affine in flat.wires.items())


def _close(a: Affine, b: Affine) -> bool:
    return all(abs(x - y) <= 1e-9 * max(abs(x), abs(y)) for x, y in zip(a, b, strict=True))
