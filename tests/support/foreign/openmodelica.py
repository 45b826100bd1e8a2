"""FMUs as OpenModelica writes them, with the variables of parts inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.foreign.archive import export
from tests.support.foreign.model import Model, Variable

TOOL = "OpenModelica Compiler OMCompiler v1.26.0"


def of_openmodelica(
    name: str, own: Sequence[Variable], inside: Sequence[str], tool: str = TOOL, changes: Mapping[str, str] | None = None
) -> Path:
    """An FMU with its own variables and, after them, local variables with dots in their names."""
    plain = {each: each.replace(".", "__") for each in inside}
    model = Model(name, [*own, *(Variable(each, value="0.0", depends=[]) for each in plain.values())])
    named = {f'name="{code}"': f'name="{each}"' for each, code in plain.items()}
    return export(model, 2, changes={"tests/support/foreign": tool, **named, **(changes or {})})
