"""The Python reference: every public name, with the docstrings of the sources."""

from __future__ import annotations

import inspect
from pathlib import Path

import jourdain
from docs.site.words import fenced, toctree

_PAGES = {
    "systems": ("Systems", "What is put together, simulated and exported.", ("System", "Pose", "BuildError", "StartError", "FmuError")),
    "results": ("Results", "What a run returns.", ("Result", "Outcome", "Ending", "Statistics", "ResultError")),
}
_BY_SOURCE = {
    "coupling.sweep": ("sweeps", "Many runs", "Sweeps, samples and their tables."),
    "coupling.sampling": ("sweeps", "Many runs", "Sweeps, samples and their tables."),
    "coupling": ("analysis", "Analyses", "Equilibria, linear models, sensitivities, and what their failures are called."),
    "fmu_components": ("declaring", "Declaring components", "The words of declarations, and the functions that find and build components."),
}
"""Pages for names that are not listed above, by the beginning of the module from which a name comes."""
MODULES = tuple(f"jourdain.{path.stem}" for path in sorted(Path(jourdain.__file__).parent.glob("[a-z]*.py")) if path.stem != "command")
"""Modules of words, beside the names of ``jourdain`` itself."""
_OWN = ("coupling", "fmu_components")


def reference_pages() -> dict[str, str]:
    """Returns the pages by file name; every name of ``jourdain`` is on one of them."""
    named = {name: key for key, (_, _, names) in _PAGES.items() for name in names}
    heads = {key: (title, text) for key, (title, text, _) in _PAGES.items()} | {
        key: (title, text) for key, title, text in _BY_SOURCE.values()
    }
    chosen: dict[str, list[str]] = {key: [name for name in named if named[name] == key] for key in heads}
    for name in jourdain.__all__:
        if name not in named:
            chosen[_page_of(name)].append(name)
    pages = {
        key: "\n\n".join([f"# {title}", text, _directives([_public(name) for name in chosen[key]])]) for key, (title, text) in heads.items()
    }
    for module in MODULES:
        directive = f".. automodule:: {module}\n   :members:\n   :imported-members:"
        pages[module] = f"# {module}\n\n{fenced(directive, '{eval-rst}')}"
    contents = "Names that may be relied upon, as [Versions](../docs/versioning.md) tells. The manuals say how they are used."
    pages["index"] = f"# Python reference\n\n{contents}\n\n{toctree(pages, hidden=False)}"
    return {f"{key}.md": text + "\n" for key, text in pages.items()}


def _page_of(name: str) -> str:
    source = jourdain._PLACES[name][0]
    return next(key for start, (key, _, _) in _BY_SOURCE.items() if source.startswith(start))


def _public(name: str) -> str:
    """Returns the directive of a name."""
    value = getattr(jourdain, name)
    if inspect.isclass(value):
        if issubclass(value, BaseException):
            return f".. autoexception:: jourdain.{name}"
        foreign = [each for each in value.__mro__ if each.__module__.partition(".")[0] not in _OWN]
        return f".. autoclass:: jourdain.{name}\n   :members:\n   :inherited-members: {', '.join(each.__name__ for each in foreign)}"
    if inspect.isfunction(value) or hasattr(value, "__wrapped__"):
        return f".. autofunction:: jourdain.{name}"
    return f".. data:: jourdain.{name}\n   :type: {type(value).__name__}\n\n   {value.name}"


def _directives(each: list[str]) -> str:
    return fenced("\n\n".join(each), "{eval-rst}")
