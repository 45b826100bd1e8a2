"""The variables of an FMU as its model description lists them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from coupling.fmus.errors import Source
from coupling.fmus.interface import is_true

Settable = float | bool | int | str | bytes
"""Types that a start value can have."""
Value = Settable
OCTETS = "application/octet-stream"
"""MIME type of binary data whose FMU does not declare another one."""

_INTEGERS = ("Integer", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Enumeration")
_TYPES = {
    **dict.fromkeys(("Real", "Float64", "Float32"), "real"),
    **dict.fromkeys(_INTEGERS, "integer"),
    **{name: name.lower() for name in ("Boolean", "String", "Binary", "Clock")},
}
_PARAMETERS = ("parameter", "structuralParameter")
_INHERITED = ("unit", "min", "max", "nominal", "relativeQuantity", "mimeType", "maxSize")
"""Attributes that a variable takes from its declared type."""
_FACTS = ("Annotations/Annotation[@type='org.jourdain']/*", "Annotations/Tool[@name='org.jourdain']/*")
"""Places of this library's annotations of a variable in FMI 3 and FMI 2."""


@dataclass(frozen=True, slots=True)
class FmuVariable:
    """One variable, with the standard's defaults and those of its declared type filled in."""

    name: str
    reference: int
    type: str
    """``real``, ``integer``, ``boolean``, ``string``, ``binary`` or ``clock``; an enumeration is an integer."""
    fmi_type: str
    """Type as written: ``Real``, ``Float32``, ``UInt8``, ``Enumeration`` ..."""
    causality: str
    variability: str
    initial: str | None
    start: Value | tuple[Value, ...] | None
    """Start value; for an array, the values of all elements in the order of the standard."""
    unit: str | None
    minimum: float
    maximum: float
    nominal: float
    derivative: str | None
    """Name of the variable whose time derivative this variable is."""
    dimensions: tuple[int, ...]
    """The sizes of an array as long as no structural parameter is changed; empty for a scalar."""
    description: str
    relative: bool = False
    """True if only differences of the variable have a meaning; then the offset of its unit does not count."""
    items: tuple[tuple[str, int], ...] = ()
    """Names and numbers of the items of an enumeration."""
    mime: str = OCTETS
    """MIME type of binary data."""
    max_size: int | None = None
    """The most bytes that binary data may have; None if its FMU declares no limit."""
    gauge: str | None = None
    """Output that a gauge state follows. The state may be set to its value at any time without changing anything else."""
    elastic: bool = False
    """True for an amplitude of deformation, or its rate."""
    beyond: str = ""
    """Sentence for values above the range, with ``{percent}`` and ``{times}``; empty for the usual sentence."""


