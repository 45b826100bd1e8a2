"""Finds components: a file in a component folder is all it takes to add one."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType

from fmu_components.declare.component import Component, component_name
from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.heat import heated, without_heat
from fmu_components.words import components_called, made_by

_PACKAGE = Path(__file__).parent
_NOT_COMPONENTS = {"declare", "export", "flexible", "laws", "modelica", "runtime", "__pycache__"}


class UnknownComponent(LookupError):
    """The error for a name that no component has; the message lists the nearest ones."""


@cache
def all_components() -> dict[str, type[Component]]:
    """Every component of the package by its name, such as ``planar.Revolute``, sorted."""
    found: dict[str, type[Component]] = {}
    for folder in sorted(_PACKAGE.iterdir()):
        if folder.is_dir() and folder.name not in _NOT_COMPONENTS:
            for file in sorted(folder.glob("*.py")):
                if file.stem != "__init__":
                    for component in _declared_in(importlib.import_module(f"fmu_components.{folder.name}.{file.stem}"), file):
                        name = component_name(component)
                        if name in found:
                            raise DeclarationError(
                                f"'{name}' is declared twice, in '{_file(found[name])}' and in '{file.name}'; rename one of the two"
                            )
                        found[name] = component
    return dict(sorted(found.items()))


def find(name: str) -> type[Component]:
    """Returns the component class with this ``name``, such as "planar.Revolute", or "electrical.HeatedResistor" for one with a heat port.
    Another name raises UnknownComponent with similar ones."""
    components = all_components()
    cold = without_heat(name)
    if cold in components:
        return heated(components[cold])
    if name not in components:
        near = components_called(name)[:3] or difflib.get_close_matches(name, components, n=3, cutoff=0.4)
        others = f"the nearest names are {', '.join(near)}" if near else "--list shows all; a file of your own is given with its ending .py"
        hint = made_by(name) or others
        raise UnknownComponent(f"there is no component '{name}'; {hint}")
    return components[name]


def from_file(path: Path) -> list[type[Component]]:
    """Returns the component classes that the Python file at ``path`` declares. A missing file raises UnknownComponent, a file that cannot
    be read or declares none DeclarationError."""
    if not path.is_file():
        raise UnknownComponent(f"there is no file '{path}'; give the path of a Python file that declares a component")
    # A name of its own: a user's file must not hide an installed module, nor count as part of the package.
    unique = f"user_components.{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    specification = importlib.util.spec_from_file_location(unique, path)
    if specification is None or specification.loader is None:
        raise UnknownComponent(f"'{path}' is not a Python file; give one that declares a component, with the ending .py")
    module = importlib.util.module_from_spec(specification)
    # Both are found by name when a class is handed to another process.
    sys.modules.setdefault("user_components", ModuleType("user_components"))
    sys.modules[module.__name__] = module
    sys.path.append(str(path.resolve().parent))  # for modules that the file imports from beside it
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module.__name__]
        line = (
            error.lineno
            if isinstance(error, SyntaxError)
            else next((f.lineno for f in reversed(traceback.extract_tb(error.__traceback__)) if Path(f.filename) == path), None)
        )
        raise DeclarationError(f"'{path}' cannot be read: {type(error).__name__} in line {line}: {error}") from error
    finally:
        sys.path.pop()
    return _declared_in(module, path)


def _declared_in(module: ModuleType, file: Path) -> list[type[Component]]:
    components = [
        item
        for name, item in vars(module).items()
        if isinstance(item, type) and issubclass(item, Component) and item.__module__ == module.__name__ and not name.startswith("_")
    ]
    if not components:
        raise DeclarationError(
            f"'{file.name}' in '{file.parent.name}' declares no component; define a subclass of Component or Joint in it, "
            f"or move the file out of the folder"
        )
    return components


def _file(component: type[Component]) -> str:
    return Path(inspect.getfile(component)).name
