"""Values that a variable may be given before the start."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coupling.errors import BuildError, listed, shown, with_article
from coupling.fmus.description import Fmu
from coupling.fmus.variables import FmuVariable, Settable
from coupling.fmus.views import subscripts
from coupling.names import nearest

_SINGLE = float(np.finfo(np.float32).max)


def start_items(instance: str, fmu: Fmu, name: str, value: Any, again: bool = False) -> list[tuple[str, Settable]]:
    """Returns the values that a start value sets, by the names of variables: those of its elements for an array.

    Values that the FMU could not take raise BuildError. ``again``: the instance has been built already.
    """
    if not isinstance(name, str):
        raise BuildError(f"the start values of '{instance}' have {shown(name)} for a name; give the names of variables, such as 'm'")
    array = fmu.arrays.get(name)
    if array is None:
        return [(name, _checked(instance, fmu, name, value, again))]
    values, shape = np.empty(array.dimensions, dtype=object), " x ".join(map(str, array.dimensions))
    try:
        given = np.array(value, dtype=object)
        values[...] = given.reshape(array.dimensions) if given.ndim == 1 and given.size == values.size else given
        fits = given.ndim in (0, 1, values.ndim)
    except ValueError:
        fits = False
    if not fits:
        table, single = name.rpartition(".")[0], f"single ones, such as '{name}{next(subscripts(array.dimensions), '[1]')}'"
        if _is_table(fmu, table):
            single = f"a table '{table}' of another size when the component is added"
        raise BuildError(
            f"'{instance}.{name}' = {shown(value)} is refused: it is an array of {shape}; give as many values, row by row, or {single}"
        )
    elements = (f"{name}{each}" for each in subscripts(array.dimensions))
    return [(each, _checked(instance, fmu, each, of, again)) for each, of in zip(elements, values.ravel(), strict=True)]


def _is_table(fmu: Fmu, name: str) -> bool:
    """Says whether a component's table has this name, as the text of its nodes tells."""
    nodes = fmu.variables.get(f"{name}.x[1]")
    return nodes is not None and (nodes.description or "").startswith("nodes of the table")


def _checked(instance: str, fmu: Fmu, name: str, value: Any, again: bool) -> Settable:
    variable = fmu.variables.get(name)
    full = f"{instance}.{name}"
    if variable is None:
        settable = [v.name for v in fmu.variables.values() if _settable(v)]
        hint = nearest(name, settable) or _meant(name, fmu, settable) or nearest(name, fmu.variables)
        if _is_table(fmu, name):
            hint = f"it is a table: give [x, y] or a file when the component is added, or set elements such as '{name}.x[1]'"
        hint = hint or f"variables that can be set: {listed(settable) or 'none'}"
        raise BuildError(f"'{instance}' ({fmu.model_name}) has no variable '{name}' to start from; {hint}")
    if not _settable(variable):
        raise BuildError(f"'{full}' = {shown(value)} is refused: it is {_nature(variable)}; set parameters, states or inputs")
    if _is_switch(fmu, variable):
        if not value:
            raise BuildError(f"'{full}' = {shown(value)} is refused: the master solves the constraints and turns it on; leave it out")
    elif variable.causality == "structuralParameter" and again and value != variable.start:
        raise BuildError(
            f"'{full}' = {shown(value)} is refused: it is a structural parameter, of which the system's equations depend; give it to add"
        )
    number = item_of(full, variable, value)
    check_value(full, variable, number)
    found: Settable = number
    return found


def _meant(name: str, fmu: Fmu, settable: Sequence[str]) -> str:
    """Returns a question that names the variable whose description begins with the name, or has it as a word; empty if no such variable
    exists."""
    word = name.replace("_", " ").lower()
    texts = {each: fmu.variables[each].description.lower() for each in settable}
    found = next((each for each, text in texts.items() if text.startswith(word)), None)
    found = found or next((each for each, text in texts.items() if f" {word} " in f" {text} "), None)
    return f"did you mean '{found}' ({fmu.variables[found].description.partition(';')[0]})?" if found and word else ""


def item_of(full: str, variable: FmuVariable, value: Any) -> Any:
    """Returns the number of an enumeration's item that is given by its name; all other values as they are."""
    if not variable.items:
        return value
    numbers, items = dict(variable.items), ", ".join(f"'{name}' ({number})" for name, number in variable.items)
    if isinstance(value, str):
        if value not in numbers:
            raise BuildError(f"'{full}' = {shown(value)} is refused: it has no such item; its items are {items}")
        return numbers[value]
    if isinstance(value, int | float | np.integer | np.floating) and value not in numbers.values():
        raise BuildError(f"'{full}' = {value} is refused: no item has this number; its items are {items}")
    return value


