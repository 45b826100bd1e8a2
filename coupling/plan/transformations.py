"""The transformations of values between an output and an input: conversions of units, and the options of ``connect``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from coupling.errors import BuildError
from coupling.fmus import Fmu, FmuVariable, Unit, same_dimension, same_unit
from coupling.fmus.adaptors import is_of_openmodelica, reversing_adaptor
from coupling.fmus.ports import adds
from coupling.fmus.scaled import Scaled, with_scaled
from coupling.plan.connections import find_end, values_between
from coupling.plan.definition import Name, Transformation
from coupling.plan.graph import Part

Transformations = Mapping[tuple[Name, Name], Transformation]
"""Transformations by source and target."""


class Affine(NamedTuple):
    """An affine map: factor * value + offset arrives, both as their FMUs have them."""

    factor: float = 1.0
    offset: float = 0.0

    def after(self, first: Affine) -> Affine:
        """Returns the map that applies ``first``, then this one."""
        return Affine(self.factor * first.factor, self.factor * first.offset + self.offset)


UNCHANGED = Affine()


def unit_of(fmu: Fmu, variable: FmuVariable) -> Unit | None:
    """Returns the unit of a variable as its FMU defines it; without an offset where only differences of the variable have a meaning."""
    unit = fmu.units.get(variable.unit) if variable.unit else None
    return Unit(unit.name, unit.exponents, unit.factor) if unit and variable.relative else unit


def conversion(a: Unit | None, b: Unit | None) -> Affine:
    """Returns the conversion from one unit to another; a value without a unit, or of another quantity, stays."""
    if a is None or b is None or same_unit(a, b) or not same_dimension(a, b):
        return UNCHANGED
    return Affine(a.factor / b.factor, (a.offset - b.offset) / b.factor)


def needs_conversion(fmus: Mapping[str, Fmu], source: Name, target: Name) -> bool:
    """Says whether two connected variables are in different units."""
    a, b = (unit_of(fmus[instance], fmus[instance].variables[name]) for instance, name in (source, target))
    return a is not None and b is not None and not same_unit(a, b)


def on_the_way(fmus: Mapping[str, Fmu], source: Name, target: Name, transformations: Transformations) -> Affine:
    """Returns the whole transformation of a value between an output and an input."""
    a, b = (unit_of(fmus[instance], fmus[instance].variables[name]) for instance, name in (source, target))
    asked = transformations.get((source, target))
    return Affine(asked.factor, asked.offset).after(conversion(a, b)) if asked else conversion(a, b)


def transformed_wires(
    fmus: Mapping[str, Fmu], transformations: Collection[Transformation], connections: Iterable[tuple[str, str]]
) -> Transformations:
    """Returns the wires of the connections that transform, and those to adaptors that reverse a sign; refuses those that cannot."""
    found: dict[tuple[Name, Name], Transformation] = {}
    changing = [each for each in transformations if each.changes]
    if any(map(is_of_openmodelica, fmus.values())):
        asked = {each.connection for each in changing}
        found |= _reversed_wires(fmus, [pair for pair in connections if pair not in asked])
    for each in changing:
        a, b = (find_end(text, fmus) for text in each.connection)
        refused = f"factor = {each.factor:g}, offset = {each.offset:g} between '{a.text}' and '{b.text}' is refused: "
        if a.terminal or b.terminal:
            raise BuildError(
                f"{refused}ports are connected as they are; connect variables one by one, or put a component between the ports"
            )
        for source, target, _ in values_between(a, b):
            variable = fmus[source[0]].variables[source[1]]
            if variable.type != "real":
                raise BuildError(f"{refused}'{'.'.join(source)}' is of type {variable.fmi_type}; only reals are transformed")
            found[source, target] = each
    return found


def _reversed_wires(fmus: Mapping[str, Fmu], connections: Iterable[tuple[str, str]]) -> dict[tuple[Name, Name], Transformation]:
    """Returns the wires between an adaptor of the Modelica Standard Library and an effort at a port, which change the sign."""
    found = {}
    for pair in connections:
        a, b = (find_end(text, fmus) for text in pair)
        if a.terminal and b.terminal:
            continue
        for source, target, _ in values_between(a, b):
            ends = [(source, target), (target, source)]
            adaptor = next((reversing_adaptor(fmus[x[0]], x[1]) for x, y in ends if adds(fmus[y[0]], y[1])), "")
            if adaptor:
                found[source, target] = Transformation(pair, -1.0, adaptor=adaptor)
    return found


def see_transformed(
    parts: Sequence[Part], numbers: Mapping[str, int], wanted: Mapping[tuple[Name, Name], Affine]
) -> tuple[list[Part], dict[tuple[Name, Name], int]]:
    """Returns the instances with outputs as they arrive at the ends of their wires, and the references of these outputs."""
    scaled: dict[int, dict[tuple[Name, Name], Scaled]] = defaultdict(dict)
    for (source, target), affine in wanted.items():
        scaled[numbers[source[0]]][source, target] = (source[1], *affine)
    seen = list(parts)
    references: dict[tuple[Name, Name], int] = {}
    for number, of in scaled.items():
        fmu, found = with_scaled(parts[number].fmu, of.values())
        seen[number] = replace(parts[number], fmu=fmu)
        references |= {wire: found[each] for wire, each in of.items()}
    return seen, references
