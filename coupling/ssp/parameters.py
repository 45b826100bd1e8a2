"""Parameter sets (.ssv), mappings (.ssm) and their combined values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from coupling.errors import BuildError, listed, shown
from coupling.files import is_path
from coupling.fmus import FmuVariable, Unit, same_dimension
from coupling.fmus.start_values import item_of
from coupling.plan.connections import find_end
from coupling.plan.transformations import UNCHANGED, Affine, conversion
from coupling.ssp.elements import Document, is_true, local, parsed, tag

_INTEGERS = ("Integer", *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)))
_WHOLE: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("Real", "Float64", "Float32"), float),
    **dict.fromkeys(_INTEGERS, int),
    "Boolean": lambda text: {"true": True, "1": True, "false": False, "0": False}[text],
}
_TEXTS: dict[str, Callable[[str], Any]] = {"String": str, "Enumeration": str, "Binary": bytes.fromhex}


@dataclass(frozen=True)
class Given:
    """The value of a parameter as a file gives it."""

    value: Any
    """A number, text or truth value, or a list of them."""
    unit: Unit | None = None
    items: Mapping[str, int] = field(default_factory=dict)
    """The numbers of an enumeration's items."""
    converts: bool = True
    """True if the value is converted to the unit of its target."""
    undefined: str | None = None
    """Name of the value's unit, if the file does not define it."""

    def through(self, affine: Affine) -> Given:
        return self if affine == UNCHANGED else replace(self, value=_each(self.value, lambda x: affine.factor * x + affine.offset))

    def to_unit(self, unit: Unit | None, name: str) -> Given:
        """Returns the value in the unit of its target."""
        if self.unit is None or unit is None or not self.converts:
            return replace(self, unit=unit or self.unit)
        if self.unit.exponents is not None and unit.exponents is not None and not same_dimension(self.unit, unit):
            raise BuildError(f"'{name}' is given in {self.unit.name}, and is in {unit.name}; give a value of the same quantity")
        return replace(self.through(conversion(self.unit, unit)), unit=unit)

    def as_start(self, name: str, variable: FmuVariable) -> Any:
        """Returns the value as ``System.add`` takes it."""
        if variable.items and isinstance(self.value, str) and self.value not in dict(variable.items):
            number = self.items.get(self.value, self.value)
            return int(number) if str(number).lstrip("-").isdigit() else item_of(name, variable, number)
        return item_of(name, variable, self.value) if variable.items else self.value


def _each(value: Any, function: Callable[[Any], Any]) -> Any:
    return [function(each) for each in value] if isinstance(value, list) else function(value)


def values_of(document: Document, units: Mapping[str, Unit], enumerations: Mapping[str, Mapping[str, int]]) -> dict[str, Given]:
    """Returns the parameters of a set, by name; units and enumerations of the package count if the set does not define its own."""
    units, enumerations = {**units, **document.units}, {**enumerations, **document.enumerations}
    found: dict[str, Given] = {}
    for parameter in document.root.iter(tag("ssv:Parameter")):
        name = parameter.get("name", "")
        typed = next((each for each in parameter if local(each) in (*_WHOLE, *_TEXTS)), None)
        if typed is None:
            what = listed([local(each) for each in parameter if local(each) != "Annotations"]) or "no type"
            raise document.refused(f"gives the parameter '{name}' {what}, which cannot be read; give a number, a text, or true or false")
        named = typed.get("unit")
        undefined = named if named not in (None, "1", *units) else None
        items = enumerations.get(typed.get("name", ""), {})
        found[name] = Given(_value(document, name, typed), units.get(named or ""), items, undefined=undefined)
    return found


def _value(document: Document, name: str, typed: Element) -> Any:
    text, kind = typed.get("value"), local(typed)
    if text is None:
        raise document.refused(f"gives the parameter '{name}' no value; give one, or leave the parameter out")
    try:
        if kind in _TEXTS:
            return _TEXTS[kind](text)
        values = [_WHOLE[kind](each) for each in text.split()]
    except (ValueError, KeyError):
        values = []
    if not values:
        raise document.refused(f"gives the parameter '{name}' the value {shown(text)}, which is no {kind}; mend it")
    return values if len(values) > 1 else values[0]


