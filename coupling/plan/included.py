"""A system inside another one: everything that it consists of, with its name before all others."""

from __future__ import annotations

from dataclasses import replace

from coupling.plan.definition import Definition, Transformation
from coupling.plan.drives import FunctionDrive


def _process(name: str, process: str | None) -> str | None:
    """A group of a system inside another one is none of the other's."""
    return process if process in (None, "own") else f"{name}.{process}"


def inside(definition: Definition, name: str) -> Definition:
    """The same, with ``name.`` before the names of all instances."""

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
        transformations=tuple(Transformation(pair(each.connection), each.factor, each.offset) for each in definition.transformations),
        shown=tuple(replace(each, name=f"{name}.{each.name}") for each in definition.shown),
    )
