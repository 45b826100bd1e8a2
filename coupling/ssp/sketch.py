"""Sketch of a definition in the terms of SSP: components and wires, with sums and tables for operations that SSP cannot express."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

import numpy as np

from coupling.errors import BuildError, listed
from coupling.fmus import Fmu
from coupling.names import identifiers
from coupling.plan import formulas
from coupling.plan.connections import wires_of
from coupling.plan.definition import Definition, Name, Value
from coupling.plan.drives import ConstantDrive, Drive, FormulaDrive, FunctionDrive, PiecesDrive, PolynomialDrive, TableDrive, TextDrive
from coupling.plan.instances import find_fmus, with_tables
from coupling.plan.rates import drives_of
from coupling.plan.transformations import UNCHANGED, Affine, on_the_way, transformed_wires
from coupling.ssp.flat import Component

_SUM, _TABLE, _TERMS = "signal.Sum", "signal.Table", 3
"""Components that are inserted, and the number of terms of the first."""


@dataclass
class Sketch:
    """Components by full names, and the changes of values between an output and an input."""

    components: dict[str, Component]
    wires: dict[tuple[Name, Name], Affine] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    """Names in the package of components, and of the systems that contain them."""

    def put_in(self, beside: Name, what: str, kind: Any, start: Mapping[str, Any]) -> str:
        """Adds a component in the same system as an instance, and returns its name."""
        within, _, instance = beside[0].rpartition(".")
        plain = f"{within}{'.' if within else ''}{instance}_{beside[1].replace('.', '_')}_{what}"
        name = next(each for each in chain([plain], (f"{plain}{n}" for n in count(2))) if each not in self.components)
        self.components[name] = Component(find_fmus(name, kind, False)[1](), None, start, inserted=True)
        return name


def written_sketch(definition: Definition, target: str | None = None) -> Sketch:
    """Returns the sketch with the names of a package, which are identifiers; ``target`` is the file if one is written."""
    sketch = sketch_of(definition)
    names = identifiers(sketch.components, target)
    components = {names[name]: each for name, each in sketch.components.items()}
    wires = {((names[a], x), (names[b], y)): affine for ((a, x), (b, y)), affine in sketch.wires.items()}
    return Sketch(components, wires, names)


def sketch_of(definition: Definition) -> Sketch:
    """Returns the sketch of a definition; a part without any representation raises BuildError with its name."""
    fmus = {each.name: each.fmu.fmu for each in definition.instances}
    drives = drives_of(definition, fmus)
    _refuse_drives(fmus, drives)
    wires = wires_of(fmus, definition.connections, drives, complete=False, transformations=definition.transformations)
    transformations = transformed_wires(fmus, definition.transformations, definition.connections)
    sketch = Sketch({each.name: Component(each.stepped.fmu, each.kind, dict(each.start)) for each in definition.instances})
    for target in dict.fromkeys([*wires, *drives]):
        terms: list[tuple[Name, Affine]] = [(source, on_the_way(fmus, source, target, transformations)) for source in wires.get(target, ())]
        constant: Value = 0.0
        drive = drives.get(target)
        if isinstance(drive, ConstantDrive):
            constant = drive.value
        elif isinstance(drive, FormulaDrive | PiecesDrive):
            tree = (
                drive.tree
                if isinstance(drive, FormulaDrive)
                else formulas.of_pieces(drive.times.tolist(), drive.coefficients.tolist(), drive.outside)
            )
            terms.append(((sketch.put_in(target, "formula", formulas.component(tree), {}), "y"), UNCHANGED))
        elif isinstance(drive, TableDrive):
            held = fmus[target[0]].variables[target[1]].variability != "continuous"
            constant, tables = _table(sketch, target, drive.steps if held else drive)
            terms += tables
        if drive is not None and not terms:
            sketch.components[target[0]].start[target[1]] = constant  # type: ignore[index]  # a dict that was made above
        elif len(terms) == 1 and not constant:
            sketch.wires[terms[0][0], target] = terms[0][1]
        else:
            _add_up(sketch, target, terms, constant)
    return sketch


def _refuse_drives(fmus: Mapping[str, Fmu], drives: Mapping[Name, Drive]) -> None:
    functions = [".".join(name) for name, drive in drives.items() if isinstance(drive, FunctionDrive | PolynomialDrive)]
    if functions:
        them = "it" if len(functions) == 1 else "them"
        raise BuildError(
            f"{listed(functions)} cannot be written as SSP: a Python function drives {them}; drive {them} by an expression of jourdain.declare.t or a table, or add a "
            "component such as signal.Sine"
        )
    for (instance, name), drive in drives.items():
        variable = fmus[instance].variables[name]
        if isinstance(drive, TextDrive) or (isinstance(drive, TableDrive) and variable.type != "real"):
            raise BuildError(
                f"'{instance}.{name}' cannot be written as SSP: a table drives it, and it is of type {variable.fmi_type}; drive it by a constant, or "
                "by an FMU that gives this type"
            )


def _add_up(sketch: Sketch, target: Name, terms: Sequence[tuple[Name, Affine]], constant: Value) -> None:
    """Adds sums of three terms, whose first term is the sum of those before."""
    waiting = list(terms)
    sums: tuple[Name, Affine] | None = None
    while waiting:
        room = _TERMS if sums is None else _TERMS - 1
        now, waiting = waiting[:room], waiting[room:]
        inputs = [*([sums] if sums else []), *now]
        start: dict[str, Any] = {}
        if constant and not waiting and len(inputs) < _TERMS:
            start, constant = {f"u{len(inputs) + 1}": constant}, 0.0
        name = sketch.put_in(target, "sum", _SUM, start)
        for number, (source, affine) in enumerate(inputs, 1):
            sketch.wires[source, (name, f"u{number}")] = affine
        sums = ((name, "y"), UNCHANGED)
    assert sums
    if constant:
        name = sketch.put_in(target, "sum", _SUM, {"u2": constant})
        sketch.wires[sums[0], (name, "u1")] = UNCHANGED
        sums = ((name, "y"), UNCHANGED)
    sketch.wires[sums[0], target] = UNCHANGED


def _table(sketch: Sketch, target: Name, drive: TableDrive) -> tuple[float, list[tuple[Name, Affine]]]:
    """Adds a component with the points of a table."""
    times, values = _from_zero(drive)
    if times[0] == times[-1]:
        return float(values[-1]), []
    component, _ = with_tables(".".join(target), _TABLE, {"points": [times.tolist(), values.tolist()]})
    return 0.0, [((sketch.put_in(target, "table", component, {}), "y"), UNCHANGED)]


def _from_zero(drive: TableDrive) -> tuple[np.ndarray, np.ndarray]:
    """Returns a drive without the times before 0, for which a table has no points."""
    times, values = drive.times, drive.values
    if times[0] >= 0:
        return times, values
    later = times >= 0
    start = float(np.interp(0.0, times, values))
    return np.append(0.0, times[later]), np.append(start, values[later])
