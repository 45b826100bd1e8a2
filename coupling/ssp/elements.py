"""The XML of SSP: namespaces, elements, units and values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, ParseError, SubElement, TreeBuilder, XMLParser

from coupling.errors import BuildError, shown
from coupling.fmus import Unit

T = TypeVar("T")
_PARTS = {"ssd": "Description", "ssc": "Common", "ssv": "ParameterValues", "ssm": "ParameterMapping", "ssb": "SignalDictionary"}
_NAMESPACES = {prefix: f"http://ssp-standard.org/SSP1/SystemStructure{part}" for prefix, part in _PARTS.items()}
_NAMESPACES["oms"] = "https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd"
"""Namespace of OMSimulator's annotations, which its Python reader compares as text."""
for _prefix, _address in _NAMESPACES.items():
    ElementTree.register_namespace(_prefix, _address)
BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
VERSION = "1.0"


def tag(name: str) -> str:
    """Returns the name of an element such as ``ssd:System``, as ElementTree has it."""
    prefix, _, local = name.partition(":")
    return f"{{{_NAMESPACES[prefix]}}}{local}" if local else name


def local(element: Element) -> str:
    """Returns the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def path_of(*names: str) -> str:
    """Returns a path through elements, for ``find`` and ``iterfind``."""
    return "/".join(map(tag, names))


def add(parent: Element, kind: str, /, **attributes: object) -> Element:
    """Adds an element inside another; attributes that are None are left out."""
    return SubElement(parent, tag(kind), {key: written(value) for key, value in attributes.items() if value is not None})


def written(value: object) -> str:
    """Returns a value as XML has it; a number with all digits that determine it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, float) else str(value)


_DEPTH = 300
"""Greatest depth of elements in each other. Nested systems, each in three elements, and formulas are read by recursion."""


class _Plain(TreeBuilder):
    """Parser target that refuses document types, which could make a small file large, and elements too deep for recursion."""

    _depth = 0

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise BuildError("it has a DOCTYPE, which SSP does not use")

    def start(self, tag: str, attrs: dict[str, str]) -> Element:
        self._depth += 1
        if self._depth > _DEPTH:
            raise BuildError(f"it has more than {_DEPTH} elements in each other")
        return super().start(tag, attrs)

    def end(self, tag: str) -> Element:
        self._depth -= 1
        return super().end(tag)


@dataclass(frozen=True)
class Document:
    """An XML file of a package, for sentences on it."""

    root: Element
    file: str

    def refused(self, what: str) -> BuildError:
        return BuildError(f"'{self.file}' {what}")

    def number(self, element: Element, attribute: str, default: float) -> float:
        return self.parsed(element, attribute, str(default), finite, "a number")

    def parsed(self, element: Element, attribute: str, default: str, parse: Callable[[str], T], wanted: str) -> T:
        text = element.get(attribute, default)
        try:
            return parse(text)
        except ValueError:
            raise self.refused(
                f"gives {attribute} = {shown(text)} to {local(element)} '{element.get('name', '')}'; give {wanted}"
            ) from None

    @cached_property
    def units(self) -> dict[str, Unit]:
        """Units that the file defines, by name."""
        found = {}
        for unit in self.root.iter(tag("ssc:Unit")):
            base = unit.find(tag("ssc:BaseUnit"))
            if base is not None:
                exponents = tuple(self.parsed(base, each, "0", int, "a whole number") for each in BASE_UNITS)
                name = unit.get("name", "")
                found[name] = Unit(name, exponents, self.number(base, "factor", 1.0), self.number(base, "offset", 0.0))
        return found

    @cached_property
    def enumerations(self) -> dict[str, dict[str, int]]:
        """Numbers of items by the names of enumerations and items."""
        return {
            each.get("name", ""): {
                item.get("name", ""): self.parsed(item, "value", "", int, "a whole number") for item in each.iterfind(tag("ssc:Item"))
            }
            for each in self.root.iter(tag("ssc:Enumeration"))
            if len(each)
        }


def finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def parsed(text: bytes, file: str, root: str) -> Document:
    """Parses an XML file, whose outermost element must be ``root``; raises BuildError otherwise."""
    try:
        element = ElementTree.fromstring(text, XMLParser(target=_Plain()))
    except (ParseError, ValueError, LookupError) as error:
        raise BuildError(f"'{file}' cannot be read: {error}; save it again as XML") from None
    if element.tag != tag(root):
        raise BuildError(f"'{file}' begins with {shown(element.tag)}, and should with {tag(root)}; SSP 1.0 or 2.0 is read")
    return Document(element, file)


def is_true(element: Element, attribute: str) -> bool:
    return element.get(attribute, "false").strip() in ("true", "1")


def annotated(element: Element) -> Iterator[Element]:
    """Returns the annotations of one element, without those of elements inside it."""
    return (each for whole in element if local(whole) == "Annotations" for each in whole)


def add_units(parent: Element, units: Iterable[Unit], name: str = "ssd:Units") -> None:
    """Adds the units that are more than a name."""
    known = {unit.name: unit for unit in units if unit.exponents is not None}
    if known:
        whole = add(parent, name)
        for unit in known.values():
            powers: Mapping[str, object] = {name: n for name, n in zip(BASE_UNITS, unit.exponents or (), strict=True) if n}
            changed = {"factor": unit.factor if unit.factor != 1 else None, "offset": unit.offset or None}
            add(add(whole, "ssc:Unit", name=unit.name), "ssc:BaseUnit", **powers, **changed)
