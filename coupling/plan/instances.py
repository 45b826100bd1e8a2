"""From what a user gives to FMUs: a name of the catalogue, a component class, or the path of any file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coupling.errors import BuildError, shown
from coupling.fmus import Fmu, FmuError, Settable, load
from coupling.names import nearest

_WANTED = "give the name of a component such as 'planar.Body1', a component class, or the path of a file that ends in .fmu"


def find_fmus(instance: str, fmu: Any, private: bool) -> tuple[Fmu, Fmu]:
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


def found_again(path: Path, sha256: str, private: bool, component: str, version: int, structural: Mapping[str, Settable]) -> Fmu:
    """Reads an FMU where it was, or builds that of a component again; refuses another one that has taken its place."""
    from fmu_components.catalogue import all_components

    gone = not path.is_file() and component in all_components()
    fmu = _of_component(all_components()[component], version, private) if gone else load(path, private, structural)
    if fmu.sha256 != sha256:
        raise FmuError(
            f"'{fmu.path}' is another FMU than it was when the system was defined; put the old one back, or define the system anew"
        )
    return fmu


def _of_component(component: type, version: int, private: bool) -> Fmu:
    from fmu_components.export.build import cached_fmu

    known = _components.get((component, version))
    if known is None or not known.unchanged:
        known = _components[component, version] = load(cached_fmu(component, version))
    return load(known.path, private=True) if private else known


_components: dict[tuple[type, int], Fmu] = {}
"""The FMUs of components; a class does not change as long as the process lives."""


def component_of(fmu: Fmu) -> type | None:
    """The component class that an FMU was built from; None where no class of this process has declared what the FMU says."""
    if not fmu.is_own:
        return None
    own = next((component for (component, _), known in _components.items() if known.path == fmu.path and known.sha256 == fmu.sha256), None)
    if own is not None:
        return own
    from fmu_components.catalogue import all_components
    from fmu_components.export.build import table_of

    component: type | None = all_components().get(fmu.model_name)
    return component if component is not None and table_of(component).token == fmu.token else None


def time_symbol() -> Any:
    """SymPy's, in which components and formulas are written."""
    from fmu_components.declare.declaration import TIME

    return TIME


def formula_component(expression: Any) -> type:
    """A component whose output y is an expression of time, a number of seconds in it."""
    from fmu_components.declare.component import Component

    class Formula(Component):
        """Formula: the signal y is a formula of time."""

        def declare(self) -> None:
            second = self.parameter("second", 1.0, "s", "unit of time", above=0, fixed=True)
            self.output("y", expression.subs(time_symbol(), time_symbol() / second), "", "the signal")

    return Formula
