"""XML as all exporters write it: attributes in FMI's spelling, indented, with a declaration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as ET

Value = str | bool | int | float | None


def element(tag: str, attributes: Mapping[str, Value] | None = None, children: Iterable[ET.Element] = ()) -> ET.Element:
    """An element; attributes that are None are left out."""
    made = ET.Element(tag, {name: _spelled(value) for name, value in (attributes or {}).items() if value is not None})
    made.extend(children)
    return made


def document(root: ET.Element) -> str:
    """The text of a whole file."""
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _spelled(value: str | bool | int | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