@dataclass(frozen=True)
class Step:
    """Transformation of values by a mapping or a connection."""

    affine: Affine = UNCHANGED
    table: Mapping[str, str] | None = None
    """Texts of targets by those of sources, for values that are not real."""

    def of(self, given: Given, name: str) -> Given:
        if self.table is None:
            if self.affine != UNCHANGED and isinstance(given.value, bool | str):
                raise BuildError(f"'{name}' = {shown(given.value)} has a LinearTransformation, which is for numbers; leave it out")
            return given.through(self.affine)
        return replace(given, value=_each(given.value, self._mapped), items={})

    def _mapped(self, value: Any) -> Any:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        target = (self.table or {}).get(text)
        if target is None:
            return value
        return {"true": True, "false": False}[target] if isinstance(value, bool) else int(target) if isinstance(value, int) else target


def step_of(document: Document, element: Element) -> Step:
    """Returns the transformation inside a connection or an entry of a mapping."""
    for each in element:
        name = local(each)
        if name == "LinearTransformation":
            return Step(Affine(document.number(each, "factor", 1.0), document.number(each, "offset", 0.0)))
        if name.endswith("MappingTransformation"):
            plain = {"1": "true", "0": "false"} if name.startswith("Boolean") else {}
            pairs = ((entry.get("source", ""), entry.get("target", "")) for entry in each)
            return Step(table={plain.get(a, a): plain.get(b, b) for a, b in pairs})
    return Step()


def mapped(document: Document, given: Mapping[str, Given]) -> Iterator[tuple[str, Given]]:
    """Yields the parameters that a mapping makes of a set; entries of templates, without a source, have no effect."""
    for entry in document.root.iterfind(tag("ssm:MappingEntry")):
        source, target = entry.get("source", ""), entry.get("target", "")
        if not source:
            continue
        if source not in given:
            raise document.refused(f"maps the parameter '{source}', which the parameter set lacks; its parameters are {listed(given)}")
        value = step_of(document, entry).of(given[source], target)
        yield target, replace(value, converts=not is_true(entry, "suppressUnitConversion"))


def start_values_of(given: Any, fmus: Mapping[str, Any], prefix: str = "") -> Mapping[str, Any] | None:
    """Returns start values as they are given, or those of a file ``.ssv`` in the units of the variables.

    ``prefix`` is put before the names of the file.
    """
    if given is not None and not isinstance(given, str | os.PathLike | Mapping):
        raise BuildError(f"start_values = {shown(given)} is refused: give them by full names, such as {{'rod.m': 2.0}}")
    return _of_file(given, fmus, prefix) if isinstance(given, str | os.PathLike) else given


def _of_file(path: str | os.PathLike[str], fmus: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    if not is_path(path):
        raise BuildError(f"start_values = {shown(path)} is refused: give them as a mapping, or the path of a .ssv file")
    file = Path(path)
    try:
        text = file.read_bytes()
    except OSError as error:
        raise BuildError(
            f"'{path}' cannot be read: {error.strerror or error}; give start values as a mapping, or the path of a .ssv file"
        ) from None
    found = {}
    for name, given in values_of(parsed(text, str(path), "ssv:ParameterSet"), {}, {}).items():
        end = find_end(prefix + name, fmus, f"'{path}': ")
        variable = end.variable or end.array
        if variable is None:
            raise BuildError(f"'{path}' gives '{name}' a value, which is a port; name one of its variables")
        if given.undefined and given.undefined != variable.unit:
            raise BuildError(
                f"'{path}' gives the parameter '{name}' the unit '{given.undefined}', which it does not define; define it among its Units"
            )
        unit = end.fmu.units.get(variable.unit or "")
        found[name] = given.to_unit(unit, prefix + name).as_start(prefix + name, variable)
    return found
