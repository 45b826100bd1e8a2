"""Start values and drives of one run, which replace those of the system. They are checked as those of ``add`` and ``drive`` are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coupling.errors import BuildError, shown
from coupling.fmus import Fmu
from coupling.fmus.start_values import item_of, start_items
from coupling.fmus.views import subscripts
from coupling.names import resolve
from coupling.plan.array_drives import elements_of
from coupling.plan.build import Built
from coupling.plan.connections import check_drive, find_end
from coupling.plan.definition import Definition, Value
from coupling.plan.drives import ConstantDrive, Drive, drive_of


def drives_of(given: Mapping[str, Any] | None, fmus: Mapping[str, Fmu]) -> dict[str, Drive]:
    """Returns drives of one run, by the names of inputs, checked as those of ``drive`` are."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise BuildError(f"drives = {shown(given)} is refused: give them by the full names of inputs, such as {{'motor.tau': 2.0}}")
    return {each: drive for name, value in given.items() for each, drive in drives_by_input(name, value, fmus).items()}


def drives_by_input(name: str, value: Any, fmus: Mapping[str, Fmu], **options: Any) -> dict[str, Drive]:
    """Returns the drive of an input, or those of all elements of an array, by their names; ``options`` are those of ``drive``."""
    instance, rest = resolve(name, fmus)
    array = fmus[instance].arrays.get(rest) if instance in fmus else None
    if array is None:
        return {name: drive_of(name, value, **options)}
    values = elements_of(name, array.dimensions, value)
    names = (f"{name}{each}" for each in subscripts(array.dimensions))
    return {each: drive_of(each, of, **options) for each, of in zip(names, values, strict=True)}


def fixed_values(built: Built, fixed: Mapping[str, ConstantDrive]) -> dict[tuple[int, str], Value]:
    if not fixed:
        return {}
    fmus = {part.name: part.fmu for part in built.parts}
    number = {part.name: i for i, part in enumerate(built.parts)}
    names = {check_drive(name, fmus, drive): drive.value for name, drive in fixed.items()}
    return {
        (number[instance], name): item_of(f"{instance}.{name}", fmus[instance].variables[name], value)
        for (instance, name), value in names.items()
    }


def start_values_of_run(definition: Definition, built: Built, given: Mapping[str, Value] | None) -> dict[tuple[int, str], Any]:
    """Returns start values of one run, by full names, checked as those of ``add`` are."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BuildError(f"start_values = {shown(given)} is refused: give them by full names, such as {{'rod.m': 2.0}}")
    fmus = {part.name: part.fmu for part in built.parts}
    number = {part.name: i for i, part in enumerate(built.parts)}
    driven = {name for name, _ in definition.drives}
    found: dict[tuple[int, str], Any] = {}
    for text, value in given.items():
        if not isinstance(text, str):
            raise BuildError(f"start_values has {shown(text)} for a name; give full names of variables, such as 'rod.m'")
        instance, name = resolve(text, fmus)
        if instance not in fmus:
            find_end(text, fmus, "start_values: ")
        if not name:
            raise BuildError(f"start_values: '{text}' is an instance; give the full names of its variables, such as '{text}.m'")
        if name in fmus[instance].terminals:
            raise BuildError(f"start_values: '{text}' is a port; name one of its variables")
        if text in driven:
            raise BuildError(f"start_values: '{text}' is driven, and its drive gives its value; give the value in drives, or leave it out")
        for variable, of in start_items(instance, fmus[instance], name, value, again=True):
            found[number[instance], variable] = of
    return found
