"""The FMUs that a user means: by a name of the catalogue, a component class, or the path of any file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coupling.errors import BuildError, shown
from coupling.fmus import Fmu, FmuError, Settable, load
from coupling.names import either, nearest
from coupling.progress import building_shown

if TYPE_CHECKING:
    from fmu_components.export.table import VariableTable

_WANTED = "give the name of a component such as 'planar.Body1', a component class, or the path of a file that ends in .fmu"


def find_fmus(instance: str, fmu: Any, private: bool) -> tuple[Fmu, Callable[[], Fmu]]:
    """Returns the FMU for Model Exchange, and a function that finds the FMU for Co-Simulation.

    Components have FMI 3 and FMI 2, the latter built when a run asks for it; all others have the one file that exists.
    """
    if isinstance(fmu, Fmu):
        found = load(fmu.path, private=True) if private else fmu
        return found, lambda: found
    if _is_path(fmu):
        try:
            loaded = load(fmu, private)
        except FmuError as error:
            raise FmuError(f"'{instance}' cannot be added: {error}") from None
        return loaded, lambda: loaded
    if isinstance(fmu, str):
        return _of_catalogue(instance, fmu, 3, private), partial(_of_catalogue, instance, fmu, 2, private)
    from fmu_components.declare.component import Component

    if not (isinstance(fmu, type) and issubclass(fmu, Component)):
        raise BuildError(f"'{instance}' cannot be added: {shown(fmu)} is no FMU; {_WANTED}")
    return _of_component(fmu, 3, private), partial(_of_component, fmu, 2, private)


def _is_path(fmu: Any) -> bool:
    return isinstance(fmu, Path) or (isinstance(fmu, str) and (fmu.endswith(".fmu") or os.sep in fmu))


def with_heat_port(instance: str, fmu: Any, asked: object = True) -> Any:
    """Returns the class of a component with a heat port. Other FMUs, components without losses and other answers than True and False are
    refused. An unknown name is returned as it is, since its refusal lists similar names."""
    from fmu_components.declare.component import Component
    from fmu_components.declare.declaration import DeclarationError
    from fmu_components.declare.heat import heated

    if not isinstance(asked, bool):
        raise BuildError(f"heat_port = {shown(asked)} of '{instance}' is refused: give True or False")
    component = class_called(fmu) if isinstance(fmu, str) else fmu
    if component is None and not _is_path(fmu):
        return fmu
    if not (isinstance(component, type) and issubclass(component, Component)):
        raise BuildError(f"'{instance}' has no heat port: {shown(fmu)} is no component of the catalogue; leave heat_port out")
    try:
        return heated(component)
    except DeclarationError as error:
        raise BuildError(f"'{instance}' cannot be added: {error}") from None


def with_tables(instance: str, fmu: Any, given: Any) -> tuple[Any, Any]:
    """Returns the class of a component with the tables that are among its start values, and the other start values."""
    from fmu_components.declare.component import Component, declaration
    from fmu_components.declare.declaration import DeclarationError

    component = class_called(fmu) if isinstance(fmu, str) else fmu
    if not (isinstance(component, type) and issubclass(component, Component)):
        return fmu, given
    try:
        names = {name for name in given if name in declaration(component).tables}
        tables = {name: given[name] for name in names}
        return component.with_tables(**tables) if tables else fmu, {name: given[name] for name in given if name not in names}
    except DeclarationError as error:
        raise BuildError(f"'{instance}' cannot be added: {error}") from None


def may_hold_tables(given: Any) -> bool:
    """Says whether start values contain one that is more than a number."""
    return isinstance(given, Mapping) and any(not isinstance(value, bool | int | float) for value in given.values())


def class_called(name: str) -> type | None:
    """Returns the component class of this name, also of one with a heat port; None for other names."""
    from fmu_components.catalogue import all_components
    from fmu_components.declare.heat import heated, without_heat

    cold = without_heat(name)
    component = all_components().get(cold or name)
    return component if component is None or cold is None else heated(component)


def found_again(path: Path, sha256: str, private: bool, component: str, version: int, structural: Mapping[str, Settable]) -> Fmu:
    """Reads an FMU where it was, or builds that of a component again; refuses another one that has taken its place."""
    fmu = load(path, private, structural) if path.is_file() else _rebuilt(path, component, version, private, structural)
    if fmu.sha256 != sha256:
        raise FmuError(
            f"'{fmu.path}' is another FMU than it was when the system was defined; put the old one back, or define the system anew"
        )
    return fmu


def _rebuilt(path: Path, component: str, version: int, private: bool, structural: Mapping[str, Settable]) -> Fmu:
    known = class_called(component)
    return load(path, private, structural) if known is None else _of_component(known, version, private)


def _of_catalogue(instance: str, name: str, version: int, private: bool) -> Fmu:
    from fmu_components.export.known import known_fmu, note_fmu

    def found() -> Path:
        path = known_fmu(name, version)
        if path is None:
            from fmu_components.catalogue import all_components
            from fmu_components.declare.declaration import DeclarationError
            from fmu_components.export.build import cached_fmu
            from fmu_components.words import components_called, made_by

            try:
                component = class_called(name)
            except DeclarationError as error:
                raise BuildError(f"'{instance}' cannot be added: {error}") from None
            if component is None:
                called = [repr(each) for each in components_called(name)[:3]]
                hint = made_by(name) or (f"did you mean {either(called)}?" if called else nearest(name, all_components()))
                raise BuildError(f"'{instance}' cannot be added: there is no component '{name}'; {hint or _WANTED}")
            with building_shown(name):
                path = cached_fmu(component, version)
            note_fmu(name, version, path)
        return path

    return _loaded(name, version, private, found)


def _of_component(component: type, version: int, private: bool) -> Fmu:
    from fmu_components.declare.component import component_name
    from fmu_components.export.build import cached_fmu

    def found() -> Path:
        with building_shown(component_name(component)):
            return cached_fmu(component, version)

    return _loaded(component, version, private, found)


def _loaded(component: type | str, version: int, private: bool, find: Callable[[], Path]) -> Fmu:
    known = _components.get((component, version))
    if known is None or not known.unchanged:
        known = _components[component, version] = load(find())
    return load(known.path, private=True) if private else known


_components: dict[tuple[type | str, int], Fmu] = {}
"""The FMUs of components, by their classes or their names; a class does not change as long as the process lives."""


def component_of(fmu: Fmu) -> type | None:
    """Returns the component class that an FMU was built from; None where no class of this process has the FMU's declaration."""
    if not fmu.is_own:
        return None
    from fmu_components.declare.component import component_name
    from fmu_components.export.build import table_of

    for (component, _), known in list(_components.items()):
        if known.path == fmu.path and known.sha256 == fmu.sha256:
            return component if isinstance(component, type) else class_called(component)
    added = (component for component, _ in list(_components) if isinstance(component, type) and component_name(component) == fmu.model_name)
    known_classes = [each for each in (class_called(fmu.model_name), *added) if each is not None]
    declared = chain(known_classes, chain.from_iterable(_with_tables_of(fmu, each) for each in known_classes))
    return next((each for each in declared if table_of(each).token == fmu.token and _describes(fmu, table_of(each))), None)


