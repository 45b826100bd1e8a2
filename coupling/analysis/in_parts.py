"""Starts at which an instance is not valid before the others are assembled: these are assembled first, without it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from coupling.analysis.assembly import assemble
from coupling.errors import StartError
from coupling.live.derivatives.jacobians import StartRefused
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.start import StartValues, start
from coupling.options import Run
from coupling.plan.build import build
from coupling.plan.definition import Definition, Value
from coupling.plan.kinds import Mode

Found = dict[tuple[int, str], float]
_REMEDY = "give start values nearer to an assembled state"


def assemble_in_parts(definition: Definition, mode: Mode, run: Run, values: StartValues, attempt: Callable[[Mapping], Found]) -> Found:
    """Returns the result of ``attempt`` without guesses. If an instance refuses these values, the others are assembled first and give
    the guesses."""
    try:
        return attempt({})
    except StartRefused as error:
        first = refused = error
    apart: dict[str, None] = {}
    while refused.instance not in apart:
        apart[refused.instance] = None
        try:
            near = _assembled_without(definition, mode, run, values, apart)
        except StartRefused as another:
            refused = another
            continue
        if not near:
            break
        try:
            return attempt(near)
        except StartRefused as there:
            raise StartError(
                f"{there}; that is at the pose into which the others can be assembled: change what leads to this pose, or these parameters"
            ) from None
    raise StartError(f"{first}; the start cannot be assembled from there: {_REMEDY}") from None


def _assembled_without(definition: Definition, mode: Mode, run: Run, values: StartValues, apart: Collection[str]) -> Found:
    """Returns start values of the other instances, at which their constraints hold."""
    names = [each.name for each in definition.instances]
    others = definition.without(apart)
    if not others.instances:
        return {}
    built = build(others, mode, complete=False)
    number = {part.name: i for i, part in enumerate(built.parts)}
    kept: dict[tuple[int, str], Value] = {(number[names[i]], name): value for (i, name), value in values.items() if names[i] in number}
    with start(compile_program(built, []), Running(run=run, values=kept, assembling=True)) as session:
        found = assemble(session).changes()
    return {(names.index(built.parts[i].name), name): value for (i, name), value in found.items()}
