"""XML as all exporters write it: attributes in FMI's spelling, indented, with a declaration.

An element is its text from the beginning: a mechanism of thousand bodies has some hundred thousand of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

Value = str | bool | int | float | None
Element = str
"""Text of an element with its children, each of them two spaces further in."""


def element(tag: str, attributes: Mapping[str, Value] | None = None, children: Iterable[Element] = ()) -> Element:
    """An element; attributes that are None are left out."""
    named = "".join([f' {name}="{_spelled(value)}"' for name, value in (attributes or {}).items() if value is not None])
    inside = "\n".join(children)
    if not inside:
        return f"<{tag}{named} />"
    return f"<{tag}{named}>\n  {inside.replace(_BREAK, _INDENTED)}\n</{tag}>"


_BREAK, _INDENTED = "\n", "\n  "


def document(root: Element) -> str:
    """The text of a whole file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n'


def _spelled(value: str | bool | int | float) -> str:
    if isinstance(value, str):
        return value if _PLAIN(value) else value.translate(_ESCAPED)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


_PLAIN = re.compile(r'[^&<>"\r\n\t]*').fullmatch
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#09;"})