class VariableReader:
    """Reader of the variables of a model description, with the defaults of the standard and of declared types."""

    def __init__(self, root: Element, version: int, source: Source, structural: Mapping[str, Settable] | None = None) -> None:
        """Takes values of structural parameters that differ from the FMU's start values, ``structural``."""
        self.root, self.version, self.source, self.structural = root, version, source, structural or {}
        self.items: dict[str, tuple[tuple[str, int], ...]] = {}
        """Items of declared enumerations."""
        self.types = dict(self._declared_types())

    def listed(self) -> Iterator[FmuVariable]:
        """Yields the variables in the order of the file; an alias of FMI 3 follows its variable."""
        elements = [each for each in self.root.iterfind("ModelVariables/*") if each.tag != "Annotations"]
        named = [(each, self._name(each), self._reference(each)) for each in elements]
        referred = {place: name for place, (_, name, _) in enumerate(named, 1)}  # FMI 2 refers to places in the list
        if self.version == 3:
            referred = {reference: name for _, name, reference in reversed(named)}
        sizes = {reference: element.get("start") or "" for element, _, reference in named}
        changed = sizes | {reference: str(self.structural[name]) for _, name, reference in named if name in self.structural}
        resizes = changed != sizes
        for element, name, reference in named:
            variable = self._variable(element, name, reference, referred, sizes)
            if resizes:
                variable = self._resized(variable, element, changed)
            yield variable
            for alias in element.iterfind("Alias"):
                yield replace(variable, name=self._name(alias), description=alias.get("description") or variable.description)

    def _declared_types(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yields the attributes that variables of a declared type have by default."""
        for definition in self.root.iterfind("TypeDefinitions/*"):
            inner = definition if self.version == 3 else next((each for each in definition if each.tag in _TYPES), definition)
            items = [
                (item.get("name") or "", self.source.parsed(item.get("value") or "", int, "the value of an enumeration's item"))
                for item in inner.iterfind("Item")
            ]
            self.items[definition.get("name") or ""] = tuple(items)
            numbers = [number for _, number in items]
            ends = {"min": str(min(numbers)), "max": str(max(numbers))} if items else {}
            yield definition.get("name") or "", ends | {key: inner.attrib[key] for key in _INHERITED if key in inner.attrib}

    def _name(self, element: Element) -> str:
        name = element.get("name")
        if not name:
            raise self.source.broken(f"has a variable without a name (value reference {element.get('valueReference')})")
        return name

    def _reference(self, element: Element) -> int:
        text = element.get("valueReference") or ""
        reference = self.source.parsed(text, int, f"the value reference of '{element.get('name')}'")
        if not 0 <= reference < 2**32:
            raise self.source.broken(
                f"gives {text} as the value reference of '{element.get('name')}', which must lie between 0 and 2^32 - 1"
            )
        return reference

    def _variable(self, element: Element, name: str, reference: int, referred: Mapping[int, str], sizes: Mapping[int, str]) -> FmuVariable:
        typed = element if self.version == 3 else next((each for each in element if each.tag in _TYPES), element)
        if typed.tag not in _TYPES:
            raise self.source.broken(f"has the variable '{name}' of an unknown type ({typed.tag})")
        kind = _TYPES[typed.tag]
        facts = {each.tag: each for path in _FACTS for each in element.iterfind(path)}
        attributes = self._inherited(typed, name)
        causality = element.get("causality") or "local"
        variability = self._variability(element.get("variability"), causality, kind)
        dimensions = tuple(self._size(each, name, sizes) for each in element.iterfind("Dimension"))
        return FmuVariable(
            name=name,
            reference=reference,
            type=kind,
            fmi_type=typed.tag,
            causality=causality,
            variability=variability,
            initial=None if kind == "clock" else element.get("initial") or self._initial(causality, variability),
            start=self._start(typed, name, kind, dimensions),
            unit=attributes.get("unit") or None,
            minimum=self._bound(attributes, "min", name, -math.inf),
            maximum=self._bound(attributes, "max", name, math.inf),
            nominal=abs(self._bound(attributes, "nominal", name, 1.0)) or 1.0,
            derivative=self._derivative(typed, name, referred),
            dimensions=dimensions,
            description=element.get("description") or "",
            relative=is_true(attributes.get("relativeQuantity")),
            items=self.items.get(typed.get("declaredType") or "", ()),
            mime=attributes.get("mimeType") or OCTETS,
            max_size=self._max_size(attributes, name) if kind == "binary" else None,
            gauge=facts["Gauge"].get("of") if "Gauge" in facts else None,
            elastic="Elastic" in facts,
            beyond=facts["Beyond"].get("text", "") if "Beyond" in facts else "",
        )

    def _resized(self, variable: FmuVariable, element: Element, sizes: Mapping[int, str]) -> FmuVariable:
        """Returns a variable with the values given to structural parameters. The start value of an array of another size is unknown."""
        if variable.name in self.structural:
            return replace(variable, start=self.structural[variable.name])
        dimensions = tuple(self._size(each, variable.name, sizes) for each in element.iterfind("Dimension"))
        return variable if dimensions == variable.dimensions else replace(variable, dimensions=dimensions, start=None)

    def _inherited(self, typed: Element, name: str) -> Mapping[str, str]:
        declared = typed.get("declaredType")
        if declared is None:
            return typed.attrib
        if declared not in self.types:
            raise self.source.broken(f"gives '{name}' the type '{declared}', which it does not define")
        return self.types[declared] | typed.attrib

    def _variability(self, written: str | None, causality: str, kind: str) -> str:
        # FMI 2 has 'continuous' for all that say nothing, which it forbids for parameters and discrete types.
        if causality in (*_PARAMETERS, "calculatedParameter"):
            return written or "fixed"
        return written or ("continuous" if kind == "real" else "discrete")

    def _initial(self, causality: str, variability: str) -> str | None:
        if causality == "independent":
            return None
        if causality == "input":
            return "exact" if self.version == 3 else None
        return "exact" if causality in _PARAMETERS or variability == "constant" else "calculated"

    def _bound(self, attributes: Mapping[str, str], key: str, name: str, default: float) -> float:
        text = attributes.get(key)
        return default if text is None else self.source.parsed(text, float, f"the {key} of '{name}'")

    def _max_size(self, attributes: Mapping[str, str], name: str) -> int | None:
        text = attributes.get("maxSize")
        return None if text is None else self.source.parsed(text, _count, f"the maxSize of '{name}'")

    def _size(self, dimension: Element, name: str, sizes: Mapping[int, str]) -> int:
        text, what = dimension.get("start"), f"the size of '{name}'"
        if text is None:
            text = sizes.get(self.source.parsed(dimension.get("valueReference") or "", int, what))
        return self.source.parsed(text or "", _count, what)

    def _start(self, typed: Element, name: str, kind: str, dimensions: tuple[int, ...]) -> Value | tuple[Value, ...] | None:
        parse, what = _PARSERS.get(kind, str), f"the start value of '{name}'"
        text = typed.get("start")
        if self.version == 3 and kind in ("string", "binary"):
            texts = [each.get("value") or "" for each in typed.iterfind("Start")]
        elif dimensions and text is not None:
            texts = text.split()
        else:
            texts = [] if text is None else [text]
        values = [self.source.parsed(each, parse, what) for each in texts]
        if not values:
            return None
        if not dimensions:
            return values[0]
        size = math.prod(dimensions)
        if len(values) not in (1, size):
            raise self.source.broken(f"gives {len(values)} start values to '{name}', which has {size} elements")
        return tuple(values if len(values) == size else values * size)

    def _derivative(self, typed: Element, name: str, referred: Mapping[int, str]) -> str | None:
        text = typed.get("derivative")
        if text is None:
            return None
        state = referred.get(self.source.parsed(text, int, f"the state with the derivative '{name}'"))
        if state is None:
            raise self.source.broken(f"calls '{name}' the derivative of variable {text}, which does not exist")
        return state


def by_name(listed: Iterable[FmuVariable], source: Source) -> dict[str, FmuVariable]:
    """Returns variables by their names; a name that two variables have raises FmuError."""
    found: dict[str, FmuVariable] = {}
    for variable in listed:
        other = found.setdefault(variable.name, variable)
        if other is not variable:
            raise source.broken(
                f"has two variables with the name '{variable.name}' (value references {other.reference} and {variable.reference}), which "
                "FMI 2.0, section 2.2.7, and FMI 3.0, section 2.4.7, forbid"
            )
    return found


def by_reference(variables: Iterable[FmuVariable]) -> dict[int, FmuVariable]:
    """Returns variables by reference, the first one of aliases. In FMI 2 each type has its own value references, and reals go before
    others."""
    found: dict[int, FmuVariable] = {}
    for variable in variables:
        other = found.setdefault(variable.reference, variable)
        if other.type != "real" and variable.type == "real":
            found[variable.reference] = variable
    return found


def _count(text: str) -> int:
    size = int(text)
    if size < 0:
        raise ValueError(text)
    return size


def _boolean(text: str) -> bool:
    if text.strip() not in ("true", "1", "false", "0"):
        raise ValueError(text)
    return is_true(text)


_PARSERS: dict[str, Callable[[str], Value]] = {
    "real": float,
    "integer": int,
    "boolean": _boolean,
    "string": str,
    "binary": bytes.fromhex,
}
