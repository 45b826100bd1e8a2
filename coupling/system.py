"""A system of FMUs as users put it together."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from coupling.connections import BuildError, Name, check_drive, wires_of
from coupling.drives import Constant, Drive, drive_of
from coupling.fmu import Fmu, Variable, load
from coupling.kernel.kernel import LoadedLibrary
from coupling.names import nearest
from coupling.result import Result
from coupling.schedule import Address, Part, Schedule, build_graph, build_schedule, type_code

Value = float | int | bool | str


@dataclass(frozen=True)
class Built:
    """A system that has been checked; it changes no more."""

    name: str
    parts: tuple[Part, ...]
    libraries: tuple[LoadedLibrary, ...] = field(repr=False)
    start: tuple[Mapping[str, Value], ...]
    drives: tuple[tuple[Address, Drive], ...]
    """Those that vary; constants are start values."""
    schedule: Schedule = field(repr=False)
    states: int

    def address(self, part: int, name: str) -> Address:
        return _address(self.parts[part].fmu, part, name)


class System:
    """Instances of FMUs and what connects them.

    ``add`` instances, ``connect`` their ports and variables, ``drive`` inputs by numbers, functions of time or tables, then
    ``simulate``. ``build`` checks everything; ``simulate`` calls it where it has not been called.
    """

    def __init__(self, name: str = "system") -> None:
        self.name = name
        self._fmus: dict[str, Fmu] = {}
        self._start: dict[str, dict[str, Value]] = {}
        self._connections: list[tuple[str, str]] = []
        self._drives: dict[str, Drive] = {}
        self._built: Built | None = None

    @property
    def instances(self) -> Mapping[str, Fmu]:
        """The FMUs by the names of their instances."""
        return dict(self._fmus)

    def __repr__(self) -> str:
        return f"System({self.name!r}: {len(self._fmus)} instances, {len(self._connections)} connections)"

    def add(self, name: str, fmu: Any, start_values: Mapping[str, Value] | None = None, kind: str | None = None) -> None:
        """Adds an instance.

        ``fmu`` is the name of a component of the catalogue (``planar.Revolute``), a component class, or the path of an FMU of any
        tool. ``start_values`` are those of parameters, states and inputs, in the units of the FMU. ``kind`` is ``"me"`` for Model
        Exchange, the default.
        """
        self._change()
        if not name or "." in name or name != name.strip():
            raise BuildError(f"an instance cannot be called '{name}'; give a name without dots, such as 'rod'")
        if name in self._fmus:
            raise BuildError(f"there is already an instance '{name}' ({self._fmus[name].model_name}); give the second one another name")
        loaded = _find_fmu(fmu, kind or "me")
        loaded.interface(kind or "me")
        for variable, value in (start_values or {}).items():
            _check_start(name, loaded, variable, value)
        self._fmus[name] = loaded
        self._start[name] = dict(start_values or {})

    def connect(self, a: str, b: str) -> None:
        """Connects two ports of opposite sides, or an output with an input, in either order."""
        self._change()
        self._connections.append((a, b))

    def drive(self, name: str, value: float | Callable[[float], float] | Sequence[Sequence[float]] | np.ndarray) -> None:
        """Gives an input a constant, a function of time, or a table of times and values, linear between them."""
        self._change()
        if name in self._drives:
            raise BuildError(f"'{name}' is driven twice; leave one of the two out")
        self._drives[name] = drive_of(name, value)

    def _change(self) -> None:
        if self._built is not None:
            raise BuildError(f"the system '{self.name}' has been built and cannot change any more; make a new System")

    def build(self) -> Built:
        """Checks everything and finds the order of evaluation."""
        if self._built is None:
            self._built = self._build()
        return self._built

    def _build(self) -> Built:
        if not self._fmus:
            raise BuildError(f"the system '{self.name}' is empty; add instances first")
        fmus = self._fmus
        drives = {check_drive(name, fmus, drive): drive for name, drive in self._drives.items()}
        wires = wires_of(fmus, self._connections, drives)
        number = {name: i for i, name in enumerate(fmus)}
        parts, first_state = [], 0
        for name, fmu in fmus.items():
            parts.append(Part(name, fmu, first_state))
            first_state += len(fmu.states)

        def address(name: Name) -> Address:
            return _address(fmus[name[0]], number[name[0]], name[1])

        varying = [(address(name), drive) for name, drive in drives.items() if not isinstance(drive, Constant)]
        start = {name: dict(values) for name, values in self._start.items()}
        for (instance, variable), drive in drives.items():
            if isinstance(drive, Constant):
                if (instance, variable) in wires:
                    varying.append((address((instance, variable)), drive))
                else:
                    _check_start(instance, fmus[instance], variable, drive.value)
                    start[instance][variable] = drive.value
        sources = {address(target): [address(source) for source in given] for target, given in wires.items()}
        graph = build_graph(parts, sources, {where: i for i, (where, _) in enumerate(varying)})
        libraries = tuple(_library(name, fmu) for name, fmu in fmus.items())
        schedule = build_schedule(graph, first_state)
        return Built(self.name, tuple(parts), libraries, tuple(start.values()), tuple(varying), schedule, first_state)

    def simulate(
        self,
        stop_time: float,
        start_time: float = 0.0,
        solver: str = "dopri5",
        rtol: float = 1e-8,
        atol: float | Mapping[str, float] | None = None,
        initial: str = "check",
        outputs: Sequence[str] | None = None,
        output_times: Sequence[float] | np.ndarray | None = None,
        output_interval: float | None = None,
        max_step: float = math.inf,
        max_steps: int = 10_000_000,
        progress: bool = False,
    ) -> Result:
        """Integrates the system from ``start_time`` to ``stop_time`` (seconds).

        ``solver``: ``dopri5`` or ``dop853`` (explicit Runge-Kutta, with events located to rounding), ``cvode`` or ``ida`` (stiff),
        or one of SciPy's: ``RK45``, ``Radau``, ``BDF``, ``LSODA``. ``rtol`` is the relative, ``atol`` the absolute tolerance, by default
        ``rtol`` times the nominal values; a mapping gives it by name of state, and of algebraic variable for ``ida``. ``initial``
        says what happens where the start violates constraints: ``check`` refuses, ``assemble`` moves what the user did not set,
        ``relax`` leaves it to the stabilisation. ``outputs`` are the names to record, of variables or instances, ``*`` matching
        anything; by default all outputs, states and algebraic variables. ``output_times`` or ``output_interval`` say when, by
        default 500 intervals; they cost no steps. ``progress`` shows a bar on a terminal.
        """
        from coupling.master import Run, simulate

        run = Run(
            start_time, stop_time, solver, rtol, atol, initial, outputs, output_times, output_interval, max_step, max_steps, progress
        )
        return simulate(self.build(), run)


def _find_fmu(fmu: Any, kind: str) -> Fmu:
    if isinstance(fmu, Fmu):
        return fmu
    if isinstance(fmu, Path) or (isinstance(fmu, str) and (fmu.endswith(".fmu") or os.sep in fmu)):
        return load(fmu)
    from fmu_components.catalogue import find
    from fmu_components.export.build import cached_fmu

    return load(cached_fmu(find(fmu) if isinstance(fmu, str) else fmu, 2 if kind == "cs" else 3))


def _library(instance: str, fmu: Fmu) -> LoadedLibrary:
    path = fmu.library("me")
    try:
        if path not in _libraries:
            _libraries[path] = LoadedLibrary(str(path), fmu.version)
    except OSError as error:
        raise BuildError(f"the binary of '{instance}' ({fmu.path.name}) cannot be loaded: {error}; export the FMU again for this platform") from None
    return _libraries[path]


_libraries: dict[Path, LoadedLibrary] = {}
"""One for each binary, however many instances it has; kept as long as the process, since code cannot be unloaded under a caller."""


def _address(fmu: Fmu, part: int, name: str) -> Address:
    variable = fmu.variables[name]
    types = {"real": 0, "integer": 6, "boolean": 10}
    return Address(part, type_code(variable, fmu.version) if variable.type in types else 0, variable.reference)


def _check_start(instance: str, fmu: Fmu, name: str, value: Value) -> None:
    variable = fmu.variables.get(name)
    full = f"{instance}.{name}"
    if variable is None:
        settable = [v.name for v in fmu.variables.values() if _settable(fmu, v)]
        hint = nearest(name, settable) or nearest(name, fmu.variables) or f"it has {', '.join(settable[:8])}"
        raise BuildError(f"'{instance}' ({fmu.model_name}) has no variable '{name}' to start from; {hint}")
    if not _settable(fmu, variable):
        raise BuildError(f"'{full}' is {variable.causality} and {variable.initial or 'calculated'}: the FMU computes it; set parameters, states or inputs")
    if variable.dimensions:
        raise BuildError(f"'{full}' is an array, whose start values cannot be set here; export its elements as scalar variables")
    if variable.type == "string":
        if not isinstance(value, str):
            raise BuildError(f"'{full}' = {value!r} is refused: it must be a text")
        return
    if isinstance(value, str) or not isinstance(value, bool | int | float | np.number | np.bool_):
        raise BuildError(f"'{full}' = {value!r} is refused: it must be a number")
    unit = f" {variable.unit}" if variable.unit and variable.unit != "1" else ""
    if not math.isfinite(value):
        raise BuildError(f"'{full}' = {value}{unit} is refused: it must be a finite number")
    if variable.type != "real" and value != int(value):
        raise BuildError(f"'{full}' = {value} is refused: it must be {'true or false' if variable.type == 'boolean' else 'a whole number'}")
    if variable.type != "boolean" and not variable.minimum <= value <= variable.maximum:
        bounds = [f"at least {variable.minimum:g}"] * (variable.minimum > -math.inf) + [f"at most {variable.maximum:g}"] * (variable.maximum < math.inf)
        raise BuildError(f"'{full}' = {value:g}{unit} is refused: it must be {' and '.join(bounds)}")


def _settable(fmu: Fmu, variable: Variable) -> bool:
    if variable.variability == "constant" or variable.causality in ("independent", "calculatedParameter"):
        return False
    return variable.causality in ("input", "parameter", "structuralParameter") or variable.initial in ("exact", "approx")
