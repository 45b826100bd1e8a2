"""Types at the two ends of a connection: values pass if the type of the input holds all values of the output."""

from __future__ import annotations

from coupling.errors import with_article
from coupling.fmus import FmuVariable
from coupling.fmus.start_values import bounds_of, type_bounds
from coupling.fmus.variables import OCTETS

_NUMBERS = ("real", "integer", "boolean")
_DIGITS = {"Float32": 24}
"""Binary digits of real types with fewer digits than doubles have."""


def is_single(variable: FmuVariable) -> bool:
    """Says whether a variable has the single precision of Float32."""
    return variable.fmi_type in _DIGITS


def refusal_of(a: FmuVariable, b: FmuVariable) -> str:
    """Returns the types of an output and of an input that does not hold all of its values, with the remedy; empty if values pass."""
    why = _mismatch(a, b)
    return why and f"the first is {with_article(a.fmi_type)}, the second {with_article(b.fmi_type)}{why}"


def _mismatch(a: FmuVariable, b: FmuVariable) -> str:
    """Returns the reason why values do not pass, with the remedy."""
    if "clock" in (a.type, b.type):
        return ", and clocks are not connected; leave both open"
    if a.type == b.type == "binary" and a.mime != b.mime and OCTETS not in (a.mime, b.mime):
        return f": the first has the MIME type {a.mime}, the second {b.mime}; connect variables of one MIME type"
    if a.type == b.type and a.type in ("real", "string", "binary", "boolean"):
        return ""
    if a.type not in _NUMBERS or b.type not in _NUMBERS:
        return f"; connect the second with an output of its own type, {b.fmi_type}"
    if b.type == "boolean":
        return ", which is true or false; connect the second with a Boolean output"
    if a.type == "real":
        return ", which holds whole numbers alone; connect the first with a real input, or put an FMU that rounds between them"
    low, high = _range(a)
    least, most = _holds(b)
    if least <= low and high <= most:
        return ""
    return (
        f", which does not hold all whole numbers from {low} to {high}; connect the first with an input of type {a.fmi_type}, or declare its min and "
        f"max in its FMU within {least} and {most}"
    )


def _range(variable: FmuVariable) -> tuple[float, float]:
    """Returns the least and the greatest value of a Boolean, an enumeration or a whole number."""
    if variable.type == "boolean":
        return 0, 1
    if variable.items:
        return min(number for _, number in variable.items), max(number for _, number in variable.items)
    return bounds_of(variable)


def _holds(variable: FmuVariable) -> tuple[float, float]:
    """Returns the range of whole numbers that a type holds, all of them exactly."""
    if variable.type == "real":
        most = 2 ** _DIGITS.get(variable.fmi_type, 53)
        return -most, most
    return type_bounds("Int64" if variable.fmi_type == "Enumeration" else variable.fmi_type)