def _with_tables_of(fmu: Fmu, component: type) -> Iterator[type]:
    """Yields the component with the numbers of an FMU's tables, which may be interpolated in each way."""
    from fmu_components.declare.component import declaration
    from fmu_components.declare.tables import KINDS

    names: dict[str, list[list[float]]] = {}
    for array in (each for each in declaration(component).variables if each.shape):
        starts = [v.start for name, v in fmu.variables.items() if name.startswith(f"{array.name}[")]
        names.setdefault(array.name.rpartition(".")[0], []).append(starts)  # type: ignore[arg-type]  # of real parameters
    tables = {name: [x, *rest] if len(rest) == 1 else [x, rest[0], _rows(rest[1], len(x))] for name, (x, *rest) in names.items()}
    for how in ({}, *({"kind": kind} for kind in KINDS)) if tables else ():
        with suppress(ValueError):  # these numbers are no table of this kind
            yield component.with_tables(**{name: {"points": points, **how} for name, points in tables.items()})  # type: ignore[attr-defined]


def _rows(values: list[float], count: int) -> list[list[float]]:
    width = len(values) // count
    return [values[i : i + width] for i in range(0, len(values), width)]


def _describes(fmu: Fmu, table: VariableTable) -> bool:
    """Says whether the model description has the variables of the declaration, as it has where nobody has changed it."""
    from fmu_components.declare.declaration import Role

    declared = {v.name: (place, v.type) for place, v in table.scalars() if v.role is not Role.TIME}
    found = {name: (fmu.place(v.reference), v.type) for name, v in fmu.variables.items() if v.reference != fmu.time}
    return found == declared and list(fmu.states) == table.references(Role.STATE)


def started_fmu(fmu: Fmu, start: Mapping[str, Any]) -> Fmu | None:
    """Returns the FMU of the same component that has these start values in its model description; None where it cannot be built."""
    component = component_of(fmu)
    if component is None:
        return None
    from fmu_components.declare.started import started
    from fmu_components.export.build import cached_fmu
    from fmu_components.export.compile import ExportError

    kinds = {"real": float, "integer": int, "boolean": bool}
    values = tuple((name, kinds[fmu.variables[name].type](value)) for name, value in start.items())
    try:
        with building_shown(fmu.model_name):
            path = cached_fmu(started(component, values), fmu.version)
    except ExportError:
        return None
    return load(path, fmu.private)


def actuated(fmu: Fmu) -> str:
    """Returns the component that is this joint with an actuator; empty if no such component exists."""
    from fmu_components.catalogue import all_components

    library, _, name = fmu.model_name.rpartition(".")
    return twin if fmu.is_own and (twin := f"{library}.Actuated{name}") in all_components() else ""


def time_symbol() -> Any:
    """Returns SymPy's symbol of time, in which components and formulas are written."""
    from fmu_components.declare.declaration import TIME

    return TIME


def formula_component(expression: Any) -> type:
    """Returns a component whose output y is an expression of time, a number of seconds in it."""
    from fmu_components.declare.component import Component

    class Formula(Component):
        """Formula: the signal y is a formula of time."""

        def declare(self) -> None:
            second = self.parameter("second", 1.0, "s", "unit of time", above=0, fixed=True)
            self.output("y", expression.subs(time_symbol(), time_symbol() / second), "", "the signal")

    return Formula
