"""What a user gives for an FMU, as files: a name of the catalogue, a component class, or the path of any FMU."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coupling.errors import BuildError, shown
from coupling.fmus import Fmu, FmuError, load
from coupling.fmus.start_values import check_start
from coupling.names import nearest
from coupling.plan.definition import FmuFile, InstanceDefinition, Value

_WANTED = "give the name of a component such as 'planar.Body1', a component class, or the path of a file that ends in .fmu"


def define_instance(
    name: str, fmu: Any, start_values: Mapping[str, Value] | None = None, kind: str | None = None, private: bool = False
) -> InstanceDefinition:
    """An instance, with everything checked that can be checked of it alone; components are built here."""
    if not isinstance(name, str) or not name or set(name) & set(".*") or name != name.strip():
        raise BuildError(f"an instance cannot be called {shown(name)}; give a name without dots and stars, such as 'rod'")
    if start_values is not None and not isinstance(start_values, Mapping):
        raise BuildError(f"the start values of '{name}' are {shown(start_values)}; give them by their names, such as {{'m': 1.0}}")
    if kind not in (None, "me", "cs"):
        raise BuildError(f"'{name}' cannot run as {shown(kind)}; the kinds are 'me' (Model Exchange) and 'cs' (Co-Simulation)")
    if not isinstance(private, bool):
        raise BuildError(f"private = {shown(private)} of '{name}' is refused: give True or False")
    loaded, stepped = _find_fmus(name, fmu, private)
    if kind is None and loaded.model_exchange is None:
        kind = "cs"
    if kind is not None:
        try:
            (stepped if kind == "cs" else loaded).interface(kind)
        except FmuError as error:
            raise BuildError(f"'{name}' cannot run as '{kind}': {error}") from None
    for variable, value in (start_values or {}).items():
        check_start(name, loaded, variable, value)
    first = FmuFile(stepped if kind == "cs" else loaded)
    return InstanceDefinition(name, first, FmuFile(stepped), tuple((start_values or {}).items()), kind)


def _find_fmus(instance: str, fmu: Any, private: bool) -> tuple[Fmu, Fmu]:
    """What runs in Model Exchange, and what in Co-Simulation: of components FMI 3 and FMI 2, of all others the one file that there is."""
    if isinstance(fmu, Fmu):
        fmu = load(fmu.path, private=True) if private else fmu
        return fmu, fmu
    if isinstance(fmu, Path) or (isinstance(fmu, str) and (fmu.endswith(".fmu") or os.sep in fmu)):
        try:
            loaded = load(fmu, private)
        except FmuError as error:
            raise FmuError(f"'{instance}' cannot be added: {error}") from None
        return loaded, loaded
    from fmu_components.catalogue import all_components
    from fmu_components.declare.component import Component

    if isinstance(fmu, str):
        if fmu not in all_components():
            raise BuildError(f"'{instance}' cannot be added: there is no component '{fmu}'; {nearest(fmu, all_components()) or _WANTED}")
        fmu = all_components()[fmu]
    if not (isinstance(fmu, type) and issubclass(fmu, Component)):
        raise BuildError(f"'{instance}' cannot be added: {shown(fmu)} is no FMU; {_WANTED}")
    return _of_component(fmu, 3, private), _of_component(fmu, 2, private)


def _of_component(component: type, version: int, private: bool) -> Fmu:
    from fmu_components.export.build import cached_fmu

    known = _components.get((component, version))
    if known is None or not known.unchanged:
        known = _components[component, version] = load(cached_fmu(component, version))
    return load(known.path, private=True) if private else known


_components: dict[tuple[type, int], Fmu] = {}
"""The FMUs of components; a class does not change as long as the process lives."""
