"""Types at the two ends of a connection: values pass if the type of the input holds all values of the output."""

from __future__ import annotations

from coupling.errors import with_article
from coupling.fmus import FmuVariable
from coupling.fmus.start_values import bounds_of, type_bounds
from coupling.fmus.variables import OCTETS

_NUMBERS = ("real", "integer", "boolean")
_MOST_ITEMS = 10
_CONVERT = "connect(..., convert=True)"
_DIGITS = {"Float32": 24}
"""Binary digits of real types with fewer digits than doubles have."""


def rounds(a: FmuVariable, b: FmuVariable) -> bool:
    """Says whether values of an output are rounded to the single precision of an input, which ``convert`` permits."""
    return b.fmi_type in _DIGITS and bool(_mismatch(a, b, False)) and not _mismatch(a, b, True)


def refusal_of(a: FmuVariable, b: FmuVariable, convert: bool) -> str:
    """Returns the types of an output and of an input that does not hold all of its values, with the remedy; empty if values pass."""
    why = _mismatch(a, b, convert)
    return why and f"the first is {with_article(a.fmi_type)}, the second {with_article(b.fmi_type)}{why}"


def _mismatch(a: FmuVariable, b: FmuVariable, convert: bool) -> str:
    """Returns the reason why values do not pass, with the remedy; ``convert`` permits rounding and passing items by their numbers."""
    if "clock" in (a.type, b.type):
        return ", and clocks are not connected; leave both open"
    if a.type == b.type == "binary" and a.mime != b.mime and OCTETS not in (a.mime, b.mime):
        return f": the first has the MIME type {a.mime}, the second {b.mime}; connect variables of one MIME type"
    if a.type == b.type == "real":
        rounded = b.fmi_type in _DIGITS and a.fmi_type != b.fmi_type
        return f", which does not hold all numbers of double precision; {_CONVERT} rounds them" if rounded and not convert else ""
    if a.type == b.type and a.type in ("string", "binary", "boolean"):
        return ""
    if a.type not in _NUMBERS or b.type not in _NUMBERS:
        return f"; connect the second with an output of its own type, {b.fmi_type}"
    if b.type == "boolean":
        return ", which is true or false; connect the second with a Boolean output"
    if a.type == "real":
        return ", which holds whole numbers alone; connect the first with a real input, or put an FMU that rounds between them"
    if b.items:
        return _mismatch_of_items(a, b, convert)
    low, high = _range(a)
    least, most = _holds(b, convert)
    if least <= low and high <= most:
        return ""
    rounded = b.fmi_type in _DIGITS and low >= -(2**53) and high <= 2**53
    return (
        f", which does not hold all whole numbers from {low} to {high}; connect the first with an input of type {a.fmi_type}, or declare its min and "
        f"max in its FMU within {least} and {most}{f', or round them: {_CONVERT}' if rounded else ''}"
    )


def _mismatch_of_items(a: FmuVariable, b: FmuVariable, convert: bool) -> str:
    """Returns the reason why an enumeration does not take all values of an output."""
    numbers = {number for _, number in b.items}
    if not a.items:
        low, high = _range(a)
        if convert or (high - low < len(numbers) and numbers.issuperset(range(int(low), int(high) + 1))):
            return ""
        return (
            f" with the items {_items(b)}, which do not have all numbers from {low} to {high}; connect the second with an enumeration of these "
            f"items, or pass the numbers: {_CONVERT}"
        )
    if set(a.items) <= set(b.items):
        return ""
    known = numbers.issuperset(number for _, number in a.items)
    if known and convert:
        return ""
    return (
        f": the first has the items {_items(a)}, the second {_items(b)}; connect enumerations of the same "
        f"items{f', or pass the numbers: {_CONVERT}' if known else ''}"
    )


def _items(variable: FmuVariable) -> str:
    """Returns the first items of an enumeration with their numbers."""
    more = len(variable.items) - _MOST_ITEMS
    shown = ", ".join(f"'{name}' ({number})" for name, number in variable.items[:_MOST_ITEMS])
    return shown + (f" and {more} more" if more > 0 else "")


def _range(variable: FmuVariable) -> tuple[float, float]:
    """Returns the least and the greatest value of a Boolean, an enumeration or a whole number."""
    if variable.type == "boolean":
        return 0, 1
    if variable.items:
        return min(number for _, number in variable.items), max(number for _, number in variable.items)
    return bounds_of(variable)


def _holds(variable: FmuVariable, convert: bool) -> tuple[float, float]:
    """Returns the range of whole numbers that a type holds, all of them exactly."""
    if variable.type == "real":
        most = 2 ** (53 if convert else _DIGITS.get(variable.fmi_type, 53))
        return -most, most
    return type_bounds("Int64" if variable.fmi_type == "Enumeration" else variable.fmi_type)
