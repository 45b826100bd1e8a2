"""Names of instances in exports: white space becomes ``_``, since importers divide names at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from coupling.export.choice import Choice
from coupling.names import renamed
from coupling.plan.build import Built
from coupling.plan.definition import Name


def built_renamed(built: Built, names: Mapping[str, str]) -> Built:
    """Returns the same system with new names of its instances."""
    return replace(
        built,
        parts=tuple(replace(part, name=names[part.name]) for part in built.parts),
        connections=tuple((renamed(a, names), renamed(b, names)) for a, b in built.connections),
        shown=tuple(replace(each, name=renamed(each.name, names)) for each in built.shown),
    )


def choice_renamed(choice: Choice, names: Mapping[str, str]) -> Choice:
    """Returns the same choice of variables with new names of their instances."""

    def of(name: Name) -> Name:
        return names[name[0]], name[1]

    return replace(
        choice,
        inputs=list(map(of, choice.inputs)),
        ports=list(map(of, choice.ports)),
        outputs=list(map(of, choice.outputs)),
        parameters=set(map(of, choice.parameters)),
        constants=set(map(of, choice.constants)),
    )