def structural_values(fmu: Fmu, values: Mapping[str, Settable]) -> dict[str, Settable]:
    """Returns the structural parameters that differ from the FMU's start values. All other values are set when its arrays have their
    sizes."""
    found = ((fmu.variables.get(name), value) for name, value in values.items())
    return {
        v.name: value
        for v, value in found
        if v is not None and v.causality == "structuralParameter" and not _is_switch(fmu, v) and v.start != value
    }


def check_value(full: str, variable: FmuVariable, value: Any) -> None:
    """Refuses a value that is of another type than the variable, or outside of its bounds; ``full`` is the variable's name."""
    if variable.type == "string":
        if not isinstance(value, str):
            raise BuildError(f"'{full}' = {shown(value)} is refused: it must be a text")
        return
    if variable.type == "binary":
        if not isinstance(value, bytes):
            raise BuildError(f"'{full}' = {shown(value)} is refused: it must be bytes, such as b'\\x01'")
        if variable.max_size is not None and len(value) > variable.max_size:
            raise BuildError(
                f"'{full}' = {shown(value)} is refused: it has {len(value)} bytes, and at most {variable.max_size} (maxSize) are accepted"
            )
        return
    if variable.type not in ("real", "integer", "boolean"):
        raise BuildError(f"'{full}' is {with_article(variable.fmi_type)}, which cannot be set here; leave it out")
    wanted = {"real": "a number", "integer": "a whole number", "boolean": "True or False"}[variable.type]
    is_number, is_boolean = isinstance(value, int | float | np.integer | np.floating), isinstance(value, bool | np.bool_)
    if (is_boolean and variable.type == "real") or not (is_number or is_boolean):
        raise BuildError(f"'{full}' = {shown(value)} is refused: it must be {wanted}")
    try:
        finite = math.isfinite(value)
    except OverflowError:  # of a whole number
        raise BuildError(f"'{full}' = {shown(value)} is refused: it is too large for a number of double precision") from None
    low, high = bounds_of(variable)
    if variable.type == "real" and finite and low <= value <= high:
        return
    given = f"'{full}' = {value}{f' {variable.unit}' if variable.unit and variable.unit != '1' else ''}"
    if not finite:
        raise BuildError(f"{given} is refused: it must be a finite number")
    if variable.type == "boolean":
        if value not in (0, 1):
            raise BuildError(f"{given} is refused: it must be {wanted}")
        return
    if variable.type == "integer" and value != int(value):
        raise BuildError(f"{given} is refused: it must be {wanted}")
    if not low <= value <= high:
        bounds = [f"at least {_number(low)}"] * (low > -math.inf) + [f"at most {_number(high)}"] * (high < math.inf)
        raise BuildError(f"{given} is refused: it must be {' and '.join(bounds)}")


def bounds_of(variable: FmuVariable) -> tuple[float, float]:
    """Returns the bounds that are declared, within those of the type; whole ones where no double holds them."""
    low, high = variable.minimum, variable.maximum
    if variable.type == "integer":
        least, most = type_bounds(variable.fmi_type)
        low, high = max(low, least), min(high, most)
    elif variable.fmi_type == "Float32":
        low, high = max(low, -_SINGLE), min(high, _SINGLE)
    return low, high


def type_bounds(fmi_type: str) -> tuple[int, int]:
    """Returns the least and the greatest number of a type of whole numbers."""
    unsigned, bits = fmi_type.startswith("U"), fmi_type.lstrip("UInt")
    size = int(bits) if bits.isdigit() else 32
    return (0, 2**size - 1) if unsigned else (-(2 ** (size - 1)), 2 ** (size - 1) - 1)


def _number(bound: float) -> str:
    return str(bound) if isinstance(bound, int) else f"{bound:.0f}" if bound.is_integer() and abs(bound) < 1e17 else f"{bound:g}"


def _settable(variable: FmuVariable) -> bool:
    if variable.variability == "constant" or variable.causality in ("independent", "calculatedParameter"):
        return False
    return variable.causality in ("input", "parameter", "structuralParameter") or variable.initial in ("exact", "approx")


def _nature(variable: FmuVariable) -> str:
    """Returns the reason why a variable cannot be set."""
    if variable.causality == "independent":
        return "the time, which runs from the option start_time on"
    if variable.variability == "constant":
        return "a constant of the FMU"
    if variable.causality == "calculatedParameter":
        return "a parameter that the FMU computes from others"
    return f"{with_article(variable.causality)} variable that the FMU computes"


def _is_switch(fmu: Fmu, variable: FmuVariable) -> bool:
    return fmu.dae is not None and variable.type == "boolean" and variable.reference == fmu.dae.switch
