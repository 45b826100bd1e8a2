"""Names, units, numbers and texts as Modelica spells them."""

from __future__ import annotations

import re

from fmu_components.declare.units import MIXED

_WORDS = """
    algorithm and annotation block break class connect connector constant constrainedby der discrete each else elseif elsewhen
    encapsulated end enumeration equation expandable extends external false final flow for function if import impure in initial inner input
    loop model not operator or outer output package parameter partial protected public pure record redeclare replaceable return stream then
    true type when while within
    abs acos asin assert atan atan2 cos cosh exp floor log max min noEvent sign sin sinh sqrt tan tanh time transpose
"""
"""Keywords of Modelica, and functions that the equations call."""

_RESERVED = frozenset(_WORDS.split())


def modelica_name(name: str) -> str:
    """Returns the identifier of a variable: ``rotation.k`` is ``rotation_k``, ``multiplier[1]`` is ``multiplier_1``."""
    plain = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    return f"_{plain}" if not plain or plain[0].isdigit() else f"{plain}_" if plain in _RESERVED else plain


def modelica_unit(unit: str) -> str:
    """Returns a unit with parentheses around a divisor of several factors: ``m3/s.Pa`` is ``m3/(s.Pa)``. A mixed unit has no spelling."""
    if unit == MIXED:
        return ""
    above, slash, below = unit.partition("/")
    return (above or "1") + slash + (f"({below})" if "." in below else below)


def modelica_string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def modelica_value(value: float | bool | None) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(float(value or 0.0))
