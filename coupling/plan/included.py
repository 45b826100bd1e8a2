"""A system inside another one: all its elements, with its name before all of theirs."""

from __future__ import annotations

from dataclasses import replace

from coupling.plan.definition import Definition
from coupling.plan.drives import FunctionDrive


def _process(name: str, process: str | None) -> str | None:
    """Returns the name of a group in the outer system; a group of the inner system is never one of the outer system."""
    return process if process in (None, "own") else f"{name}.{process}"


def inside(definition: Definition, name: str) -> Definition:
    """Returns the definition with ``name.`` before the names of all instances."""

    def pair(connection: tuple[str, str]) -> tuple[str, str]:
        return f"{name}.{connection[0]}", f"{name}.{connection[1]}"

    return replace(
        definition,
        instances=tuple(replace(each, name=f"{name}.{each.name}", process=_process(name, each.process)) for each in definition.instances),
        connections=tuple(map(pair, definition.connections)),
        drives=tuple(
            (f"{name}.{target}", replace(drive, name=f"{name}.{target}") if isinstance(drive, FunctionDrive) else drive)
            for target, drive in definition.drives
        ),
        unknown_accelerations=tuple(f"{name}.{each}" for each in definition.unknown_accelerations),
        enforced=tuple((f"{name}.{joint}", intervals) for joint, intervals in definition.enforced),
        transformations=tuple(replace(each, connection=pair(each.connection)) for each in definition.transformations),
        shown=tuple(replace(each, name=f"{name}.{each.name}") for each in definition.shown),
    )
