"""The reference of components: one page each, with icon, ports, parameters, equations and their use; one page a library."""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cache
from itertools import groupby

from docs.site.words import ALONE, markdown, paragraphs, raw
from fmu_components.catalogue import all_components
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Declaration
from fmu_components.export.pages.documentation import sections
from fmu_components.export.table import VariableTable


@cache
def declarations() -> dict[str, Declaration]:
    return {name: declaration(component) for name, component in all_components().items()}


def component_page(name: str) -> str:
    """Returns the page of a component, from the description in its FMU."""
    declared = declarations()[name]
    library = name.partition(".")[0]
    parts = [
        ALONE,
        f"# {name}",
        f"A component of [{library}]({library}.md).",
        f"![Icon of {name}](../docs/icons/{name}.svg)",
        f"**{markdown(declared.title)}**",
    ]
    parts.append(paragraphs("\n\n".join(re.split(r"\n\s*\n", declared.description)[1:])))
    for title, content in sections(VariableTable(declared)):
        parts += [f"## {title}", raw(f'<div class="component">\n{content}\n</div>')]
    return "\n\n".join(part for part in parts if part) + "\n"


def libraries() -> dict[str, list[str]]:
    """Returns the components of each library."""
    return {library: list(names) for library, names in groupby(all_components(), key=lambda name: name.split(".")[0])}


def library_page(library: str, names: list[str]) -> str:
    """Returns the page of a library: its purpose, and its components."""
    title, _, rest = inspect.cleandoc(importlib.import_module(f"fmu_components.{library}").__doc__ or library).partition("\n")
    rows = [
        f"| ![Icon of {name}](../docs/icons/{name}.svg) | [{name}]({name}.md) | {markdown(declarations()[name].title)} |" for name in names
    ]
    table = "\n".join(["| | Component | |", "|---|---|---|", *rows])
    return "\n\n".join([f"# {library}", markdown(title), paragraphs(rest), table]) + "\n"
